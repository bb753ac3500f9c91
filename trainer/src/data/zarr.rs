//! The little of Zarr V3 that is needed here: a group of arrays, each cut into chunks along its first axis only.

use std::fs;
use std::io::ErrorKind;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Map, Value, json};
use zarrs::array::codec::ZstdCodec;
use zarrs::array::{
    ArrayBuilder, ArrayBytes, ArrayError, ArrayMetadataOptions, DataType, ElementOwned, FillValue,
    data_type,
};
use zarrs::filesystem::FilesystemStore;
use zarrs::group::{Group, GroupBuilder};
use zarrs::metadata::NodeMetadata;
use zarrs::metadata_ext::group::consolidated_metadata::ConsolidatedMetadata;
use zarrs::storage::StorageError;

use crate::files;
use crate::formats::budget;
use crate::formats::zarr::Codec;

/// Compression that costs little time; noise-like floats do not get much smaller at higher levels.
const ZSTD_LEVEL: i32 = 3;

/// Bytes of the largest chunk: one row of a forecast of 16 frames at the most points that a task may have.
const MAX_CHUNK_BYTES: usize = 1 << 30;
/// Bytes by which a stored chunk may be longer than its values: headers and checksums.
const STORED_SLACK: usize = 1 << 16;
/// Bytes of the description of a group or an array.
const MAX_DESCRIPTION: u64 = 16 << 20;

/// Attributes of a group or an array.
pub type Attributes = Map<String, Value>;

/// A type that arrays are made of.
pub trait Scalar: ElementOwned + Copy + Send + Sync + 'static {
    /// Name in messages.
    const NAME: &'static str;
    /// What pads the last chunk.
    const FILL: Self;
    /// Zarr's name of the type and of the padding.
    fn data_type() -> (DataType, FillValue);
}

impl Scalar for f32 {
    const NAME: &'static str = "float32";
    const FILL: Self = f32::NAN;
    fn data_type() -> (DataType, FillValue) {
        (data_type::float32(), f32::NAN.into())
    }
}

impl Scalar for f64 {
    const NAME: &'static str = "float64";
    const FILL: Self = f64::NAN;
    fn data_type() -> (DataType, FillValue) {
        (data_type::float64(), f64::NAN.into())
    }
}

impl Scalar for i8 {
    const NAME: &'static str = "int8";
    const FILL: Self = -1;
    fn data_type() -> (DataType, FillValue) {
        (data_type::int8(), (-1_i8).into())
    }
}

impl Scalar for i32 {
    const NAME: &'static str = "int32";
    const FILL: Self = -1;
    fn data_type() -> (DataType, FillValue) {
        (data_type::int32(), (-1_i32).into())
    }
}

/// Name, sizes and meaning of an array that is to be made.
pub struct Layout<'a> {
    /// Name in the group.
    pub name: &'a str,
    /// Name of each axis, outermost first.
    pub dimensions: &'a [&'a str],
    /// Size of each axis.
    pub shape: Vec<usize>,
    /// Rows (entries of the first axis) per chunk.
    pub rows: usize,
    /// Units and the like.
    pub attributes: Attributes,
}

/// A folder that is a Zarr group.
pub struct Store {
    root: PathBuf,
    storage: Arc<FilesystemStore>,
}

impl Store {
    /// Uses a folder, which need not exist yet when something is to be written.
    pub fn at(root: &Path) -> Result<Self> {
        let storage = FilesystemStore::new(root)
            .with_context(|| format!("{}: cannot be used as a Zarr store", root.display()))?;
        Ok(Self {
            root: root.to_owned(),
            storage: Arc::new(storage),
        })
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.root.join(name).join("zarr.json").exists()
    }

    /// Attributes of the group.
    pub fn attributes(&self) -> Result<Attributes> {
        let place = self.root.display();
        ensure!(self.root.exists(), "{place}: there is no such folder");
        ensure!(
            self.root.join("zarr.json").exists(),
            "{place}: not a Zarr V3 data set (it has no zarr.json)"
        );
        self.check_description("zarr.json")?;
        let group = Group::open(self.storage.clone(), "/").map_err(|e| {
            anyhow!("{place}/zarr.json: not the description of a Zarr V3 group ({e})")
        })?;
        Ok(group.attributes().clone())
    }

    /// Writes the group's own file. It lists its arrays too, so that readers need one file only; write it last.
    pub fn write_group(&self, attributes: Attributes, arrays: &[&Array]) -> Result<()> {
        let mut group = GroupBuilder::new()
            .attributes(attributes)
            .build(self.storage.clone(), "/")?;
        let mut consolidated = ConsolidatedMetadata::default();
        for array in arrays {
            let metadata = array.inner.metadata_opt(&metadata_options());
            consolidated
                .metadata
                .insert(array.name.clone(), NodeMetadata::Array(metadata));
        }
        group.set_consolidated_metadata(Some(consolidated));
        group
            .store_metadata()
            .map_err(|e| writing(&self.root, "zarr.json", e))
    }

