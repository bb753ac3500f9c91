//! Feature maps on another grid, one axis after the other.

use std::f64::consts::TAU;

use super::fourier::Resizing;

/// Resizes `v` of `[points, channels]`. `Residues` goes with the published bicubic interpolation.
pub fn resize(
    v: &[f64],
    channels: usize,
    from: &[usize],
    to: &[usize],
    resizing: Resizing,
) -> Vec<f64> {
    let mut sizes = from.to_vec();
    let mut field = v.to_vec();
    for axis in 0..from.len() {
        let (n_in, n_out) = (from[axis], to[axis]);
        if n_in == n_out {
            continue;
        }
        let inner = channels * sizes[axis + 1..].iter().product::<usize>();
        sizes[axis] = n_out;
        let resized = field.chunks(n_in * inner).flat_map(|plane| match resizing {
            Resizing::Signed => band_limited(plane, inner, n_out),
            Resizing::Residues => cubic(plane, inner, n_out),
        });
        field = resized.collect();
    }
    field
}

/// The trigonometric polynomial of all frequencies with `2 |k| < min(n_in, n_out)`, at the new points.
/// `plane` is `[n_in, inner]`.
pub fn band_limited(plane: &[f64], inner: usize, n_out: usize) -> Vec<f64> {
    let n_in = plane.len() / inner;
    let highest = (n_in.min(n_out) as i64 - 1) / 2;
    let mut resized = vec![0.0; n_out * inner];
    for k in -highest..=highest {
        let wave = |x: usize, n: usize| (TAU * k as f64 * x as f64 / n as f64).sin_cos();
        let mut coefficients = vec![(0.0, 0.0); inner];
        for (x, values) in plane.chunks(inner).enumerate() {
            let (sin, cos) = wave(x, n_in);
            for ((re, im), value) in coefficients.iter_mut().zip(values) {
                *re += value * cos / n_in as f64;
                *im -= value * sin / n_in as f64;
            }
        }
        for (x, values) in resized.chunks_mut(inner).enumerate() {
            let (sin, cos) = wave(x, n_out);
            for ((re, im), value) in coefficients.iter().zip(values) {
                *value += re * cos - im * sin;
            }
        }
    }
    resized
}

/// Cubic convolution with a = -0.75: the outermost points stay, the border is replicated. `plane` is `[n_in, inner]`.
pub fn cubic(plane: &[f64], inner: usize, n_out: usize) -> Vec<f64> {
    let last = (plane.len() / inner) as i64 - 1;
    let mut resized = vec![0.0; n_out * inner];
    for (i, values) in resized.chunks_mut(inner).enumerate() {
        let x = i as f64 * last as f64 / (n_out - 1).max(1) as f64;
        let (a, cell) = (-0.75, x.floor() as i64);
        for j in cell - 1..=cell + 2 {
            let d = (x - j as f64).abs();
            let weight = if d <= 1.0 {
                (a + 2.0) * d.powi(3) - (a + 3.0) * d.powi(2) + 1.0
            } else {
                a * (d.powi(3) - 5.0 * d.powi(2) + 8.0 * d - 4.0)
            };
            let source = &plane[j.clamp(0, last) as usize * inner..][..inner];
            for (value, source) in values.iter_mut().zip(source) {
                *value += weight * source;
            }
        }
    }
    resized
}
