//! A peer: a script that waits for its turn. `peers/turns.py` has the conversation from the other side.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

use super::cores::Secs;

/// Longest answer; the longest that a script gives has a few hundred bytes.
const MAX_ANSWER: u64 = 1 << 16;

/// Time that a peer has to leave by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// A running script, ready for its turns. It ends with this value.
pub struct Peer {
    name: String,
    child: Child,
    turns: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    complaints: PathBuf,
    /// What it said of itself.
    pub ready: Ready,
}

/// The first answer of a peer.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// Its packages.
    pub versions: Vec<String>,
    /// How it uses the cores.
    pub setting: String,
    /// Time to import and to compile, which is not measured.
    pub warm_up_secs: f64,
}

impl Peer {
    /// Starts a script and waits until it is warm. What it writes to standard error goes to a file, for the sentence
    /// that tells of its end.
    pub fn start(name: &str, command: &mut Command, complaints: PathBuf) -> Result<Self> {
        let file = File::create(&complaints)
            .with_context(|| format!("cannot write {}", complaints.display()))?;
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .with_context(|| format!("{name} cannot be started"))?;
        let missing = || anyhow!("{name} has no standard streams");
        let mut peer = Self {
            name: name.to_owned(),
            turns: Some(child.stdin.take().ok_or_else(missing)?),
            answers: BufReader::new(child.stdout.take().ok_or_else(missing)?),
            child,
            complaints,
            ready: Ready {
                versions: vec![],
                setting: String::new(),
                warm_up_secs: 0.0,
            },
        };
        peer.ready = peer.answer()?;
        Ok(peer)
    }

    /// One turn.
    pub fn go(&mut self) -> Result<Secs> {
        // A peer that has gone cannot be told; reading its answer says so.
        let _ = self.turns.as_mut().map(|turns| turns.write_all(b"go\n"));
        let secs: Secs = self.answer()?;
        for number in [Some(secs.clock), secs.cores].into_iter().flatten() {
            ensure!(
                number.is_finite() && number > 0.0,
                "{} answered {number} seconds, but a positive number is wanted",
                self.name
            );
        }
        Ok(secs)
    }

    fn answer<T: for<'a> Deserialize<'a>>(&mut self) -> Result<T> {
        let mut line = String::new();
        let name = &self.name;
        (&mut self.answers)
            .take(MAX_ANSWER)
            .read_line(&mut line)
            .with_context(|| format!("{name} gave an answer that is not text"))?;
        if line.is_empty() {
            let status = self.child.wait()?;
            bail!(
                "{name} ended without an answer ({status}): {}",
                self.last_words()
            );
        }
        serde_json::from_str(&line).with_context(|| {
            format!(
                "{name} answered `{}`, which is no answer of a peer",
                line.trim_end().chars().take(100).collect::<String>()
            )
        })
    }

    /// The last line that it wrote to standard error.
    fn last_words(&self) -> String {
        let bytes = std::fs::read(&self.complaints).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        last.unwrap_or("it said nothing").trim().to_owned()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input is the sign to leave; one that does not take it is made to.
        self.turns = None;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(PATIENCE / 100);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const READY: &str =
        r#"echo '{"versions": ["a 1"], "setting": "alone", "warm_up_secs": 2.5}'; "#;

    fn start(script: &str) -> Result<Peer> {
        let folder = tempfile::tempdir().expect("a folder");
        let complaints = folder.path().join("complaints");
        let mut command = Command::new("sh");
        let peer = Peer::start("the peer", command.args(["-c", script]), complaints);
        // Its last words are read before the folder goes.
        peer.and_then(|mut peer| {
            peer.go()?;
            Ok(peer)
        })
    }

    fn refusal(script: &str) -> String {
        let error = start(script).err().expect("a peer that fails");
        format!("{error:#}")
    }

    #[test]
    fn a_peer_takes_its_turns() {
        let script =
            format!("{READY} while read line; do echo '{{\"clock\": 0.25, \"cores\": 0.5}}'; done");
        let mut peer = start(&script).expect("a peer");
        assert_eq!(peer.ready.versions, ["a 1"]);
        assert_eq!(
            (peer.ready.setting.as_str(), peer.ready.warm_up_secs),
            ("alone", 2.5)
        );
        for _ in 0..3 {
            let secs = peer.go().expect("an answer");
            assert_eq!((secs.clock, secs.cores), (0.25, Some(0.5)));
        }
    }

    #[test]
    fn a_peer_that_dies_is_quoted() {
        let said = refusal("echo 'Traceback:' >&2; echo 'MemoryError: all gone' >&2; exit 3");
        assert!(said.contains("the peer ended without an answer"), "{said}");
        assert!(
            said.contains('3') && said.ends_with("MemoryError: all gone"),
            "{said}"
        );
        let said = refusal(&format!("{READY} read line; exit 0"));
        assert!(said.ends_with("it said nothing"), "{said}");
    }

    #[test]
    fn nonsense_is_quoted() {
        for nonsense in ["hello", r#"{"secs": 1}"#, "[1"] {
            let said = refusal(&format!("echo '{nonsense}'; cat"));
            assert!(said.contains(&format!("answered `{nonsense}`")), "{said}");
        }
        for (number, found) in [("0", "0"), ("-1.5", "-1.5")] {
            let said = refusal(&format!(
                "{READY} read line; echo '{{\"clock\": {number}, \"cores\": 1}}'"
            ));
            assert!(
                said.contains(&format!("answered {found} seconds")),
                "{said}"
            );
        }
        let said = refusal(&format!(
            "{READY} read line; head -c 200000 /dev/zero | tr '\\0' x"
        ));
        assert!(said.contains("answered `xxx") && said.len() < 300, "{said}");
    }

    #[test]
    fn a_peer_that_does_not_leave_is_made_to() {
        let script = format!(
            "{READY} read line; echo '{{\"clock\": 1, \"cores\": null}}'; exec sleep 600 >&2 2>&-"
        );
        let peer = start(&script).expect("a peer");
        let begun = Instant::now();
        drop(peer);
        assert!(begun.elapsed() < Duration::from_mins(5));
    }

    #[test]
    fn a_program_that_is_not_there_cannot_be_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("no-such-program-of-pno");
        let peer = Peer::start("the peer", &mut command, folder.path().join("complaints"));
        let said = format!("{:#}", peer.err().expect("no program"));
        assert!(said.starts_with("the peer cannot be started"), "{said}");
    }
}
