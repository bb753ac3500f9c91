//! Round numbers for axes.

/// Round numbers inside `[lo, hi]`, about `wanted` of them: multiples of 1, 2 or 5 times a power of ten.
pub fn ticks(lo: f64, hi: f64, wanted: usize) -> Vec<f64> {
    let rough = (hi - lo) / wanted.max(1) as f64;
    if !rough.is_finite() || rough <= 0.0 {
        return vec![lo];
    }
    let magnitude = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * magnitude)
        .into_iter()
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * magnitude);
    // A hair of slack, so that rounding does not lose the ends.
    let first = (lo / step - 1e-9).ceil() as i64;
    let last = (hi / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// A tick as text, without the tail of a rounding error and with a real minus sign.
pub fn label(value: f64) -> String {
    let rounded = format!("{value:.6}");
    let text = rounded.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        return "0".into();
    }
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(40.0, 78.0, 4), [40.0, 50.0, 60.0, 70.0]);
        assert_eq!(ticks(0.0, 100.0, 5), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(-7.3, 7.3, 3), [-5.0, 0.0, 5.0]);
        assert_eq!(ticks(0.0, 0.3, 3).len(), 4);
        assert_eq!(ticks(1.0, 1.0, 3), [1.0]);
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(label(0.1 + 0.2), "0.3");
        assert_eq!(label(-5.0), "\u{2212}5");
        assert_eq!(label(-0.0), "0");
        assert_eq!(label(40.0), "40");
    }
}
