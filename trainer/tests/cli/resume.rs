//! A training run to trust: killed at any moment it goes on as if nothing had happened, and what goes wrong is told.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime};

use crate::train::{arguments, wait_for};
use crate::{Room, text};

/// A day, so that two runs around midnight have the same one.
const DAY: (&str, &str) = ("SOURCE_DATE_EPOCH", "1700000000");

fn start(room: &Room, arguments: &[&str]) -> Child {
    room.command(arguments)
        .env(DAY.0, DAY.1)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pno starts")
}

fn finish(child: Child) {
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn bytes(room: &Room, name: &str) -> Vec<u8> {
    std::fs::read(room.path(name)).expect("a file")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
    entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect()
}

/// The tiny training with a rate that falls over all epochs, and whatever else.
fn command<'a>(out: &'a str, epochs: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut all = arguments(out, "pno-d", epochs);
    all.extend(more);
    all
}

/// The same command for every run that goes on.
const RESUME: [&str; 9] = [
    "train",
    "ks",
    "--data",
    "tiny.zarr",
    "--out",
    "run",
    "--resume",
    "--device",
    "cpu",
];

const COSINE: [&str; 4] = [
    "--set",
    "train.schedule=cosine",
    "--set",
    "train.keep_every=7",
];

/// Milliseconds below `most`, another number every time.
fn random(most: u64) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nanos = now.expect("after 1970").subsec_nanos();
    Duration::from_millis(u64::from(nanos) / 1000 % most)
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    const EPOCHS: &str = "60";
    let (whole, parts) = (Room::new(), Room::new());
    for room in [&whole, &parts] {
        room.tiny_data();
    }
    finish(start(&whole, &command("run", EPOCHS, &COSINE)));

    let epochs = || std::fs::read(parts.path("run/history.json")).unwrap_or_default();
    let mut kills = 0;
    loop {
        let before = epochs();
        let mut child = if parts.path("run/settings.toml").exists() {
            start(&parts, &[&RESUME[..], &["--test-members", "4"]].concat())
        } else {
            start(&parts, &command("run", EPOCHS, &COSINE))
        };
        // Any moment: in every third life while it starts, else some epochs later, within a step or within saving, which
        // take about as long.
        let begin = Instant::now();
        while kills % 3 > 0 && epochs() == before && child.try_wait().expect("a child").is_none() {
            assert!(begin.elapsed() < Duration::from_mins(2), "no progress");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(random(400));
        if kills == 12 || child.try_wait().expect("a child").is_some() {
            finish(child);
            break;
        }
        child.kill().expect("SIGKILL");
        child.wait().expect("it ended");
        kills += 1;
    }
    assert!(kills >= 3, "only {kills} kills");

    for name in [
        "run/model.pno",
        "run/epoch-35.pno",
        "run/history.json",
        "run/settings.toml",
    ] {
        assert!(
            bytes(&parts, name) == bytes(&whole, name),
            "{name} after {kills} kills"
        );
    }
    for folder in ["run", "run/checkpoint"] {
        let (mut found, mut wanted) = (names(&parts.path(folder)), names(&whole.path(folder)));
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "nothing stale, nothing missing");
    }
}

#[test]
fn more_epochs_later_are_as_all_epochs_at_once() {
    let (whole, parts) = (Room::new(), Room::new());
    for room in [&whole, &parts] {
        room.tiny_data();
    }
    finish(start(&whole, &command("run", "6", &[])));
    finish(start(&parts, &command("run", "3", &[])));
    let test = ["--test-members", "4", "--epochs", "6"];
    finish(start(&parts, &[&RESUME[..], &test].concat()));
    assert!(bytes(&parts, "run/model.pno") == bytes(&whole, "run/model.pno"));
    // The number of epochs is remembered: a finished run has nothing to do.
    finish(start(&parts, &[&RESUME[..], &test[..2]].concat()));
    assert!(bytes(&parts, "run/model.pno") == bytes(&whole, "run/model.pno"));
}

