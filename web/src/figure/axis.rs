//! Axes of figures: where values lie, and ticks that people like to read.

use crate::scale::short;
use crate::ticks;

/// Ticks that a narrow figure has room for.
const TICKS: f64 = 5.0;

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What is on it, with its unit.
    pub name: String,
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Whether equal steps are equal factors.
    pub log: bool,
    /// Ticks: share of the axis, and words.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis with these ends and round ticks between them.
    pub fn new(name: impl Into<String>, lo: f64, hi: f64) -> Self {
        let (lo, hi) = room(lo, hi);
        let step = round_step((hi - lo) / TICKS);
        let (first, last) = (
            (lo / step - 1e-9).ceil() as i64,
            (hi / step + 1e-9).floor() as i64,
        );
        let tick = |i: i64| {
            let value = i as f64 * step;
            ((value - lo) / (hi - lo), short(value))
        };
        Self {
            name: name.into(),
            lo,
            hi,
            log: false,
            ticks: (first..=last).map(tick).collect(),
        }
    }

    /// An axis whose ends are the round values around `lo` and `hi`.
    pub fn around(name: impl Into<String>, lo: f64, hi: f64) -> Self {
        let (lo, hi) = room(lo, hi);
        let step = round_step((hi - lo) / TICKS);
        Self::new(
            name,
            (lo / step + 1e-9).floor() * step,
            (hi / step - 1e-9).ceil() * step,
        )
    }

    /// An axis of factors, between whole powers of ten around two positive values.
    pub fn log(name: impl Into<String>, lo: f64, hi: f64) -> Self {
        let usable = lo > 0.0 && hi >= lo && hi.is_finite();
        let (lo, hi) = if usable { (lo, hi) } else { (0.1, 10.0) };
        let first = (lo.log10() + 1e-9).floor() as i32;
        let last = ((hi.log10() - 1e-9).ceil() as i32).max(first + 1);
        let every = ((last - first) as usize).div_ceil(TICKS as usize);
        let tick = |power: i32| {
            let at = f64::from(power - first) / f64::from(last - first);
            (at, power_of_ten(power))
        };
        Self {
            name: name.into(),
            lo: 10_f64.powi(first),
            hi: 10_f64.powi(last),
            log: true,
            ticks: (first..=last).step_by(every).map(tick).collect(),
        }
    }

    /// With the ticks of a unit that has steps and words of its own: hours, degrees north or east.
    #[must_use]
    pub fn in_unit(self, unit: &str) -> Self {
        match unit {
            "hours" => {
                let ticks = ticks::between(unit, self.lo, self.hi).into_iter();
                // The unit stands at the axis.
                self.with_ticks(ticks.map(|(value, _)| (value, short(value))))
            }
            "degrees_north" | "degrees_east" => {
                let ticks = ticks::between(unit, self.lo, self.hi);
                self.with_ticks(ticks)
            }
            _ => self,
        }
    }

    /// With other ticks: value and words.
    #[must_use]
    pub fn with_ticks(mut self, ticks: impl IntoIterator<Item = (f64, String)>) -> Self {
        let ticks = ticks.into_iter();
        self.ticks = ticks.map(|(v, words)| (self.share(v), words)).collect();
        self
    }

    /// Where a value lies, as a share of the axis. Beyond the ends it is held within one length of the axis, so that
    /// no path leaves what a browser can draw.
    pub fn share(&self, value: f64) -> f64 {
        let share = if self.log {
            (value / self.lo).ln() / (self.hi / self.lo).ln()
        } else {
            (value - self.lo) / (self.hi - self.lo)
        };
        // The logarithm of nothing is at the lower end of everything.
        share.clamp(-1.0, 2.0)
    }

    /// The value at a share of the axis.
    pub fn value(&self, share: f64) -> f64 {
        if self.log {
            self.lo * (self.hi / self.lo).powf(share)
        } else {
            self.lo + share * (self.hi - self.lo)
        }
    }
}

/// Ends with room between them.
fn room(lo: f64, hi: f64) -> (f64, f64) {
    if !(lo.is_finite() && hi.is_finite()) {
        return (0.0, 1.0);
    }
    if hi > lo {
        return (lo, hi);
    }
    let half = if lo == 0.0 { 1.0 } else { 0.5 * lo.abs() };
    (lo - half, lo + half)
}

/// The smallest of 1, 2, 5, 10 times a power of ten that is not below a step.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|digit| digit * power);
    let enough = |round: &f64| *round >= step * 0.999_999;
    steps.into_iter().find(enough).unwrap_or(10.0 * power)
}

fn power_of_ten(power: i32) -> String {
    match power {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        _ => {
            let digits = power.to_string();
            let raised = digits.chars().map(|c| match c.to_digit(10) {
                Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
                None => '⁻',
            });
            format!("10{}", raised.collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, words)| words.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(
            words(&Axis::new("", 0.0, 1.0)),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(words(&Axis::new("", -0.3, 12.0)), ["0", "5", "10"]);
        let axis = Axis::around("", -1.7, 3.2);
        assert_eq!((axis.lo, axis.hi), (-2.0, 4.0));
        assert_eq!(words(&axis), ["−2", "0", "2", "4"]);
    }

    #[test]
    fn axes_without_extent_or_of_nothing_can_be_drawn() {
        for axis in [
            Axis::new("", 3.0, 3.0),
            Axis::around("", 0.0, 0.0),
            Axis::around("", f64::NAN, 1.0),
            Axis::log("", 0.0, f64::NAN),
            Axis::log("", 10.0, 10.0),
        ] {
            assert!(axis.hi > axis.lo, "{axis:?}");
            assert!((2..=7).contains(&axis.ticks.len()), "{axis:?}");
        }
    }

    #[test]
    fn powers_of_ten_are_equal_steps() {
        let axis = Axis::log("", 3e-4, 20.0);
        assert_eq!((axis.lo, axis.hi), (1e-4, 100.0));
        assert!((axis.share(0.1) - 0.5).abs() < 1e-12);
        assert!((axis.value(0.5) - 0.1).abs() < 1e-12);
        assert_eq!(axis.share(0.0), -1.0);
        assert_eq!(words(&axis), ["10⁻⁴", "10⁻²", "1", "10²"]);
    }
}
