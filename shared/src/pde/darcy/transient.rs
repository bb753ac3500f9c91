//! The `paper` profile: `du/dt = div(a grad u) + 1` up to a given time.
//!
//! The published generator takes explicit midpoint steps of `dt = h² / (8 max a)`: 262 144 of them on 128 x 128 cells
//! ([`explicit_f64`](super::explicit_f64) is that scheme). But the equation is linear: with the steady state `s`,
//! `u(t) = s + exp(-t A)(u(0) - s)`, and the midpoint rule changes a wave of rate `r` by no more than
//! `t r (r dt)² / 6 exp(-t r)` of its amplitude, which is below 1e-10 for every `r`. So the exponential gives what the
//! published scheme gives in exact arithmetic, and much faster.
//!
//! The published arithmetic is not exact, though, but f32 (see [`explicit_f32`](super::explicit_f32)). That error is an
//! accident of one program's order of operations, so it is not imitated here.

use super::lanczos;
use super::multigrid::Multigrid;
use super::operator::Operator;
use super::steady::{pad, unpad};
use super::{DarcyError, Scheme, Steady};

/// How a state came about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvolutionReport {
    /// Iterations for the steady state.
    pub steady_iterations: usize,
    /// Dimensions of the space in which the exponential was taken.
    pub dimensions: usize,
    /// Iterations for all of them.
    pub iterations: usize,
}

/// The state a time after `initial`, both `[n, n]`, for the published source, one everywhere.
///
/// The error is below 1e-8: that of the resolution of f32.
pub fn evolve(
    n: usize,
    coefficient: &[f64],
    initial: &[f64],
    duration: f64,
    scheme: Scheme,
) -> Result<(Vec<f64>, EvolutionReport), DarcyError> {
    let mut steady = Steady::new(n, coefficient, scheme)?;
    let steady_iterations = steady.solve()?.iterations;
    let (state, mut report) = approach(
        n,
        coefficient,
        &steady.pressure(),
        initial,
        duration,
        scheme,
    )?;
    report.steady_iterations = steady_iterations;
    Ok((state, report))
}

/// As [`evolve`], for a known steady state.
pub(super) fn approach(
    n: usize,
    coefficient: &[f64],
    steady: &[f64],
    initial: &[f64],
    duration: f64,
    scheme: Scheme,
) -> Result<(Vec<f64>, EvolutionReport), DarcyError> {
    assert!(
        duration > 0.0 && duration.is_finite(),
        "a Darcy integration over a time of {duration}"
    );
    if initial.len() != n * n {
        let found = initial.len();
        return Err(DarcyError::Size { found, n });
    }
    let shift = lanczos::shift(duration);
    let mut grid = Multigrid::new(Operator::new(n, coefficient, shift, scheme)?);
    let mut start = vec![0.0; (n + 2).pow(2)];
    pad(n, |cell| initial[cell] - steady[cell], &mut start);
    let (left, dimensions, iterations) = lanczos::decayed(&mut grid, n, &start, duration)?;
    let state = steady.iter().zip(unpad(n, &left));
    Ok((
        state.map(|(steady, left)| steady + left).collect(),
        EvolutionReport {
            steady_iterations: 0,
            dimensions,
            iterations,
        },
    ))
}