#[test]
fn fewer_epochs_than_are_done_are_refused_and_nothing_changes() {
    let room = Room::new();
    room.tiny_data();
    finish(start(&room, &command("run", "3", &[])));
    finish(start(&room, &[&RESUME[..], &["--epochs", "5"]].concat()));
    let files = ["run/model.pno", "run/settings.toml", "run/origin.toml"];
    let before = files.map(|name| bytes(&room, name));
    // The command that began the run asks for three epochs, and five are done by now.
    let original = command("run", "3", &["--resume"]);
    let shorter = [&RESUME[..], &["--epochs", "3"]].concat();
    for asked in [original, shorter] {
        let said = room.refused(1, &asked);
        assert!(
            said.contains("`train.epochs` is 5 in the run, but 3 is asked for")
                && said.contains("5 of them are done: ask for 5 or more"),
            "{said}"
        );
    }
    for (name, before) in files.iter().zip(before) {
        assert!(bytes(&room, name) == before, "{name}");
    }
}

#[test]
fn a_cosine_keeps_its_number_of_epochs() {
    let room = Room::new();
    room.tiny_data();
    finish(start(&room, &command("run", "3", &COSINE)));
    let said = room.refused(1, &[&RESUME[..], &["--epochs", "6"]].concat());
    assert!(
        said.contains("`train.epochs` is 3 in the run, but 6 is asked for")
            && said.contains("schedule `cosine`")
            && said.contains("--from"),
        "{said}"
    );
}

#[test]
fn a_second_process_is_refused_with_the_number_of_the_first() {
    let room = Room::new();
    room.tiny_data();
    let mut child = start(&room, &command("run", "100000", &[]));
    wait_for(&room.path("run/history.json"));
    let message = room.refused(1, &RESUME);
    let pid = format!("run is in use by process {}:", child.id());
    assert!(message.contains(&pid), "{message}");
    child.kill().expect("SIGKILL");
    child.wait().expect("it ended");
    // The lock died with its holder. The state may be an epoch ahead of the history.
    let history = text(&bytes(&room, "run/history.json"));
    let more = (history.matches("\"epoch\"").count() + 5).to_string();
    room.ok(&[&RESUME[..], &["--epochs", &more, "--test-members", "0"]].concat());
}

#[test]
fn a_damaged_state_costs_an_epoch_and_changes_nothing() {
    let (whole, parts) = (Room::new(), Room::new());
    for room in [&whole, &parts] {
        room.tiny_data();
        finish(start(room, &command("run", "4", &[])));
    }
    let newest = parts.path("run/checkpoint/epoch-4.state");
    let mut damaged = std::fs::read(&newest).expect("a state");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&newest, damaged).expect("written");
    let output = parts
        .command(&[&RESUME[..], &["--test-members", "4"]].concat())
        .env(DAY.0, DAY.1)
        .output()
        .expect("pno starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("epoch-4.state cannot be used: it is damaged"));
    assert!(text(&output.stdout).contains("3 of 4 epochs done"));
    assert!(bytes(&parts, "run/model.pno") == bytes(&whole, "run/model.pno"));
}

#[test]
fn a_run_tells_its_epochs_in_a_table_and_in_curves() {
    let room = Room::new();
    room.tiny_data();
    let told = room.ok(&command(
        "run",
        "3",
        &["--set", "train.members_schedule=[[2,5]]"],
    ));
    assert!(told.contains("epoch 3/3: train"), "{told}");
    assert!(told.contains(" left"), "{told}");
    let table = text(&bytes(&room, "run/metrics.csv"));
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0][4..], ["members", "steps", "seconds"]);
    let members: Vec<&str> = rows.iter().skip(1).map(|row| row[4]).collect();
    assert_eq!(members, ["3", "3", "5"]);
    for row in &rows[1..] {
        assert!(row[6].parse::<f64>().expect("seconds") > 0.0);
    }
    let svg = text(&bytes(&room, "run/losses.svg"));
    assert!(svg.contains("training") && svg.contains("validation"));
    for clutter in ["experiment.log", "train", "valid"] {
        assert!(!room.path("run").join(clutter).exists(), "{clutter}");
    }
}

