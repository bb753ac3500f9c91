//! From a grid to the one with every second cell, and back, by the equations themselves.
//!
//! Where the coefficient jumps, the pressure has a kink, and a coarse grid that interpolates straight across it corrects
//! the wrong thing. So a fine cell between two coarse ones is interpolated as its own equation would have it, with
//! what it couples to sideways taken as equal to it; a fine cell between four by its whole equation:
//! J. E. Dendy, "Black box multigrid", J. Comput. Phys. 48 (1982).
//! The coarse equations are the Galerkin product `P^T A P`, which has nine points whatever `A` had.
//!
//! Coarse cell `(i, j)` lies on fine cell `(2i, 2j)` of the padded grids. So a grid of `n` cells has one of `n / 2`
//! below it for every `n`, and what sticks out over the last coarse cell leans on the ring of zeros.

use super::stencil::{Half, Points, Stencil};

/// Interpolation weights of the three fine cells right of, below, and diagonally below a coarse cell.
#[derive(Debug, Clone, Copy, Default)]
struct Weights {
    /// Of the fine cell between this coarse cell and the one to the right: of the two.
    along: [f64; 2],
    /// Of the fine cell between this coarse cell and the one below: of the two.
    across: [f64; 2],
    /// Of the fine cell between four coarse ones: of the upper two and the lower two.
    middle: [[f64; 2]; 2],
}

/// The two ways between a grid and the next coarser one.
#[derive(Debug, Clone)]
pub(super) struct Transfer {
    fine: usize,
    coarse: usize,
    /// One for each coarse cell, and for the upper and the left part of the ring.
    weights: Vec<Weights>,
}

impl Transfer {
    /// Interpolation for the equations of a grid.
    pub(super) fn new(points: &impl Points) -> Self {
        let fine = points.n();
        let coarse = fine / 2;
        let (fine_pitch, pitch) = (fine + 2, coarse + 2);
        let mut weights = vec![Weights::default(); pitch * pitch];
        for i in 0..=coarse {
            for j in 0..=coarse {
                let (cell, w) = (2 * i * fine_pitch + 2 * j, &mut weights[i * pitch + j]);
                if i > 0 && 2 * j < fine {
                    let [[a, b, c], [d, e, f], [g, h, k]] = points.couplings(cell + 1);
                    w.along = shares(a + d + g, c + f + k, e - b - h);
                }
                if j > 0 && 2 * i < fine {
                    let [[a, b, c], [d, e, f], [g, h, k]] = points.couplings(cell + fine_pitch);
                    w.across = shares(a + b + c, g + h + k, e - d - f);
                }
            }
        }
        let mut made = Self {
            fine,
            coarse,
            weights,
        };
        made.fill_middles(points);
        made
    }

    fn fill_middles(&mut self, points: &impl Points) {
        let pitch = self.coarse + 2;
        for i in 0..=self.coarse {
            for j in 0..=self.coarse {
                if 2 * i >= self.fine || 2 * j >= self.fine {
                    continue;
                }
                let cell = (2 * i + 1) * (self.fine + 2) + 2 * j + 1;
                let [[a, b, c], [d, e, f], [g, h, k]] = points.couplings(cell);
                let at = i * pitch + j;
                let (top, bottom) = (self.weights[at].along, self.weights[at + pitch].along);
                let (near, far) = (self.weights[at].across, self.weights[at + 1].across);
                self.weights[at].middle = [
                    [
                        (a + b * top[0] + d * near[0]) / e,
                        (c + b * top[1] + f * far[0]) / e,
                    ],
                    [
                        (g + h * bottom[0] + d * near[1]) / e,
                        (k + h * bottom[1] + f * far[1]) / e,
                    ],
                ];
            }
        }
    }

    /// Weights of the nine fine cells around a coarse one: its column of `P`.
    fn column(&self, i: usize, j: usize) -> [[f64; 3]; 3] {
        let pitch = self.coarse + 2;
        let at = i * pitch + j;
        let [above, here] = [at - pitch, at].map(|k| (&self.weights[k - 1], &self.weights[k]));
        [
            [
                above.0.middle[1][1],
                above.1.across[1],
                above.1.middle[1][0],
            ],
            [here.0.along[1], 1.0, here.1.along[0]],
            [here.0.middle[0][1], here.1.across[0], here.1.middle[0][0]],
        ]
    }

