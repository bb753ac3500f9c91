//! How straight a growth is.

/// A straight line by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Its value at zero.
    pub base: f64,
    /// Its slope.
    pub slope: f64,
    /// Share of the variance that it explains.
    pub r_squared: f64,
}

impl Fit {
    /// Through the points; none through fewer than two.
    pub fn of(points: &[(f64, f64)]) -> Option<Self> {
        let n = points.len() as f64;
        if points.len() < 2 {
            return None;
        }
        let (x, y) = points
            .iter()
            .fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
        let sum = |f: fn(f64, f64) -> f64| points.iter().map(|p| f(p.0 - x, p.1 - y)).sum::<f64>();
        let (xx, xy, yy) = (sum(|a, _| a * a), sum(|a, b| a * b), sum(|_, b| b * b));
        let slope = xy / xx;
        Some(Self {
            base: y - slope * x,
            slope,
            r_squared: if yy > 0.0 { xy * xy / (xx * yy) } else { 1.0 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_that_of_least_squares() {
        // numpy.polyfit([1, 2, 4], [3, 4, 9], 1) = [2.07142857, 0.5]; R² = 0.96889401
        let fit = Fit::of(&[(1.0, 3.0), (2.0, 4.0), (4.0, 9.0)]).expect("a line");
        assert!((fit.slope - 2.071_428_571).abs() < 1e-8, "{fit:?}");
        assert!((fit.base - 0.5).abs() < 1e-8, "{fit:?}");
        assert!((fit.r_squared - 0.968_894_009).abs() < 1e-8, "{fit:?}");
        assert_eq!(Fit::of(&[(1.0, 2.0)]), None);
    }
}
