//! NetCDF files: classic, with 64-bit offsets, with 64-bit data, and NetCDF-4 (which is HDF5 inside).
//!
//! The crate `netcdf-reader` does the reading. It is given positions in an open file rather than a map of it into memory: a file
//! may be larger than memory, and one that is cut short while it is read gives an error instead of ending the program. A block
//! of a classic file costs its own bytes, one of NetCDF-4 the chunks it touches; the last chunks are kept, as many as [`budget`]
//! allows.
//! Only variables of numbers are listed.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use hdf5_reader::FileStorage;
use hdf5_reader::storage::DynStorage;
use netcdf_reader::{
    NcAttrValue, NcFile, NcGroup, NcOpenOptions, NcSliceInfo, NcSliceInfoElem, NcType, NcVariable,
};
use serde_json::{Map, Value};

use super::budget::{self, Held, MAX_BLOCK_BYTES, MAX_CHUNK_BYTES};
use super::packing::{Kind, Packing, described};
use super::{Archive, Variable, block, hdf5};

/// An open NetCDF file.
pub struct NetCdf {
    place: String,
    /// Bytes of the file.
    length: u64,
    file: NcFile,
    variables: Vec<Variable>,
    stored: HashMap<String, Stored>,
    /// What its decoded chunks may take.
    _kept: Held,
}

/// How the values of a variable are stored.
struct Stored {
    packing: Packing,
    /// Rows that share a chunk.
    rows: usize,
    /// Bytes of a decoded chunk, where there are chunks.
    chunk: Option<usize>,
}

/// Opens a NetCDF file of any kind.
pub fn open(path: &Path) -> Result<NetCdf> {
    let place = path.display().to_string();
    read_header(path, &place).with_context(|| format!("{place}: cannot be read as NetCDF"))
}

fn read_header(path: &Path, place: &str) -> Result<NetCdf> {
    let storage: DynStorage = Arc::new(FileStorage::open(path)?);
    let (length, kept) = (storage.len(), budget::kept());
    let options = NcOpenOptions {
        chunk_cache_bytes: kept.amount(),
        max_chunk_bytes: MAX_CHUNK_BYTES,
        max_read_bytes: MAX_BLOCK_BYTES,
        max_object_header_bytes: hdf5::MAX_HEADER_BYTES,
        ..NcOpenOptions::default()
    };
    let file = NcFile::from_storage_with_options(storage.clone(), options)?;
    let mut found = Vec::new();
    collect(file.root_group()?, "", &mut found)?;
    // Chunks are not part of what NetCDF shows, but of the HDF5 below it.
    let below = file
        .as_classic()
        .is_none()
        .then(|| hdf5::opened(storage, &kept));
    let below = below.transpose()?;
    let mut variables = Vec::new();
    let mut stored = HashMap::new();
    for (variable, packing) in found {
        let dataset = below
            .as_ref()
            .and_then(|below| below.dataset(&variable.name).ok());
        let rows = dataset
            .as_ref()
            .and_then(|dataset| dataset.chunks()?.first().copied());
        let how = Stored {
            packing,
            rows: rows.unwrap_or(1).max(1) as usize,
            chunk: dataset.as_ref().and_then(hdf5::chunk_bytes),
        };
        stored.insert(variable.name.clone(), how);
        variables.push(variable);
    }
    Ok(NetCdf {
        place: place.to_string(),
        length,
        file,
        variables,
        stored,
        _kept: kept,
    })
}

