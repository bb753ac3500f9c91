//! The Legendre half of the transform, on both hemispheres at once.
//!
//! `P_lm` is even or odd about the equator as `l - m` is, so the degrees of one order fall into two sums, even `e` and
//! odd `o`, over northern circles only: the north has `e + o` and the south `e - o`. For each order and parity that is
//! one small matrix product whose columns are the real and imaginary parts of all fields together:
//!
//! ```text
//! columns [span: degrees][C]  <->  rows [northern circle][span][C]        span = (order, parity)
//! ```
//!
//! The kernels keep [`BLOCK`] x `C` sums in registers and run over the other index. Their lanes are columns, so no sum
//! is ever split, and every instruction set gives the same bits.

use std::ops::Range;

use crate::sphere::legendre::functions;
use crate::wide::{self, Job};

/// Circles (or degrees) that a kernel works on together.
///
/// With vectors of two numbers, as in the page, the sums of four would not fit the registers (a step takes a quarter
/// longer); with vectors of four numbers it makes no difference.
const BLOCK: usize = 2;

/// Functions smaller than this are left out: high orders vanish around the poles.
const NEGLIGIBLE: f64 = 1e-20;

/// The degrees of one order and parity.
#[derive(Debug, Clone)]
struct Span {
    /// Where they are among all columns.
    columns: Range<usize>,
    /// First block of circles that the order reaches.
    first_block: usize,
    synthesis: usize,
    analysis: usize,
}

/// Tables of both directions for `degrees` degrees and a possibly smaller number of orders.
#[derive(Debug, Clone)]
pub(super) struct Legendre {
    blocks: usize,
    spans: Vec<Span>,
    /// `[span][block of circles][degree][circle of the block]`.
    synthesis: Vec<[f64; BLOCK]>,
    /// `[span][block of degrees][circle][degree of the block]`.
    analysis: Vec<[f64; BLOCK]>,
}

impl Legendre {
    /// `colatitudes` are the northern circles, the equator included.
    pub(super) fn new(colatitudes: &[f64], degrees: usize, orders: usize) -> Self {
        let values: Vec<Vec<f64>> = colatitudes
            .iter()
            .map(|&theta| functions(theta, degrees, orders))
            .collect();
        let value = |l: usize, m: usize, k: usize| {
            let row = values.get(k).filter(|_| l < degrees);
            row.map_or(0.0, |row| row[m * degrees + l])
        };
        let mut plan = Self {
            blocks: colatitudes.len().div_ceil(BLOCK),
            spans: Vec::new(),
            synthesis: Vec::new(),
            analysis: Vec::new(),
        };
        let mut column = 0;
        for m in 0..orders {
            for parity in 0..2 {
                let ls: Vec<usize> = (m + parity..degrees).step_by(2).collect();
                let reached = |k: &usize| ls.iter().any(|&l| value(l, m, *k).abs() > NEGLIGIBLE);
                let first = (0..colatitudes.len()).find(reached).unwrap_or(0) / BLOCK;
                plan.spans.push(Span {
                    columns: column..column + ls.len(),
                    first_block: first,
                    synthesis: plan.synthesis.len(),
                    analysis: plan.analysis.len(),
                });
                column += ls.len();
                for block in first..plan.blocks {
                    plan.synthesis.extend(ls.iter().map(|&l| -> [f64; BLOCK] {
                        std::array::from_fn(|i| value(l, m, block * BLOCK + i))
                    }));
                }
                for ls in ls.chunks(BLOCK) {
                    let at =
                        |k| std::array::from_fn(|i| ls.get(i).map_or(0.0, |&l| value(l, m, k)));
                    plan.analysis
                        .extend((first * BLOCK..plan.blocks * BLOCK).map(at));
                }
            }
        }
        plan
    }

    /// Columns of all spans together.
    pub(super) fn columns(&self) -> usize {
        self.spans.last().map_or(0, |span| span.columns.end)
    }

    /// Where the columns of one order and parity are.
    pub(super) fn span(&self, m: usize, parity: usize) -> Range<usize> {
        self.spans[2 * m + parity].columns.clone()
    }

    /// Orders and parities: the rows of one circle.
    pub(super) fn spans(&self) -> usize {
        self.spans.len()
    }

    /// Rows of all northern circles, rounded up to whole blocks.
    pub(super) fn rows(&self) -> usize {
        self.blocks * BLOCK * self.spans.len()
    }

    /// Multiplications and additions of one column in one direction.
    pub(super) fn operations(&self) -> usize {
        2 * BLOCK * self.synthesis.len()
    }

    /// `rows = P columns`.
    pub(super) fn synthesise<const C: usize>(&self, columns: &[[f64; C]], rows: &mut [[f64; C]]) {
        wide::run(Synthesis {
            plan: self,
            columns,
            rows,
        });
    }

    /// `columns = P^T rows`; the rows hold the weights of the quadrature.
    pub(super) fn analyse<const C: usize>(&self, rows: &[[f64; C]], columns: &mut [[f64; C]]) {
        wide::run(Analysis {
            plan: self,
            rows,
            columns,
        });
    }
}

struct Synthesis<'a, const C: usize> {
    plan: &'a Legendre,
    columns: &'a [[f64; C]],
    rows: &'a mut [[f64; C]],
}

impl<const C: usize> Job for Synthesis<'_, C> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let plan = self.plan;
        let spans = plan.spans.len();
        for (s, span) in plan.spans.iter().enumerate() {
            let (beyond, rows) = self.rows.split_at_mut(span.first_block * BLOCK * spans);
            for circle in beyond.chunks_exact_mut(spans) {
                circle[s] = [0.0; C];
            }
            let columns = &self.columns[span.columns.clone()];
            let mut table = &plan.synthesis[span.synthesis..];
            for circles in rows.chunks_exact_mut(BLOCK * spans) {
                let (block, rest) = table.split_at(columns.len());
                let sums = product(block, columns.iter());
                for (circle, sum) in circles.chunks_exact_mut(spans).zip(sums) {
                    circle[s] = sum;
                }
                table = rest;
            }
        }
    }
}

struct Analysis<'a, const C: usize> {
    plan: &'a Legendre,
    rows: &'a [[f64; C]],
    columns: &'a mut [[f64; C]],
}

impl<const C: usize> Job for Analysis<'_, C> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let plan = self.plan;
        let spans = plan.spans.len();
        for (s, span) in plan.spans.iter().enumerate() {
            let rows = &self.rows[span.first_block * BLOCK * spans..];
            let circles = rows.len() / spans;
            let mut table = &plan.analysis[span.analysis..];
            for columns in self.columns[span.columns.clone()].chunks_mut(BLOCK) {
                let (block, rest) = table.split_at(circles);
                let sums = product(block, rows.chunks_exact(spans).map(|circle| &circle[s]));
                columns.copy_from_slice(&sums[..columns.len()]);
                table = rest;
            }
        }
    }
}

/// `sums[b][c] = sum_i left[i][b] right[i][c]`.
#[inline(always)]
fn product<'a, const C: usize>(
    left: &[[f64; BLOCK]],
    right: impl Iterator<Item = &'a [f64; C]>,
) -> [[f64; C]; BLOCK] {
    let mut sums = [[0.0; C]; BLOCK];
    for (factors, values) in left.iter().zip(right) {
        for (sums, factor) in sums.iter_mut().zip(factors) {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += factor * value;
            }
        }
    }
    sums
}
