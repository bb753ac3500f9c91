//! The discrete equation: five points, finite volumes.

use super::DarcyError;
use super::stencil::{Order, Points, neighbours};

/// Coefficient of a face between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Face {
    /// `(a + b) / 2`, as published.
    #[default]
    Arithmetic,
    /// `2ab / (a + b)`: exact for a flux across the jump.
    Harmonic,
}

/// Where the pressure is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Border {
    /// At the centres of the ghost cells, half a cell outside the square, as published.
    #[default]
    Ghost,
    /// On the border of the square.
    Wall,
}

/// The discretisation; by default the published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scheme {
    /// Coefficient of a face.
    pub face: Face,
    /// Where the pressure is zero.
    pub border: Border,
}

impl Scheme {
    fn between(self, a: f64, b: f64) -> f64 {
        match self.face {
            Face::Arithmetic => 0.5 * (a + b),
            // So that equal coefficients give theirs to the last bit.
            Face::Harmonic if a == b => a,
            Face::Harmonic => 2.0 * a * b / (a + b),
        }
    }

    /// Coefficient of a face of the border: over a whole cell to the ghost's centre, or half a cell to the wall.
    fn outside(self, a: f64) -> f64 {
        match self.border {
            Border::Ghost => a,
            Border::Wall => 2.0 * a,
        }
    }
}

/// `h² (-div a grad + shift)` on a padded grid: `n x n` cells in a ring of zeros, so that no cell is special.
#[derive(Debug, Clone)]
pub(super) struct Operator {
    n: usize,
    /// Coefficient of the face to the left of a cell, up to the one to the left of the right ghost.
    left: Vec<f64>,
    /// Coefficient of the face above a cell, down to the one above the lower ghost.
    up: Vec<f64>,
    centre: Vec<f64>,
    inverse: Vec<f64>,
}

impl Operator {
    /// The operator of an `n x n` coefficient.
    pub(super) fn new(
        n: usize,
        coefficient: &[f64],
        shift: f64,
        scheme: Scheme,
    ) -> Result<Self, DarcyError> {
        check(n, coefficient)?;
        let pitch = n + 2;
        let mut left = vec![0.0; pitch * pitch];
        let mut up = left.clone();
        let mut centre = left.clone();
        let mut inverse = left.clone();
        let a = |i: usize, j: usize| coefficient[i * n + j];
        for i in 0..n {
            for j in 0..=n {
                left[(i + 1) * pitch + j + 1] = match j {
                    0 => scheme.outside(a(i, 0)),
                    _ if j == n => scheme.outside(a(i, n - 1)),
                    _ => scheme.between(a(i, j - 1), a(i, j)),
                };
                up[(j + 1) * pitch + i + 1] = match j {
                    0 => scheme.outside(a(0, i)),
                    _ if j == n => scheme.outside(a(n - 1, i)),
                    _ => scheme.between(a(j - 1, i), a(j, i)),
                };
            }
        }
        let h = 1.0 / n as f64;
        for i in 1..=n {
            for k in i * pitch + 1..=i * pitch + n {
                centre[k] = left[k] + left[k + 1] + up[k] + up[k + pitch] + shift * h * h;
                inverse[k] = 1.0 / centre[k];
            }
        }
        Ok(Self {
            n,
            left,
            up,
            centre,
            inverse,
        })
    }

    /// `to = A u` for padded fields.
    pub(super) fn apply(&self, u: &[f64], to: &mut [f64]) {
        for i in 1..=self.n {
            self.apply_row(u, i, to);
        }
    }

    fn apply_row(&self, u: &[f64], i: usize, to: &mut [f64]) {
        let pitch = self.n + 2;
        let row = |i: usize| i * pitch..(i + 1) * pitch;
        let (above, here, below) = (&u[row(i - 1)], &u[row(i)], &u[row(i + 1)]);
        let (left, centre) = (&self.left[row(i)], &self.centre[row(i)]);
        let (up, down) = (&self.up[row(i)], &self.up[row(i + 1)]);
        let to = &mut to[row(i)];
        for j in 1..pitch - 1 {
            to[j] = centre[j] * here[j]
                - left[j] * here[j - 1]
                - left[j + 1] * here[j + 1]
                - up[j] * above[j]
                - down[j] * below[j];
        }
    }
}

impl Points for Operator {
    fn n(&self) -> usize {
        self.n
    }

    fn couplings(&self, cell: usize) -> [[f64; 3]; 3] {
        let (left, right) = (self.left[cell], self.left[cell + 1]);
        let (up, down) = (self.up[cell], self.up[cell + self.n + 2]);
        [
            [0.0, up, 0.0],
            [left, self.centre[cell], right],
            [0.0, down, 0.0],
        ]
    }

    fn residual(&self, u: &[f64], b: &[f64], to: &mut [f64]) {
        let pitch = self.n + 2;
        for i in 1..=self.n {
            self.apply_row(u, i, to);
            let cells = i * pitch + 1..=i * pitch + self.n;
            for (to, b) in to[cells.clone()].iter_mut().zip(&b[cells]) {
                *to = b - *to;
            }
        }
    }

    /// Red cells, then black ones; or the other way round.
    fn smooth(&self, u: &mut [f64], b: &[f64], order: Order) {
        let pitch = self.n + 2;
        for parity in order.parities() {
            for i in 1..=self.n {
                let here = i * pitch..(i + 1) * pitch;
                let (above, u, below) = neighbours(u, i, pitch);
                let (left, up) = (&self.left[here.clone()], &self.up[here.clone()]);
                let down = &self.up[(i + 1) * pitch..][..pitch];
                let (inverse, b) = (&self.inverse[here.clone()], &b[here]);
                for j in (1 + (i + parity) % 2..pitch - 1).step_by(2) {
                    u[j] = inverse[j]
                        * (b[j]
                            + left[j] * u[j - 1]
                            + left[j + 1] * u[j + 1]
                            + up[j] * above[j]
                            + down[j] * below[j]);
                }
            }
        }
    }
}

fn check(n: usize, coefficient: &[f64]) -> Result<(), DarcyError> {
    if n == 0 || coefficient.len() != n * n {
        let found = coefficient.len();
        return Err(DarcyError::Size { found, n });
    }
    let positive = |a: &f64| a.is_finite() && *a > 0.0;
    match coefficient.iter().position(|a| !positive(a)) {
        Some(cell) => Err(DarcyError::Coefficient {
            value: coefficient[cell],
            cell,
        }),
        None => Ok(()),
    }
}
