//! A tensor of a foreign file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, bail, ensure};
use half::{bf16, f16};

/// Most tensors a foreign file may have: the largest model of ours has a few hundred.
pub const MAX_TENSORS: usize = 1 << 14;
/// Longest name of a tensor that is shown whole.
const SHOWN: usize = 80;

/// Tensors by name, in the order of their names.
pub type Tensors<'a> = BTreeMap<String, Found<'a>>;

type Bytes<'a> = Box<dyn Fn() -> Result<Cow<'a, [u8]>> + 'a>;

/// Shape and type of a tensor, and a way to its bytes.
pub struct Found<'a> {
    shape: Vec<usize>,
    kind: Kind,
    bytes: Bytes<'a>,
}

/// What the bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// float64
    F64,
    /// float32
    F32,
    /// float16
    F16,
    /// bfloat16
    Bf16,
    /// complex64
    C64,
    /// Anything that weights are not made of, with its name.
    Other(&'static str),
}

impl<'a> Found<'a> {
    /// A tensor whose bytes `bytes` gives, row-major and little-endian.
    pub fn new(
        shape: &[usize],
        kind: Kind,
        bytes: impl Fn() -> Result<Cow<'a, [u8]>> + 'a,
    ) -> Self {
        let mut shape = shape.to_vec();
        if kind == Kind::C64 {
            // As PyTorch's view_as_real: one more axis, real and imaginary part.
            shape.push(2);
        }
        Self {
            shape,
            kind,
            bytes: Box::new(bytes),
        }
    }

    /// Sizes, outermost first; complex numbers are an axis of two.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The values as float32. Reads as many bytes as the shape says: compare that first.
    pub fn values(&self) -> Result<Vec<f32>> {
        let bytes = (self.bytes)()?;
        let values: Vec<f32> = match self.kind {
            Kind::F64 => numbers(&bytes, |b| f64::from_le_bytes(b) as f32),
            Kind::F32 | Kind::C64 => numbers(&bytes, f32::from_le_bytes),
            Kind::F16 => numbers(&bytes, |b| f16::from_le_bytes(b).to_f32()),
            Kind::Bf16 => numbers(&bytes, |b| bf16::from_le_bytes(b).to_f32()),
            Kind::Other(name) => bail!("it is {name}, but weights are floats"),
        };
        let wanted: usize = self.shape.iter().product();
        ensure!(
            values.len() == wanted,
            "it has {} values, but its shape says {wanted}",
            values.len()
        );
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            bail!("its value at position {i} is not a finite float32");
        }
        Ok(values)
    }
}

fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    let (chunks, _) = bytes.as_chunks::<N>();
    chunks.iter().map(|&chunk| number(chunk)).collect()
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F64 => "float64",
            Self::F32 => "float32",
            Self::F16 => "float16",
            Self::Bf16 => "bfloat16",
            Self::C64 => "complex64",
            Self::Other(name) => name,
        })
    }
}

impl fmt::Debug for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kind, self.shape)
    }
}

/// A name from a foreign file for a message: short, and without characters that move a cursor.
pub fn shown(name: &str) -> String {
    let plain = name.chars().map(|c| if c.is_control() { '?' } else { c });
    if name.chars().count() <= SHOWN {
        return plain.collect();
    }
    plain.take(SHOWN - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: Kind, shape: &[usize], bytes: &'static [u8]) -> Found<'static> {
        Found::new(shape, kind, move || Ok(Cow::Borrowed(bytes)))
    }

    #[test]
    fn every_kind_of_float_is_read() {
        let one_and_a_half = |kind, bytes| found(kind, &[1], bytes).values().expect("floats");
        assert_eq!(one_and_a_half(Kind::F32, &[0, 0, 0xC0, 0x3F]), [1.5]);
        assert_eq!(
            one_and_a_half(Kind::F64, &[0, 0, 0, 0, 0, 0, 0xF8, 0x3F]),
            [1.5]
        );
        assert_eq!(one_and_a_half(Kind::F16, &[0, 0x3E]), [1.5]);
        assert_eq!(one_and_a_half(Kind::Bf16, &[0xC0, 0x3F]), [1.5]);
        let complex = found(Kind::C64, &[1], &[0, 0, 0xC0, 0x3F, 0, 0, 0, 0]);
        assert_eq!(complex.shape(), [1, 2]);
        assert_eq!(complex.values().expect("floats"), [1.5, 0.0]);
    }

    #[test]
    fn what_is_no_weight_is_told() {
        let said = |kind, shape: &[usize], bytes| {
            let found = found(kind, shape, bytes);
            found.values().expect_err("refused").to_string()
        };
        assert!(said(Kind::Other("int64"), &[1], &[0; 8]).contains("int64"));
        assert!(said(Kind::F32, &[2], &[0; 4]).contains("1 values"));
        assert!(said(Kind::F32, &[1], &[0, 0, 0xC0, 0x7F]).contains("position 0"));
        // Too large for float32.
        let large = &[0, 0, 0, 0, 0, 0, 0xE0, 0x7F];
        assert!(said(Kind::F64, &[1], large).contains("not a finite float32"));
    }

    #[test]
    fn a_name_is_shown_short_and_harmless() {
        assert_eq!(shown("a\u{1b}[31m\nb"), "a?[31m?b");
        let long = shown(&"é".repeat(1000));
        assert_eq!(long.chars().count(), SHOWN);
    }
}
