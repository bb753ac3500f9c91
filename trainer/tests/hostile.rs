//! Every file of `tests/hostile` is refused with one sentence, in little time and little memory; the sound ones are read.
#![allow(missing_docs)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Processor time that the program may take for a file, with its start.
const MOST_SECONDS: f64 = 1.0;
/// Memory that it may take for a file, with its own: about 20 MB, see the first line that the test prints.
const MOST_BYTES: u64 = 100_000_000;

/// The smallest model that comes with the program.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/sswe-pno-d.pno");

/// A file, the command it is given to, and what is wrong with it; nothing is where it is sound.
struct Entry {
    file: String,
    command: String,
    lie: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hostile")
}

fn entries() -> Vec<Entry> {
    let text = fs::read(folder().join("manifest.json")).expect("the list");
    let list: Vec<serde_json::Value> = serde_json::from_slice(&text).expect("a list");
    let word = |entry: &serde_json::Value, key: &str| entry[key].as_str().expect(key).to_owned();
    list.iter()
        .map(|entry| Entry {
            file: word(entry, "file"),
            command: word(entry, "command"),
            lie: word(entry, "lie"),
        })
        .collect()
}

/// How a run of the program ended.
struct Ended {
    code: Option<i32>,
    said: String,
    seconds: f64,
    bytes: u64,
}

fn run(arguments: &[String]) -> Ended {
    let room = tempfile::tempdir().expect("a folder");
    let said = room.path().join("stderr");
    let child = Command::new(env!("CARGO_BIN_EXE_pno"))
        .args(arguments)
        .current_dir(room.path())
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&said).expect("a file"))
        .spawn()
        .expect("pno starts");
    let (code, seconds, bytes) = usage::wait(child);
    let said = fs::read(&said).expect("what it said");
    Ended {
        code,
        said: String::from_utf8_lossy(&said).into_owned(),
        seconds,
        bytes,
    }
}

fn arguments(entry: &Entry) -> Vec<String> {
    let path = folder().join(&entry.file);
    let path = path.to_str().expect("a plain path");
    let words = entry.command.split(' ');
    words
        .map(|word| match word {
            "MODEL" => MODEL.to_owned(),
            _ => word.replace("FILE", path).replace("OUT", "out"),
        })
        .collect()
}

/// What is wrong with how a run ended, if anything is.
fn complaint(entry: &Entry, ended: &Ended) -> Option<String> {
    let Ended {
        code,
        said,
        seconds,
        bytes,
    } = ended;
    if *seconds > MOST_SECONDS || *bytes > MOST_BYTES {
        return Some(format!("it took {seconds:.2} s and {bytes} bytes"));
    }
    if entry.lie.is_empty() {
        return (*code != Some(0)).then(|| format!("it is sound, but was refused: {said}"));
    }
    if !matches!(code, Some(1 | 2)) {
        return Some(format!("it ended with {code:?}: {said}"));
    }
    // How far an import was is told before.
    let is_progress = |line: &&str| line.contains(" of ") && !line.starts_with("pno: ");
    let sentences = said.trim_end().lines().filter(|line| !is_progress(line));
    let bad = [
        "panicked",
        "overflowed its stack",
        "memory allocation",
        "RUST_BACKTRACE",
    ];
    let is_bad = bad.iter().any(|word| said.contains(word)) || said.len() > 2000;
    // Where usage is wrong, clap shows it on lines of its own.
    let count = sentences.count();
    (is_bad || count == 0 || count > 1 && *code == Some(1))
        .then(|| format!("one sentence is wanted: {said}"))
}

