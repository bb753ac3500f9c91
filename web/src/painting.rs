//! A painted permeability: a square of cells, each low or high.
//!
//! In an address it is a chain of run lengths, `low, high, low, …`, along the rows: a painting of a few shapes takes
//! some hundred characters. Each length is written in characters of five bits, the lowest first; the sixth bit says
//! that more follow.

use pno::pde::darcy::Law;

/// Characters that an address holds as they are.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BITS: u32 = 5;
const MORE: usize = 1 << BITS;
/// Bits before the last digit of a length: four digits count more cells than any square has.
const LONGEST: u32 = 3 * BITS;

/// `[x, y]` on `n x n` cells, as the solver has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Painting {
    n: usize,
    high: Vec<bool>,
}

impl Painting {
    /// One value everywhere.
    pub fn filled(n: usize, high: bool) -> Self {
        Self {
            n,
            high: vec![high; n * n],
        }
    }

    /// The painting of a coefficient; `None` if it is not a square of `n x n` cells.
    pub fn from_coefficient(n: usize, coefficient: &[f32]) -> Option<Self> {
        let [low, high] = Law::Bumps.values();
        let middle = f32::midpoint(low, high);
        let high = coefficient.iter().map(|&a| a > middle).collect();
        (coefficient.len() == n * n).then_some(Self { n, high })
    }

    /// Cells along a side.
    pub fn cells(&self) -> usize {
        self.n
    }

    /// The permeability by cell.
    pub fn coefficient(&self) -> Vec<f32> {
        let [low, high] = Law::Bumps.values();
        let value = |&is_high: &bool| if is_high { high } else { low };
        self.high.iter().map(value).collect()
    }

    /// Paints a disc along a line; places and the diameter are shares of the side.
    ///
    /// The cell under the brush is always painted, however thin the brush.
    pub fn stroke(&mut self, from: (f64, f64), to: (f64, f64), diameter: f64, high: bool) {
        let n = self.n as f64;
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        // Two dabs per cell leave no gap.
        let dabs = (2.0 * length * n).ceil().max(1.0);
        for dab in 0..=dabs as usize {
            let part = dab as f64 / dabs;
            let at = |from: f64, to: f64| from + (to - from) * part;
            self.dab(at(from.0, to.0), at(from.1, to.1), diameter / 2.0, high);
        }
    }

    fn dab(&mut self, x: f64, y: f64, radius: f64, high: bool) {
        let n = self.n;
        let (x, y, radius) = (x * n as f64, y * n as f64, radius * n as f64);
        let reach = |centre: f64| {
            let first = (centre - radius - 1.0).max(0.0) as usize;
            first..((centre + radius + 1.0).max(0.0) as usize).min(n)
        };
        for i in reach(x) {
            for j in reach(y) {
                let away = (i as f64 + 0.5 - x).hypot(j as f64 + 0.5 - y);
                if away <= radius {
                    self.high[i * n + j] = high;
                }
            }
        }
        let cell = |place: f64| (place.max(0.0) as usize).min(n - 1);
        self.high[cell(x) * n + cell(y)] = high;
    }

    /// The same shapes on another grid: cells become blocks, or every second one is kept, as for the published
    /// training grid.
    #[must_use]
    pub fn on(&self, n: usize) -> Self {
        let from = |k: usize| k * self.n / n;
        let high = (0..n * n).map(|at| self.high[from(at / n) * self.n + from(at % n)]);
        Self {
            n,
            high: high.collect(),
        }
    }

    /// As text of an address.
    pub fn encode(&self) -> String {
        let mut text = String::new();
        let (mut is_high, mut length) = (false, 0);
        for &cell in &self.high {
            if cell != is_high {
                write_length(length, &mut text);
                (is_high, length) = (cell, 0);
            }
            length += 1;
        }
        write_length(length, &mut text);
        text
    }