    /// Makes an array without values.
    pub fn create<T: Scalar>(&self, layout: Layout) -> Result<Array> {
        let wide = |sizes: &[usize]| sizes.iter().map(|&n| n as u64).collect::<Vec<_>>();
        let mut chunk = layout.shape.clone();
        chunk[0] = layout.rows;
        let (data_type, fill) = T::data_type();
        let inner = ArrayBuilder::new(wide(&layout.shape), wide(&chunk), data_type, fill)
            .bytes_to_bytes_codecs(vec![Arc::new(ZstdCodec::new(ZSTD_LEVEL, true))])
            .dimension_names(Some(layout.dimensions.iter().copied()))
            .attributes(layout.attributes)
            .build(self.storage.clone(), &format!("/{}", layout.name))
            .with_context(|| {
                format!(
                    "{}: the array `{}` cannot be made",
                    self.root.display(),
                    layout.name
                )
            })?;
        inner
            .store_metadata_opt(&metadata_options())
            .map_err(|e| writing(&self.root, &format!("{}/zarr.json", layout.name), e))?;
        Array::new(inner, &self.root, layout.name)
    }

    /// Makes an array and writes all its values in one chunk.
    pub fn write<T: Scalar>(&self, layout: Layout, values: Vec<T>) -> Result<Array> {
        let array = self.create::<T>(layout)?;
        array.write_chunk(0, values)?;
        Ok(array)
    }

    /// Opens an array and checks its type.
    pub fn open<T: Scalar>(&self, name: &str) -> Result<Array> {
        let place = self.root.display();
        if !self.has(name) {
            bail!("{place}: the array `{name}` is missing");
        }
        self.check_description(&format!("{name}/zarr.json"))?;
        let inner = zarrs::array::Array::open(self.storage.clone(), &format!("/{name}"))
            .map_err(|e| anyhow!("{place}: the array `{name}` cannot be opened ({e})"))?;
        if T::validate_data_type(inner.data_type()).is_err() {
            bail!(
                "{place}: the array `{name}` holds {:?}, but {} is wanted",
                inner.data_type(),
                T::NAME
            );
        }
        let array = Array::new(inner, &self.root, name)?;
        array.check_stored()?;
        Ok(array)
    }

    /// A description is small, whoever wrote it.
    fn check_description(&self, key: &str) -> Result<()> {
        let path = self.root.join(key);
        let length = fs::metadata(&path).map_or(0, |about| about.len());
        ensure!(
            length <= MAX_DESCRIPTION,
            "{}: a description has at most {MAX_DESCRIPTION} bytes, and this one {length}",
            path.display()
        );
        Ok(())
    }
}

/// An open array.
pub struct Array {
    inner: zarrs::array::Array<FilesystemStore>,
    codec: Codec,
    root: PathBuf,
    name: String,
    shape: Vec<usize>,
    rows: usize,
}

impl Array {
    fn new(inner: zarrs::array::Array<FilesystemStore>, root: &Path, name: &str) -> Result<Self> {
        let shape: Vec<usize> = inner.shape().iter().map(|&n| n as usize).collect();
        let place = root.display();
        ensure!(
            !shape.is_empty() && !shape.contains(&0),
            "{place}: the array `{name}` is empty (shape {shape:?})"
        );
        let chunk = inner.chunk_shape_usize(&vec![0; shape.len()])?;
        let product = |sizes: &[usize]| {
            let mut sizes = sizes.iter();
            sizes.try_fold(1_usize, |n, &size| n.checked_mul(size))
        };
        let width = inner.data_type().fixed_size().unwrap_or(1);
        let bytes = product(&chunk).and_then(|values| values.checked_mul(width));
        let bytes = bytes
            .filter(|bytes| *bytes <= MAX_CHUNK_BYTES && product(&shape).is_some())
            .with_context(|| {
                format!("{place}: the array `{name}` of shape {shape:?} is cut into chunks {chunk:?}, but a chunk may have at most {MAX_CHUNK_BYTES} bytes")
            })?;
        ensure!(
            chunk[1..] == shape[1..],
            "{place}: the array `{name}` of shape {shape:?} is cut into chunks {chunk:?}, but it may be cut along its first axis only"
        );
        let sizes = chunk.iter().filter_map(|&n| NonZeroU64::new(n as u64));
        let codec = Codec::new(&inner, sizes.collect(), bytes)
            .map_err(|e| anyhow!("{place}: the array `{name}` cannot be read: {e}"))?;
        Ok(Self {
            inner,
            codec,
            root: root.to_owned(),
            name: name.to_owned(),
            rows: chunk[0],
            shape,
        })
    }

