//! What the posterior needs of linear algebra: eigenvalues of a symmetric matrix, and a factor of an inverse.
//!
//! Matrices are row-major `[n, n]`, with `n` the hidden width plus one: a few hundred.

/// Halvings of an interval until nothing is left of it in `f64`.
const HALVINGS: usize = 120;

/// Eigenvalues of a symmetric matrix in ascending order, each within rounding of the largest.
///
/// Householder's reflections make it tridiagonal, then every eigenvalue is enclosed by counting those below a number
/// (Sturm sequences): there is no case in which this does not converge.
pub(super) fn eigenvalues(matrix: &[f64], n: usize) -> Vec<f64> {
    let (diagonal, beside) = tridiagonal(matrix.to_vec(), n);
    let squares: Vec<f64> = beside.iter().map(|b| b * b).collect();
    let at = |k: usize| beside.get(k).map_or(0.0, |b| b.abs());
    // Gershgorin's circles hold all of them.
    let radius = |k: usize| at(k) + if k > 0 { at(k - 1) } else { 0.0 };
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (k, d) in diagonal.iter().enumerate() {
        low = low.min(d - radius(k));
        high = high.max(d + radius(k));
    }
    let floor = f64::MIN_POSITIVE.max(f64::EPSILON * f64::EPSILON * low.abs().max(high.abs()));
    let below = |x: f64| {
        let mut pivot = diagonal[0] - x;
        let mut count = usize::from(pivot < 0.0);
        for (d, square) in diagonal[1..].iter().zip(&squares) {
            if pivot.abs() < floor {
                pivot = floor;
            }
            pivot = d - x - square / pivot;
            count += usize::from(pivot < 0.0);
        }
        count
    };
    (0..n)
        .map(|k| {
            let (mut low, mut high) = (low, high);
            for _ in 0..HALVINGS {
                let middle = low + 0.5 * (high - low);
                if middle <= low || middle >= high {
                    break;
                }
                if below(middle) > k {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            0.5 * (low + high)
        })
        .collect()
}

/// Diagonal and the elements beside it, of a tridiagonal matrix with the same eigenvalues.
fn tridiagonal(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut beside = vec![0.0; n.saturating_sub(1)];
    let mut image = vec![0.0; n];
    for k in 0..n.saturating_sub(1) {
        let first = k + 1;
        let mut v: Vec<f64> = (first..n).map(|row| a[row * n + k]).collect();
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let end = -length.copysign(v[0]);
        beside[k] = end;
        v[0] -= end;
        let square: f64 = v.iter().map(|x| x * x).sum();
        if square == 0.0 {
            continue;
        }
        // A <- (I - 2 v v^T / v^T v) A (I - 2 v v^T / v^T v) in the lower right corner.
        let scale = 2.0 / square;
        for (row, image) in (first..n).zip(&mut image[first..]) {
            *image = scale * dot(&a[row * n + first..(row + 1) * n], &v);
        }
        let half = 0.5 * scale * dot(&image[first..], &v);
        for (image, v) in image[first..].iter_mut().zip(&v) {
            *image -= half * v;
        }
        for row in first..n {
            let (v_row, image_row) = (v[row - first], image[row]);
            let line = &mut a[row * n + first..(row + 1) * n];
            for ((a, v), image) in line.iter_mut().zip(&v).zip(&image[first..]) {
                *a -= v_row * image + image_row * v;
            }
        }
    }
    ((0..n).map(|k| a[k * n + k]).collect(), beside)
}

/// The lower triangular `L` with `L L^T = A^-1` and a positive diagonal, if `A` is positive definite.
///
/// `A = U U^T` with `U` upper triangular (a Cholesky factorisation that begins at the last row) gives `L = U^-T`, so
/// that nothing is inverted but a triangle.
pub(super) fn inverse_factor(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let upper = upper_factor(a, n)?;
    // Columns of L = U^-T by forward substitution in U^T, which is lower triangular.
    let mut factor = vec![0.0; n * n];
    for row in 0..n {
        let mut line = vec![0.0; row + 1];
        line[row] = 1.0;
        for k in 0..row {
            let u = upper[k * n + row];
            for (line, l) in line[..=k].iter_mut().zip(&factor[k * n..=k * n + k]) {
                *line -= u * l;
            }
        }
        let pivot = upper[row * n + row];
        for (to, value) in factor[row * n..].iter_mut().zip(line) {
            *to = value / pivot;
        }
    }
    Some(factor)
}

/// The upper triangular `U` with `U U^T = A` and a positive diagonal, if `A` is positive definite.
fn upper_factor(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut u = vec![0.0; n * n];
    for j in (0..n).rev() {
        for i in (0..=j).rev() {
            let after = dot(
                &u[i * n + j + 1..(i + 1) * n],
                &u[j * n + j + 1..(j + 1) * n],
            );
            let rest = a[i * n + j] - after;
            if i < j {
                u[i * n + j] = rest / u[j * n + j];
            } else if rest > 0.0 && rest.is_finite() {
                u[j * n + j] = rest.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(u)
}

/// Sum of products.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four sums, so that the machine need not wait for each addition.
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4
        .remainder()
        .iter()
        .zip(b4.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (a, b) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::uniforms;

    /// `G^T G` of random numbers, with `rows` rows in `G`.
    fn gram(n: usize, rows: usize) -> Vec<f64> {
        let g: Vec<f64> = uniforms(5, n as u64, rows * n)
            .iter()
            .map(|u| u - 0.3)
            .collect();
        let entry = |k: usize| (0..rows).map(|r| g[r * n + k / n] * g[r * n + k % n]).sum();
        (0..n * n).map(entry).collect()
    }

    #[test]
    fn second_differences_have_their_known_eigenvalues() {
        for n in [1, 2, 3, 40] {
            let entry = |k: usize| match (k / n).abs_diff(k % n) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            };
            let a: Vec<f64> = (0..n * n).map(entry).collect();
            for (k, value) in eigenvalues(&a, n).iter().enumerate() {
                let angle = std::f64::consts::PI * (k + 1) as f64 / (2 * (n + 1)) as f64;
                assert!(
                    (value - 4.0 * angle.sin().powi(2)).abs() < 1e-14,
                    "{n}: {value}"
                );
            }
        }
    }

    #[test]
    fn eigenvalues_of_a_full_matrix_have_its_invariants_and_its_rank() {
        let n = 30;
        let a = gram(n, 20);
        let values = eigenvalues(&a, n);
        let power = |k: i32| values.iter().map(|v| v.powi(k)).sum::<f64>();
        let trace: f64 = (0..n).map(|k| a[k * n + k]).sum();
        let squares: f64 = a.iter().map(|a| a * a).sum();
        assert!((power(1) / trace - 1.0).abs() < 1e-13);
        assert!((power(2) / squares - 1.0).abs() < 1e-13);
        // Rank 20 of 30: ten are zero to rounding, the others are not.
        assert!(values[9].abs() < 1e-12 * values[29] && values[10] > 1e-4 * values[29]);
    }

    #[test]
    fn equal_eigenvalues_and_a_zero_matrix_are_no_trouble() {
        assert_eq!(eigenvalues(&[0.0; 9], 3), [0.0; 3]);
        let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        for value in eigenvalues(&identity, 3) {
            assert!((value - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_factor_times_its_transpose_is_the_inverse() {
        let n = 17;
        let a = gram(n, 40);
        let l = inverse_factor(&a, n).expect("definite");
        for i in 0..n {
            assert!(l[i * n + i] > 0.0 && l[i * n + i + 1..(i + 1) * n].iter().all(|&v| v == 0.0));
            for j in 0..n {
                // L^T A L = I says the same as L L^T = A^-1.
                let mut sum = 0.0;
                for p in 0..n {
                    for q in 0..n {
                        sum += l[p * n + i] * a[p * n + q] * l[q * n + j];
                    }
                }
                let wanted = f64::from(u8::from(i == j));
                assert!((sum - wanted).abs() < 1e-12, "{i} {j}: {sum}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_definite_has_no_factor() {
        assert_eq!(inverse_factor(&[1.0, 2.0, 2.0, 1.0], 2), None);
        assert_eq!(inverse_factor(&[f64::NAN], 1), None);
        assert_eq!(inverse_factor(&[4.0], 1), Some(vec![0.5]));
    }
}
