//! Pointwise maps: the MLP of lifting and heads, and the exact GELU.

use std::f64::consts::PI;

/// erf by its Taylor series; beyond 5 it is 1 to f64's rounding of what is made of it here.
pub fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
        if f64::from(n) > x * x && term.abs() < 1e-17 {
            break;
        }
    }
    2.0 / PI.sqrt() * sum
}

/// `x Phi(x)`.
pub fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + erf(x / 2.0_f64.sqrt()))
}

/// `y_o = sum_i x_i W[i, o]` at every point.
pub fn map(x: &[f64], weight: &[f64], inputs: usize) -> Vec<f64> {
    let outputs = weight.len() / inputs;
    let mut y = Vec::with_capacity(x.len() / inputs * outputs);
    for x in x.chunks(inputs) {
        for o in 0..outputs {
            y.push((0..inputs).map(|i| x[i] * weight[i * outputs + o]).sum());
        }
    }
    y
}

/// `B GELU(mask (A x + a)) + b` at every point; `tensors` are A, a, B, b and `mask` is `[points, hidden]`.
pub fn mlp(x: &[f64], tensors: [&[f64]; 4], mask: &[f64]) -> Vec<f64> {
    let [a, a0, b, b0] = tensors;
    let (hidden, outputs) = (a0.len(), b0.len());
    let mut h = map(x, a, a.len() / hidden);
    for (i, h) in h.iter_mut().enumerate() {
        *h = gelu((*h + a0[i % hidden]) * mask[i]);
    }
    let mut y = map(&h, b, hidden);
    for (i, y) in y.iter_mut().enumerate() {
        *y += b0[i % outputs];
    }
    y
}
