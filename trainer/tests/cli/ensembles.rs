//! Methods made of trained networks, and calibrated members, from outside.

use pno::checkpoint::{Checkpoint, Precision};
use pno::spec::Method;

use crate::{Room, npy_values, random_checkpoint};

/// A training that takes seconds.
fn train<'a>(out: &'a str, extra: &[&'a str]) -> Vec<&'a str> {
    let fixed = "train ks --data tiny.zarr --device cpu --test-members 10 --set model.width=4 --set model.lifting=8 \
                 --set model.projection=8 --set model.layers=2 --set model.modes=[4,6] --set train.batch=2 --out";
    let mut arguments: Vec<&str> = fixed.split_whitespace().collect();
    arguments.push(out);
    arguments.extend(extra);
    arguments
}

fn model(room: &Room, path: &str) -> Checkpoint {
    let bytes = std::fs::read(room.path(path)).expect("a model");
    Checkpoint::decode(&bytes).expect("a checkpoint")
}

/// A deterministic model with weights of its own.
fn write_det(room: &Room, name: &str, change: impl Fn(&mut Checkpoint)) {
    let mut model = random_checkpoint(Method::Det);
    change(&mut model);
    let bytes = model.encode(Precision::F32).expect("encoded");
    std::fs::write(room.path(name), bytes).expect("written");
}

fn scaled(factor: f32) -> impl Fn(&mut Checkpoint) {
    move |model| {
        model
            .tensors
            .iter_mut()
            .flatten()
            .for_each(|w| *w *= factor);
    }
}

fn split(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn an_ensemble_is_trained_network_by_network_and_goes_on_where_it_stopped() {
    let room = Room::new();
    room.tiny_data();
    let extra = split("--method ensemble --set model.networks=2 --epochs 1");
    let said = room.ok(&train("whole", &extra));
    assert!(said.contains("network 2 of 2, seed "), "{said}");
    assert!(
        said.contains("ensemble of 2 networks (10 members were asked for)"),
        "{said}"
    );
    let whole = model(&room, "whole/model.pno");
    assert_eq!(
        (whole.header.spec.method, whole.header.spec.networks),
        (Method::Ensemble, 2)
    );
    assert_eq!(whole.header.scores.expect("scores").members, 2);
    for k in 0..2 {
        let alone = model(&room, &format!("whole/network-{}/model.pno", k + 1));
        assert_eq!(alone.header.spec.method, Method::Det);
        assert_eq!(whole.network(k), alone.tensors);
    }
    assert_ne!(whole.network(0), whole.network(1));
    // As if it had been stopped during the second network: its run is gone.
    std::fs::remove_dir_all(room.path("whole/network-2")).expect("removed");
    std::fs::remove_file(room.path("whole/model.pno")).expect("removed");
    let resume =
        split("train ks --data tiny.zarr --device cpu --test-members 0 --out whole --resume");
    let said = room.ok(&resume);
    assert!(
        said.contains("network 1 of 2, seed 1: 1 of 1 epochs done"),
        "{said}"
    );
    assert_eq!(model(&room, "whole/model.pno").tensors, whole.tensors);
    let said = room.refused(1, &train("whole", &extra));
    assert!(said.contains("holds a run already"), "{said}");
    // The first network is a det run with the same seed.
    room.ok(&train(
        "det",
        &split("--method det --epochs 1 --test-members 0")[..4],
    ));
    assert_eq!(model(&room, "det/model.pno").tensors, whole.network(0));
}

#[test]
fn a_laplace_approximation_is_trained_in_one_command() {
    let room = Room::new();
    room.tiny_data();
    let said = room.ok(&train("la", &split("--method laplace --epochs 1")));
    assert!(said.contains("network 1 of 1"), "{said}");
    let whole = model(&room, "la/model.pno");
    let det = model(&room, "la/det/model.pno");
    assert_eq!(whole.header.spec.method, Method::Laplace);
    assert_eq!(whole.tensors[..det.tensors.len()], det.tensors);
    assert!(whole.posterior().expect("a posterior").noise() > 0.0);
    room.ok(&split(
        "laplace la/det --data tiny.zarr --device cpu --out by-hand.pno",
    ));
    assert_eq!(model(&room, "by-hand.pno").posterior(), whole.posterior());
    std::fs::remove_file(room.path("la/model.pno")).expect("removed");
    room.ok(&split(
        "train ks --data tiny.zarr --device cpu --test-members 0 --out la --resume",
    ));
    assert_eq!(model(&room, "la/model.pno").tensors, whole.tensors);
    let extra = "--method laplace --epochs 1 --set laplace.noise=false --profile paper";
    room.ok(&train("calm", &split(extra)));
    let calm = model(&room, "calm/model.pno");
    assert_eq!(calm.posterior().expect("a posterior").noise(), 0.0);
    let settings = &calm.header.provenance.settings;
    assert!(
        settings.contains(&("laplace.profile".into(), "paper".into())),
        "{settings:?}"
    );
    let refused = split("--method det --set laplace.noise=false");
    let said = room.refused(1, &train("x", &refused));
    assert!(said.contains("unknown setting `laplace.noise`"), "{said}");
}

#[test]
fn models_are_put_together_and_those_that_differ_are_named() {
    let room = Room::new();
    room.tiny_data();
    write_det(&room, "a.pno", |_| {});
    write_det(&room, "b.pno", scaled(1.1));
    write_det(&room, "c.pno", scaled(0.9));
    let said = room.ok(&split("ensemble a.pno b.pno c.pno --out abc.pno"));
    assert!(said.contains("ks fno ensemble of 3 networks"), "{said}");
    let predict = "predict abc.pno --data tiny.zarr --case 0 --device cpu --out all.npy";
    let said = room.ok(&split(predict));
    assert!(
        said.contains("ensemble of 3 networks (100 members were asked for)"),
        "{said}"
    );
    let (shape, all) = npy_values(&room.path("all.npy"));
    assert_eq!(shape, "3, 20, 256");
    for (place, name) in ["a", "b", "c"].iter().enumerate() {
        let predict = format!(
            "predict {name}.pno --data tiny.zarr --case 0 --members 1 --device cpu --out one.npy --force"
        );
        room.ok(&split(&predict));
        let one = npy_values(&room.path("one.npy")).1;
        assert_eq!(all[place * one.len()..][..one.len()], one, "{name}");
    }
    let told = room.ok(&split("inspect abc.pno"));
    assert!(told.contains("of each of 3 networks"), "{told}");
    write_det(&room, "d.pno", |m| m.header.spec.dropout = 0.25);
    write_det(&room, "e.pno", |m| {
        m.header.task.outputs[0].normalisation.std = 7.0;
    });
    for (models, sentence) in [
        (
            "a.pno d.pno",
            "d.pno cannot be in an ensemble with a.pno: its model.dropout is 0.25",
        ),
        (
            "a.pno e.pno",
            "e.pno cannot be in an ensemble with a.pno: its task.outputs is",
        ),
        ("a.pno b.pno a.pno", "a.pno and a.pno are the same network"),
        ("a.pno abc.pno", "abc.pno is of method `ensemble`"),
        ("a.pno missing.pno", "there is no model missing.pno"),
    ] {
        let said = room.refused(1, &split(&format!("ensemble {models} --out x.pno")));
        assert!(said.contains(sentence), "{said}");
    }
    assert!(!room.path("x.pno").exists());
    let said = room.refused(1, &split("export abc.pno --out abc.safetensors"));
    assert!(said.contains("one by one"), "{said}");
    room.refused(2, &split("ensemble a.pno --out x.pno"));
}

/// Share of points of the test cases that the interval of a model holds, by hand.
fn covered(room: &Room, file: &str) -> f64 {
    let (mut inside, mut all) = (0, 0);
    let splits = crate::forecast::split_of(&room.path("many.zarr"));
    for case in (0..84).filter(|&case| splits[case] == 2) {
        let predict = format!(
            "predict {file} --data many.zarr --case {case} --members 4 --device cpu --out m.npy --truth t.npy --force"
        );
        room.ok(&split(&predict));
        let (members, truth) = (
            npy_values(&room.path("m.npy")).1,
            npy_values(&room.path("t.npy")).1,
        );
        let points = truth.len();
        for (p, truth) in truth.iter().enumerate() {
            let mut sorted: Vec<f32> = (0..4).map(|m| members[m * points + p]).collect();
            sorted.sort_by(f32::total_cmp);
            // Position 0.05 * 3 from either end.
            let lower = sorted[0] + 0.15 * (sorted[1] - sorted[0]);
            let upper = sorted[3] - 0.15 * (sorted[3] - sorted[2]);
            inside += usize::from(lower < *truth && *truth < upper);
            all += 1;
        }
    }
    inside as f64 / f64::from(all)
}

#[test]
fn a_calibrated_model_covers_what_was_stated() {
    let room = Room::new();
    let generate = "data generate ks --shares 4,40,40 --seed 5 --profile paper --out many.zarr";
    room.ok(&split(generate));
    for (name, factor) in [
        ("a.pno", 1.0),
        ("b.pno", 1.3),
        ("c.pno", 0.8),
        ("d.pno", 0.9),
    ] {
        write_det(&room, name, scaled(factor));
    }
    room.ok(&split("ensemble a.pno b.pno c.pno d.pno --out narrow.pno"));
    let conformal =
        "conformal narrow.pno --data many.zarr --device cpu --coverage 0.9 --out wide.pno";
    let said = room.ok(&split(conformal));
    assert!(
        said.contains("conformal scaling to coverage 0.9, 40 valid cases with 4 members"),
        "{said}"
    );
    let calibration = model(&room, "wide.pno").header.calibration.expect("one");
    assert_eq!(
        (calibration.leads(), calibration.cases, calibration.members),
        (20, 40, 4)
    );
    assert!(
        calibration.factors.iter().all(|s| *s > 1.0),
        "{calibration:?}"
    );
    let (before, after) = (covered(&room, "narrow.pno"), covered(&room, "wide.pno"));
    assert!(
        before < 0.5 && (0.88..0.94).contains(&after),
        "{before} {after}"
    );
    // A second fit replaces the first, from the members as the networks give them.
    room.ok(&split(
        "conformal wide.pno --data many.zarr --device cpu --coverage 0.9 --out again.pno",
    ));
    assert_eq!(model(&room, "again.pno"), model(&room, "wide.pno"));
    let told = room.ok(&split("inspect wide.pno"));
    assert!(
        told.contains(
            "members are spread to coverage 0.9: conformal scaling on 40 cases with 4 members"
        ),
        "{told}"
    );
    let json = room.ok(&split("inspect wide.pno --json"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["calibration"]["coverage"], 0.9);
    assert_eq!(json["format_version"], 6);
    let narrow = room.ok(&split(
        "eval narrow.pno --data many.zarr --device cpu --limit 3",
    ));
    let wide = room.ok(&split(
        "eval wide.pno --data many.zarr --device cpu --limit 3",
    ));
    let l2 = |text: &str| {
        text.lines()
            .find(|l| l.starts_with("l2"))
            .expect("a line")
            .to_owned()
    };
    assert_eq!(l2(&narrow), l2(&wide), "the mean stays");
    for (arguments, code, sentence) in [
        (
            "conformal a.pno --data many.zarr --device cpu --out x.pno",
            1,
            "a model of method `det` cannot be calibrated: all members of a case are alike",
        ),
        (
            "conformal narrow.pno --data many.zarr --coverage 0.99 --out x.pno",
            1,
            "coverage 0.99 needs at least 99 cases, but its valid split has 40",
        ),
        (
            "conformal narrow.pno --data many.zarr --coverage 1.5 --out x.pno",
            2,
            "between 0 and 1",
        ),
        (
            "conformal narrow.pno --data many.zarr --out wide.pno",
            1,
            "is there already",
        ),
    ] {
        let said = room.refused(code, &split(arguments));
        assert!(said.contains(sentence), "{said}");
    }
    assert!(!room.path("x.pno").exists());
}

#[test]
fn every_step_of_a_forecast_is_written_and_scored() {
    let room = Room::new();
    room.ok(&split(
        "data generate sswe --shares 1,1,2 --grid 8x16 --frames 4 --out water",
    ));
    room.ok(&split("init sswe --method pno-r --grid 8x16 --set model.modes=[4,6] --set model.width=4 --out water.pno"));
    let predict = "predict water.pno --data water --case 2 --members 3 --device cpu --steps 3 --truth t.npy --out";
    room.ok(&split(&format!("{predict} m.npy")));
    let (shape, all) = npy_values(&room.path("m.npy"));
    assert_eq!(shape, "3, 3, 8, 16, 3");
    assert_eq!(npy_values(&room.path("t.npy")).0, "3, 8, 16, 3");
    room.ok(&split(
        &predict
            .replace("--steps 3", "--steps 1")
            .replace("t.npy", "t1.npy")
            .replace("--out", "--out one.npy"),
    ));
    let (shape, one) = npy_values(&room.path("one.npy"));
    assert_eq!(shape, "3, 8, 16, 3");
    let values = 8 * 16 * 3;
    for member in 0..3 {
        assert_eq!(
            all[member * 3 * values..][..values],
            one[member * values..][..values]
        );
    }
    room.ok(&split(&format!("{predict} m.zarr --force")));
    let named = crate::zarr_values(&room.path("m.zarr"), "vorticity");
    let wanted: Vec<f32> = all.iter().skip(1).step_by(3).copied().collect();
    assert_eq!(named, wanted);
    let scores = |steps: &str| -> serde_json::Value {
        let eval = format!(
            "eval water.pno --data water --members 3 --device cpu --steps {steps} --json s.json --force"
        );
        room.ok(&split(&eval));
        let text = std::fs::read_to_string(room.path("s.json")).expect("scores");
        serde_json::from_str(&text).expect("JSON")
    };
    let (three, two, one) = (scores("3"), scores("2"), scores("1"));
    assert_eq!(one.get("by_step"), None);
    for (step, alone) in [&one, &two, &three].into_iter().enumerate() {
        let here = &three["by_step"][step];
        assert_eq!(here["step"], step + 1);
        for key in ["l2", "crps", "spread", "coverage"] {
            let (a, b) = (
                here[key].as_f64().expect("a score"),
                alone[key]["value"].as_f64().expect("a score"),
            );
            assert!(
                (a - b).abs() < 1e-6 * b.abs().max(1e-3),
                "{key} of step {}: {a} {b}",
                step + 1
            );
        }
    }
}
