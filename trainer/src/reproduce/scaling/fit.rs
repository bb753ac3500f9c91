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

/// Values that differ by less than this share of the largest do not grow: a peak of memory varies that much by itself.
const STEADY: f64 = 0.15;

/// The least and the most of values that do not grow, although what they are measured over at least doubles.
pub fn steady(points: &[(f64, f64)]) -> Option<[f64; 2]> {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], v| {
            [lo.min(v), hi.max(v)]
        })
    };
    let [first, last] = range(&mut points.iter().map(|p| p.0));
    let [least, most] = range(&mut points.iter().map(|p| p.1));
    (last >= 2.0 * first && most - least < STEADY * most).then_some([least, most])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hardly_changes_is_no_growth() {
        let noise = [(32.0, 133.0), (64.0, 138.0), (256.0, 124.0)];
        assert_eq!(steady(&noise), Some([124.0, 138.0]));
        assert_eq!(steady(&[(2.0, 119.0), (4.0, 138.0), (16.0, 215.0)]), None);
        assert_eq!(steady(&[(10.0, 1.0), (11.0, 1.01)]), None, "hardly varied");
        assert_eq!(steady(&[]), None);
    }

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
