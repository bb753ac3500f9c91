//! Units: temperatures become kelvin, other quantities stay as they are.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::formats::Variable;

/// 0 °C in kelvin.
const ZERO_CELSIUS: f64 = 273.15;

/// The unit of the values that are given out.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// Its name.
    pub name: String,
    /// What is added to the values of the file.
    pub offset: f64,
    /// What was done, where anything was.
    pub note: Option<String>,
}

impl Unit {
    /// The unit of a variable. `given` is what the user says it is, and wins over the file.
    pub fn of(place: &str, variable: &Variable, given: Option<&str>) -> Result<Self> {
        let name = &variable.name;
        let stored = given
            .or(variable.units())
            .map(str::trim)
            .filter(|unit| !unit.is_empty());
        let stored = stored.with_context(|| {
            format!("{place}: `{name}` has no unit; say what it is with --unit, like --unit K")
        })?;
        let plain = stored.to_lowercase().replace([' ', '_', '°'], "");
        match plain.as_str() {
            "k" | "kelvin" | "kelvins" | "degk" | "degreek" | "degreesk" | "degreekelvin"
            | "degreeskelvin" => Ok(Self::new("K")),
            "c" | "celsius" | "degc" | "degreec" | "degreesc" | "degreecelsius"
            | "degreescelsius" => Ok(Self {
                offset: ZERO_CELSIUS,
                note: Some(format!(
                    "converted from {stored} to K by adding {ZERO_CELSIUS}"
                )),
                ..Self::new("K")
            }),
            _ if is_temperature(variable) => {
                bail!("{place}: the temperature `{name}` is in `{stored}`, but K or degC is wanted")
            }
            _ => Ok(Self::new(stored)),
        }
    }

    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            offset: 0.0,
            note: None,
        }
    }
}

fn is_temperature(variable: &Variable) -> bool {
    let said = ["long_name", "standard_name"]
        .into_iter()
        .filter_map(|key| variable.attributes.get(key).and_then(Value::as_str));
    let mut names = said.chain([variable.name.as_str()]);
    matches!(variable.name.as_str(), "t2m" | "2t")
        || names.any(|name| name.to_lowercase().contains("temperature"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, units: Option<&str>) -> Variable {
        let units = units.map(|units| ("units".to_owned(), Value::from(units)));
        Variable {
            name: name.to_owned(),
            dimensions: Vec::new(),
            shape: Vec::new(),
            attributes: units.into_iter().collect(),
        }
    }

    #[test]
    fn kelvin_stays_and_celsius_is_converted() {
        for unit in ["K", "degK", "kelvin", "Kelvin", "degrees_K"] {
            let found = Unit::of("f.nc", &variable("t2m", Some(unit)), None).expect("known");
            assert_eq!(found, Unit::new("K"), "{unit}");
        }
        for unit in [
            "degC",
            "C",
            "celsius",
            "°C",
            "degrees_celsius",
            "degree_Celsius",
        ] {
            let found = Unit::of("f.nc", &variable("t2m", Some(unit)), None).expect("known");
            assert_eq!((found.name.as_str(), found.offset), ("K", 273.15), "{unit}");
            assert!(found.note.expect("a note").contains(unit));
        }
    }

    #[test]
    fn other_units_of_a_temperature_and_no_unit_are_refused() {
        let said = |unit, given| {
            Unit::of("f.nc", &variable("2m_temperature", unit), given)
                .expect_err("refused")
                .to_string()
        };
        assert_eq!(
            said(Some("F"), None),
            "f.nc: the temperature `2m_temperature` is in `F`, but K or degC is wanted"
        );
        assert!(said(None, None).contains("has no unit; say what it is with --unit"));
        assert!(said(Some("K"), Some("m")).contains("is in `m`"));
        let given = Unit::of("f.nc", &variable("t2m", None), Some("K")).expect("given");
        assert_eq!(given.name, "K");
        let pressure =
            Unit::of("f.nc", &variable("msl", Some("Pa")), None).expect("not a temperature");
        assert_eq!(pressure.name, "Pa");
    }
}
