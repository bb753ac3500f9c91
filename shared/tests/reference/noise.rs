//! The only numbers taken from the product: its noise.

use pno::noise::{Place, key, mask, mask::Rate, normal};

/// Which noise a row has.
#[derive(Debug, Clone, Copy)]
pub struct RowNoise {
    /// Seed of the forecast.
    pub seed: u64,
    /// Member of the ensemble.
    pub member: u32,
}

/// Dropout factors of one place; ones without noise.
pub fn factors(row: Option<RowNoise>, place: Place, rate: f32, len: usize) -> Vec<f64> {
    let Some(RowNoise { seed, member }) = row else {
        return vec![1.0; len];
    };
    let mut factors = vec![0.0_f32; len];
    mask::fill(
        key(seed, member, place.layer()),
        Rate::new(rate),
        &mut factors,
    );
    factors.into_iter().map(f64::from).collect()
}

/// Standard normals of one row.
pub fn normals(row: RowNoise, len: usize) -> Vec<f64> {
    let key = key(row.seed, row.member, Place::Normal.layer());
    (0..len as u32)
        .map(|i| f64::from(normal::normal(key, i)))
        .collect()
}
