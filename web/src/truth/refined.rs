//! Fields of a ring between their points, by their Fourier series: the same functions on a finer grid.

use std::f64::consts::PI;

use super::Trajectory;
use crate::message::Solver;

/// Takes a ring of values to a grid that is so many times as fine.
#[derive(Debug, Clone)]
pub struct Refine {
    /// What each value adds to the points behind the first one, `[phase, distance]`.
    weights: Vec<Vec<f64>>,
}

impl Refine {
    /// Of so many points, an even number.
    pub fn new(points: usize, times: usize) -> Self {
        let n = points as f64;
        // The sum of all waves that the points carry, each with the amplitude one: of the highest one only the cosine.
        let weight = |away: f64| match away.rem_euclid(n) {
            0.0 => 1.0,
            away => (PI * away).sin() / (n * (PI * away / n).tan()),
        };
        let phase = |phase: usize| {
            let behind = phase as f64 / times as f64;
            (0..points).map(|at| weight(at as f64 + behind)).collect()
        };
        Self {
            weights: (0..times).map(phase).collect(),
        }
    }

    /// The values of a finer grid, whose first point is the first of the ring.
    pub fn of(&self, ring: &[f32]) -> Vec<f32> {
        let n = ring.len();
        let mut fine = Vec::with_capacity(n * self.weights.len());
        for point in 0..n {
            for weights in &self.weights {
                let terms = ring.iter().enumerate();
                let value: f64 = terms
                    .map(|(at, value)| f64::from(*value) * weights[(point + n - at) % n])
                    .sum();
                fine.push(value as f32);
            }
        }
        fine
    }
}

/// A trajectory on a finer grid than the one that it is solved on.
pub struct Refined {
    /// What is solved.
    pub inner: Box<dyn Trajectory>,
    /// How it gets to the finer grid.
    pub refine: Refine,
}

impl Trajectory for Refined {
    fn frame(&mut self) -> Vec<f32> {
        self.refine.of(&self.inner.frame())
    }

    fn advance(&mut self) {
        self.inner.advance();
    }

    fn told(&mut self, milliseconds: f64) -> Solver {
        self.inner.told(milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_what_they_are_between_the_points() {
        let wave = |at: f64| (0.3 + 2.0 * PI * 3.0 * at).sin() + 0.5 + (2.0 * PI * 7.0 * at).cos();
        let on =
            |n: usize| -> Vec<f32> { (0..n).map(|i| wave(i as f64 / n as f64) as f32).collect() };
        for times in [1, 2, 3] {
            let fine = Refine::new(16, times).of(&on(16));
            assert_eq!(fine.len(), 16 * times);
            let most = fine.iter().zip(on(16 * times)).map(|(a, b)| (a - b).abs());
            assert!(most.fold(0.0, f32::max) < 1e-5, "{times}");
        }
    }
}
