//! What a step does between its transforms: sums over waves, and the advection term over cells.
//!
//! Weights are real, so a complex number is two numbers that do the same: with each weight written down twice a loop is
//! one over plain numbers, and the compiler takes them as they lie, four at a time (with single weights it sorts real and
//! imaginary parts apart and together again, which takes longer than the sums). No sum is split: every instruction set
//! gives the same bits.

use rustfft::num_complex::Complex64;

use super::etdrk4::Coefficients;
use crate::wide::{self, Job};

/// Coefficients of all waves for one step length, each kind on its own and each twice.
#[derive(Debug, Clone)]
pub(super) struct Table {
    whole: Vec<Complex64>,
    half: Vec<Complex64>,
    stage: Vec<Complex64>,
    first: Vec<Complex64>,
    middle: Vec<Complex64>,
    last: Vec<Complex64>,
}

impl Table {
    pub(super) fn new(waves: &[Coefficients]) -> Self {
        let kind = |get: fn(&Coefficients) -> f64| {
            let twice = |weight| Complex64::new(weight, weight);
            waves.iter().map(get).map(twice).collect()
        };
        Self {
            whole: kind(|c| c.whole),
            half: kind(|c| c.half),
            stage: kind(|c| c.stage),
            first: kind(|c| c.first),
            middle: kind(|c| c.middle),
            last: kind(|c| c.last),
        }
    }

    /// The first middle, and the part of the end that goes on from there.
    pub(super) fn first_middle(
        &self,
        state: &[Complex64],
        start: &[Complex64],
        stage: &mut [Complex64],
        end: &mut [Complex64],
    ) {
        wide::run(FirstMiddle {
            table: self,
            state,
            start,
            stage,
            end,
        });
    }

    /// The second middle.
    pub(super) fn second_middle(
        &self,
        state: &[Complex64],
        early: &[Complex64],
        stage: &mut [Complex64],
    ) {
        wide::run(SecondMiddle {
            table: self,
            state,
            early,
            stage,
        });
    }

    /// The end, for the last evaluation.
    pub(super) fn end(&self, part: &[Complex64], late: &[Complex64], stage: &mut [Complex64]) {
        wide::run(End {
            table: self,
            part,
            late,
            stage,
        });
    }

    /// The step itself.
    pub(super) fn whole(&self, terms: [&[Complex64]; 4], state: &mut [Complex64]) {
        wide::run(Whole {
            table: self,
            terms,
            state,
        });
    }
}

struct FirstMiddle<'a> {
    table: &'a Table,
    state: &'a [Complex64],
    start: &'a [Complex64],
    stage: &'a mut [Complex64],
    end: &'a mut [Complex64],
}

impl Job for FirstMiddle<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        // Slices of one length: the loops need no bounds checks.
        let n = self.table.half.len();
        let (half, weight) = (&self.table.half[..n], &self.table.stage[..n]);
        let (state, start) = (&self.state[..n], &self.start[..n]);
        let (stage, end) = (&mut self.stage[..n], &mut self.end[..n]);
        for k in 0..n {
            let pushed = each(start[k], weight[k]);
            let middle = each(state[k], half[k]) + pushed;
            stage[k] = middle;
            end[k] = each(middle, half[k]) - pushed;
        }
    }
}

struct SecondMiddle<'a> {
    table: &'a Table,
    state: &'a [Complex64],
    early: &'a [Complex64],
    stage: &'a mut [Complex64],
}

impl Job for SecondMiddle<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let n = self.table.half.len();
        let (half, weight) = (&self.table.half[..n], &self.table.stage[..n]);
        let (state, early) = (&self.state[..n], &self.early[..n]);
        let stage = &mut self.stage[..n];
        for k in 0..n {
            stage[k] = each(state[k], half[k]) + each(early[k], weight[k]);
        }
    }
}

struct End<'a> {
    table: &'a Table,
    part: &'a [Complex64],
    late: &'a [Complex64],
    stage: &'a mut [Complex64],
}

impl Job for End<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let n = self.table.stage.len();
        let weight = &self.table.stage[..n];
        let (part, late, stage) = (&self.part[..n], &self.late[..n], &mut self.stage[..n]);
        for k in 0..n {
            stage[k] = part[k] + each(late[k], weight[k] + weight[k]);
        }
    }
}

struct Whole<'a> {
    table: &'a Table,
    terms: [&'a [Complex64]; 4],
    state: &'a mut [Complex64],
}

impl Job for Whole<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let n = self.table.whole.len();
        let whole = &self.table.whole[..n];
        let (first, middle) = (&self.table.first[..n], &self.table.middle[..n]);
        let last = &self.table.last[..n];
        let [start, early, late, end] = self.terms.map(|term| &term[..n]);
        let state = &mut self.state[..n];
        for k in 0..n {
            state[k] = each(state[k], whole[k])
                + each(start[k], first[k])
                + each(early[k] + late[k], middle[k])
                + each(end[k], last[k]);
        }
    }
}

/// `factor * u[i] * (u[i+1] - u[i-1])` for the real and the imaginary part, each on its own.
pub(super) fn advect(u: &[Complex64], factor: f64, to: &mut [Complex64]) {
    wide::run(Advect { u, factor, to });
}

struct Advect<'a> {
    u: &'a [Complex64],
    factor: f64,
    to: &'a mut [Complex64],
}

impl Job for Advect<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { u, factor, to } = self;
        let n = u.len();
        to[0] = term(u[n - 1], u[0], u[1], factor);
        let inner = n - 2;
        let (left, here, right) = (&u[..inner], &u[1..=inner], &u[2..][..inner]);
        let middle = &mut to[1..=inner];
        for i in 0..inner {
            middle[i] = term(left[i], here[i], right[i], factor);
        }
        to[n - 1] = term(u[n - 2], u[n - 1], u[0], factor);
    }
}

#[inline(always)]
fn term(left: Complex64, here: Complex64, right: Complex64, factor: f64) -> Complex64 {
    each(here, (right - left) * factor)
}

/// The product of the real parts and that of the imaginary ones.
#[inline(always)]
fn each(a: Complex64, b: Complex64) -> Complex64 {
    Complex64::new(a.re * b.re, a.im * b.im)
}
