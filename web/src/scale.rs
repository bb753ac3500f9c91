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

/// A number of any size: `4.2 × 10⁻¹¹`.
pub fn scientific(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return short(value);
    }
    let text = format!("{value:.1e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let raised = power.chars().map(|c| match c.to_digit(10) {
        Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
        None => '⁻',
    });
    format!(
        "{} × 10{}",
        digits.replace('-', "−"),
        raised.collect::<String>()
    )
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
        assert_eq!(scientific(4.23e-11), "4.2 × 10⁻¹¹");
        assert_eq!(scientific(-9.99e20), "−1.0 × 10²¹");
        assert_eq!(scientific(0.0), "0");
    }
}