    /// Reads what [`Painting::encode`] wrote; `None` unless it is a square of one of the sizes `known`.
    pub fn decode(text: &str, known: &[usize]) -> Option<Self> {
        let most = known.iter().max()?.pow(2);
        let mut high = Vec::new();
        let (mut is_high, mut length, mut shift) = (false, 0_usize, 0);
        for byte in text.bytes() {
            let digit = DIGITS.iter().position(|&known| known == byte)?;
            // Zeros could go on for ever.
            if shift > LONGEST {
                return None;
            }
            length += (digit % MORE) << shift;
            if length > most - high.len() {
                return None;
            }
            if digit >= MORE {
                shift += BITS;
                continue;
            }
            high.resize(high.len() + length, is_high);
            (is_high, length, shift) = (!is_high, 0, 0);
        }
        let n = known.iter().copied().find(|n| n * n == high.len())?;
        (shift == 0).then_some(Self { n, high })
    }
}

fn write_length(mut length: usize, text: &mut String) {
    while length >= MORE {
        text.push(char::from(DIGITS[MORE + length % MORE]));
        length >>= BITS;
    }
    text.push(char::from(DIGITS[length]));
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: &[usize] = &[64, 128];

    fn painted(n: usize) -> Painting {
        let mut painting = Painting::filled(n, false);
        painting.stroke((0.2, 0.3), (0.8, 0.4), 0.1, true);
        painting.stroke((0.5, 0.35), (0.5, 0.35), 0.05, false);
        painting
    }

    #[test]
    fn a_painting_survives_the_address_and_stays_short() {
        for n in [64, 128] {
            let all = [
                Painting::filled(n, false),
                Painting::filled(n, true),
                painted(n),
            ];
            for painting in all {
                let text = painting.encode();
                assert_eq!(Painting::decode(&text, SIZES).as_ref(), Some(&painting));
                assert!(text.len() < 700, "{} characters", text.len());
            }
        }
    }

    #[test]
    fn text_that_is_no_painting_is_refused() {
        let whole = painted(64).encode();
        for text in [
            "",
            "AAAA",
            "B",
            "_________________",
            "gggggggggggggggg",
            &whole[1..],
            "é",
        ] {
            assert_eq!(Painting::decode(text, SIZES), None, "{text}");
        }
        let shorter = Painting::filled(32, true).encode();
        assert_eq!(Painting::decode(&shorter, SIZES), None, "another grid");
        assert_eq!(
            Painting::decode(&format!("{whole}g"), SIZES),
            None,
            "cut off"
        );
    }

    #[test]
    fn a_dab_is_a_disc_of_its_diameter() {
        let mut painting = Painting::filled(128, false);
        painting.stroke((0.5, 0.5), (0.5, 0.5), 0.25, true);
        let cells = painting.high.iter().filter(|&&high| high).count() as f64;
        let wanted = std::f64::consts::PI * (0.125 * 128.0_f64).powi(2);
        assert!((cells / wanted - 1.0).abs() < 0.03, "{cells} for {wanted}");
    }

    #[test]
    fn the_thinnest_stroke_has_no_gap_and_the_border_is_no_problem() {
        let mut painting = Painting::filled(64, false);
        painting.stroke((0.0, 1.0), (1.0, 0.0), 0.0, true);
        for i in 0..64 {
            assert!((0..64).any(|j| painting.high[i * 64 + j]), "column {i}");
        }
    }

    #[test]
    fn x_is_the_first_axis() {
        let mut painting = Painting::filled(64, false);
        painting.stroke(
            (10.5 / 64.0, 3.5 / 64.0),
            (10.5 / 64.0, 3.5 / 64.0),
            0.0,
            true,
        );
        let coefficient = painting.coefficient();
        assert_eq!(coefficient[10 * 64 + 3], 1.0);
        assert_eq!(coefficient.iter().filter(|a| **a == 1.0).count(), 1);
        assert_eq!(Painting::from_coefficient(64, &coefficient), Some(painting));
        assert_eq!(Painting::from_coefficient(63, &coefficient), None);
    }

    #[test]
    fn finer_and_back_is_the_same_painting() {
        let painting = painted(64);
        let fine = painting.on(128);
        assert_eq!(fine.cells(), 128);
        assert_eq!(fine.on(64), painting);
        let share = |p: &Painting| p.high.iter().filter(|h| **h).count() * 16384 / p.high.len();
        assert_eq!(share(&fine), share(&painting));
    }
}
