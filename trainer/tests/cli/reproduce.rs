//! `pno reproduce` from outside, on a trial size of seconds.

use std::path::Path;

use serde_json::Value;

use crate::import::fixture;
use crate::{Room, text};

const METHODS: [(&str, &str); 6] = [
    ("DET", "ks-fno-det"),
    ("PNO_D", "ks-fno-pno-d"),
    ("PNO_R", "ks-fno-pno-r"),
    ("MCD", "ks-fno-mcd"),
    ("LA", "ks-fno-det-laplace-paper"),
    ("LA, fixed", "ks-fno-det-laplace-fixed"),
];

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["reproduce", "ks", "--size", "tiny", "--device", "cpu"];
    all.extend(["--work", "work", "--out", "out"]);
    all.extend(more);
    all
}

fn split(words: &str) -> Vec<&str> {
    words.split_whitespace().collect()
}

fn json(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&bytes).expect("JSON")
}

/// A score of one evaluation, read without any code of ours.
fn score(room: &Room, name: &str, seed: u64, key: &str) -> f64 {
    let folder = format!("work/tiny/results/{name}-s{seed}/scores.json");
    json(&room.path(&folder))[key]["value"]
        .as_f64()
        .expect("a score")
}

fn row<'a>(table: &'a Value, label: &str, whose: &str) -> &'a Value {
    let mut rows = table["rows"].as_array().expect("rows").iter();
    rows.find(|row| row["label"] == label && row["whose"] == whose)
        .unwrap_or_else(|| panic!("{label} {whose}"))
}

#[test]
fn a_table_is_made_from_nothing_with_the_papers_numbers_beside_ours() {
    let room = Room::new();
    room.ok(&arguments(&[]));
    let table = json(&room.path("out/tiny/ks.json"));
    for (label, name) in METHODS {
        for key in ["l2", "energy_score", "crps"] {
            let [a, b] = [1, 12].map(|seed| score(&room, name, seed, key));
            let ours = &row(&table, label, "ours")["values"][key];
            let (mean, std) = (ours["mean"].as_f64(), ours["std"].as_f64());
            let (mean, std) = (mean.expect("a mean"), std.expect("a deviation"));
            assert!((mean - f64::midpoint(a, b)).abs() < 1e-12, "{label} {key}");
            // Of two values: their distance over the root of two.
            let wanted = (a - b).abs() / 2.0_f64.sqrt();
            assert!((std - wanted).abs() < 1e-12, "{label} {key}: {std}");
        }
    }
    let paper = &row(&table, "PNO_R", "paper")["values"]["energy_score"];
    assert_eq!(paper["mean"], 0.6081);
    assert_eq!(paper["std"], 0.0027);
    let page = std::fs::read_to_string(room.path("out/tiny/ks.md")).expect("a page");
    assert!(page.contains("the numbers mean nothing"), "{page}");
    assert!(page.contains("| PNO_R | *paper* |"), "{page}");
    let latex = std::fs::read_to_string(room.path("out/tiny/ks.tex")).expect("LaTeX");
    assert!(latex.contains("PNO\\textsubscript{R} & \\textit{paper}") && latex.contains("\\pm"));
    for figure in ["ks-predictions.svg", "ks-maps.svg"] {
        let svg = std::fs::read_to_string(room.path("out/tiny/figures").join(figure));
        let svg = svg.expect("a figure");
        for label in ["DET: ", "PNO_R: ", "LA, fixed: "] {
            assert!(svg.contains(label), "{figure}: {label}");
        }
    }
    let index = std::fs::read_to_string(room.path("out/README.md")).expect("an index");
    assert!(index.contains("(tiny/ks.md)"), "{index}");
}

#[test]
fn what_is_done_stays_done_and_what_is_missing_is_made_again() {
    let room = Room::new();
    let some = arguments(&["--methods", "pno-r", "--seeds", "1"]);
    room.ok(&some);
    let again = room.run(&some);
    assert!(!text(&again.stderr).contains("job "), "nothing to do");
    let result = room.path("work/tiny/results/ks-fno-pno-r-s1");
    let before = json(&result.join("scores.json"));
    std::fs::remove_dir_all(&result).expect("removed");
    let plan = room.ok(&[&some[..], &["--dry-run"]].concat());
    assert!(plan.contains("done   train ks-fno-pno-r-s1"), "{plan}");
    assert!(plan.contains("to do  evaluate ks-fno-pno-r-s1"), "{plan}");
    let told = text(&room.run(&some).stderr);
    assert!(!told.contains(": train "), "{told}");
    let after = json(&result.join("scores.json"));
    assert_eq!(before["energy_score"], after["energy_score"]);
    // Other weights under the same name are scored again.
    let model = room.path("work/tiny/runs/ks-fno-pno-r-s1/model.pno");
    std::fs::copy(room.random_model(pno::spec::Method::PnoR), &model).expect("copied");
    let told = text(&room.run(&some).stderr);
    assert!(told.contains("evaluate ks-fno-pno-r-s1"), "{told}");
    assert_ne!(after["l2"], json(&result.join("scores.json"))["l2"]);
}

