//! One HTTP exchange: reads a request, answers with a file of a folder. GET and HEAD, nothing else.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest request head that is read: browsers send about one kilobyte.
const MAX_HEAD: u64 = 16 << 10;
/// A client that says nothing for this long is dropped.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers one request and closes the connection.
pub fn answer(mut stream: TcpStream, folder: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let Some((method, target)) = read_head(&stream)? else {
        return refuse(&mut stream, "400 Bad Request");
    };
    if method != "GET" && method != "HEAD" {
        return refuse(&mut stream, "405 Method Not Allowed");
    }
    let Some(path) = locate(folder, &target) else {
        return refuse(&mut stream, "404 Not Found");
    };
    let file = File::open(&path)?;
    let length = file.metadata()?.len();
    // A figure in a strict sandbox has no origin, not even ours: nothing here is secret, so anybody may read it.
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\n\
         Access-Control-Allow-Origin: *\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        content_type(&path)
    )?;
    if method == "GET" {
        io::copy(&mut file.take(length), &mut stream)?;
    }
    stream.flush()
}

fn refuse(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{status}\n",
        status.len() + 1
    )?;
    stream.flush()
}

/// Method and target of a request, once its whole head has arrived; `None` if it is not HTTP or too long.
fn read_head(stream: &TcpStream) -> io::Result<Option<(String, String)>> {
    let mut lines = BufReader::new(stream.take(MAX_HEAD));
    let mut first = String::new();
    lines.read_line(&mut first)?;
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line == "\r\n" || line == "\n" {
            break;
        }
    }
    let mut words = first.split_whitespace();
    Ok(match (words.next(), words.next(), words.next()) {
        (Some(method), Some(target), Some(version)) if version.starts_with("HTTP/1.") => {
            Some((method.to_owned(), target.to_owned()))
        }
        _ => None,
    })
}

/// The file a target names, if it is a file inside the folder.
fn locate(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = percent_decoded(path)?;
    let mut file = folder.to_path_buf();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        // Only plain names: no way up, no drive, no second separator, no hidden file.
        if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    if file.is_dir() {
        file.push("index.html");
    }
    // A link could still lead outside.
    let real = fs::canonicalize(file).ok()?;
    let inside = real.starts_with(fs::canonicalize(folder).ok()?);
    (inside && real.is_file()).then_some(real)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || (rest.next()? as char).to_digit(16);
            bytes.push((digit()? * 16 + digit()?) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Browsers compile wasm while it arrives only if it is called so.
fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("ico") => "image/x-icon",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("webp") => "image/webp",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// A folder with a page in it and a secret beside it.
    struct Site(PathBuf);

    impl Site {
        fn new(name: &str) -> Self {
            let top = std::env::temp_dir().join(format!("pno-http-{name}-{}", std::process::id()));
            fs::create_dir_all(top.join("page/models")).expect("a folder");
            fs::write(top.join("secret"), "secret").expect("a file");
            fs::write(top.join("page/index.html"), "<p>page").expect("a file");
            fs::write(top.join("page/worker_bg.wasm"), b"\0asm").expect("a file");
            fs::write(top.join("page/a b.txt"), "blank").expect("a file");
            fs::write(top.join("page/.hidden"), "hidden").expect("a file");
            Self(top)
        }

        /// The whole answer to a request, over a real socket.
        fn ask(&self, request: &str) -> String {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = listener.local_addr().expect("an address");
            let folder = self.0.join("page");
            let server =
                thread::spawn(move || answer(listener.accept().expect("a client").0, &folder));
            let mut client = TcpStream::connect(address).expect("connected");
            client.write_all(request.as_bytes()).expect("sent");
            client.shutdown(std::net::Shutdown::Write).expect("ended");
            let mut text = String::new();
            client.read_to_string(&mut text).expect("an answer");
            server.join().expect("no panic").expect("no error");
            text
        }

        fn get(&self, target: &str) -> String {
            self.ask(&format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        }
    }

    impl Drop for Site {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).expect("removed");
        }
    }

    #[test]
    fn files_come_with_their_type_and_length() {
        let site = Site::new("types");
        let wasm = site.get("/worker_bg.wasm?v=1");
        assert!(wasm.starts_with("HTTP/1.1 200 OK\r\n"), "{wasm}");
        assert!(
            wasm.contains("Content-Type: application/wasm\r\nContent-Length: 4\r\n"),
            "{wasm}"
        );
        assert!(wasm.ends_with("\r\n\r\n\0asm"), "{wasm}");
        assert!(site.get("/").ends_with("\r\n\r\n<p>page"));
        assert!(site.get("/a%20b.txt").ends_with("\r\n\r\nblank"));
    }

    #[test]
    fn a_head_request_gets_no_body() {
        let answer = Site::new("head").ask("HEAD / HTTP/1.1\r\n\r\n");
        assert!(
            answer.contains("Content-Length: 7\r\n") && answer.ends_with("\r\n\r\n"),
            "{answer}"
        );
    }

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let site = Site::new("outside");
        for target in [
            "/../secret",
            "/%2e%2e/secret",
            "/models/../../secret",
            "/..%2fsecret",
            "/..\\secret",
            "//etc/passwd",
            "/.hidden",
            "/models",
            "/nothing",
            "/%zz",
            "/%00",
            "secret",
        ] {
            let answer = site.get(target);
            assert!(answer.starts_with("HTTP/1.1 404"), "{target}: {answer}");
        }
    }

    #[test]
    fn what_is_not_a_request_is_refused() {
        let site = Site::new("refused");
        assert!(
            site.ask("POST / HTTP/1.1\r\n\r\n")
                .starts_with("HTTP/1.1 405")
        );
        assert!(site.ask("hello\r\n\r\n").starts_with("HTTP/1.1 400"));
        assert!(site.ask("GET / HTTP/1.1\r\n").starts_with("HTTP/1.1 400"));
    }
}
