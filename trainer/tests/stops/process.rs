//! A process that is stopped.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::cases::Room;

/// Longer than any of them takes.
const PATIENCE: Duration = Duration::from_mins(3);

/// How it is told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// What a queue or a shutdown sends.
    Terminate,
    /// What nobody can catch.
    Kill,
}

/// How a process ended.
#[derive(Debug)]
pub enum End {
    /// It did what it was asked to.
    Done,
    /// It was stopped before that.
    Stopped,
    /// It had something to say.
    Refused(String),
}

/// A process from its beginning to its end.
pub struct Life<'a> {
    room: &'a Room,
    child: Child,
}

impl<'a> Life<'a> {
    /// Starts a command.
    pub fn begin(room: &'a Room, line: &str, resume: bool) -> Self {
        let child = room
            .command(line, resume)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("pno starts");
        Self { room, child }
    }

    /// Waits until a file is being written, or the process has ended, or enough time has passed.
    pub fn until_a_file_is_written(&self, most: Duration) {
        let begin = Instant::now();
        let ended = || std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        while begin.elapsed() < most && !self.room.half_written() {
            if ended().is_ok_and(|stat| stat.contains(") Z ")) {
                return;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Sends a signal and waits.
    pub fn stop(mut self, signal: Signal) -> End {
        let name = match signal {
            Signal::Interrupt => "-INT",
            Signal::Terminate => "-TERM",
            Signal::Kill => "-KILL",
        };
        if self.child.try_wait().expect("a child").is_none() {
            let sent = Command::new("kill")
                .args([name, &self.child.id().to_string()])
                .stderr(Stdio::null())
                .status();
            sent.expect("kill");
        }
        self.end()
    }

    /// Waits for the end.
    pub fn end(mut self) -> End {
        let begin = Instant::now();
        while self.child.try_wait().expect("a child").is_none() {
            if begin.elapsed() > PATIENCE {
                self.child.kill().expect("SIGKILL");
                panic!("it did not end within {PATIENCE:?}");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let output = self.child.wait_with_output().expect("it ended");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!message.contains("panicked"), "{message}");
        match output.status.code() {
            Some(0) => End::Done,
            // By a signal that nobody caught, or by one that was.
            None | Some(130) => End::Stopped,
            Some(_) => End::Refused(message),
        }
    }
}