#[test]
fn a_job_that_fails_leaves_a_gap_and_the_others_go_on() {
    let room = Room::new();
    let broken = room.path("work/tiny/runs/ks-fno-det-s1");
    std::fs::create_dir_all(&broken).expect("a folder");
    std::fs::write(broken.join("settings.toml"), "what is this").expect("written");
    std::fs::write(broken.join("model.pno"), "no model").expect("written");
    let output = room.run(&arguments(&["--methods", "det,pno-r", "--seeds", "1"]));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let table = json(&room.path("out/tiny/ks.json"));
    assert_eq!(row(&table, "DET", "ours")["values"]["l2"], Value::Null);
    assert_eq!(row(&table, "DET", "ours")["runs"], 0);
    assert!(row(&table, "PNO_R", "ours")["values"]["l2"]["mean"].is_f64());
    let missing = table["missing"].to_string();
    assert!(missing.contains("train ks-fno-det-s1"), "{missing}");
}

#[test]
fn data_that_were_put_there_are_named_instead_of_a_command_that_did_not_make_them() {
    let room = Room::new();
    let source = fixture("formats/pdebench.hdf5");
    let import = ["data", "import", "pdebench", &source.to_string_lossy()];
    room.ok(&[&import[..], &["--out", "work/tiny/data/darcy"]].concat());
    let report = split("reproduce darcy --size tiny --report-only --work work --out out");
    let page = || {
        room.ok(&report);
        std::fs::read_to_string(room.path("out/tiny/darcy.md")).expect("a page")
    };
    let brought = page();
    assert!(
        brought.contains("not made here, but Darcy flow of PDEBench from")
            && brought.contains("pdebench.hdf5"),
        "{brought}"
    );
    assert!(!brought.contains("pno data generate darcy"), "{brought}");
    // The grid of the trainings is that of the data, too.
    assert!(brought.contains("16 x 16"), "{brought}");
    // The same where an earlier reproduction had noted what it asked for.
    let noted = room.path("work/tiny/data/darcy.txt");
    std::fs::write(noted, "pno data generate darcy").expect("written");
    assert_eq!(page(), brought);
    std::fs::remove_dir_all(room.path("work/tiny/data/darcy")).expect("removed");
    let made = page();
    assert!(made.contains("`pno data generate darcy"), "{made}");
}

#[test]
fn words_of_a_person_are_put_into_the_page() {
    let room = Room::new();
    let some = arguments(&["--methods", "det", "--seeds", "1"]);
    room.ok(&some);
    std::fs::write(room.path("out/tiny/ks.notes.md"), "DET is *fine*.").expect("written");
    room.ok(&[&some[..], &["--report-only"]].concat());
    let page = std::fs::read_to_string(room.path("out/tiny/ks.md")).expect("a page");
    assert!(
        page.contains("## What came out\n\nDET is *fine*."),
        "{page}"
    );
}

#[test]
fn tables_are_listed_and_an_unknown_one_is_refused() {
    let room = Room::new();
    let list = room.ok(&["reproduce", "--list"]);
    for name in [
        "darcy",
        "sswe-two-step",
        "fourier-dropout",
        "skill",
        "scaling",
    ] {
        let line = list.lines().find(|line| line.starts_with(name));
        assert!(line.is_some(), "{name} in {list}");
    }
    let told = room.refused(2, &["reproduce", "kss"]);
    assert!(
        told.contains("unknown table `kss`; known: all, darcy, ks"),
        "{told}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_and_the_same_command_goes_on() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let room = Room::new();
    let some = arguments(&["--methods", "pno-d,pno-r"]);
    let mut child = room
        .command(&some)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pno starts");
    let first = room.path("work/tiny/runs/ks-fno-pno-d-s1/history.json");
    let begin = Instant::now();
    while !first.exists() && begin.elapsed() < Duration::from_mins(2) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.expect("kill").success());
    let code = child.wait().expect("ends").code();
    assert_eq!(code, Some(130), "interrupted before its end");
    room.ok(&some);
    let table = json(&room.path("out/tiny/ks.json"));
    assert_eq!(row(&table, "PNO_R", "ours")["runs"], 2);
    // As if nothing had happened.
    let other = Room::new();
    other.ok(&some);
    for (name, seed) in [("ks-fno-pno-d", 1), ("ks-fno-pno-r", 12)] {
        let [a, b] = [&room, &other].map(|room| score(room, name, seed, "energy_score"));
        assert_eq!(a, b, "{name}");
    }
}
