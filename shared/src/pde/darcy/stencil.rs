//! Symmetric nine-point equations on a padded grid: what the coarse grids of multigrid have.

/// The order in which a smoother visits the cells. One is the other reversed, so that a cycle is symmetric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Forward,
    Backward,
}

impl Order {
    pub(super) fn parities(self) -> [usize; 2] {
        match self {
            Self::Forward => [0, 1],
            Self::Backward => [1, 0],
        }
    }
}

/// Equations that couple a cell with those around it, on `n x n` cells in a ring of zeros.
pub(super) trait Points {
    /// Cells along an axis.
    fn n(&self) -> usize;
    /// The equation of a cell: its diagonal in the middle, and around it the others with their sign turned.
    fn couplings(&self, cell: usize) -> [[f64; 3]; 3];
    /// `to = b - A u`.
    fn residual(&self, u: &[f64], b: &[f64], to: &mut [f64]);
    /// One sweep of Gauss-Seidel.
    fn smooth(&self, u: &mut [f64], b: &[f64], order: Order);
}

/// Row `i` to change, between the two it depends on.
pub(super) fn neighbours(u: &mut [f64], i: usize, pitch: usize) -> (&[f64], &mut [f64], &[f64]) {
    let (above, rest) = u.split_at_mut(i * pitch);
    let (here, below) = rest.split_at_mut(pitch);
    (&above[(i - 1) * pitch..], here, &below[..pitch])
}

/// Nine points. A coupling is stored once, with the upper or left one of its two cells.
#[derive(Debug, Clone)]
pub(super) struct Stencil {
    n: usize,
    centre: Vec<f64>,
    inverse: Vec<f64>,
    right: Vec<f64>,
    down: Vec<f64>,
    down_left: Vec<f64>,
    down_right: Vec<f64>,
}

/// The stored half of one equation.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Half {
    pub centre: f64,
    pub right: f64,
    pub down: f64,
    pub down_left: f64,
    pub down_right: f64,
}

impl Stencil {
    /// Equations by cell; `half` is asked for the cells (1..=n, 1..=n) of the padded grid.
    pub(super) fn new(n: usize, half: impl Fn(usize, usize) -> Half) -> Self {
        let pitch = n + 2;
        let zeros = vec![0.0; pitch * pitch];
        let mut made = Self {
            n,
            centre: zeros.clone(),
            inverse: zeros.clone(),
            right: zeros.clone(),
            down: zeros.clone(),
            down_left: zeros.clone(),
            down_right: zeros,
        };
        for i in 1..=n {
            for j in 1..=n {
                let (k, half) = (i * pitch + j, half(i, j));
                made.centre[k] = half.centre;
                made.inverse[k] = 1.0 / half.centre;
                made.right[k] = half.right;
                made.down[k] = half.down;
                made.down_left[k] = half.down_left;
                made.down_right[k] = half.down_right;
            }
        }
        made
    }

    /// Sum of the couplings with the rows above and below, times their values, for cell `j` of a row.
    #[inline(always)]
    fn rows_around(&self, i: usize) -> Around<'_> {
        let pitch = self.n + 2;
        let (above, here) = ((i - 1) * pitch..i * pitch, i * pitch..(i + 1) * pitch);
        Around {
            up: &self.down[above.clone()],
            up_right: &self.down_left[above.clone()],
            up_left: &self.down_right[above],
            right: &self.right[here.clone()],
            down: &self.down[here.clone()],
            down_left: &self.down_left[here.clone()],
            down_right: &self.down_right[here],
        }
    }
}

/// The couplings of one row of cells.
struct Around<'a> {
    up: &'a [f64],
    up_left: &'a [f64],
    up_right: &'a [f64],
    right: &'a [f64],
    down: &'a [f64],
    down_left: &'a [f64],
    down_right: &'a [f64],
}

impl Around<'_> {
    #[inline(always)]
    fn sum(&self, j: usize, above: &[f64], here: &[f64], below: &[f64]) -> f64 {
        let upper = self.up_left[j - 1] * above[j - 1]
            + self.up[j] * above[j]
            + self.up_right[j + 1] * above[j + 1];
        let lower = self.down_left[j] * below[j - 1]
            + self.down[j] * below[j]
            + self.down_right[j] * below[j + 1];
        upper + lower + self.right[j - 1] * here[j - 1] + self.right[j] * here[j + 1]
    }
}

impl Points for Stencil {
    fn n(&self) -> usize {
        self.n
    }

    fn couplings(&self, cell: usize) -> [[f64; 3]; 3] {
        let above = cell - self.n - 2;
        [
            [
                self.down_right[above - 1],
                self.down[above],
                self.down_left[above + 1],
            ],
            [self.right[cell - 1], self.centre[cell], self.right[cell]],
            [self.down_left[cell], self.down[cell], self.down_right[cell]],
        ]
    }

    fn residual(&self, u: &[f64], b: &[f64], to: &mut [f64]) {
        let pitch = self.n + 2;
        for i in 1..=self.n {
            let around = self.rows_around(i);
            let row = |i: usize| i * pitch..(i + 1) * pitch;
            let (above, here, below) = (&u[row(i - 1)], &u[row(i)], &u[row(i + 1)]);
            let (centre, b, to) = (&self.centre[row(i)], &b[row(i)], &mut to[row(i)]);
            for j in 1..pitch - 1 {
                to[j] = b[j] + around.sum(j, above, here, below) - centre[j] * here[j];
            }
        }
    }

    /// Row by row, and in each row every second cell first: cells of one parity do not wait for each other.
    fn smooth(&self, u: &mut [f64], b: &[f64], order: Order) {
        let pitch = self.n + 2;
        for step in 1..=self.n {
            let i = match order {
                Order::Forward => step,
                Order::Backward => self.n + 1 - step,
            };
            let around = self.rows_around(i);
            let (above, here, below) = neighbours(u, i, pitch);
            let b = &b[i * pitch..][..pitch];
            let inverse = &self.inverse[i * pitch..][..pitch];
            for parity in order.parities() {
                for j in (1 + parity..pitch - 1).step_by(2) {
                    here[j] = inverse[j] * (b[j] + around.sum(j, above, here, below));
                }
            }
        }
    }
}
