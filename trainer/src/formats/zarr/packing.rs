//! From stored bytes to numbers: type, scale, offset, and what stands for a missing value.

use std::ops::Range;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use half::f16;
use serde_json::Value;
use zarrs::array::{DataType, data_type};

use super::describe::{Described, Version};
use crate::formats::packing::Rules;

/// Types that become numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

/// How the bytes of an array become numbers.
#[derive(Debug)]
pub struct Packing {
    kind: Kind,
    rules: Rules,
    /// What every value of an absent chunk is.
    pub absent: f64,
}

impl Packing {
    /// From the type and the description of an array.
    pub fn new(stored: &DataType, described: &Described) -> Result<Self, String> {
        let kind = Kind::of(stored)
            .ok_or_else(|| format!("its values are of type {stored:?}, but numbers are wanted"))?;
        let mut rules = Rules::of(&described.attributes, value);
        let packed = rules.is_packed;
        let fill = described.array.get("fill_value");
        let filled = fill.and_then(value);
        // In version 2 the fill value is also what stands for a missing value, but 0 is what it is when nobody chose one.
        if described.version == Version::V2 {
            rules
                .missing
                .extend(filled.filter(|&fill| packed || fill != 0.0));
        }
        let whole = !matches!(kind, Kind::F16 | Kind::F32 | Kind::F64);
        for missing in &mut rules.missing {
            *missing = kind.rounded(*missing);
        }
        let absent = match filled {
            Some(fill) if whole && !packed && !rules.missing.contains(&fill) => fill,
            _ => f64::NAN,
        };
        Ok(Self {
            kind,
            rules,
            absent,
        })
    }

    /// Bytes of a value.
    pub fn size(&self) -> usize {
        match self.kind {
            Kind::Bool | Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 | Kind::F16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 => 8,
        }
    }

    /// The numbers of a range of values.
    pub fn decode(&self, bytes: &[u8], range: Range<usize>, out: &mut [f64]) {
        let size = self.size();
        let bytes = &bytes[range.start * size..range.end * size];
        match self.kind {
            Kind::Bool | Kind::U8 => self.each(bytes, out, |b: [u8; 1]| f64::from(b[0])),
            Kind::I8 => self.each(bytes, out, |b| f64::from(i8::from_ne_bytes(b))),
            Kind::I16 => self.each(bytes, out, |b| f64::from(i16::from_ne_bytes(b))),
            Kind::U16 => self.each(bytes, out, |b| f64::from(u16::from_ne_bytes(b))),
            Kind::I32 => self.each(bytes, out, |b| f64::from(i32::from_ne_bytes(b))),
            Kind::U32 => self.each(bytes, out, |b| f64::from(u32::from_ne_bytes(b))),
            Kind::I64 => self.each(bytes, out, |b| i64::from_ne_bytes(b) as f64),
            Kind::U64 => self.each(bytes, out, |b| u64::from_ne_bytes(b) as f64),
            Kind::F16 => self.each(bytes, out, |b| f16::from_ne_bytes(b).to_f64()),
            Kind::F32 => self.each(bytes, out, |b| f64::from(f32::from_ne_bytes(b))),
            Kind::F64 => self.each(bytes, out, f64::from_ne_bytes),
        }
    }

    fn each<const N: usize>(&self, bytes: &[u8], out: &mut [f64], number: impl Fn([u8; N]) -> f64) {
        let (values, _) = bytes.as_chunks::<N>();
        for (out, &bytes) in out.iter_mut().zip(values) {
            *out = self.rules.value(number(bytes));
        }
    }
}

impl Kind {
    fn of(stored: &DataType) -> Option<Self> {
        let all = [
            (data_type::bool(), Self::Bool),
            (data_type::int8(), Self::I8),
            (data_type::int16(), Self::I16),
            (data_type::int32(), Self::I32),
            (data_type::int64(), Self::I64),
            (data_type::uint8(), Self::U8),
            (data_type::uint16(), Self::U16),
            (data_type::uint32(), Self::U32),
            (data_type::uint64(), Self::U64),
            (data_type::float16(), Self::F16),
            (data_type::float32(), Self::F32),
            (data_type::float64(), Self::F64),
        ];
        all.into_iter()
            .find(|(known, _)| known == stored)
            .map(|(_, kind)| kind)
    }

    /// A number as this type would store it: 1e20 is another number in f32.
    fn rounded(self, value: f64) -> f64 {
        match self {
            Self::F16 => f16::from_f64(value).to_f64(),
            Self::F32 => f64::from(value as f32),
            _ => value,
        }
    }
}

/// A number: plain, by name, or as xarray writes it into version 3 (the bytes of an f64, little-endian, in base 64).
fn value(json: &Value) -> Option<f64> {
    match json {
        Value::Number(number) => number.as_f64(),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => {
                let bytes = BASE64_STANDARD.decode(text).ok()?;
                Some(f64::from_le_bytes(bytes.try_into().ok()?))
            }
        },
        _ => None,
    }
}
