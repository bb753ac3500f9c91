//! What a training run is, from outside: files of settings, variants, stages, fine-tuning, what a run needs.

use pno::checkpoint::Checkpoint;

use crate::Room;

/// A network and a training that take seconds.
const TINY: &str = "
[run]
experiment = \"ks\"
method = \"pno-r\"
[model]
width = 4
lifting = 8
projection = 8
layers = 2
modes = [4, 6]
[train]
batch = 2
epochs = 2
schedule = \"constant\"
";

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn ok(room: &Room, line: &str) -> String {
    room.ok(&words(line))
}

fn refused(room: &Room, code: i32, line: &str) -> String {
    room.refused(code, &words(line))
}

fn room() -> Room {
    let room = Room::new();
    room.tiny_data();
    std::fs::write(room.path("tiny.toml"), TINY).expect("written");
    room
}

fn model(room: &Room, path: &str) -> Checkpoint {
    let bytes = std::fs::read(room.path(path)).expect("a model");
    Checkpoint::decode(&bytes).expect("a checkpoint")
}

#[test]
fn the_list_has_every_experiment_with_its_published_numbers() {
    let room = Room::new();
    let list = ok(&room, "train --list");
    let row = |start: &str| {
        let line = list
            .lines()
            .find(|line| words(line).join(" ").starts_with(start));
        words(line.expect(start)).join(" ")
    };
    assert_eq!(
        row("sswe sfno pno-d paper"),
        "sswe sfno pno-d paper 284835 16 5e-3 plateau 1000 0.01 9"
    );
    assert_eq!(
        row("ks uno mcd paper"),
        "ks uno mcd paper 1687601 32 1e-3 constant 1000 0.15 9"
    );
    assert!(row("era5 fno pno-d paper").contains(" 2695717 8 5e-3 "));
    assert!(
        list.contains("ks --variant full-spectrum:") && list.contains("sswe --variant two-step:")
    );
    assert!(list.contains("pno data generate sswe --profile paper --shares 0,0,500"));
    let darcy = ok(&room, "train darcy --list");
    assert!(
        !darcy.contains("sswe") && darcy.contains("5814913"),
        "{darcy}"
    );
}

#[test]
fn a_file_of_settings_is_trained_by_its_name_and_flags_go_over_it() {
    let room = room();
    let shown = ok(&room, "train tiny.toml --data tiny.zarr --dry-run");
    assert!(
        shown.contains("width = 4") && shown.contains("method = \"pno-r\""),
        "{shown}"
    );
    let flags = "train ks --config tiny.toml --data tiny.zarr --method det --epochs 3 --set model.width=5 --dry-run";
    let shown = ok(&room, flags);
    assert!(
        shown.contains("width = 5") && shown.contains("method = \"det\""),
        "{shown}"
    );
    assert!(
        shown.contains("epochs = 3") && shown.contains("loss = \"l2\""),
        "{shown}"
    );
    // The settings of a run are such a file too.
    ok(
        &room,
        "train tiny.toml --data tiny.zarr --out first --device cpu --test-members 0",
    );
    ok(
        &room,
        "train first/settings.toml --data tiny.zarr --out second --device cpu --test-members 0",
    );
    let (first, second) = (
        model(&room, "first/model.pno"),
        model(&room, "second/model.pno"),
    );
    assert_eq!(first.tensors, second.tensors);
}

#[test]
fn a_slip_in_a_file_or_a_name_is_told_what_was_meant() {
    let room = room();
    let wrong = TINY.replace("epochs", "epocs");
    std::fs::write(room.path("wrong.toml"), wrong).expect("written");
    let told = refused(&room, 1, "train wrong.toml --data tiny.zarr --out x");
    assert_eq!(
        told.trim_end(),
        "pno: wrong.toml: unknown setting `train.epocs`, did you mean `train.epochs`?"
    );
    let told = refused(
        &room,
        1,
        "train ks --data tiny.zarr --variant full-spectrm --out x",
    );
    assert!(told.contains("did you mean `full-spectrum`?"), "{told}");
    let told = refused(&room, 1, "train nothing.toml --data tiny.zarr --out x");
    assert!(told.contains("nothing.toml"), "{told}");
    let told = refused(
        &room,
        2,
        "train tiny.toml --config tiny.toml --data tiny.zarr --out x",
    );
    assert!(told.contains("two files"), "{told}");
    assert!(!room.path("x").exists());
}

