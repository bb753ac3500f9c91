//! NumPy's `.npy` files as archives: one array, named after the file, with axes that have no names.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Map;

use super::budget::{self, Expansion};
use super::file::Bytes;
use super::{Archive, Variable, block};
use crate::npy;

/// An open `.npy` file.
pub struct Npy {
    place: String,
    bytes: Bytes,
    variables: Vec<Variable>,
    /// Bytes before the values.
    start: u64,
    number: Number,
}

/// How one number is stored.
#[derive(Debug, Clone, Copy)]
struct Number {
    /// f, i or u.
    class: u8,
    width: usize,
    big_endian: bool,
}

/// Opens a `.npy` file of floats or integers of any size.
pub fn open(path: &Path) -> Result<Npy> {
    let place = path.display().to_string();
    read_header(path, &place).with_context(|| format!("{place}: not a usable .npy file"))
}

fn read_header(path: &Path, place: &str) -> Result<Npy> {
    let bytes = Bytes::open(path)?;
    let header = npy::header(&bytes.up_to(0, npy::HEADER_BYTES)?)?;
    let number = number_of(&header.kind)?;
    let there = bytes.length().saturating_sub(header.start as u64);
    ensure!(
        header
            .count
            .checked_mul(number.width)
            .map(|wanted| wanted as u64)
            == Some(there),
        "its shape {:?} of {} does not fit its {there} bytes of values",
        header.shape,
        header.kind
    );
    let stem = path.file_stem().unwrap_or_default();
    let variable = Variable {
        name: stem.to_string_lossy().into_owned(),
        dimensions: vec![String::new(); header.shape.len()],
        shape: header.shape,
        attributes: Map::new(),
    };
    Ok(Npy {
        place: place.to_string(),
        bytes,
        variables: vec![variable],
        start: header.start as u64,
        number,
    })
}

impl Archive for Npy {
    fn place(&self) -> &str {
        &self.place
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn read(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>> {
        block::told(&self.place, variable, block, self.values(variable, block))
    }
}

impl Npy {
    fn values(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>> {
        // The file has one array, whatever the caller's copy of it says.
        let _ = variable;
        let variable = &self.variables[0];
        let count = block::check(variable, block)?;
        let _held = budget::block(count, Expansion::PLAIN, || self.bytes.length())?;
        let mut values = Vec::with_capacity(count);
        block::runs(&variable.shape, block, |first, count| {
            let position = self.start + (first * self.number.width) as u64;
            let bytes = self.bytes.at(position, count * self.number.width)?;
            values.extend(
                bytes
                    .chunks_exact(self.number.width)
                    .map(|bytes| self.number.value(bytes)),
            );
            Ok(())
        })?;
        Ok(values)
    }
}

impl Number {
    fn value(self, bytes: &[u8]) -> f64 {
        // The bits as an integer, least significant byte last.
        let bits = if self.big_endian {
            bytes
                .iter()
                .fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte))
        } else {
            bytes
                .iter()
                .rev()
                .fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte))
        };
        match (self.class, self.width) {
            (b'f', 4) => f64::from(f32::from_bits(bits as u32)),
            (b'f', _) => f64::from_bits(bits),
            (b'i', width) => {
                let unused = 64 - 8 * width as u32;
                (((bits << unused) as i64) >> unused) as f64
            }
            _ => bits as f64,
        }
    }
}

/// The number behind a kind such as `<f4`, `>i2` or `|u1`.
fn number_of(kind: &str) -> Result<Number> {
    let big_endian = match kind.as_bytes().first() {
        Some(b'<' | b'|' | b'=') => false,
        Some(b'>') => true,
        _ => bail!("it holds {kind}, but floats or integers are wanted"),
    };
    let (class, width) = match &kind.as_bytes()[1..] {
        [b'f', width @ (b'4' | b'8')] => (b'f', width - b'0'),
        [class @ (b'i' | b'u'), width @ (b'1' | b'2' | b'4' | b'8')] => (*class, width - b'0'),
        b"b1" => (b'u', 1),
        _ => bail!(
            "it holds {kind}, but float32, float64 or integers are wanted: save array.astype(\"float32\") instead"
        ),
    };
    Ok(Number {
        class,
        width: usize::from(width),
        big_endian,
    })
}
