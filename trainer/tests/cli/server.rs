//! A server of a folder that fails on purpose: it stands in for a bucket on a bad day.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A running server; it ends with the tests.
pub struct Server {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Serves a folder; with `faults` the first answer for every file is wrong.
    pub fn start(folder: PathBuf, faults: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = requests.clone();
        let seen: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let number = counted.fetch_add(1, Ordering::SeqCst);
                let (folder, seen) = (folder.clone(), seen.clone());
                std::thread::spawn(move || {
                    let _ = answer(stream, &folder, faults.then_some(&*seen), number);
                });
            }
        });
        Self { address, requests }
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connections so far; each carries one request.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn answer(
    mut stream: TcpStream,
    folder: &std::path::Path,
    seen: Option<&Mutex<BTreeMap<String, usize>>>,
    number: usize,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
    let Ok(body) = std::fs::read(folder.join(path.trim_start_matches('/'))) else {
        return write!(
            stream,
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    };
    let times = seen.map(|seen| {
        let mut seen = seen.lock().expect("a lock");
        let times = seen.entry(path).or_default();
        *times += 1;
        *times
    });
    let head = |length: usize| {
        format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")
    };
    match (times, number % 3) {
        (Some(1), 0) => write!(
            stream,
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
        (Some(1), 1) => {
            // The body ends before it should.
            write!(stream, "{}", head(body.len()))?;
            stream.write_all(&body[..body.len() / 2])
        }
        (Some(1), _) => {
            // The length is that of half the body, and so is what arrives.
            write!(stream, "{}", head(body.len() / 2))?;
            stream.write_all(&body[..body.len() / 2])
        }
        _ => {
            write!(stream, "{}", head(body.len()))?;
            stream.write_all(&body)
        }
    }
}
