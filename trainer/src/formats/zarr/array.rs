//! One array: how it is cut into chunks, and how a chunk is decoded.

use std::num::NonZeroU64;
use std::sync::Arc;

use serde_json::Value;
use zarrs::metadata::ArrayMetadata;

use super::codec::Codec;
use super::describe::{Described, Version};
use super::packing::Packing;
use crate::formats::budget::MAX_CHUNK_BYTES;

/// Axes of an array; numpy has no more.
const MAX_AXES: usize = 64;

/// An array that can be read.
pub struct Array {
    /// Size of each axis.
    pub shape: Vec<usize>,
    /// Size of a chunk along each axis; those at the end are full too.
    pub chunk: Vec<usize>,
    /// How bytes become numbers.
    pub packing: Packing,
    /// How chunks become bytes.
    pub codec: Codec,
    prefix: String,
    inner: zarrs::array::Array<()>,
}

impl Array {
    /// From its description, or the reason why it cannot be read.
    pub fn new(described: &Described) -> Result<Self, String> {
        let grid = match described.version {
            Version::V2 => described.array.get("chunks"),
            Version::V3 => {
                let grid = described.array.get("chunk_grid");
                let name = grid
                    .and_then(|grid| grid.get("name"))
                    .and_then(Value::as_str);
                if name != Some("regular") {
                    return Err("its chunks are not all of one size".to_owned());
                }
                grid.and_then(|grid| grid.pointer("/configuration/chunk_shape"))
            }
        };
        let shape = Described::sizes(described.array.get("shape")).ok_or("it has no shape")?;
        let chunk = Described::sizes(grid).ok_or("its description does not say how it is cut")?;
        if shape.len() > MAX_AXES {
            return Err(format!(
                "it has {} axes, and at most {MAX_AXES} are read",
                shape.len()
            ));
        }
        let count = |sizes: &[usize]| {
            sizes
                .iter()
                .try_fold(1_usize, |product, &n| product.checked_mul(n))
                .filter(|n| n.checked_mul(8).is_some())
        };
        let values = count(&chunk).filter(|_| count(&shape).is_some());
        let values = values
            .ok_or_else(|| format!("its shape {shape:?} in chunks {chunk:?} is not possible"))?;
        if chunk.len() != shape.len() || values == 0 {
            return Err(format!(
                "its shape {shape:?} cannot be cut into chunks {chunk:?}"
            ));
        }
        let inner = zarrs::array::Array::new_with_metadata(Arc::new(()), "/", metadata(described)?)
            .map_err(|e| e.to_string())?;
        let packing = Packing::new(inner.data_type(), described)?;
        if values > MAX_CHUNK_BYTES / packing.size() {
            return Err(format!(
                "its chunks {chunk:?} have more than {MAX_CHUNK_BYTES} bytes"
            ));
        }
        let chunk_shape = chunk.iter().filter_map(|&n| NonZeroU64::new(n as u64));
        let codec = Codec::new(&inner, chunk_shape.collect(), values * packing.size())?;
        Ok(Self {
            codec,
            shape,
            chunk,
            packing,
            prefix: described.prefix.clone(),
            inner,
        })
    }

    /// Bytes of a decoded chunk.
    pub fn chunk_bytes(&self) -> usize {
        self.chunk.iter().product::<usize>() * self.packing.size()
    }

    /// Bytes that a stored chunk can have: compression never adds much.
    pub fn most_bytes(&self) -> usize {
        self.chunk_bytes() + self.chunk_bytes() / 8 + (1 << 16)
    }

    /// What a chunk is called within the array, like `3.0.0` or `c/3/0/0`.
    pub fn chunk_name(&self, index: &[usize]) -> String {
        let index: Vec<u64> = index.iter().map(|&n| n as u64).collect();
        self.inner.chunk_key(&index).to_string()
    }

    /// Where a chunk is below the root.
    pub fn key(&self, index: &[usize]) -> String {
        format!("{}{}", self.prefix, self.chunk_name(index))
    }
}

/// The description in the library's terms.
fn metadata(described: &Described) -> Result<ArrayMetadata, String> {
    let mut array = described.array.clone();
    // Attributes are ours to read; and a fill value of null, which is none, is 0 to the library.
    array.remove("attributes");
    if described.version == Version::V2 && array.get("fill_value").is_none_or(Value::is_null) {
        array.insert("fill_value".to_owned(), Value::from(0));
    }
    let array = Value::Object(array);
    match described.version {
        Version::V2 => serde_json::from_value(array).map(ArrayMetadata::V2),
        Version::V3 => serde_json::from_value(array).map(ArrayMetadata::V3),
    }
    .map_err(|e| format!("its description does not make sense ({e})"))
}
