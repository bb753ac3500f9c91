//! The sums over all data: curvature of the last layer, squared residuals, counts.

use super::{LaplaceError, linear};
use crate::wide::{self, Job};

/// Points that are added in one go: each sum is loaded and stored once for all of them.
const TOGETHER: usize = 8;
/// Points that are handed out together.
const WAITING: usize = 128 * TOGETHER;
/// Rows of `H` that one thread takes, while the features of some points are in its nearest cache.
const ROWS: usize = 4;

/// Streaming sums for the last layer: `H = sum phi phi^T` with `phi = [features, 1]`, and the squared residuals of the
/// trained weights. Products and sums are `f64`: eigenvalues of `H` span more digits than `f32` has.
///
/// The order of the sums depends on the data alone, so the result is the same with any number of threads.
#[derive(Debug, Clone)]
pub struct Gram {
    /// Trained weights and then the bias, `[out, padded]`.
    trained: Vec<f64>,
    hidden: usize,
    channels: usize,
    /// `[padded, padded]`, of which the upper triangle is kept up to date.
    sums: Vec<f64>,
    points: u64,
    /// Points without a truth in a channel.
    left_out: u64,
    squares: f64,
    /// `phi` of points that are not in the sums yet, `[points, padded]`.
    waiting: Vec<f64>,
}

impl Gram {
    /// No data yet, for a last layer with these trained weights.
    ///
    /// # Shapes
    /// - weight: `[hidden, out]`
    /// - bias: `[out]`
    ///
    /// # Panics
    /// If there is no weight, or not a whole number of rows of the bias's length.
    pub fn new(weight: &[f32], bias: &[f32]) -> Self {
        assert!(
            !bias.is_empty() && !weight.is_empty() && weight.len().is_multiple_of(bias.len()),
            "a weight of {} values with {} biases",
            weight.len(),
            bias.len()
        );
        let hidden = weight.len() / bias.len();
        let padded = (hidden + 1).next_multiple_of(ROWS);
        let mut trained = vec![0.0; bias.len() * padded];
        for (channel, theta) in trained.chunks_exact_mut(padded).enumerate() {
            let weights = weight.iter().skip(channel).step_by(bias.len());
            for (theta, &value) in theta.iter_mut().zip(weights.chain([&bias[channel]])) {
                *theta = f64::from(value);
            }
        }
        Self {
            trained,
            hidden,
            channels: bias.len(),
            sums: vec![0.0; padded * padded],
            points: 0,
            left_out: 0,
            squares: 0.0,
            waiting: Vec::with_capacity(WAITING * padded),
        }
    }

    /// Takes in some points. One without a truth (NaN) in a channel is left out: the channels share their curvature, so
    /// what counts for one counts for all.
    ///
    /// # Shapes
    /// - features: `[points, hidden]`
    /// - truth: `[points, out]`, in network units
    ///
    /// # Panics
    /// If the two have another number of points.
    pub fn push(&mut self, features: &[f32], truth: &[f32]) {
        let (hidden, out) = (self.hidden, self.channels);
        assert_eq!(
            features.len() * out,
            truth.len() * hidden,
            "points of features and truth"
        );
        let padded = self.padded();
        for (features, truth) in features.chunks_exact(hidden).zip(truth.chunks_exact(out)) {
            if truth.iter().any(|y| y.is_nan()) {
                self.left_out += 1;
                continue;
            }
            self.points += 1;
            let filled = self.waiting.len();
            self.waiting.extend(features.iter().copied().map(f64::from));
            self.waiting.push(1.0);
            self.waiting.resize(filled + padded, 0.0);
            let phi = &self.waiting[filled..];
            for (theta, &truth) in self.trained.chunks_exact(padded).zip(truth) {
                self.squares += (f64::from(truth) - linear::dot(theta, phi)).powi(2);
            }
            if self.waiting.len() == WAITING * padded {
                self.flush();
            }
        }
    }

    /// Adds what waits to the sums.
    fn flush(&mut self) {
        let padded = self.padded();
        // Points that are not there have no features and no bias.
        let whole = self.waiting.len().next_multiple_of(TOGETHER * padded);
        self.waiting.resize(whole, 0.0);
        let points = &self.waiting;
        let rows = |(tile, sums): (usize, &mut [f64])| {
            wide::run(Tiles {
                points,
                first: tile * ROWS,
                sums,
            });
        };
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            self.sums
                .par_chunks_mut(ROWS * padded)
                .enumerate()
                .for_each(rows);
        }
        #[cfg(not(feature = "parallel"))]
        self.sums
            .chunks_mut(ROWS * padded)
            .enumerate()
            .for_each(rows);
        self.waiting.clear();
    }

    fn padded(&self) -> usize {
        (self.hidden + 1).next_multiple_of(ROWS)
    }

    /// Parameters of the last layer per output channel: hidden features and the bias.
    pub fn size(&self) -> usize {
        self.hidden + 1
    }

    /// Output channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Points so far.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// The sum `H`, `[size, size]`, and half the sum of squared residuals. Refuses sums that are empty or not finite.
    pub fn finish(mut self) -> Result<(Vec<f64>, f64), LaplaceError> {
        self.flush();
        if self.points == 0 {
            return Err(match self.left_out {
                0 => LaplaceError::NoData,
                points => LaplaceError::NothingInCommon { points },
            });
        }
        let (size, padded) = (self.size(), self.padded());
        let entry = |k: usize| {
            let (row, column) = (k / size, k % size);
            self.sums[row.min(column) * padded + row.max(column)]
        };
        let curvature: Vec<f64> = (0..size * size).map(entry).collect();
        let finite = |what, found: f64| {
            if found.is_finite() {
                return Ok(());
            }
            Err(LaplaceError::NotFinite {
                what,
                points: self.points,
                found,
            })
        };
        finite("sum of squared residuals", self.squares)?;
        for &value in &curvature {
            finite("sum of products of features", value)?;
        }
        Ok((curvature, 0.5 * self.squares))
    }

    /// Sum of squares of the trained weights and biases.
    pub fn weight_norm(&self) -> f64 {
        self.trained.iter().map(|w| w * w).sum()
    }
}