impl Archive for NetCdf {
    fn place(&self) -> &str {
        &self.place
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn read(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>> {
        block::told(&self.place, variable, block, self.values(variable, block))
    }

    fn rows_together(&self, variable: &Variable) -> usize {
        self.stored.get(&variable.name).map_or(1, |how| how.rows)
    }
}

impl NetCdf {
    fn values(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>> {
        let count = block::check(variable, block)?;
        let how = self
            .stored
            .get(&variable.name)
            .ok_or_else(|| anyhow!("it has no such variable"))?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let _held = hdf5::room(count, self.length, how.chunk)?;
        let selections = block
            .iter()
            .map(|range| NcSliceInfoElem::Slice {
                start: range.start as u64,
                end: range.end as u64,
                step: 1,
            })
            .collect();
        let array = self
            .file
            .read_variable_slice_as_f64(&variable.name, &NcSliceInfo { selections })?;
        ensure!(
            array.len() == count,
            "it gave {} values where {count} were asked for",
            array.len()
        );
        Ok(array
            .iter()
            .map(|&value| how.packing.value(value))
            .collect())
    }
}

/// The variables of numbers of a group and of those inside it, which are named `group/variable`.
fn collect(group: &NcGroup, prefix: &str, into: &mut Vec<(Variable, Packing)>) -> Result<()> {
    for variable in &group.variables {
        if let Some(kind) = kind_of(&variable.dtype) {
            into.push(described_variable(variable, prefix, kind)?);
        }
    }
    for inner in &group.groups {
        collect(inner, &format!("{prefix}{}/", inner.name), into)?;
    }
    Ok(())
}

fn described_variable(
    variable: &NcVariable,
    prefix: &str,
    kind: Kind,
) -> Result<(Variable, Packing)> {
    let name = format!("{prefix}{}", variable.name);
    let shape: Vec<usize> = variable
        .shape()
        .iter()
        .map(|&size| usize::try_from(size))
        .collect::<Result<_, _>>()?;
    ensure!(
        block::values_of(shape.iter().copied()).is_some(),
        "`{name}` claims the shape {shape:?}, which has more values than can be counted"
    );
    let attributes: Map<String, Value> = variable
        .attributes
        .iter()
        .map(|attribute| (attribute.name.clone(), json_of(&attribute.value)))
        .collect();
    let packing = Packing::of(&attributes, kind);
    let described = Variable {
        name,
        dimensions: variable
            .dimensions
            .iter()
            .map(|dimension| dimension.name.clone())
            .collect(),
        shape,
        attributes: described(attributes),
    };
    Ok((described, packing))
}

fn kind_of(kind: &NcType) -> Option<Kind> {
    Some(match kind {
        NcType::Byte => Kind::Signed(8),
        NcType::Short => Kind::Signed(16),
        NcType::Int => Kind::Signed(32),
        NcType::Int64 => Kind::Signed(64),
        NcType::UByte => Kind::Unsigned(8),
        NcType::UShort => Kind::Unsigned(16),
        NcType::UInt => Kind::Unsigned(32),
        NcType::UInt64 => Kind::Unsigned(64),
        NcType::Float => Kind::Float(32),
        NcType::Double => Kind::Float(64),
        _ => return None,
    })
}

fn json_of(value: &NcAttrValue) -> Value {
    match value {
        NcAttrValue::Chars(text) => text.trim_end_matches('\0').into(),
        NcAttrValue::Strings(values) => one_or_all(values),
        NcAttrValue::Bytes(values) => one_or_all(values),
        NcAttrValue::Shorts(values) => one_or_all(values),
        NcAttrValue::Ints(values) => one_or_all(values),
        NcAttrValue::Int64s(values) => one_or_all(values),
        NcAttrValue::UBytes(values) => one_or_all(values),
        NcAttrValue::UShorts(values) => one_or_all(values),
        NcAttrValue::UInts(values) => one_or_all(values),
        NcAttrValue::UInt64s(values) => one_or_all(values),
        NcAttrValue::Floats(values) => one_or_all(values),
        NcAttrValue::Doubles(values) => one_or_all(values),
        NcAttrValue::UserDefined { .. } => Value::Null,
    }
}

/// A list of one is what it holds.
fn one_or_all<T: Clone + Into<Value>>(values: &[T]) -> Value {
    match values {
        [one] => one.clone().into(),
        all => Value::Array(all.iter().cloned().map(Into::into).collect()),
    }
}
