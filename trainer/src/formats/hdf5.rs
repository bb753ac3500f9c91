//! HDF5 files without the conventions of NetCDF, such as those of PDEBench: arrays with names, but axes without.
//!
//! The crate `hdf5-reader` does the reading, by positions in an open file as for NetCDF: a block of a contiguous array costs its
//! own bytes, one of a chunked array the chunks it touches. Arrays in groups are named `group/array`. Only arrays of numbers are
//! listed. Attributes that pack values (`scale_factor`, …) count here too, as h5py users copy them from NetCDF.

mod attributes;

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use hdf5_reader::group::Group;
use hdf5_reader::storage::DynStorage;
use hdf5_reader::{
    Dataset, FileStorage, H5Type, Hdf5File, OpenOptions, SliceInfo, SliceInfoElem, Storage,
};
use serde_json::{Map, Value};

use self::attributes::{json_of, kind_of};
use super::budget::{self, Expansion, Held, MAX_BLOCK_BYTES, MAX_CHUNK_BYTES};
use super::packing::{Kind, Packing, described};
use super::{Archive, Variable, block};

/// Groups inside groups that are looked into; a link back to an outer group would otherwise never end.
const MAX_DEPTH: usize = 8;
/// Arrays that are listed; links could name one array without end.
const MAX_ARRAYS: usize = 10_000;
/// Bytes of all that is said of one array or group; a few kilobytes are usual.
pub const MAX_HEADER_BYTES: usize = 4 << 20;
/// Marks an array as an axis of others; NetCDF-4 does so with every dimension.
const SCALE: (&str, &str) = ("CLASS", "DIMENSION_SCALE");

/// An open HDF5 file.
pub struct Hdf5 {
    place: String,
    /// Bytes of the file.
    length: u64,
    variables: Vec<Variable>,
    arrays: HashMap<String, Array>,
    /// What its decoded chunks may take.
    _kept: Held,
}

struct Array {
    dataset: Dataset,
    kind: Kind,
    packing: Packing,
}

/// Opens an HDF5 file.
pub fn open(path: &Path) -> Result<Hdf5> {
    let place = path.display().to_string();
    read_header(path, &place).with_context(|| format!("{place}: cannot be read as HDF5"))
}

/// Whether a file says of itself that it is NetCDF-4: by the name of its writer, or (older writers) by having axes.
pub fn is_netcdf(path: &Path) -> Result<bool> {
    let looks = || -> Result<bool> {
        let kept = budget::kept();
        let root = opened(Arc::new(FileStorage::open(path)?), &kept)?.root_group()?;
        if root.attribute("_NCProperties").is_ok() {
            return Ok(true);
        }
        Ok(root.datasets()?.iter().any(is_scale))
    };
    looks().with_context(|| format!("{}: cannot be read as HDF5", path.display()))
}

/// Opens the file with what the process can spare. What a chunk, a block or a header claims is compared with it before it is
/// allocated; a chunk in deflate takes no more than its stored bytes can become.
pub fn opened(storage: DynStorage, kept: &Held) -> Result<Hdf5File> {
    let options = OpenOptions {
        chunk_cache_bytes: kept.amount(),
        max_chunk_bytes: MAX_CHUNK_BYTES,
        max_read_bytes: MAX_BLOCK_BYTES,
        max_object_header_bytes: MAX_HEADER_BYTES,
        ..OpenOptions::default()
    };
    Ok(Hdf5File::from_storage_with_options(storage, options)?)
}

/// Room for the values of a block and for the chunks they are made of, one after the other.
pub fn room(count: usize, length: u64, chunk: Option<usize>) -> Result<(Held, Held)> {
    let values = budget::block(count, Expansion::DEFLATE, || length)?;
    // A chunk is there as stored and as decoded, and each filter makes one of the other.
    let chunk = chunk.unwrap_or(0).min(MAX_CHUNK_BYTES);
    Ok((values, budget::work(2 * chunk)))
}

/// Bytes of a decoded chunk, where there are chunks.
pub fn chunk_bytes(dataset: &Dataset) -> Option<usize> {
    let sizes = dataset.chunks()?.into_iter();
    let values = sizes.fold(1_usize, |all, size| all.saturating_mul(size as usize));
    let width = kind_of(dataset.dtype()).map_or(8, Kind::bytes);
    Some(values.saturating_mul(width))
}

fn is_scale(dataset: &Dataset) -> bool {
    let (name, class) = SCALE;
    dataset
        .attribute(name)
        .and_then(|attribute| attribute.read_string())
        .is_ok_and(|value| value == class)
}