    /// Its name in the group.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Refuses a shape of which not all chunks are stored, before anything is allocated for it.
    fn check_stored(&self) -> Result<()> {
        let is_missing = |index: &usize| !self.root.join(self.key(*index)).exists();
        if let Some(index) = (0..self.chunks()).find(is_missing) {
            bail!(
                "{}: chunk {} is missing: the array `{}` has the shape {:?} in {} chunks of {} rows; make the data set again",
                self.root.display(),
                self.key(index),
                self.name,
                self.shape,
                self.chunks(),
                self.rows
            );
        }
        Ok(())
    }

    /// Size of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// An attribute that is a text.
    pub fn text_attribute(&self, name: &str) -> Option<String> {
        let found = self.inner.attributes().get(name)?;
        Some(found.as_str()?.to_owned())
    }

    /// Name of each axis, empty where there is none.
    pub fn dimensions(&self) -> Vec<String> {
        let names = self.inner.dimension_names().as_deref().unwrap_or_default();
        names
            .iter()
            .map(|name| name.clone().unwrap_or_default())
            .collect()
    }

    /// Rows (entries of the first axis) per chunk.
    pub fn rows_per_chunk(&self) -> usize {
        self.rows
    }

    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.shape[0].div_ceil(self.rows)
    }

    /// Rows that chunk `index` holds.
    pub fn rows_of(&self, index: usize) -> std::ops::Range<usize> {
        let first = index * self.rows;
        first..(first + self.rows).min(self.shape[0])
    }

    /// Scalars per row.
    pub fn row_len(&self) -> usize {
        self.shape[1..].iter().product()
    }

    /// Writes the rows of one chunk; a short last chunk is padded.
    pub fn write_chunk<T: Scalar>(&self, index: usize, mut values: Vec<T>) -> Result<()> {
        values.resize(self.rows * self.row_len(), T::FILL);
        self.inner
            .store_chunk(&self.position(index), values)
            .map_err(|e| writing(&self.root, &self.key(index), e))
    }

    /// Reads the rows of one chunk, without padding.
    ///
    /// A chunk that is not there is an error, not a block of padding as Zarr would have it.
    pub fn read_chunk<T: Scalar>(&self, index: usize) -> Result<Vec<T>> {
        let place = || format!("{}: chunk {}", self.root.display(), self.key(index));
        let damaged =
            |reason: String| anyhow!("{} is damaged ({reason}); make the data set again", place());
        let bytes = self.codec.bytes();
        let path = self.root.join(self.key(index));
        let _held = budget::work(2 * bytes);
        let stored = match files::read_at_most(&path, bytes + bytes / 8 + STORED_SLACK) {
            Ok(stored) => stored,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                bail!("{} is missing; make the data set again", place())
            }
            Err(e) => return Err(damaged(e.to_string())),
        };
        let decoded = self.codec.decode(&stored).map_err(damaged)?;
        let decoded = ArrayBytes::new_flen(decoded);
        let values = T::from_array_bytes(self.inner.data_type(), decoded);
        let mut values = values.map_err(|e| damaged(e.to_string()))?;
        values.truncate(self.rows_of(index).len() * self.row_len());
        Ok(values)
    }

    /// Reads everything.
    pub fn read<T: Scalar>(&self) -> Result<Vec<T>> {
        let mut all = Vec::new();
        for index in 0..self.chunks() {
            all.extend(self.read_chunk::<T>(index)?);
        }
        Ok(all)
    }

    /// Where a chunk is, relative to the group.
    pub fn key(&self, index: usize) -> String {
        self.inner.chunk_key(&self.position(index)).to_string()
    }

    fn position(&self, index: usize) -> Vec<u64> {
        let mut position = vec![0; self.shape.len()];
        position[0] = index as u64;
        position
    }
}

/// Writes the coordinate of an axis: an array named like its only dimension.
pub fn write_coordinate(
    store: &Store,
    name: &str,
    long_name: &str,
    units: &str,
    values: Vec<f64>,
) -> Result<Array> {
    let layout = Layout {
        name,
        dimensions: &[name],
        shape: vec![values.len()],
        rows: values.len(),
        attributes: attributes(json!({ "long_name": long_name, "units": units })),
    };
    store.write(layout, values)
}

/// The entries of a JSON object.
pub fn attributes(value: Value) -> Attributes {
    match value {
        Value::Object(map) => map,
        _ => Attributes::new(),
    }
}

fn metadata_options() -> ArrayMetadataOptions {
    // The library would add an attribute that names itself; ours name the generator already.
    ArrayMetadataOptions::default().with_include_zarrs_metadata(false)
}

/// One sentence for a failed write; a full disk is told apart because the user can do something about it.
fn writing(root: &Path, key: &str, error: impl Into<ArrayError>) -> anyhow::Error {
    let place = root.join(key);
    match error.into() {
        ArrayError::StorageError(StorageError::IOError(e))
            if e.kind() == ErrorKind::StorageFull =>
        {
            anyhow!("{}: the disk is full", place.display())
        }
        error => anyhow!("{}: cannot be written ({error})", place.display()),
    }
}
