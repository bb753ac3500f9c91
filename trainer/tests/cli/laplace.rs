//! `pno laplace` from outside: the same network with members that spread, scored and drawn like any other.

use pno::checkpoint::{Checkpoint, Precision};
use pno::spec::Method;

use crate::{CELLS, Room, npy_values};

const POINTS: usize = 20 * CELLS;

fn fit(room: &Room, out: &str, more: &[&str]) -> String {
    let fixed = ["laplace", "random.pno", "--data", "tiny.zarr", "--out", out];
    room.ok(&[&fixed[..], more, &["--device", "cpu"]].concat())
}

fn read(room: &Room, name: &str) -> Checkpoint {
    let bytes = std::fs::read(room.path(name)).expect("a file");
    Checkpoint::decode(&bytes).expect("a model")
}

/// Mean over points of the members' variance, and of their mean.
fn spread(room: &Room, model: &str) -> (f64, Vec<f64>) {
    let arguments = [
        "predict",
        model,
        "--data",
        "tiny.zarr",
        "--case",
        "1",
        "--members",
        "200",
    ];
    let _ = std::fs::remove_file(room.path("m.npy"));
    room.ok(&[&arguments[..], &["--out", "m.npy", "--device", "cpu"]].concat());
    let (_, members) = npy_values(&room.path("m.npy"));
    let mean: Vec<f64> = (0..POINTS)
        .map(|p| {
            (0..200)
                .map(|m| f64::from(members[m * POINTS + p]))
                .sum::<f64>()
                / 200.0
        })
        .collect();
    let squares = members
        .iter()
        .enumerate()
        .map(|(k, &v)| (f64::from(v) - mean[k % POINTS]).powi(2));
    (squares.sum::<f64>() / (199.0 * POINTS as f64), mean)
}

#[test]
fn a_deterministic_model_gets_members_whose_noise_is_that_of_its_errors() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(Method::Det);
    let said = fit(&room, "noisy.pno", &[]);
    assert!(said.contains("members have observation noise"), "{said}");
    let said = fit(&room, "calm.pno", &["--no-noise"]);
    assert!(said.contains("members have no observation noise"), "{said}");
    let (noisy, calm) = (read(&room, "noisy.pno"), read(&room, "calm.pno"));
    let network = read(&room, "random.pno").tensors;
    assert_eq!(noisy.header.spec.method, Method::Laplace);
    assert_eq!(noisy.tensors[..network.len()], network);
    let scale = noisy.header.task.quantity().normalisation.std;
    let noise = f64::from(noisy.posterior().expect("one").noise()) * scale;
    let ((wide, mean), (narrow, same)) = (spread(&room, "noisy.pno"), spread(&room, "calm.pno"));
    // White noise of 200 members at 5120 points: the mean variance is sure to 0.15 %.
    assert!(
        (wide / (narrow + noise * noise) - 1.0).abs() < 0.01,
        "{wide} {narrow} {noise}"
    );
    assert!(narrow > 0.0 && narrow < 0.1 * wide, "{narrow} {wide}");
    assert_eq!(
        calm.posterior(),
        noisy
            .posterior()
            .map(pno::laplace::Posterior::without_noise)
    );
    // Both around the network's own forecast.
    let (still, own) = spread(&room, "random.pno");
    assert!(still < 1e-9, "{still}");
    let gap = |a: &[f64]| {
        a.iter()
            .zip(&own)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
            / POINTS as f64
    };
    assert!(gap(&mean) < 2.0 * wide / 200.0, "{}", gap(&mean));
    assert!(gap(&same) < 10.0 * narrow / 200.0, "{}", gap(&same));
    let scored = room.ok(&[
        "eval",
        "noisy.pno",
        "--data",
        "tiny.zarr",
        "--members",
        "20",
        "--device",
        "cpu",
    ]);
    assert!(scored.contains("ks fno laplace"), "{scored}");
    room.ok(&["inspect", "noisy.pno"]);
    room.ok(&[
        "export",
        "noisy.pno",
        "--precision",
        "f16",
        "--out",
        "short.pno",
    ]);
    let short = read(&room, "short.pno");
    assert_eq!(short.header.precision, Precision::F16);
    assert_eq!(short.posterior(), noisy.posterior());
}

#[test]
fn the_published_artefacts_are_a_profile() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(Method::Det);
    let said = fit(&room, "paper.pno", &["--profile", "paper"]);
    assert!(said.contains("members have no observation noise"), "{said}");
    let model = read(&room, "paper.pno");
    let settings = &model.header.provenance.settings;
    let found = |key: &str| {
        let pair = settings.iter().find(|(name, _)| name == key);
        pair.map(|(_, value)| value.parse::<f64>().expect("a number"))
    };
    let noise = found("laplace.noise_scale").expect("a scale");
    assert!((51.2..60.0).contains(&noise), "{noise}");
}

#[test]
fn what_cannot_be_is_refused() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(Method::PnoR);
    let ask = [
        "laplace",
        "random.pno",
        "--data",
        "tiny.zarr",
        "--device",
        "cpu",
        "--out",
    ];
    let refused = |out: &str| room.refused(1, &[&ask[..], &[out]].concat());
    assert!(refused("out.pno").contains("method pno-r"));
    assert!(!room.path("out.pno").exists());
    assert!(refused("random.pno").contains("is there already"));
    room.random_model(Method::Laplace);
    let export = ["export", "random.pno", "--out", "a.safetensors"];
    assert!(room.refused(1, &export).contains("posterior"));
}