fn read_header(path: &Path, place: &str) -> Result<Hdf5> {
    let storage = FileStorage::open(path)?;
    let (length, kept) = (storage.len(), budget::kept());
    let file = opened(Arc::new(storage), &kept)?;
    let mut archive = Hdf5 {
        place: place.to_string(),
        length,
        variables: Vec::new(),
        arrays: HashMap::new(),
        _kept: kept,
    };
    archive.collect(&file.root_group()?, "", 0)?;
    Ok(archive)
}

impl Archive for Hdf5 {
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
        let chunk = self
            .arrays
            .get(&variable.name)
            .and_then(|array| array.dataset.chunks());
        chunk
            .and_then(|chunk| chunk.first().copied())
            .map_or(1, |rows| rows.max(1) as usize)
    }
}

impl Hdf5 {
    fn collect(&mut self, group: &Group, prefix: &str, depth: usize) -> Result<()> {
        ensure!(
            depth <= MAX_DEPTH,
            "its groups are nested deeper than {MAX_DEPTH} at `{prefix}`"
        );
        let (groups, datasets) = group.members()?;
        for dataset in datasets {
            let name = format!("{prefix}{}", last_part(dataset.name()));
            self.list(name, dataset)?;
            ensure!(
                self.variables.len() <= MAX_ARRAYS,
                "it has more than {MAX_ARRAYS} arrays"
            );
        }
        for inner in groups {
            self.collect(
                &inner,
                &format!("{prefix}{}/", last_part(inner.name())),
                depth + 1,
            )?;
        }
        Ok(())
    }

    fn list(&mut self, name: String, dataset: Dataset) -> Result<()> {
        let Some(kind) = kind_of(dataset.dtype()) else {
            return Ok(());
        };
        let shape: Vec<usize> = dataset
            .shape()
            .iter()
            .map(|&size| usize::try_from(size))
            .collect::<Result<_, _>>()?;
        ensure!(
            block::values_of(shape.iter().copied()).is_some(),
            "`{name}` claims the shape {shape:?}, which has more values than can be counted"
        );
        let attributes: Map<String, Value> = dataset
            .attributes()
            .iter()
            .filter_map(|attribute| Some((attribute.name.clone(), json_of(attribute)?)))
            .collect();
        let packing = Packing::of(&attributes, kind);
        self.variables.push(Variable {
            name: name.clone(),
            dimensions: vec![String::new(); shape.len()],
            shape,
            attributes: described(attributes),
        });
        let array = Array {
            dataset,
            kind,
            packing,
        };
        self.arrays.insert(name, array);
        Ok(())
    }

    fn values(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>> {
        let count = block::check(variable, block)?;
        let array = self
            .arrays
            .get(&variable.name)
            .ok_or_else(|| anyhow!("it has no such array"))?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let _held = room(count, self.length, chunk_bytes(&array.dataset))?;
        let selections = block
            .iter()
            .map(|range| SliceInfoElem::Slice {
                start: range.start as u64,
                end: range.end as u64,
                step: 1,
            })
            .collect();
        let values = array.numbers(&SliceInfo { selections })?;
        ensure!(
            values.len() == count,
            "it gave {} values where {count} were asked for",
            values.len()
        );
        Ok(values)
    }
}

impl Array {
    fn numbers(&self, selection: &SliceInfo) -> Result<Vec<f64>> {
        match self.kind {
            Kind::Signed(8) => self.read::<i8>(selection, f64::from),
            Kind::Signed(16) => self.read::<i16>(selection, f64::from),
            Kind::Signed(32) => self.read::<i32>(selection, f64::from),
            Kind::Signed(_) => self.read::<i64>(selection, |value| value as f64),
            Kind::Unsigned(8) => self.read::<u8>(selection, f64::from),
            Kind::Unsigned(16) => self.read::<u16>(selection, f64::from),
            Kind::Unsigned(32) => self.read::<u32>(selection, f64::from),
            Kind::Unsigned(_) => self.read::<u64>(selection, |value| value as f64),
            Kind::Float(32) => self.read::<f32>(selection, f64::from),
            Kind::Float(_) => self.read::<f64>(selection, |value| value),
        }
    }

    fn read<T: H5Type + Copy>(
        &self,
        selection: &SliceInfo,
        number: impl Fn(T) -> f64,
    ) -> Result<Vec<f64>> {
        let array = self.dataset.read_slice::<T>(selection)?;
        Ok(array
            .iter()
            .map(|&stored| self.packing.value(number(stored)))
            .collect())
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