    /// `P^T A P`.
    pub(super) fn galerkin(&self, points: &impl Points) -> Stencil {
        let coarse = self.coarse;
        let columns: Vec<[[f64; 3]; 3]> = (0..coarse * coarse)
            .map(|k| self.column(k / coarse + 1, k % coarse + 1))
            .collect();
        let column = |i: usize, j: usize| &columns[(i - 1) * coarse + j - 1];
        Stencil::new(coarse, |i, j| {
            let image = self.image(points, column(i, j), i, j);
            // The coarse cell `down` rows below and to the `side`, 0 being left.
            let product = |down: usize, side: usize| {
                let (i, j) = (i + down, j + side - 1);
                let inside = i <= coarse && (1..=coarse).contains(&j);
                if inside {
                    overlap(column(i, j), &image, 2 * down + 2, 2 * side)
                } else {
                    0.0
                }
            };
            Half {
                centre: product(0, 1),
                right: -product(0, 2),
                down_left: -product(1, 0),
                down: -product(1, 1),
                down_right: -product(1, 2),
            }
        })
    }

    /// `A P` of one coarse cell, on the fine cells up to three away from it.
    fn image(
        &self,
        points: &impl Points,
        column: &[[f64; 3]; 3],
        i: usize,
        j: usize,
    ) -> [[f64; 7]; 7] {
        let mut image = [[0.0; 7]; 7];
        for (di, weights) in column.iter().enumerate() {
            for (dj, &weight) in weights.iter().enumerate() {
                // No weight, and perhaps no cell: the ring.
                if weight == 0.0 {
                    continue;
                }
                let cell = (2 * i + di - 1) * (self.fine + 2) + 2 * j + dj - 1;
                let couplings = points.couplings(cell);
                for (row, couplings) in image[di + 1..].iter_mut().zip(couplings) {
                    for (value, coupling) in row[dj + 1..].iter_mut().zip(couplings) {
                        *value -= coupling * weight;
                    }
                }
                image[di + 2][dj + 2] += 2.0 * couplings[1][1] * weight;
            }
        }
        image
    }

    /// `to = P^T from`.
    pub(super) fn restrict(&self, from: &[f64], to: &mut [f64]) {
        let (fine, pitch) = (self.fine + 2, self.coarse + 2);
        for i in 1..=self.coarse {
            for j in 1..=self.coarse {
                let column = self.column(i, j);
                let mut sum = 0.0;
                for (row, weights) in column.iter().enumerate() {
                    let first = (2 * i + row - 1) * fine + 2 * j - 1;
                    for (value, weight) in from[first..first + 3].iter().zip(weights) {
                        sum += value * weight;
                    }
                }
                to[i * pitch + j] = sum;
            }
        }
    }

    /// `to += P from`.
    pub(super) fn prolong(&self, from: &[f64], to: &mut [f64]) {
        let (fine, pitch) = (self.fine + 2, self.coarse + 2);
        for i in 0..=self.coarse {
            let (upper, lower) = (
                &from[i * pitch..][..pitch],
                &from[(i + 1) * pitch..][..pitch],
            );
            // The lower one is the ring where the grid has an even number of rows, and gets nothing.
            let (even, odd) = to[2 * i * fine..][..2 * fine].split_at_mut(fine);
            let weights = &self.weights[i * pitch..][..pitch];
            for j in 0..=self.coarse {
                let w = &weights[j];
                let [[a, b], [c, d]] = [&upper[j..j + 2], &lower[j..j + 2]].map(|v| [v[0], v[1]]);
                even[2 * j] += a;
                even[2 * j + 1] += w.along[0] * a + w.along[1] * b;
                odd[2 * j] += w.across[0] * a + w.across[1] * c;
                odd[2 * j + 1] += w.middle[0][0] * a
                    + w.middle[0][1] * b
                    + w.middle[1][0] * c
                    + w.middle[1][1] * d;
            }
        }
    }
}

/// Shares of the two cells beside one, of what the cell couples to.
fn shares(first: f64, second: f64, own: f64) -> [f64; 2] {
    // A share above one would amplify: only rounding, or a coarse equation with couplings of both signs, asks for it.
    let own = own.max(first + second);
    if own > 0.0 {
        [first / own, second / own]
    } else {
        [0.5; 2]
    }
}

/// Sum over the nine cells of a column that begins at a row and a column of the image.
fn overlap(weights: &[[f64; 3]; 3], image: &[[f64; 7]; 7], row: usize, first: usize) -> f64 {
    let mut sum = 0.0;
    for (weights, image) in weights.iter().zip(&image[row..row + 3]) {
        for (weight, value) in weights.iter().zip(&image[first..first + 3]) {
            sum += weight * value;
        }
    }
    sum
}
