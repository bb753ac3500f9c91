//! What is in a data set, in numbers: one pass over the values, in double precision.

use anyhow::Result;
use rayon::prelude::*;

use super::Dataset;

/// Frames the published statistics are given for (`t = 0, 2, 10, 20, 38` of the input, `t = 40, 78` of the truth).
pub const REFERENCE_FRAMES: [usize; 7] = [0, 1, 5, 10, 19, 20, 39];

/// Statistics of all cases, in physical units.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Mean of all values.
    pub mean: f64,
    /// Standard deviation of all values.
    pub std: f64,
    /// Standard deviation at each frame, over cases and places.
    pub frame_std: Vec<f64>,
}

/// Sums from which the statistics follow. The values are of order one with mean zero, so plain sums in f64 are exact enough.
#[derive(Debug, Clone)]
struct Sums {
    min: f64,
    max: f64,
    /// Per frame: count, sum, sum of squares.
    frames: Vec<[f64; 3]>,
}

impl Sums {
    fn empty(frames: usize) -> Self {
        Self {
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            frames: vec![[0.0; 3]; frames],
        }
    }

    /// Adds rows of `frames × cells` values.
    fn add(mut self, values: &[f32], cells: usize) -> Self {
        let frames = self.frames.len();
        for (at, frame) in values.chunks_exact(cells).enumerate() {
            let sums = &mut self.frames[at % frames];
            sums[0] += cells as f64;
            for value in frame.iter().map(|&v| f64::from(v)) {
                self.min = self.min.min(value);
                self.max = self.max.max(value);
                sums[1] += value;
                sums[2] += value * value;
            }
        }
        self
    }

    fn merge(mut self, other: &Self) -> Self {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        for (mine, theirs) in self.frames.iter_mut().zip(&other.frames) {
            for (a, b) in mine.iter_mut().zip(theirs) {
                *a += b;
            }
        }
        self
    }

    fn summary(&self) -> Summary {
        let mut all = [0.0; 3];
        for frame in &self.frames {
            for (a, b) in all.iter_mut().zip(frame) {
                *a += b;
            }
        }
        let std = |[n, sum, squares]: [f64; 3]| (squares / n - (sum / n).powi(2)).max(0.0).sqrt();
        Summary {
            min: self.min,
            max: self.max,
            mean: all[1] / all[0],
            std: std(all),
            frame_std: self.frames.iter().map(|&frame| std(frame)).collect(),
        }
    }
}

impl Summary {
    /// Reads all values once.
    pub fn of(dataset: &Dataset) -> Result<Self> {
        let task = dataset.task();
        let (frames, cells) = (task.input[0].size + task.output[0].size, task.input[1].size);
        let sums: Vec<Sums> = (0..dataset.chunks())
            .into_par_iter()
            .map(|chunk| Ok(Sums::empty(frames).add(&dataset.chunk(chunk)?, cells)))
            .collect::<Result<_>>()?;
        // Merged in storage order, so that the last digits do not depend on the threads.
        Ok(sums.iter().fold(Sums::empty(frames), Sums::merge).summary())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_a_small_table_are_the_hand_computed_ones() {
        // Two cases of two frames of two cells.
        let values = [1.0, 3.0, 0.0, 0.0, -1.0, -3.0, 2.0, -2.0];
        let whole = Sums::empty(2).add(&values, 2).summary();
        assert_eq!((whole.min, whole.max, whole.mean), (-3.0, 3.0, 0.0));
        assert!((whole.std - (28.0_f64 / 8.0).sqrt()).abs() < 1e-15);
        assert!((whole.frame_std[0] - 5.0_f64.sqrt()).abs() < 1e-15);
        assert!((whole.frame_std[1] - 2.0_f64.sqrt()).abs() < 1e-15);
        let merged = Sums::empty(2)
            .add(&values[..4], 2)
            .merge(&Sums::empty(2).add(&values[4..], 2));
        assert_eq!(merged.summary(), whole);
    }
}
