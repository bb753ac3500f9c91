//! A server for one folder that misbehaves as told, and remembers what it was asked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

/// What is done with a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reaction {
    /// The file, or 404.
    Serve,
    /// Another status.
    Status(u16),
    /// The length of the whole file, half of it, and the end.
    Half,
    /// Half of the file, and the length of that half.
    HalfAndItsLength,
    /// A length that is 7 bytes too long.
    LengthTooLong,
    /// The first bytes, and then nothing for a while.
    Stall,
    /// Nothing at all.
    Close,
}

type Rule = dyn Fn(&str, usize) -> Reaction + Send + Sync;

/// A server on this machine.
pub struct Server {
    /// The address of the folder.
    pub address: String,
    asked: Arc<Mutex<Log>>,
}

/// How often each file was asked for, and by how many at once.
#[derive(Default)]
struct Log {
    ever: BTreeMap<String, usize>,
    lately: BTreeMap<String, usize>,
    /// Connections whose answer is not complete, now and at most.
    open: usize,
    most: usize,
}

/// A connection that has come about and whose answer is not complete.
struct Connection<'a>(&'a Mutex<Log>);

impl<'a> Connection<'a> {
    fn new(log: &'a Mutex<Log>) -> Self {
        let mut all = log.lock().expect("a log");
        all.open += 1;
        all.most = all.most.max(all.open);
        Self(log)
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.0.lock().expect("a log").open -= 1;
    }
}

impl Server {
    /// Serves a folder. The rule is given the path and how often it was asked for before.
    pub fn new(
        folder: PathBuf,
        rule: impl Fn(&str, usize) -> Reaction + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/store", listener.local_addr().expect("bound"));
        let asked = Arc::new(Mutex::new(Log::default()));
        let (log, rule): (_, Arc<Rule>) = (asked.clone(), Arc::new(rule));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folder, log, rule) = (folder.clone(), log.clone(), rule.clone());
                // A client that gives up is part of the game.
                thread::spawn(move || drop(answer(&stream, &folder, &log, &*rule)));
            }
        });
        Self { address, asked }
    }

    /// Most connections that there were at a time.
    pub fn most_at_once(&self) -> usize {
        self.asked.lock().expect("a log").most
    }

    /// How often each file was asked for since the last call.
    pub fn asked(&self) -> BTreeMap<String, usize> {
        std::mem::take(&mut self.asked.lock().expect("a log").lately)
    }
}

fn answer(
    mut stream: &TcpStream,
    folder: &std::path::Path,
    log: &Mutex<Log>,
    rule: &Rule,
) -> std::io::Result<()> {
    let connection = Connection::new(log);
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    while lines
        .next()
        .transpose()?
        .is_some_and(|line| !line.is_empty())
    {}
    let path = first.split(' ').nth(1).unwrap_or_default();
    let path = path.trim_start_matches("/store/").to_owned();
    let before = {
        let mut log = log.lock().expect("a log");
        *log.lately.entry(path.clone()).or_default() += 1;
        let ever = log.ever.entry(path.clone()).or_default();
        *ever += 1;
        *ever - 1
    };
    let file = fs::read(folder.join(&path));
    let (status, body, length) = match (rule(&path, before), file) {
        (Reaction::Status(status), _) => (status, b"no".to_vec(), 2),
        (Reaction::Close, _) => return Ok(()),
        (_, Err(_)) => (404, b"nothing here".to_vec(), 12),
        (Reaction::Serve, Ok(bytes)) => (200, bytes.clone(), bytes.len()),
        (Reaction::Half, Ok(bytes)) => (200, bytes[..bytes.len() / 2].to_vec(), bytes.len()),
        (Reaction::HalfAndItsLength, Ok(bytes)) => {
            (200, bytes[..bytes.len() / 2].to_vec(), bytes.len() / 2)
        }
        (Reaction::LengthTooLong, Ok(bytes)) => (200, bytes.clone(), bytes.len() + 7),
        (Reaction::Stall, Ok(bytes)) => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
                bytes.len()
            )?;
            stream.write_all(&bytes[..bytes.len() / 3])?;
            thread::sleep(Duration::from_secs(3));
            return Ok(());
        }
    };
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    // Before its last byte, which allows the client to ask for something else.
    drop(connection);
    stream.write_all(&body)
}
