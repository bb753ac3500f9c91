//! How a quantity is called and counted on the screen.

use pno::task::Quantity;
use serde::{Deserialize, Serialize};

use crate::scale::short;

/// Largest deviation from the mean, in standard deviations, of a quantity whose mean is the middle of its scale.
const FAR_FROM_ZERO: f64 = 10.0;

/// A quantity as it is shown: `shown = (value - offset) * factor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// Name in addresses and files.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// What is counted; empty for model units.
    pub unit: String,
    factor: f64,
    offset: f64,
    /// The middle of its scale where that is not zero and known beforehand.
    pub middle: Option<f64>,
}

impl Unit {
    /// How a quantity of a task is shown.
    pub fn of(quantity: &Quantity) -> Self {
        let scale = quantity.normalisation;
        let (unit, factor, offset) = match quantity.unit.as_str() {
            "K" => ("°C", 1.0, 273.15),
            "s-1" => ("10⁻⁶ s⁻¹", 1e6, 0.0),
            "m2 s-2" => ("m² s⁻²", 1.0, 0.0),
            other => (other, 1.0, 0.0),
        };
        let title = match quantity.name.as_str() {
            "2m_temperature" => "2 m temperature".to_owned(),
            "air" if quantity.unit == "K" => "Air temperature".to_owned(),
            "a" => "Permeability".to_owned(),
            name if name.len() > 2 => {
                let mut letters = name.chars();
                let first = letters.next().into_iter().flat_map(char::to_uppercase);
                first.chain(letters).collect::<String>().replace('_', " ")
            }
            name => name.to_owned(),
        };
        // Where zero is a choice of the unit, being far from it says nothing.
        let far = offset == 0.0 && scale.mean.abs() > FAR_FROM_ZERO * scale.std;
        Self {
            name: quantity.name.clone(),
            title,
            unit: unit.to_owned(),
            factor,
            offset,
            middle: far.then(|| scale.mean.round()),
        }
    }

    /// A value as it is shown.
    pub fn shown(&self, value: f64) -> f64 {
        let shown = (value - self.offset) * self.factor;
        if self.offset == 0.0 {
            return shown;
        }
        // Kelvins in 32 bits are right to some 0.00002: digits below a thousandth would be made up.
        (1e3 * shown).round() / 1e3
    }

    /// The value of what is shown.
    pub fn value(&self, shown: f64) -> f64 {
        shown / self.factor + self.offset
    }

    /// A difference of two values as it is shown.
    pub fn shown_difference(&self, value: f64) -> f64 {
        value * self.factor
    }

    /// A value in words, without the unit.
    pub fn words(&self, value: f64) -> String {
        number(self.shown(value))
    }

    /// A difference of two values in words: temperatures differ by the same in both scales.
    pub fn difference(&self, value: f64) -> String {
        number(self.shown_difference(value))
    }

    /// A number with its unit.
    pub fn with_unit(&self, words: &str) -> String {
        if self.unit.is_empty() {
            words.to_owned()
        } else {
            format!("{words} {}", self.unit)
        }
    }
}

/// A number with as many digits as are of use: the geopotential varies in its third.
pub fn number(value: f64) -> String {
    if value.abs() >= 1000.0 {
        format!("{value:.0}").replace('-', "−")
    } else {
        short(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::task::Task;

    #[test]
    fn published_quantities_have_names_and_units_to_read() {
        let unit = |task: Task, at: usize| Unit::of(&task.outputs[at]);
        let temperature = unit(Task::era5(), 0);
        assert_eq!(temperature.title, "2 m temperature");
        assert_eq!(temperature.with_unit(&temperature.words(300.15)), "27 °C");
        let freezing = f64::from(273.15_f32);
        assert_eq!(temperature.words(freezing), "0", "not −0.000006");
        assert_eq!(temperature.difference(2.5), "2.5");
        assert!((temperature.value(temperature.shown(281.0)) - 281.0).abs() < 1e-9);
        let mut air = Task::era5().outputs[0].clone();
        air.normalisation = pno::task::Normalisation {
            mean: 280.4,
            std: 16.5,
        };
        assert_eq!(Unit::of(&air).middle, None, "kelvins begin far below");
        let vorticity = unit(Task::sswe(), 1);
        assert_eq!(vorticity.title, "Vorticity");
        assert_eq!(vorticity.with_unit(&vorticity.words(2e-6)), "2 10⁻⁶ s⁻¹");
        let geopotential = unit(Task::sswe(), 0);
        assert_eq!(geopotential.middle, Some(98_062.0));
        assert_eq!(geopotential.words(98_061.6), "98062");
        assert_eq!(unit(Task::ks(), 0).with_unit("1"), "1");
        assert_eq!(unit(Task::ks(), 0).middle, None);
        assert_eq!(unit(Task::darcy(), 0).middle, None);
    }
}
