//! Round coordinates along an axis, in the steps and the words of its unit.

use crate::scale::short;

/// Ticks that fit an axis of any length.
const MOST: f64 = 5.0;

/// Round coordinates from `first` to `last`, with their words; none where there is no room between them.
pub fn between(unit: &str, first: f64, last: f64) -> Vec<(f64, String)> {
    let rough = (last - first) / MOST;
    if !(rough.is_finite() && rough > 0.0) {
        return vec![];
    }
    let step = step(unit, rough);
    // Ends that are round are ticks, whatever rounding did to them.
    let from = (first / step - 1e-9).ceil() as i64;
    let to = (last / step + 1e-9).floor() as i64;
    let values = (from..=to).map(|n| n as f64 * step);
    values.map(|value| (value, words(unit, value))).collect()
}

/// A coordinate in words, with its unit where it has one.
pub fn words(unit: &str, value: f64) -> String {
    match unit {
        "degrees_north" => degrees(value, " N", " S"),
        "degrees_east" => degrees(half_turn(value), " E", " W"),
        "hours" => format!("{} h", short(value)),
        _ => short(value),
    }
}

/// The step of ticks that people like to read, near a rough one.
fn step(unit: &str, rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let (steps, least): (&[f64], f64) = match unit {
        "degrees_north" | "degrees_east" => (&[1.0, 2.0, 3.0, 4.5, 6.0, 9.0], rough),
        // Hours as clocks and days have them.
        "hours" => {
            let hours = [1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 240.0];
            let enough = hours.into_iter().find(|hours| *hours >= rough);
            return enough.unwrap_or_else(|| (rough / 240.0).ceil() * 240.0);
        }
        _ => (&[1.0, 2.0, 2.5, 5.0], 0.8 * rough),
    };
    let nice = steps.iter().map(|step| step * power);
    nice.into_iter()
        .find(|step| *step >= least)
        .unwrap_or(10.0 * power)
}

/// A longitude counted from -180 to 180, as people do.
fn half_turn(lon: f64) -> f64 {
    let turned = (lon + 180.0).rem_euclid(360.0) - 180.0;
    if turned == -180.0 { 180.0 } else { turned }
}

fn degrees(value: f64, positive: &str, negative: &str) -> String {
    let side = match value {
        0.0 | 180.0 => "",
        v if v < 0.0 => negative,
        _ => positive,
    };
    let size = value.abs();
    if (size - size.round()).abs() < 1e-9 {
        format!("{size:.0}°{side}")
    } else {
        format!("{size:.1}°{side}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(unit: &str, first: f64, last: f64) -> Vec<String> {
        let ticks = between(unit, first, last);
        ticks.into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn hours_are_counted_as_clocks_and_days_do() {
        assert_eq!(
            told("hours", -54.0, 60.0),
            ["-48 h", "-24 h", "0 h", "24 h", "48 h"].map(|w| w.replace('-', "−"))
        );
        assert_eq!(
            told("hours", 1.0, 10.0),
            ["2 h", "4 h", "6 h", "8 h", "10 h"]
        );
        assert_eq!(told("hours", 0.0, 2400.0).len(), 6);
    }

    #[test]
    fn degrees_are_told_with_their_side() {
        assert_eq!(
            told("degrees_east", 200.0, 330.0),
            ["150° W", "120° W", "90° W", "60° W", "30° W"]
        );
        assert_eq!(
            told("degrees_north", -90.0, 90.0),
            ["90° S", "45° S", "0°", "45° N", "90° N"]
        );
    }

    #[test]
    fn without_room_there_is_no_tick() {
        assert!(between("", 1.0, 1.0).is_empty());
        assert!(between("hours", 2.0, f64::NAN).is_empty());
    }
}
