//! Trajectories against the statistics of the published procedure: four trajectories of an independent solver.

use pno::pde::sswe::{LATITUDES, LONGITUDES, Solver};
use pno::spec::{Experiment, Profile};
use pno::sphere::Latitudes;
use pno::task::Task;

const TRAJECTORIES: u64 = 24;
/// Trajectories behind the reference.
const REFERENCE: f64 = 4.0;
const FRAMES: usize = 11;

/// Area-weighted mean square of each channel, in network units.
fn mean_squares(values: impl Fn(usize, usize) -> f64, weights: &[f64]) -> [f64; 3] {
    std::array::from_fn(|channel| {
        let sum: f64 = weights
            .iter()
            .enumerate()
            .map(|(point, w)| w * values(point, channel).powi(2))
            .sum();
        sum / weights.len() as f64
    })
}

/// One trajectory: rms per channel at 0, 1, 10 h; norms of the state; persistence at 1 and 10 h; per channel at 1 h.
fn statistics(frames: &[f32], weights: &[f64]) -> Vec<f64> {
    let scales = Task::published(Experiment::Sswe).inputs;
    let points = weights.len();
    let at = |hour: usize, point: usize, channel: usize| {
        let raw = f64::from(frames[(hour * points + point) * 3 + channel]);
        let scale = &scales[channel].normalisation;
        (raw - scale.mean) / scale.std
    };
    let mut found = Vec::new();
    let states = [0, 1, 10].map(|hour| mean_squares(|p, c| at(hour, p, c), weights));
    found.extend((0..3).flat_map(|c| states.map(|squares| squares[c].sqrt())));
    found.extend(states.map(|squares| squares.iter().sum::<f64>().sqrt()));
    let changes = [1, 10].map(|hour| mean_squares(|p, c| at(hour, p, c) - at(0, p, c), weights));
    found.extend(changes.map(|squares| squares.iter().sum::<f64>().sqrt()));
    found.extend(changes[0].map(f64::sqrt));
    found
}

#[test]
fn trajectories_have_the_reference_statistics() {
    let names_and_reference = [
        ("phi at 0 h", 0.97),
        ("phi at 1 h", 0.99),
        ("phi at 10 h", 0.95),
        ("zeta at 0 h", 0.83),
        ("zeta at 1 h", 0.80),
        ("zeta at 10 h", 0.69),
        ("delta at 0 h", 1.11),
        ("delta at 1 h", 1.04),
        ("delta at 10 h", 0.77),
        ("state at 0 h", 1.69),
        ("state at 1 h", 1.64),
        ("state at 10 h", 1.40),
        ("persistence at 1 h", 1.78),
        ("persistence at 10 h", 1.93),
        ("persistence of phi at 1 h", 1.19),
        ("persistence of zeta at 1 h", 0.14),
        ("persistence of delta at 1 h", 1.31),
    ];
    let weights = Latitudes::Equiangular.area_weights(LATITUDES, LONGITUDES);
    let mut solver = Solver::default_plan(Profile::Paper);
    let cases: Vec<Vec<f64>> = (0..TRAJECTORIES)
        .map(|i| statistics(&solver.trajectory(2024, i, FRAMES), &weights))
        .collect();
    let n = TRAJECTORIES as f64;
    for (i, (name, reference)) in names_and_reference.into_iter().enumerate() {
        let mean = cases.iter().map(|case| case[i]).sum::<f64>() / n;
        let variance = cases
            .iter()
            .map(|case| (case[i] - mean).powi(2))
            .sum::<f64>()
            / (n - 1.0);
        let error = (variance / n + variance / REFERENCE).sqrt();
        println!("{name}: {mean:.3} for {reference} (standard error {error:.3})");
        // Four standard errors and the rounding of the reference.
        let tolerance = 4.0 * error + 0.006;
        assert!(
            (mean - reference).abs() < tolerance,
            "{name}: {mean} for {reference}"
        );
        assert!(
            tolerance < 0.2 * reference,
            "{name}: a tolerance of {tolerance} says nothing"
        );
    }
}