/// A few rows of `H`, right of the diagonal.
struct Tiles<'a> {
    /// `[points, padded]`.
    points: &'a [f64],
    first: usize,
    /// `[ROWS, padded]`.
    sums: &'a mut [f64],
}

impl Job for Tiles<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (first, padded) = (self.first, self.sums.len() / ROWS);
        for points in self.points.chunks_exact(TOGETHER * padded) {
            let phi: [&[f64]; TOGETHER] =
                std::array::from_fn(|p| &points[p * padded + first..(p + 1) * padded]);
            for (row, sums) in self.sums.chunks_exact_mut(padded).enumerate() {
                add(phi, row, &mut sums[first..]);
            }
        }
    }
}

/// Adds the products of one element of each `phi` with all its elements.
#[inline(always)]
fn add(phi: [&[f64]; TOGETHER], row: usize, sums: &mut [f64]) {
    let phi = phi.map(|phi| &phi[..sums.len()]);
    let factors = phi.map(|phi| phi[row]);
    for (column, sum) in sums.iter_mut().enumerate() {
        for p in 0..TOGETHER {
            *sum = added(factors[p], phi[p][column], *sum);
        }
    }
}

/// `a b + c`. Products of numbers that were `f32` are exact in `f64`, so both ways give the same bits; the first is one
/// instruction, but only where the machine has it.
#[inline(always)]
fn added(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(all(feature = "simd", not(target_family = "wasm"))) {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::uniforms;

    fn values(stream: u64, n: usize) -> Vec<f32> {
        let uniforms = uniforms(3, stream, n);
        uniforms.iter().map(|u| (2.0 * u - 0.7) as f32).collect()
    }

    #[test]
    fn the_sums_are_those_of_brute_force() {
        // Sizes on both sides of a tile, points on both sides of a block and of a batch of blocks, in uneven pieces.
        for (hidden, out, points) in [
            (1, 1, 1),
            (5, 3, 127),
            (7, 1, 300),
            (12, 2, 1024),
            (6, 1, 2500),
        ] {
            let (weight, bias) = (values(1, hidden * out), values(2, out));
            let (features, truth) = (values(3, points * hidden), values(4, points * out));
            let mut gram = Gram::new(&weight, &bias);
            for first in (0..points).step_by(170) {
                let end = (first + 170).min(points);
                gram.push(
                    &features[first * hidden..end * hidden],
                    &truth[first * out..end * out],
                );
            }
            assert_eq!((gram.points(), gram.size()), (points as u64, hidden + 1));
            let (curvature, residual) = gram.finish().expect("finite");
            let phi = |point: usize, k: usize| {
                if k == hidden {
                    1.0
                } else {
                    f64::from(features[point * hidden + k])
                }
            };
            for (k, found) in curvature.iter().enumerate() {
                let (i, j) = (k / (hidden + 1), k % (hidden + 1));
                let wanted: f64 = (0..points).map(|p| phi(p, i) * phi(p, j)).sum();
                assert!(
                    (found - wanted).abs() < 1e-12 * points as f64,
                    "{i} {j}: {found} {wanted}"
                );
            }
            // The bias's own entry counts the points exactly, as in the published state.
            assert_eq!(curvature[(hidden + 1) * (hidden + 1) - 1], points as f64);
            let mut wanted = 0.0;
            for p in 0..points {
                for c in 0..out {
                    let weight = |k: usize| {
                        if k == hidden {
                            bias[c]
                        } else {
                            weight[k * out + c]
                        }
                    };
                    let found: f64 = (0..=hidden).map(|k| phi(p, k) * f64::from(weight(k))).sum();
                    wanted += 0.5 * (found - f64::from(truth[p * out + c])).powi(2);
                }
            }
            assert!(
                (residual / wanted - 1.0).abs() < 1e-12,
                "{residual} {wanted}"
            );
        }
    }

    #[test]
    fn points_without_a_truth_are_as_if_they_were_not_there() {
        let (weight, bias) = (values(1, 4), values(2, 2));
        let (features, truth) = (values(3, 10), values(4, 10));
        let mut masked = Gram::new(&weight, &bias);
        let mut blanked = truth.clone();
        blanked[3] = f32::NAN;
        masked.push(&features, &blanked);
        let mut fewer = Gram::new(&weight, &bias);
        fewer.push(&features[..2], &truth[..2]);
        fewer.push(&features[4..], &truth[4..]);
        assert_eq!(masked.points(), 4);
        assert_eq!(masked.finish(), fewer.finish());
    }

    #[test]
    fn nothing_and_nonsense_are_refused() {
        let empty = Gram::new(&[1.0, 2.0], &[0.0]);
        assert_eq!(empty.finish(), Err(LaplaceError::NoData));
        // A field of the land and one of the sea.
        let mut apart = Gram::new(&[1.0, 2.0], &[0.0, 0.0]);
        apart.push(&[1.0; 3], &[0.5, f32::NAN, f32::NAN, 0.5, 0.5, f32::NAN]);
        let points = 3;
        assert_eq!(
            apart.finish(),
            Err(LaplaceError::NothingInCommon { points })
        );
        let mut gram = Gram::new(&[1.0], &[0.0]);
        gram.push(&[f32::INFINITY], &[0.0]);
        assert!(
            gram.finish()
                .unwrap_err()
                .to_string()
                .contains("must be finite")
        );
    }
}
