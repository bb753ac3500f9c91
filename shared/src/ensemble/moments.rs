//! Mean and standard deviation per point, member by member.

/// Streaming mean and variance of each point, without keeping the members.
///
/// Welford's recurrence in `f64`: it does not lose digits where the spread is small beside the mean.
/// Welford, "Note on a method for calculating corrected sums of squares and products", Technometrics 4 (1962).
///
/// A NaN of any member stays in the mean and the standard deviation of its point.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    count: u32,
    mean: Vec<f64>,
    /// Sum of squared distances from the mean.
    squares: Vec<f64>,
}

impl Moments {
    /// Moments of no member yet.
    pub fn new(points: usize) -> Self {
        Self {
            count: 0,
            mean: vec![0.0; points],
            squares: vec![0.0; points],
        }
    }

    /// Takes in one member.
    ///
    /// # Panics
    /// If the member has another number of points.
    pub fn push(&mut self, member: &[f32]) {
        assert_eq!(member.len(), self.mean.len(), "points of a member");
        self.count += 1;
        let weight = 1.0 / f64::from(self.count);
        for ((mean, squares), &value) in self.mean.iter_mut().zip(&mut self.squares).zip(member) {
            let value = f64::from(value);
            let before = value - *mean;
            *mean += before * weight;
            *squares += before * (value - *mean);
        }
    }

    /// Members taken in so far.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Mean of each point; zero before the first member.
    pub fn mean(&self) -> Vec<f32> {
        self.mean.iter().map(|&mean| mean as f32).collect()
    }

    /// Standard deviation of each point, from the unbiased variance `1/(M-1)`; zero for fewer than two members.
    pub fn std(&self) -> Vec<f32> {
        let divisor = f64::from(self.count.saturating_sub(1).max(1));
        self.squares
            .iter()
            .map(|&squares| (squares / divisor).sqrt() as f32)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_worked_by_hand() {
        let mut moments = Moments::new(2);
        for member in [[1.0, 10.0], [2.0, 10.0], [6.0, 13.0]] {
            moments.push(&member);
        }
        assert_eq!(moments.count(), 3);
        assert_eq!(moments.mean(), [3.0, 11.0]);
        // Squared distances 4 + 1 + 9 = 14 and 1 + 1 + 4 = 6, over M - 1 = 2.
        assert_eq!(moments.std(), [7.0_f32.sqrt(), 3.0_f32.sqrt()]);
    }

    #[test]
    fn one_member_is_its_own_mean_without_spread() {
        let mut moments = Moments::new(2);
        moments.push(&[0.1, -4.0]);
        assert_eq!(moments.mean(), [0.1, -4.0]);
        assert_eq!(moments.std(), [0.0, 0.0]);
    }

    #[test]
    fn a_small_spread_on_a_large_mean_keeps_its_digits() {
        let mut moments = Moments::new(1);
        for i in 0..1000_u16 {
            moments.push(&[8192.0 + f32::from(i % 2)]);
        }
        // The sum of squares would need 2^26 * 1000 beside 250.
        let wanted = (250.0_f64 / 999.0).sqrt() as f32;
        assert!((moments.std()[0] - wanted).abs() < 1e-6);
    }

    #[test]
    fn a_nan_spoils_its_own_point_only() {
        let mut moments = Moments::new(2);
        for member in [[1.0, f32::NAN], [3.0, 1.0], [5.0, 2.0]] {
            moments.push(&member);
        }
        assert_eq!(moments.mean()[0], 3.0);
        assert!(moments.mean()[1].is_nan() && moments.std()[1].is_nan());
    }
}
