//! Models of other programs, from outside: what is read, what is written, what is said.

use std::fs;
use std::path::Path;

use pno::checkpoint::Checkpoint;
use pno::spec::Method;

use crate::Room;

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exchange/fixtures");
    folder.join(name).to_string_lossy().into_owned()
}

fn model(path: &Path) -> Checkpoint {
    Checkpoint::decode(&fs::read(path).expect("a file")).expect("a checkpoint")
}

#[test]
fn a_model_goes_to_safetensors_and_comes_back_the_same_file() {
    let room = Room::new();
    for method in [Method::PnoD, Method::PnoR] {
        let before = fs::read(room.random_model(method)).expect("a file");
        room.ok(&[
            "export",
            "random.pno",
            "--out",
            "there.safetensors",
            "--force",
        ]);
        room.ok(&[
            "import",
            "there.safetensors",
            "--out",
            "back.pno",
            "--force",
        ]);
        assert_eq!(fs::read(room.path("back.pno")).expect("a file"), before);
    }
}

#[test]
fn the_format_is_as_the_name_ends_or_as_it_is_told() {
    let room = Room::new();
    room.random_model(Method::PnoD);
    let begin = |name: &str| fs::read(room.path(name)).expect("a file")[..9].to_vec();
    room.ok(&["export", "random.pno", "--out", "a.safetensors"]);
    assert_eq!(begin("a.safetensors")[8], b'{');
    room.ok(&[
        "export",
        "random.pno",
        "--out",
        "a.bin",
        "--format",
        "safetensors",
    ]);
    assert_eq!(begin("a.bin")[8], b'{');
    room.ok(&[
        "export",
        "random.pno",
        "--out",
        "b.safetensors",
        "--format",
        "pno",
    ]);
    assert_eq!(begin("b.safetensors")[1..4], *b"pno");
    let half = [
        "export",
        "random.pno",
        "--out",
        "h.safetensors",
        "--precision",
        "f16",
    ];
    assert!(room.ok(&half).contains("f16"));
    let size = |name: &str| fs::read(room.path(name)).expect("a file").len();
    assert!(size("h.safetensors") < size("a.safetensors"));
    room.refused(
        2,
        &["export", "random.pno", "--out", "x", "--format", "onnx"],
    );
}

#[test]
fn both_kinds_of_a_pytorch_file_give_the_same_model() {
    let room = Room::new();
    for (name, arguments) in [
        ("fno2d", &["--experiment", "ks", "--method", "pno-d"][..]),
        (
            "fno2d-two-heads",
            &["--experiment", "darcy", "--method", "pno-r"],
        ),
        ("fno3d", &["--experiment", "era5", "--method", "det"]),
        ("uno-darcy", &["--experiment", "darcy", "--method", "det"]),
        ("uno-ks", &["--experiment", "ks", "--method", "pno-r"]),
        (
            "sfno",
            &[
                "--experiment",
                "sswe",
                "--method",
                "pno-d",
                "--set",
                "model.modes=[6,8]",
            ],
        ),
    ] {
        let of = |end: &str| {
            let (source, out) = (
                fixture(&format!("{name}.{end}")),
                format!("{name}.{end}.pno"),
            );
            room.ok(&[&["import", &source, "--out", &out], arguments].concat());
            model(&room.path(&out))
        };
        let (a, b) = (of("pt"), of("safetensors"));
        assert_eq!(
            (&a.tensors, &a.header.spec),
            (&b.tensors, &b.header.spec),
            "{name}"
        );
        let made = &a.header.provenance;
        assert!(made.command.starts_with("pno import"), "{}", made.command);
        let note = format!("imported from {name}.pt, trained by another program, blake3 ");
        assert!(made.note.starts_with(&note), "{}", made.note);
        assert!(a.header.scores.is_none());
    }
    let shown = room.ok(&["inspect", "uno-ks.pt.pno"]);
    assert!(shown.contains("uno"), "{shown}");
}

