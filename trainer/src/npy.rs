//! NumPy's `.npy` files: one array of floats, row-major.
//!
//! ```text
//! 93 4E 55 4D 50 59   magic
//! major, minor        1.0: header length u16; 2.0 and 3.0: u32; little-endian
//! header              {'descr': '<f4', 'fortran_order': False, 'shape': (20, 256), } padded with spaces, then \n
//! values
//! ```

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};

const MAGIC: &[u8] = b"\x93NUMPY";
/// A header has three entries; numpy's own have at most a few hundred bytes.
const MAX_HEADER: usize = 1 << 16;
/// Letters of a header that a sentence shows.
const SHOWN: usize = 200;
/// Axes of an array; numpy has no more.
const MAX_AXES: usize = 64;
/// Values start at a multiple of this, so that they can be mapped into memory.
const ALIGNMENT: usize = 64;

/// An array of any shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Sizes, outermost first; empty for a single number.
    pub shape: Vec<usize>,
    /// Values in row-major order.
    pub values: Vec<f32>,
}

/// Reads an array of `float32` or `float64` of either byte order.
pub fn read(path: &Path) -> Result<Array> {
    read_if(path, |_| Ok(()))
}

/// The same, unless its shape is refused: then nothing but the header is read.
pub fn read_if(path: &Path, check: impl FnOnce(&[usize]) -> Result<()>) -> Result<Array> {
    let cannot = || format!("{}: cannot be read", path.display());
    let unusable = || format!("{}: not a usable .npy file", path.display());
    let mut file = fs::File::open(path).with_context(cannot)?;
    let about = file.metadata().with_context(cannot)?;
    let mut bytes = Vec::new();
    let mut first = Read::by_ref(&mut file).take(HEADER_BYTES as u64);
    first.read_to_end(&mut bytes).with_context(cannot)?;
    let header = header(&bytes).with_context(unusable)?;
    // A header that lies is refused before the rest is read. What is no file, such as a pipe, has no length.
    let width = header.width().with_context(unusable)?;
    if about.is_file() {
        let stored = about.len().saturating_sub(header.start as u64);
        header.check_length(width, stored).with_context(unusable)?;
    }
    check(&header.shape)?;
    let end = header.start as u64 + (header.count as u64).saturating_mul(width as u64);
    let rest = end.saturating_sub(bytes.len() as u64).saturating_add(1);
    let mut rest = file.take(rest);
    rest.read_to_end(&mut bytes).with_context(cannot)?;
    decode(&bytes).with_context(unusable)
}

/// Writes an array as little-endian `float32`, atomically; one that is there is replaced by force alone.
pub fn write(path: &Path, shape: &[usize], values: &[f32], force: bool) -> Result<()> {
    crate::files::write(path, &encode(shape, values), force)
}

/// What the header of a file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Sizes, outermost first; empty for a single number.
    pub shape: Vec<usize>,
    /// Number of values.
    pub count: usize,
    /// numpy's name of their kind, such as `<f4`.
    pub kind: String,
    /// Bytes before the values.
    pub start: usize,
}

impl Header {
    /// Bytes of a value.
    fn width(&self) -> Result<usize> {
        match self.kind.as_str() {
            "<f4" | ">f4" => Ok(4),
            "<f8" | ">f8" => Ok(8),
            kind => bail!(
                "it holds {kind}, but float32 or float64 is wanted: save array.astype(\"float32\") instead"
            ),
        }
    }

    /// Compares the bytes that are there after the header with those of its values.
    fn check_length(&self, width: usize, stored: u64) -> Result<()> {
        let wanted = self.count.checked_mul(width).map(|bytes| bytes as u64);
        ensure!(
            wanted == Some(stored),
            "its shape {:?} of {} does not fit its {stored} bytes of values",
            self.shape,
            self.kind
        );
        Ok(())
    }
}

