//! Statistics of one point from its members in rising order.

/// Mean.
pub fn mean(sorted: &[f32]) -> f32 {
    let sum: f64 = sorted.iter().map(|&value| f64::from(value)).sum();
    (sum / sorted.len() as f64) as f32
}

/// Unbiased standard deviation; 0 for one member.
pub fn std(sorted: &[f32]) -> f32 {
    let mean: f64 = sorted.iter().map(|&v| f64::from(v)).sum::<f64>() / sorted.len() as f64;
    let squares = sorted.iter().map(|&v| (f64::from(v) - mean).powi(2));
    let sum: f64 = squares.sum();
    (sum / (sorted.len() as f64 - 1.0).max(1.0)).sqrt() as f32
}

/// Both ends of the central interval of a level.
pub fn interval(sorted: &[f32], level: f64) -> (f32, f32) {
    let tail = 0.5 * (1.0 - level);
    let at = |q| pno::ensemble::quantiles::sorted_quantile(sorted, q);
    (at(tail), at(1.0 - tail))
}

/// Share of the members above a threshold; none where they have no value.
pub fn exceedance(sorted: &[f32], threshold: f32) -> f32 {
    if has_nan(sorted) {
        return f32::NAN;
    }
    let below = sorted.partition_point(|value| *value <= threshold);
    (sorted.len() - below) as f32 / sorted.len() as f32
}

/// Whether a member has no value: it is sorted to one of the ends.
fn has_nan(sorted: &[f32]) -> bool {
    let is_nan = |value: Option<&f32>| value.is_some_and(|value| value.is_nan());
    is_nan(sorted.first()) || is_nan(sorted.last())
}

/// Where the truth is: -1 below the interval, 0 strictly inside, 1 above; NaN where it or a member has no value.
pub fn side(sorted: &[f32], level: f64, truth: f32) -> f32 {
    if truth.is_nan() || has_nan(sorted) {
        return f32::NAN;
    }
    let (lower, upper) = interval(sorted, level);
    match () {
        () if truth <= lower => -1.0,
        () if truth >= upper => 1.0,
        () => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::ensemble::Moments;

    #[test]
    fn moments_are_those_of_the_shared_code() {
        let members: Vec<f32> = (0..9).map(|i| (i as f32 * 1.7).sin() + 98_000.0).collect();
        let mut moments = Moments::new(1);
        for member in &members {
            moments.push(&[*member]);
        }
        let mut sorted = members;
        sorted.sort_unstable_by(f32::total_cmp);
        assert_eq!(mean(&sorted), moments.mean()[0]);
        assert!((std(&sorted) - moments.std()[0]).abs() < 1e-6);
        assert_eq!(std(&[4.0]), 0.0);
    }

    #[test]
    fn shares_and_sides_are_worked_by_hand() {
        let sorted = [1.0, 2.0, 2.0, 5.0];
        assert_eq!(exceedance(&sorted, 2.0), 0.25, "equal is not above");
        assert_eq!(exceedance(&sorted, 0.0), 1.0);
        assert_eq!(exceedance(&sorted, 5.0), 0.0);
        assert!(
            exceedance(&[f32::NAN; 3], 2.0).is_nan() && side(&[f32::NAN; 3], 0.5, 1.0).is_nan()
        );
        assert!(side(&sorted, 0.5, f32::NAN).is_nan());
        assert_eq!(interval(&[0.0, 1.0, 2.0, 3.0, 4.0], 0.5), (1.0, 3.0));
        let side_of = |truth| side(&[0.0, 1.0, 2.0, 3.0, 4.0], 0.5, truth);
        assert_eq!([1.0, 1.5, 3.0].map(side_of), [-1.0, 0.0, 1.0]);
    }
}