#[test]
fn every_hostile_file_is_refused_within_a_second_and_100_mb() {
    let idle = run(&["--version".to_owned()]);
    eprintln!(
        "the program alone: {:.2} s, {} bytes",
        idle.seconds, idle.bytes
    );
    let mut complaints = Vec::new();
    let (mut longest, mut largest) = (0.0_f64, 0_u64);
    for entry in entries() {
        let ended = run(&arguments(&entry));
        (longest, largest) = (longest.max(ended.seconds), largest.max(ended.bytes));
        eprintln!(
            "{} ({}): {:.2} s, {} bytes: {}",
            entry.file,
            entry.lie,
            ended.seconds,
            ended.bytes,
            ended.said.trim_end()
        );
        if let Some(complaint) = complaint(&entry, &ended) {
            complaints.push(format!("{} ({}): {complaint}", entry.file, entry.lie));
        }
    }
    eprintln!("at most {longest:.2} s and {largest} bytes");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Nothing of these files is on the disk but their headers, so none of them is here.
#[test]
fn files_that_are_longer_than_their_headers_say_are_refused_unread() {
    let room = tempfile::tempdir().expect("a folder");
    let path = room.path().join("long.npy");
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }\n";
    let length = (header.len() as u16).to_le_bytes();
    let bytes = [&b"\x93NUMPY\x01\x00"[..], &length, header.as_bytes()].concat();
    fs::write(&path, bytes).expect("written");
    let file = fs::File::options().write(true).open(&path);
    file.and_then(|file| file.set_len(10_000_000_000))
        .expect("longer");
    let entry = |command: &str| Entry {
        file: path.to_str().expect("a plain path").to_owned(),
        command: command.to_owned(),
        lie: "10 GB after the header of 12 values".to_owned(),
    };
    for command in [
        "predict MODEL --input FILE --device cpu --out OUT.npy",
        "score --members FILE --truth FILE",
    ] {
        let entry = entry(command);
        let ended = run(&arguments(&entry));
        assert_eq!(complaint(&entry, &ended), None, "{command}");
        assert!(ended.said.contains("long.npy"), "{}", ended.said);
    }
}

#[test]
fn the_list_names_every_file() {
    let named: BTreeSet<String> = entries().into_iter().map(|entry| entry.file).collect();
    let there: BTreeSet<String> = fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.into_string().expect("a plain name"))
        .filter(|name| !matches!(name.as_str(), "manifest.json" | "README.md" | "__pycache__"))
        .filter(|name| {
            Path::new(name)
                .extension()
                .is_none_or(|ending| ending != "py")
        })
        .collect();
    assert_eq!(named, there);
}

/// Time and memory of a process that has ended.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[allow(
    unsafe_code,
    reason = "the standard library does not tell what a child used"
)]
mod usage {
    use std::process::Child;

    /// `struct rusage`: two times in seconds and microseconds, then 14 numbers of which the first is the most memory in KiB.
    #[repr(C)]
    #[derive(Default)]
    struct Usage {
        user: [i64; 2],
        system: [i64; 2],
        most_kib: i64,
        others: [i64; 13],
    }

    unsafe extern "C" {
        fn wait4(pid: i32, status: *mut i32, options: i32, usage: *mut Usage) -> i32;
    }

    /// Exit code (none after a signal), seconds of processor time, bytes of memory.
    pub fn wait(child: Child) -> (Option<i32>, f64, u64) {
        let pid = i32::try_from(child.id()).expect("a process");
        let (mut status, mut usage) = (0, Usage::default());
        // SAFETY: both pointers are to live values of the kernel's layout; nobody else waits for this child.
        let waited = unsafe { wait4(pid, &raw mut status, 0, &raw mut usage) };
        assert_eq!(waited, pid, "the process ends");
        drop(child);
        let seconds = |time: [i64; 2]| time[0] as f64 + time[1] as f64 / 1e6;
        let code = (status.trailing_zeros() >= 7).then_some(status >> 8 & 0xff);
        let bytes = u64::try_from(usage.most_kib).unwrap_or(0) * 1024;
        (code, seconds(usage.user) + seconds(usage.system), bytes)
    }
}

/// Elsewhere the kernel is not asked: files are refused, but what it took is not known.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod usage {
    use std::process::Child;

    pub fn wait(mut child: Child) -> (Option<i32>, f64, u64) {
        let status = child.wait().expect("the process ends");
        (status.code(), 0.0, 0)
    }
}