#[test]
fn a_run_that_diverges_says_where_and_keeps_its_last_good_state() {
    let room = Room::new();
    room.tiny_data();
    let absurd = command("run", "50", &["--set", "train.learning_rate=1e30"]);
    let message = room.refused(1, &absurd);
    for part in [
        "diverged in epoch ",
        "batch ",
        "the loss is ",
        "largest gradient is that of `",
        "train.learning_rate",
    ] {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
    assert!(
        !room.path("run/model.pno").exists(),
        "no good epoch, no model"
    );
}

#[test]
fn devices_that_share_batches_learn_what_one_learns() {
    let room = Room::new();
    room.tiny_data();
    let valid_losses = |run: &str| -> Vec<f64> {
        let table = text(&bytes(&room, &format!("{run}/metrics.csv")));
        let losses = table.lines().skip(1).map(|line| line.split(',').nth(2));
        losses
            .map(|l| l.expect("a loss").parse().expect("a number"))
            .collect()
    };
    room.ok(&command("one", "3", &[]));
    let mut two = command("two", "3", &[]);
    let device = two
        .iter()
        .position(|word| *word == "cpu")
        .expect("a device");
    two[device] = "cpu,cpu";
    let told = room.ok(&two);
    assert!(told.contains("2 devices"), "{told}");
    room.ok(&command("chunks", "3", &["--set", "train.micro_batch=1"]));
    let one = valid_losses("one");
    for run in ["two", "chunks"] {
        for (found, wanted) in valid_losses(run).iter().zip(&one) {
            assert!(
                (found / wanted - 1.0).abs() < 1e-4,
                "{run}: {found} instead of {wanted}"
            );
        }
    }
    assert_eq!(one.len(), 3);
}

/// Largest resident set of a training, in MB.
#[cfg(target_os = "linux")]
fn peak(room: &Room, arguments: &[&str]) -> f64 {
    let mut child = start(room, arguments);
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    while child.try_wait().expect("a child").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
        peak = peak.max(kibibytes.unwrap_or(0.0) / 1000.0);
        std::thread::sleep(Duration::from_millis(5));
    }
    finish(child);
    peak
}

#[cfg(target_os = "linux")]
#[test]
fn a_memory_budget_is_kept_and_one_that_is_too_small_says_what_is_needed() {
    let room = Room::new();
    room.tiny_data();
    let wide = |out, budget: Option<&'static str>| {
        let mut all = arguments(out, "pno-d", "1");
        all.extend(["--set", "model.width=48", "--set", "model.layers=4"]);
        all.extend(["--set", "train.batch=6"]);
        all.extend(
            budget
                .into_iter()
                .flat_map(|budget| ["--memory-budget", budget]),
        );
        all
    };
    let message = room.refused(1, &wide("small", Some("3MB")));
    let said = message.split("members about ").nth(1).expect("an estimate");
    let case: f64 = said
        .split(' ')
        .next()
        .expect("a number")
        .parse()
        .expect("MB");
    assert!(!room.path("small").exists(), "a refused run leaves nothing");
    let budget: &'static str = Box::leak(format!("{}MB", (1.5 * case) as u32).into_boxed_str());
    let chunks = peak(&room, &wide("chunks", Some(budget)));
    let set = text(&bytes(&room, "chunks/settings.toml"));
    assert!(set.contains("micro_batch = 1"), "{set}");
    let whole = peak(&room, &wide("whole", None));
    // Five cases more at once. The allocator keeps what it had, so the growth is not exact.
    let grown = (whole - chunks) / (5.0 * case);
    assert!(
        (0.5..1.3).contains(&grown),
        "{chunks} MB, {whole} MB, {case} MB per case"
    );
}
