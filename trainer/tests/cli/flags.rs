//! The command that began a run resumes it; another one is told what is different. What is there is never replaced by
//! chance.

use crate::Room;
use crate::train::arguments;

/// Everything that can be said of a small training.
const FLAGS: [&str; 12] = [
    "--size",
    "demo",
    "--operator",
    "fno",
    "--profile",
    "fixed",
    "--seed",
    "5",
    "--loss",
    "energy",
    "--memory-budget",
    "8GB",
];

fn with<'a>(words: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [words, more].concat()
}

fn split(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn bytes(room: &Room, name: &str) -> Vec<u8> {
    std::fs::read(room.path(name)).expect("a file")
}

#[test]
fn the_same_command_with_resume_goes_on() {
    let room = Room::new();
    room.tiny_data();
    let begin = with(&arguments("run", "pno-d", "1"), &FLAGS);
    room.ok(&begin);
    let first = bytes(&room, "run/model.pno");
    let said = room.ok(&with(&begin, &["--resume"]));
    assert!(said.contains("1 of 1 epochs done"), "{said}");
    assert!(bytes(&room, "run/model.pno") == first);
    // A setting that was given twice counts as the last one, then as now.
    let twice = with(
        &arguments("twice", "pno-d", "1"),
        &["--loss", "crps", "--set", "train.loss=energy"],
    );
    room.ok(&twice);
    room.ok(&with(&twice, &["--resume"]));
    // A file, and what a file stands for.
    let tiny = "[run]\nexperiment = \"ks\"\nmethod = \"det\"\nsize = \"demo\"\n[model]\nwidth = 4\n[train]\nepochs = 1\nschedule = \"constant\"\n";
    std::fs::write(room.path("tiny.toml"), tiny).expect("written");
    let file = split("train tiny.toml --data tiny.zarr --out file --device cpu --test-members 0");
    room.ok(&file);
    room.ok(&with(&file, &["--resume"]));
    std::fs::write(room.path("tiny.toml"), format!("# a word\n{tiny}")).expect("written");
    room.ok(&with(&file, &["--resume"]));
    let longer = tiny.replace("epochs = 1", "epochs = 2");
    std::fs::write(room.path("tiny.toml"), longer).expect("written");
    let said = room.ok(&with(&file, &["--resume"]));
    assert!(said.contains("1 of 2 epochs done"), "{said}");
    let wider = tiny.replace("width = 4", "width = 6");
    std::fs::write(room.path("tiny.toml"), wider).expect("written");
    let said = room.refused(2, &with(&file, &["--resume"]));
    assert!(
        said.contains("`model.width` is 4 in the run, but 6 is asked for"),
        "{said}"
    );
}

#[test]
fn what_is_asked_for_and_is_not_what_the_run_has_is_named_with_both_values() {
    let room = Room::new();
    room.tiny_data();
    let begin = with(&arguments("run", "pno-d", "1"), &FLAGS);
    room.ok(&begin);
    let before = bytes(&room, "run/model.pno");
    let resume =
        split("train ks --data tiny.zarr --out run --resume --device cpu --test-members 0");
    for (flags, found, asked) in [
        ("--method pno-r", "--method is pno-d", "pno-r"),
        ("--size paper", "--size is demo", "paper"),
        ("--operator uno", "--operator is fno", "uno"),
        ("--profile paper", "--profile is fixed", "paper"),
        ("--seed 6", "`train.seed` is 5", "6"),
        ("--loss crps", "`train.loss` is \"energy\"", "\"crps\""),
        ("--set model.width=5", "`model.width` is 4", "5"),
        ("--set train.batch=3", "`train.batch` is 2", "3"),
        (
            "--variant full-spectrum",
            "--variant is none",
            "full-spectrum",
        ),
        ("--from det.pno", "--from is not given", "det.pno"),
        ("--memory-budget 2GB", "--memory-budget is 8.0 GB", "2.0 GB"),
    ] {
        let said = room.refused(2, &with(&resume, &split(flags)));
        let asked = format!("but {asked} is asked for");
        assert!(
            said.contains(found) && said.contains(&asked),
            "{flags}: {said}"
        );
    }
    // A budget and a number for the same thing: the same sentence for a new run, so none begins that cannot be resumed.
    let both = split("--memory-budget 8GB --set train.micro_batch=1");
    for command in [&resume, &arguments("other", "pno-d", "1")] {
        let said = room.refused(2, &with(command, &both));
        assert!(
            said.contains("--memory-budget 8.0 GB and --set train.micro_batch both say"),
            "{said}"
        );
    }
    let said = room.refused(1, &with(&resume, &["--set", "train.bath=3"]));
    assert!(said.contains("did you mean `train.batch`?"), "{said}");
    assert!(bytes(&room, "run/model.pno") == before);
    // One epoch more, and nothing else.
    let said = room.ok(&with(&resume, &["--epochs", "2"]));
    assert!(said.contains("1 of 2 epochs done"), "{said}");
}

#[test]
fn resume_begins_what_was_stopped_before_it_began() {
    let (room, whole) = (Room::new(), Room::new());
    for room in [&room, &whole] {
        room.tiny_data();
    }
    let command = arguments("run", "pno-d", "1");
    whole.ok(&command);
    let said = room.ok(&with(&command, &["--resume"]));
    assert!(said.contains("no run in run yet: it begins"), "{said}");
    let origin = |room: &Room| crate::text(&bytes(room, "run/origin.toml"));
    assert!(!origin(&room).contains("--resume"));
    assert_eq!(origin(&room), origin(&whole));
}

#[test]
fn a_composed_run_in_its_second_stage_goes_on_as_it_is() {
    let room = Room::new();
    room.ok(&split(
        "data generate sswe --shares 4,2,1 --grid 8x16 --frames 3 --out water",
    ));
    let begin = split(
        "train sswe --data water --method ensemble --set model.networks=2 --variant two-step --out run \
         --epochs 3 --device cpu --test-members 0 --set model.width=4 --set model.lifting=8 \
         --set model.projection=8 --set model.layers=1 --set train.batch=2 --set train.schedule=constant",
    );
    room.ok(&begin);
    let files = [
        "run/model.pno",
        "run/settings.toml",
        "run/network-1/settings.toml",
        "run/network-1/history.json",
        "run/network-2/model.pno",
    ];
    let whole = files.map(|name| bytes(&room, name));
    // As if it had been stopped before the second network began.
    std::fs::remove_dir_all(room.path("run/network-2")).expect("removed");
    std::fs::remove_file(room.path("run/model.pno")).expect("removed");
    let said = room.ok(&with(&begin, &["--resume"]));
    assert!(
        said.contains("network 1 of 2, seed 1: 5 of 5 epochs done"),
        "{said}"
    );
    for (name, whole) in files.iter().zip(whole) {
        assert!(bytes(&room, name) == whole, "{name}");
    }
    // The first stage is over, so it has no other length any more; the second may have.
    let resume = split("train sswe --data water --out run --resume --device cpu --test-members 0");
    let said = room.refused(1, &with(&resume, &["--epochs", "4"]));
    assert!(
        said.contains("`train.epochs` is 3 in the run, but 4 is asked for")
            && said.contains("that stage is over"),
        "{said}"
    );
    assert!(crate::text(&bytes(&room, "run/settings.toml")).contains("epochs = 3\n"));
    let longer = "--set train.stages=[{steps=2,epochs=3,rate=0.25}]";
    let said = room.ok(&with(&resume, &split(longer)));
    assert!(said.contains("seed 1: 5 of 6 epochs done"), "{said}");
    // Its three epochs are done, in both networks.
    let shorter = "--set train.stages=[{steps=2,epochs=2,rate=0.25}]";
    let said = room.refused(1, &with(&resume, &split(shorter)));
    assert!(
        said.contains("epochs = 3 in stage 2 of the run, but 2 is asked for")
            && said.contains("3 of them are done"),
        "{said}"
    );
    assert!(crate::text(&bytes(&room, "run/settings.toml")).contains("epochs = 3\n"));
}

#[test]
fn a_published_preset_is_shown_without_data() {
    let room = Room::new();
    for (experiment, words) in [
        ("darcy", "training cases on 64 x 64"),
        ("ks", "training cases on 20 x 256"),
        ("sswe", "training cases on 128 x 256"),
        ("era5", "parameters, on 10 x 160 x 220"),
    ] {
        let line = format!("train {experiment} --size paper --dry-run");
        let shown = room.ok(&split(&line));
        assert!(shown.contains(words), "{experiment}: {shown}");
    }
    let said = room.refused(2, &split("train arrays --dry-run"));
    assert!(said.contains("--data is missing"), "{said}");
    let said = room.refused(2, &split("train ks --out x"));
    assert!(said.contains("--data"), "{said}");
}

#[test]
fn every_command_leaves_what_is_there_unless_it_is_forced() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(pno::spec::Method::Det);
    let mut other = crate::random_checkpoint(pno::spec::Method::Det);
    other.tensors[0][0] += 1.0;
    let bytes = other.encode(pno::checkpoint::Precision::F32);
    std::fs::write(room.path("other.pno"), bytes.expect("encoded")).expect("written");
    for line in [
        "predict random.pno --data tiny.zarr --case 1 --members 2 --device cpu --out taken.npy",
        "predict random.pno --data tiny.zarr --case 1 --members 2 --device cpu --out free.npy --truth taken.npy",
        "predict random.pno --data tiny.zarr --case 1 --members 2 --device cpu --out taken.zarr",
        "export random.pno --out taken.pno",
        "ensemble random.pno other.pno --out taken.pno",
        "laplace random.pno --data tiny.zarr --device cpu --out taken.pno",
        "init ks --set model.width=4 --out taken.pno",
        "eval random.pno --data tiny.zarr --members 2 --device cpu --json taken.json",
        "eval random.pno --data tiny.zarr --members 2 --device cpu --figure taken.svg",
        "data info tiny.zarr --picture taken.svg",
        "data generate ks --samples 3 --out taken.zarr",
    ] {
        let words = split(line);
        let name = words
            .iter()
            .find(|word| word.starts_with("taken"))
            .expect("a name");
        let path = room.path(name);
        if name.ends_with("zarr") {
            std::fs::create_dir(&path).expect("made");
            std::fs::write(path.join("zarr.json"), "precious").expect("written");
        } else {
            std::fs::write(&path, "precious").expect("written");
        }
        let said = room.refused(1, &words);
        let sentence =
            format!("{name} is there already and was left as it is; --force replaces it");
        assert!(said.contains(&sentence), "{line}: {said}");
        let content = if path.is_dir() {
            path.join("zarr.json")
        } else {
            path.clone()
        };
        let read = || std::fs::read_to_string(&content).unwrap_or_default();
        assert_eq!(read(), "precious", "{line}");
        assert!(!room.path("free.npy").exists(), "refused before the work");
        room.ok(&with(&words, &["--force"]));
        assert_ne!(read(), "precious", "{line}");
        let _ = std::fs::remove_file(room.path("free.npy"));
        if path.is_dir() {
            std::fs::remove_dir_all(&path).expect("removed");
        } else {
            std::fs::remove_file(&path).expect("removed");
        }
    }
}
