//! Numbers stored as small integers: `value = stored * scale_factor + add_offset`, with one number that means "missing".

use serde_json::{Map, Value};

/// What NetCDF libraries put where nothing was written, for floating-point numbers; no measurement has this size.
const UNWRITTEN: f64 = 9.969_209_968_386_869e36;
/// Attributes that say how values are stored, not what they are.
const STORAGE: [&str; 9] = [
    "scale_factor",
    "add_offset",
    "_FillValue",
    "missing_value",
    "_Unsigned",
    "valid_min",
    "valid_max",
    "valid_range",
    "_ChunkSizes",
];

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An integer with a sign, of so many bits.
    Signed(u32),
    /// An integer without a sign, of so many bits.
    Unsigned(u32),
    /// A floating-point number of so many bits.
    Float(u32),
}

impl Kind {
    /// Bytes of a stored number.
    pub fn bytes(self) -> usize {
        let (Self::Signed(bits) | Self::Unsigned(bits) | Self::Float(bits)) = self;
        bits as usize / 8
    }
}

/// What every format has in common: scale, offset, and the stored numbers that mean "missing".
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    scale: f64,
    offset: f64,
    /// Stored numbers that mean "missing".
    pub missing: Vec<f64>,
    /// Whether there is a scale or an offset at all.
    pub is_packed: bool,
}

impl Rules {
    /// As the attributes of a variable say, whose numbers `number` reads. What is missing is still as it was said, not
    /// as it is stored.
    pub fn of(attributes: &Map<String, Value>, number: impl Fn(&Value) -> Option<f64>) -> Self {
        let plain = |name: &str| attributes.get(name).and_then(Value::as_f64);
        let (scale, offset) = (plain("scale_factor"), plain("add_offset"));
        let said = ["_FillValue", "missing_value"].into_iter();
        let missing = said
            .filter_map(|name| attributes.get(name))
            .flat_map(|said| match said {
                Value::Array(all) => all.iter().filter_map(&number).collect(),
                one => Vec::from_iter(number(one)),
            });
        Self {
            scale: scale.unwrap_or(1.0),
            offset: offset.unwrap_or(0.0),
            missing: missing.collect(),
            is_packed: scale.is_some() || offset.is_some(),
        }
    }

    /// The value of a stored number; NaN where it is missing.
    pub fn value(&self, stored: f64) -> f64 {
        if self.missing.contains(&stored) {
            f64::NAN
        } else {
            stored * self.scale + self.offset
        }
    }
}

/// From stored numbers to values.
#[derive(Debug, Clone, PartialEq)]
pub struct Packing {
    rules: Rules,
    /// Stored numbers of the wrong sign are moved by this much.
    wrap: Option<(bool, f64)>,
}

impl Packing {
    /// As the attributes of a variable say. They are compared with stored numbers, before scaling.
    pub fn of(attributes: &Map<String, Value>, kind: Kind) -> Self {
        let wrap = wrap_of(attributes, kind);
        let mut rules = Rules::of(attributes, Value::as_f64);
        if matches!(kind, Kind::Float(_)) && !attributes.contains_key("_FillValue") {
            rules.missing.push(UNWRITTEN);
        }
        for missing in &mut rules.missing {
            *missing = as_stored(*missing, kind, wrap);
        }
        Self { rules, wrap }
    }

    /// The value of a stored number; NaN where it is missing.
    pub fn value(&self, stored: f64) -> f64 {
        self.rules.value(wrapped(stored, self.wrap))
    }
}

/// The attributes without those that only say how values are stored.
pub fn described(mut attributes: Map<String, Value>) -> Map<String, Value> {
    attributes.retain(|name, _| !STORAGE.contains(&name.as_str()));
    attributes
}

/// `_Unsigned` says that a stored integer is meant without a sign though its type has one, or the reverse.
fn wrap_of(attributes: &Map<String, Value>, kind: Kind) -> Option<(bool, f64)> {
    let wanted = attributes.get("_Unsigned")?.as_str()?;
    match kind {
        Kind::Signed(bits) if wanted.eq_ignore_ascii_case("true") => {
            Some((true, 2_f64.powi(bits as i32)))
        }
        Kind::Unsigned(bits) if wanted.eq_ignore_ascii_case("false") => {
            Some((false, 2_f64.powi(bits as i32)))
        }
        _ => None,
    }
}

fn wrapped(stored: f64, wrap: Option<(bool, f64)>) -> f64 {
    match wrap {
        Some((true, modulus)) if stored < 0.0 => stored + modulus,
        Some((false, modulus)) if stored >= modulus / 2.0 => stored - modulus,
        _ => stored,
    }
}

/// Attributes are often written with more digits than the values have.
fn as_stored(value: f64, kind: Kind, wrap: Option<(bool, f64)>) -> f64 {
    match kind {
        Kind::Float(32) => f64::from(value as f32),
        _ => wrapped(value, wrap),
    }
}

#[cfg(test)]
mod tests;
