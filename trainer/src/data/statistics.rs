//! Mean, spread and range of an array: one pass over its chunks, in double precision.

use anyhow::Result;
use pno::task::Mask;
use rayon::prelude::*;

use super::zarr::Array;

/// Number, mean, sum of squared distances from the mean, and range of some values.
///
/// Sums of squares alone would lose everything where the mean is large against the spread (temperatures, geopotentials).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// How many.
    pub count: f64,
    /// Their mean.
    pub mean: f64,
    squares: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

impl Moments {
    const NONE: Self = Self {
        count: 0.0,
        mean: 0.0,
        squares: 0.0,
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
    };

    /// Of the values that a mask leaves.
    fn unmasked(values: &[f32], mask: Option<&Mask>) -> Self {
        let Some(mask) = mask else {
            return Self::of(values);
        };
        let all = values.iter().enumerate();
        let kept: Vec<f32> = all
            .filter(|(point, _)| !mask.is_masked(*point))
            .map(|(_, &value)| value)
            .collect();
        Self::of(&kept)
    }

    /// Of some values, which are held in memory: two passes, exact.
    pub fn of(values: &[f32]) -> Self {
        if values.is_empty() {
            return Self::NONE;
        }
        let count = values.len() as f64;
        let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
        let mut found = Self {
            count,
            mean,
            ..Self::NONE
        };
        for value in values.iter().map(|&v| f64::from(v)) {
            found.squares += (value - mean).powi(2);
            found.min = found.min.min(value);
            found.max = found.max.max(value);
        }
        found
    }

    /// Of both (Chan, Golub and LeVeque 1983).
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let count = self.count + other.count;
        if count == 0.0 {
            return self;
        }
        let distance = other.mean - self.mean;
        Self {
            count,
            mean: self.mean + distance * other.count / count,
            squares: self.squares
                + other.squares
                + distance * distance * self.count * other.count / count,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Standard deviation.
    pub fn std(&self) -> f64 {
        (self.squares / self.count.max(1.0)).sqrt()
    }
}

/// Moments of every frame of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// One per frame.
    pub frames: Vec<Moments>,
}

impl Statistics {
    /// Reads the array once; rows are cut into `frames` equal parts, and only those that `wanted` names are counted, without
    /// their masked points.
    pub fn of(
        array: &Array,
        frames: usize,
        mask: Option<&Mask>,
        wanted: impl Fn(usize) -> bool + Sync,
    ) -> Result<Self> {
        let frame_len = array.row_len() / frames;
        Self::over(array, frames, frame_len, mask, wanted, <[f32]>::to_vec)
    }

    /// Of what is made of each row: `frames` parts of `frame_len` values.
    fn over(
        array: &Array,
        frames: usize,
        frame_len: usize,
        mask: Option<&Mask>,
        wanted: impl Fn(usize) -> bool + Sync,
        made: impl Fn(&[f32]) -> Vec<f32> + Sync,
    ) -> Result<Self> {
        let of_chunk = |chunk: usize| -> Result<Vec<Moments>> {
            let mut sums = vec![Moments::NONE; frames];
            let rows = array.rows_of(chunk);
            if !rows.clone().any(&wanted) {
                return Ok(sums);
            }
            let values = array.read_chunk::<f32>(chunk)?;
            for (row, values) in rows.zip(values.chunks_exact(array.row_len())) {
                if wanted(row) {
                    for (sum, frame) in sums.iter_mut().zip(made(values).chunks_exact(frame_len)) {
                        *sum = sum.and(Moments::unmasked(frame, mask));
                    }
                }
            }
            Ok(sums)
        };
        let chunks: Vec<Vec<Moments>> = (0..array.chunks())
            .into_par_iter()
            .map(of_chunk)
            .collect::<Result<_>>()?;
        // Put together in storage order, so that the last digits do not depend on the threads.
        let mut all = vec![Moments::NONE; frames];
        for chunk in &chunks {
            for (sum, moments) in all.iter_mut().zip(chunk) {
                *sum = sum.and(*moments);
            }
        }
        Ok(Self { frames: all })
    }

    /// Of the changes from each frame of a row to the one `lag` frames later: as many as there are such pairs.
    pub fn of_changes(
        array: &Array,
        (frames, lag): (usize, usize),
        mask: Option<&Mask>,
        wanted: impl Fn(usize) -> bool + Sync,
    ) -> Result<Self> {
        let frame_len = array.row_len() / frames;
        let changes = |row: &[f32]| -> Vec<f32> {
            let later = row[lag * frame_len..].iter();
            later
                .zip(row)
                .map(|(after, before)| after - before)
                .collect()
        };
        Self::over(array, frames - lag, frame_len, mask, wanted, changes)
    }

    /// Of all frames together.
    pub fn all(&self) -> Moments {
        let frames = self.frames.iter();
        frames.fold(Moments::NONE, |all, frame| all.and(*frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_small_table_are_the_hand_computed_ones() {
        let values = [1.0, 3.0, 0.0, 0.0, -1.0, -3.0, 2.0, -2.0];
        let whole = Moments::of(&values);
        assert_eq!((whole.min, whole.max, whole.mean), (-3.0, 3.0, 0.0));
        assert!((whole.std() - (28.0_f64 / 8.0).sqrt()).abs() < 1e-15);
        let parts = Moments::of(&values[..3]).and(Moments::of(&values[3..]));
        assert!((parts.std() - whole.std()).abs() < 1e-15 && parts.mean.abs() < 1e-15);
        assert_eq!(Moments::NONE.and(whole), whole);
        assert_eq!(Moments::of(&[]).and(Moments::NONE).count, 0.0);
        let mask = Mask::new(&[4], |i| i == 2);
        let masked = Moments::unmasked(
            &[1.0, 3.0, f32::NAN, -1.0, -3.0, 2.0, 9.0, -2.0],
            mask.as_ref(),
        );
        assert_eq!(masked, Moments::of(&[1.0, 3.0, -1.0, -3.0, 2.0, -2.0]));
    }

    #[test]
    fn a_mean_that_is_large_against_the_spread_does_no_harm() {
        // Kelvins: sums in single precision stop growing, and the authors' statistics with them.
        let values: Vec<f32> = (0..200_000).map(|i| 281.0 + 0.5 * (i % 3) as f32).collect();
        let exact = (281.5, (0.5_f64 * 0.5 * 2.0 / 3.0).sqrt());
        let pieces = values.chunks(777).map(Moments::of);
        let found = pieces.fold(Moments::NONE, Moments::and);
        assert!((found.mean - exact.0).abs() < 1e-5, "{found:?}");
        assert!((found.std() - exact.1).abs() < 1e-5, "{}", found.std());
        let squares = values.iter().map(|v| v * v).sum::<f32>() / 200_000.0;
        let mean = values.iter().sum::<f32>() / 200_000.0;
        let naive = f64::from(squares - mean * mean).abs().sqrt();
        assert!(
            (naive - exact.1).abs() > 0.1,
            "single precision would do: {naive}"
        );
    }
}