#[test]
fn a_run_says_what_it_needs_before_it_begins() {
    let room = room();
    let shown = ok(
        &room,
        "train ks --data tiny.zarr --size paper --method pno-d --dry-run",
    );
    for wanted in [
        "# 231589 parameters, 6 training cases on 20 x 256, 1 validation cases",
        "64 cases with 3 members each",
        "of memory; 1 steps an epoch, at most 1000 epochs",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    let told = ok(
        &room,
        "train tiny.toml --data tiny.zarr --out run --device cpu --test-members 0",
    );
    assert!(
        told.contains("2 cases with 3 members each") && told.contains("3 steps an epoch"),
        "{told}"
    );
}

#[test]
fn fine_tuning_begins_with_the_trained_weights_and_says_so() {
    let room = room();
    ok(
        &room,
        "train tiny.toml --data tiny.zarr --method det --out det --device cpu --test-members 0",
    );
    let begin = "train tiny.toml --data tiny.zarr --device cpu --test-members 0 --from det";
    let told = ok(
        &room,
        &format!(
            "{begin} --out tuned --set train.learning_rate=1e-12 --set train.schedule=constant --epochs 1"
        ),
    );
    assert!(told.contains("begins with det/model.pno"), "{told}");
    assert!(
        told.contains("spread.hidden.weight") && told.contains("begin fresh"),
        "{told}"
    );
    let (det, tuned) = (
        model(&room, "det/model.pno"),
        model(&room, "tuned/model.pno"),
    );
    // A rate of almost nothing leaves the weights almost as they were.
    for (before, after) in det.tensors.iter().zip(&tuned.tensors) {
        let moved = before.iter().zip(after).map(|(a, b)| (a - b).abs());
        assert!(moved.fold(0.0, f32::max) < 1e-6);
    }
    let settings = tuned.header.provenance.settings;
    let value = |key: &str| {
        let pair = settings.iter().find(|(name, _)| name == key);
        pair.expect(key).1.clone()
    };
    assert!(
        value("train.from").contains("det/model.pno#"),
        "{}",
        value("train.from")
    );
    assert_eq!(value("train.silent_epochs"), "5");
    let other = refused(&room, 1, &format!("{begin} --set model.width=6 --out wide"));
    assert!(
        other.contains("`lifting.output.weight`") && other.contains("det/model.pno"),
        "{other}"
    );
    assert!(!room.path("wide").exists(), "a refused run leaves nothing");
    // A run that goes on needs the model no more.
    std::fs::remove_dir_all(room.path("det")).expect("removed");
    ok(
        &room,
        "train ks --data tiny.zarr --out tuned --resume --epochs 2 --device cpu --test-members 0",
    );
}

/// Records of a run: steps, learning rate, validation loss.
fn records(room: &Room, run: &str) -> Vec<(u64, f64, f64)> {
    let text = std::fs::read_to_string(room.path(run).join("history.json")).expect("a history");
    let records: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    let number = |record: &serde_json::Value, key: &str| record[key].as_f64().expect("a number");
    let record = |r| {
        (
            number(r, "steps") as u64,
            number(r, "learning_rate"),
            number(r, "valid_loss"),
        )
    };
    records.iter().map(record).collect()
}

#[test]
fn a_second_stage_trains_two_steps_from_the_last_weights_and_resumes_exactly() {
    let room = Room::new();
    ok(
        &room,
        "data generate sswe --shares 4,2,1 --grid 8x16 --frames 3 --out water",
    );
    let tiny = "--set model.width=4 --set model.lifting=8 --set model.projection=8 --set model.layers=1 \
                --set train.batch=2 --set train.schedule=constant --device cpu --test-members 0";
    let stages = "--epochs 2 --set train.stages=[{steps=2,epochs=2}]";
    let told = ok(
        &room,
        &format!("train sswe --data water {tiny} {stages} --out whole"),
    );
    assert!(
        told.contains("then at most 2 epochs with 2 forecast steps"),
        "{told}"
    );
    let whole = records(&room, "whole");
    let steps: Vec<u64> = whole.iter().map(|r| r.0).collect();
    assert_eq!(steps, [1, 1, 2, 2]);
    assert_eq!(
        whole.iter().map(|r| r.1).collect::<Vec<_>>(),
        [2e-3, 2e-3, 1e-3, 1e-3]
    );
    let note = model(&room, "whole/model.pno").header.provenance.note;
    assert!(
        note.contains("epoch 3") || note.contains("epoch 4"),
        "of the second stage: {note}"
    );
    // One step alone is the first stage; a run with one epoch of the second stage goes on as if it had not stopped.
    ok(
        &room,
        &format!("train sswe --data water {tiny} --epochs 2 --out one"),
    );
    assert_eq!(records(&room, "one"), whole[..2]);
    let short = "--epochs 2 --set train.stages=[{steps=2,epochs=1}]";
    ok(
        &room,
        &format!("train sswe --data water {tiny} {short} --out parts"),
    );
    ok(
        &room,
        "train sswe --data water --out parts --resume --set train.stages=[{steps=2,epochs=2}] --device cpu --test-members 0",
    );
    assert_eq!(records(&room, "parts"), whole);
    let (parts, whole) = (
        model(&room, "parts/model.pno"),
        model(&room, "whole/model.pno"),
    );
    assert_eq!(parts.tensors, whole.tensors);
    // Data without a third frame cannot have it.
    ok(
        &room,
        "data generate sswe --shares 2,1,1 --grid 8x16 --frames 2 --out short",
    );
    let told = refused(
        &room,
        1,
        "train sswe --data short --variant two-step --out x",
    );
    assert!(told.contains("2 steps need frame 2"), "{told}");
}

#[test]
fn small_data_are_made_by_name() {
    let room = Room::new();
    ok(&room, "data generate ks --size small --samples 4 --out ks");
    let told = ok(&room, "data info ks");
    assert!(
        told.contains("x 128 (0 to 99.219)") && told.contains("one in 2 of the cells"),
        "{told}"
    );
    ok(
        &room,
        "data generate darcy --size small --samples 4 --out darcy",
    );
    let shown = ok(&room, "train darcy --data darcy --size small --dry-run");
    assert!(shown.contains("training cases on 32 x 32"), "{shown}");
    let whole = "data generate ks --samples 3 --seed 5 --profile paper --out";
    ok(&room, &format!("{whole} all"));
    ok(&room, &format!("{whole} half --grid 128"));
    let all = crate::zarr_values(&room.path("all"), "u");
    let half = crate::zarr_values(&room.path("half"), "u");
    assert_eq!(half, all.iter().step_by(2).copied().collect::<Vec<f32>>());
    let told = refused(&room, 1, "data generate ks --grid 100 --out x");
    assert!(told.contains("64, 128 or 256"), "{told}");
}