/// Bytes from the beginning of a file that are enough for [`header`].
pub const HEADER_BYTES: usize = MAGIC.len() + 6 + MAX_HEADER;

/// Reads the header from the first bytes of a file.
pub fn header(bytes: &[u8]) -> Result<Header> {
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| anyhow!("it does not begin with numpy's magic bytes"))?;
    let (length, start) = match *rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([a, b])), 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([a, b, c, d]) as usize, 6),
        [major @ (0 | 4..), minor, ..] => {
            bail!("its format version is {major}.{minor}, but 1.0 to 3.0 are known")
        }
        _ => bail!("it ends inside its header"),
    };
    ensure!(
        length <= MAX_HEADER,
        "its header claims {length} bytes, but at most {MAX_HEADER} are allowed"
    );
    let text = rest
        .get(start..start + length)
        .ok_or_else(|| anyhow!("it ends inside its header"))?;
    let text = std::str::from_utf8(text).context("its header is not text")?;
    let entry = |key: &str| {
        let shown: String = text.trim().chars().take(SHOWN).collect();
        value_of(text, key).ok_or_else(|| anyhow!("its header has no `{key}`: {shown}"))
    };
    match entry("fortran_order")? {
        "False" => {}
        "True" => bail!("it is in column-major order: save numpy.ascontiguousarray(array) instead"),
        other => bail!("its fortran_order is {other}"),
    }
    let shape = shape_of(entry("shape")?)?;
    ensure!(
        shape.len() <= MAX_AXES,
        "it has {} axes, but at most {MAX_AXES} are read",
        shape.len()
    );
    let count = shape
        .iter()
        .try_fold(1_usize, |n, &size| n.checked_mul(size))
        .ok_or_else(|| anyhow!("its shape {shape:?} is too large"))?;
    Ok(Header {
        shape,
        count,
        kind: entry("descr")?.trim_matches(['\'', '"']).to_string(),
        start: MAGIC.len() + start + length,
    })
}

fn decode(bytes: &[u8]) -> Result<Array> {
    let header = header(bytes)?;
    let values = &bytes[header.start..];
    header.check_length(header.width()?, values.len() as u64)?;
    let values = match header.kind.as_str() {
        "<f4" => numbers(values, f32::from_le_bytes),
        ">f4" => numbers(values, f32::from_be_bytes),
        "<f8" => numbers(values, |b| f64::from_le_bytes(b) as f32),
        _ => numbers(values, |b| f64::from_be_bytes(b) as f32),
    };
    Ok(Array {
        shape: header.shape,
        values,
    })
}

fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes
        .as_chunks::<N>()
        .0
        .iter()
        .map(|chunk| number(*chunk))
        .collect()
}

/// The text of an entry of the header, which is a Python dictionary of three known keys.
fn value_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = header
        .find(&format!("'{key}'"))
        .map(|at| at + key.len() + 2)?;
    let value = header[at..].trim_start().strip_prefix(':')?.trim_start();
    let end = if value.starts_with('(') {
        value.find(')')? + 1
    } else {
        value.find([',', '}'])?
    };
    Some(value[..end].trim_end())
}

fn shape_of(tuple: &str) -> Result<Vec<usize>> {
    let inner = tuple.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    inner
        .ok_or_else(|| anyhow!("its shape is {tuple}"))?
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().map_err(|_| anyhow!("its shape is {tuple}")))
        .collect()
}

fn encode(shape: &[usize], values: &[f32]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    // Python writes a tuple of one with a comma.
    let comma = if shape.len() == 1 { "," } else { "" };
    let sizes = sizes.join(", ") + comma;
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({sizes}), }}");
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.extend(std::iter::repeat_n(
        ' ',
        unpadded.next_multiple_of(ALIGNMENT) - unpadded,
    ));
    header.push('\n');

    let mut bytes = Vec::with_capacity(MAGIC.len() + 4 + header.len() + values.len() * 4);
    bytes.extend(MAGIC);
    bytes.extend([1, 0]);
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests;