#[test]
fn a_model_that_another_program_changed_loses_its_scores_and_its_past() {
    let room = Room::new();
    let path = room.random_model(Method::PnoD);
    let mut before = model(&path);
    before.header.provenance.note = "trained here".into();
    let scores = r#"{"members": 4, "cases": 1, "l2": 1.5, "energy_score": 1.0, "crps": 0.5, "nll": 0.1, "coverage": 0.9,
        "interval_width": 2.0}"#;
    before.header.scores = Some(serde_json::from_str(scores).expect("scores"));
    let bytes = before
        .encode(pno::checkpoint::Precision::F32)
        .expect("encodes");
    fs::write(&path, bytes).expect("writes");
    room.ok(&["export", "random.pno", "--out", "a.safetensors"]);
    room.ok(&["import", "a.safetensors", "--out", "same.pno"]);
    assert_eq!(model(&room.path("same.pno")).header, before.header);

    let mut bytes = fs::read(room.path("a.safetensors")).expect("a file");
    // The lowest bit of the last value.
    let last = bytes.len() - 4;
    bytes[last] ^= 1;
    fs::write(room.path("a.safetensors"), bytes).expect("writes");
    room.ok(&[
        "import",
        "a.safetensors",
        "--out",
        "changed.pno",
        "--note",
        "Tuned",
    ]);
    let after = model(&room.path("changed.pno")).header;
    assert_eq!(after.spec, before.header.spec);
    assert_eq!(after.scores, None);
    let note = &after.provenance.note;
    assert!(
        note.starts_with("Tuned (imported from a.safetensors, exported by pno and changed"),
        "{note}"
    );
}

#[test]
fn what_is_not_told_is_asked_for_and_what_does_not_fit_is_named() {
    let room = Room::new();
    room.random_model(Method::PnoD);
    room.ok(&["export", "random.pno", "--out", "own.safetensors"]);
    let fno = fixture("fno2d.pt");
    let [one_axis, complex, text] = ["fno1d.pt", "fno2d.complex.pt", "fixtures.json"].map(fixture);
    let ks_det = "--experiment ks --method det";
    for (code, source, flags, word) in [
        (2, fno.as_str(), "", "--experiment and --method"),
        (2, "own.safetensors", "--method mcd", "leave --method out"),
        (2, &fno, "--experiment kss", "darcy, ks"),
        (1, "none.pt", "", "no such file"),
        (1, "random.pno", "", "a .pno file already"),
        (
            1,
            &fno,
            "--experiment ks --method pno-r",
            "`mu.fcs.0.weight` is missing",
        ),
        (
            1,
            &fno,
            "--set model.width=5",
            "`lifting.fcs.1.bias` is [4], but must be [5]",
        ),
        (1, &fno, "--operator sfno", "ks has no sfno"),
        (
            1,
            &fno,
            "--set train.seed=1",
            "unknown setting `train.seed`",
        ),
        (1, &one_axis, ks_det, "axes"),
        (1, &complex, ks_det, "view_as_real"),
        (1, &text, "", "neither a safetensors file nor"),
    ] {
        let mut arguments = vec!["import", source, "--out", "x.pno"];
        if flags.starts_with("--set") || flags.starts_with("--operator") {
            arguments.extend(ks_det.split(' '));
        }
        arguments.extend(flags.split_whitespace());
        let message = room.refused(code, &arguments);
        assert!(message.contains(word), "{arguments:?}: {message}");
    }
    assert!(!room.path("x.pno").exists(), "nothing was written");
}

#[test]
fn an_existing_file_is_replaced_by_force_alone() {
    let room = Room::new();
    room.random_model(Method::PnoD);
    room.ok(&["export", "random.pno", "--out", "own.safetensors"]);
    fs::write(room.path("x.pno"), "precious").expect("writes");
    let import = ["import", "own.safetensors", "--out", "x.pno"];
    let message = room.refused(1, &import);
    assert!(message.contains("--force"), "{message}");
    assert_eq!(fs::read(room.path("x.pno")).expect("a file"), b"precious");
    room.ok(&[&import[..], &["--force"]].concat());
    model(&room.path("x.pno"));
}
