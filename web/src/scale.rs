//! Ranges and ticks that people like to read.

/// The smallest of 1, 1.5, 2, 3, 4, 5, 6, 8, 10 times a power of ten that is not below `value`.
pub fn nice_above(value: f32) -> f32 {
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let power = 10_f32.powf(value.log10().floor());
    [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|nice| *nice >= value * 0.9999)
        .unwrap_or(10.0 * power)
}

/// Largest finite absolute value.
pub fn largest<'a>(values: impl IntoIterator<Item = &'a f32>) -> f32 {
    values
        .into_iter()
        .filter(|value| value.is_finite())
        .fold(0.0, |largest, value| largest.max(value.abs()))
}

/// A number without superfluous digits: three significant ones at most.
pub fn short(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_round_and_wide_enough() {
        for (value, wanted) in [
            (0.37, 0.4),
            (1.0, 1.0),
            (2.2, 3.0),
            (7.01, 8.0),
            (93.0, 100.0),
            (0.0, 1.0),
        ] {
            assert!(
                (nice_above(value) - wanted).abs() < 1e-5 * wanted,
                "{value}"
            );
        }
        assert_eq!(nice_above(f32::NAN), 1.0);
        assert_eq!(largest(&[1.0, -3.0, f32::NAN]), 3.0);
    }

    #[test]
    fn numbers_are_short() {
        for (value, wanted) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (-0.012_34, "−0.0123"),
            (1234.5, "1234"),
            (58.0, "58"),
        ] {
            assert_eq!(short(value), wanted);
        }
        assert_eq!(short(f64::NAN), "–");
    }
}
