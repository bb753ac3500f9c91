//! Eigenvalues of small symmetric matrices, by Jacobi's rotations.

/// Sweeps after which nothing is left to rotate: convergence is quadratic, and six suffice.
const SWEEPS: usize = 20;

/// Eigenvalues, and the eigenvectors in the columns of a row-major matrix, of a symmetric matrix `[n, n]`.
pub(super) fn symmetric(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = vec![0.0; n * n];
    for k in 0..n {
        vectors[k * n + k] = 1.0;
    }
    let total: f64 = a.iter().map(|a| a * a).sum();
    for _ in 0..SWEEPS {
        let outside: f64 = (0..n * n)
            .filter(|k| k / n != k % n)
            .map(|k| a[k] * a[k])
            .sum();
        if outside <= total * f64::EPSILON.powi(2) {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p * n + q] != 0.0 {
                    let (c, s) = angle(a[p * n + p], a[q * n + q], a[p * n + q]);
                    for k in 0..n {
                        rotate(&mut a, [k * n + p, k * n + q], c, s);
                        rotate(&mut vectors, [k * n + p, k * n + q], c, s);
                    }
                    for k in 0..n {
                        rotate(&mut a, [p * n + k, q * n + k], c, s);
                    }
                }
            }
        }
    }
    ((0..n).map(|k| a[k * n + k]).collect(), vectors)
}

/// Cosine and sine of the rotation that makes an off-diagonal element zero (the smaller of the two angles).
fn angle(p: f64, q: f64, off: f64) -> (f64, f64) {
    let theta = (q - p) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = t.hypot(1.0).recip();
    (c, t * c)
}

fn rotate(values: &mut [f64], [i, j]: [usize; 2], c: f64, s: f64) {
    let (a, b) = (values[i], values[j]);
    values[i] = c * a - s * b;
    values[j] = s * a + c * b;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_differences_have_their_known_eigenvalues() {
        let n = 12;
        let mut a = vec![0.0; n * n];
        for k in 0..n {
            a[k * n + k] = 2.0;
            if k > 0 {
                a[k * n + k - 1] = -1.0;
                a[(k - 1) * n + k] = -1.0;
            }
        }
        let (mut values, vectors) = symmetric(a.clone(), n);
        for (column, value) in values.iter().enumerate() {
            for row in 0..n {
                let image: f64 = (0..n)
                    .map(|k| a[row * n + k] * vectors[k * n + column])
                    .sum();
                assert!((image - value * vectors[row * n + column]).abs() < 1e-14);
            }
        }
        values.sort_by(f64::total_cmp);
        for (k, value) in values.iter().enumerate() {
            let angle = std::f64::consts::PI * (k + 1) as f64 / (2 * (n + 1)) as f64;
            assert!((value - 4.0 * angle.sin().powi(2)).abs() < 1e-14);
        }
    }
}
