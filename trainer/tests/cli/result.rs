//! `pno eval --out`: one folder for a result, whole or not at all, and never over that of something else.

use std::fs;
use std::path::Path;

use pno::spec::Method;

use crate::{Room, zarr_values};

const EVAL: [&str; 10] = [
    "eval",
    "random.pno",
    "--data",
    "tiny.zarr",
    "--split",
    "train",
    "--members",
    "5",
    "--device",
    "cpu",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&EVAL[..], more].concat()
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_result_is_one_folder_with_everything() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(Method::PnoR);
    let said = room.ok(&with(&[
        "--limit",
        "2",
        "--threshold",
        "1.5",
        "--out",
        "results/a",
        "--json",
        "s.json",
    ]));
    assert!(said.contains("result: results/a"), "{said}");
    assert!(said.contains("above 1.5: Brier score"), "{said}");
    let folder = room.path("results/a");
    assert_eq!(
        names(&folder),
        [
            "forecast.svg",
            "maps.zarr",
            "scores.json",
            "verification.svg"
        ]
    );
    assert_eq!(
        names(&room.path("results")),
        ["a"],
        "nothing is left beside it"
    );
    // The same as the single file.
    let found = json(&folder.join("scores.json"));
    assert_eq!(found, json(&room.path("s.json")));
    // The maps are those of the numbers: their mean is the score.
    let maps = zarr_values(&folder.join("maps.zarr"), "crps_u");
    let mean = maps.iter().map(|&v| f64::from(v)).sum::<f64>() / maps.len() as f64;
    let crps = found["crps"]["value"].as_f64().expect("a number");
    assert!((mean - crps).abs() < 1e-5 * crps, "{mean} and {crps}");
}

#[test]
fn the_same_evaluation_replaces_its_result_and_another_does_not() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(Method::PnoR);
    let out = ["--limit", "1", "--out", "r"];
    room.ok(&with(&out));
    let (scores, extra) = (room.path("r/scores.json"), room.path("r/extra"));
    let first = json(&scores);
    fs::write(&extra, "left over").expect("written");
    room.ok(&with(&out));
    assert_eq!(json(&scores)["crps"], first["crps"]);
    assert!(!extra.exists(), "the folder is replaced as a whole");

    let before = fs::read(&scores).expect("a file");
    for (more, word) in [
        (&["--seed", "7"][..], "seed is 0, but here it is 7"),
        (&["--limit", "2"], "number of cases is 1, but here it is 2"),
        (
            &["--threshold", "1"],
            "list of thresholds is [], but here it is [1]",
        ),
    ] {
        let more = [
            more,
            &["--out", "r"],
            if more[0] == "--limit" { &[] } else { &out[..2] },
        ];
        let said = room.refused(1, &with(&more.concat()));
        assert!(
            said.contains("another evaluation") && said.contains(word),
            "{said}"
        );
    }
    room.random_model(Method::PnoD);
    let said = room.refused(1, &with(&out));
    assert!(said.contains("model hash"), "{said}");
    assert_eq!(fs::read(&scores).expect("a file"), before);

    fs::create_dir(room.path("mine")).expect("made");
    fs::write(room.path("mine/thesis.tex"), "years").expect("written");
    let said = room.refused(1, &with(&["--out", "mine"]));
    assert!(said.contains("no result"), "{said}");
    fs::write(room.path("mine/scores.json"), "{}").expect("written");
    let said = room.refused(1, &with(&["--out", "mine"]));
    assert!(said.contains("not the result of an evaluation"), "{said}");
    assert_eq!(
        fs::read(room.path("mine/thesis.tex")).expect("kept"),
        b"years"
    );
    let said = room.refused(1, &with(&["--out", "random.pno"]));
    assert!(said.contains("random.pno is a file"), "{said}");
}

#[test]
fn tables_by_lead_time_and_quantity_hold_the_numbers_of_the_file() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(Method::PnoR);
    let said = room.ok(&with(&[
        "--limit",
        "1",
        "--by",
        "lead,channel",
        "--json",
        "s.json",
    ]));
    let found = json(&room.path("s.json"));
    let leads = found["verification"]["leads"].as_array().expect("a list");
    assert_eq!(leads.len(), 20);
    let head = said.lines().position(|line| line.starts_with("lead time"));
    let head = head.expect("a table by lead time");
    let lines: Vec<&str> = said.lines().skip(head).collect();
    assert!(
        lines[0].contains("rank corr.") && lines[0].contains("energy score"),
        "{said}"
    );
    for (lead, line) in leads.iter().zip(&lines[1..]) {
        let l2 = format!("{:.4}", lead["l2"].as_f64().expect("a number"));
        assert_eq!(line.split_whitespace().nth(1), Some(l2.as_str()), "{line}");
    }
    let mut quantities = said
        .lines()
        .skip_while(|line| !line.starts_with("quantity"));
    assert!(
        quantities.nth(1).is_some_and(|line| line.starts_with("u ")),
        "{said}"
    );
    room.refused(2, &with(&["--by", "moon"]));
    let said = room.refused(2, &with(&["--figure-case", "0"]));
    assert!(said.contains("--figure or --out"), "{said}");
}
