//! Colours for a quantity: from a dark low through grey to a dark high where it has both signs, one ramp where it has not.

use pno::colour::{self, Table};

/// A colour table and the values at its ends.
#[derive(Debug, Clone, Copy)]
pub struct Shades {
    /// The colours.
    pub table: &'static Table,
    /// Value of the first.
    pub lo: f32,
    /// Value of the last.
    pub hi: f32,
}

impl Shades {
    /// Colours that suit some values: symmetric about zero where both signs are frequent.
    pub fn of(values: &[f32]) -> Self {
        let (lo, hi) = (quantile(values, 0.001), quantile(values, 0.999));
        if lo < 0.0 && hi > 0.0 && lo.abs().min(hi) > 0.2 * hi.max(-lo) {
            let limit = limit(values);
            return Self {
                table: &colour::VIK,
                lo: -limit,
                hi: limit,
            };
        }
        let (lo, hi) = if lo < hi {
            (lo, hi)
        } else {
            (lo - 1.0, hi + 1.0)
        };
        Self {
            table: &colour::BATLOW,
            lo,
            hi,
        }
    }

    /// From 0 for the least to 1 for the most.
    pub fn grade(&self, value: f32) -> f32 {
        ((value - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0)
    }
}

/// The end of a colour scale for a field: its largest absolute value but for one point in a thousand, so that one spike does not
/// bleach the rest.
pub fn limit(values: &[f32]) -> f32 {
    let sizes: Vec<f32> = values.iter().map(|v| v.abs()).collect();
    let limit = quantile(&sizes, 0.999);
    if limit > 0.0 { limit } else { 1.0 }
}

/// The value that a share of the finite values does not exceed; 0 without any.
fn quantile(values: &[f32], share: f64) -> f32 {
    let mut values: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if values.is_empty() {
        return 0.0;
    }
    let at = ((values.len() - 1) as f64 * share) as usize;
    *values.select_nth_unstable_by(at, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_ignores_a_spike_and_a_broken_point() {
        let mut values: Vec<f32> = (0..2000).map(|i| i as f32 / 1000.0 - 1.0).collect();
        values[7] = 1e6;
        values[8] = f32::NAN;
        let found = limit(&values);
        assert!((0.99..=1.0).contains(&found), "{found}");
        assert_eq!(limit(&[0.0; 4]), 1.0);
        assert_eq!(limit(&[]), 1.0);
    }

    #[test]
    fn both_signs_get_a_scale_about_zero_and_kelvins_do_not() {
        let waves: Vec<f32> = (0..100).map(|i| (i as f32).sin()).collect();
        let shades = Shades::of(&waves);
        assert_eq!(shades.lo, -shades.hi);
        let kelvins: Vec<f32> = waves.iter().map(|w| 280.0 + w).collect();
        let shades = Shades::of(&kelvins);
        assert!(shades.lo > 278.9 && shades.hi < 281.1, "{shades:?}");
        assert!(
            Shades::of(&[3.0; 5]).grade(3.0) == 0.5,
            "a constant field has a colour"
        );
    }
}
