//! A verification against sums written down as the formulas stand, in `f64`, one value after the other; what it does with
//! NaNs and cases; and what reliable and unreliable ensembles look like in it.

mod brute;
mod cases;
mod formulas;
mod nan;
mod reliability;

use pno::noise::normal::fill;
use pno::score::Measure;

fn normals(stream: u32, n: usize) -> Vec<f32> {
    let mut values = vec![0.0; n];
    fill([41, stream], &mut values);
    values
}

fn close(name: &str, found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() <= tolerance * wanted.abs().max(1.0),
        "{name}: {found} for {wanted}"
    );
}

/// Three steps of time, five by seven points, two channels, weights by the second axis.
fn measure() -> Measure {
    let weights = (0..35).map(|p| 1.0 + f64::from(p / 7)).collect();
    Measure::grid(&[3, 5, 7])
        .with_channels(2)
        .with_weights(weights)
        .with_extent(0.5)
        .with_time()
}
