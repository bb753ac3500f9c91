//! Data sets: Zarr V3 folders that `xarray.open_zarr` opens as they are.
//!
//! ```text
//! DIR/zarr.json            attributes: experiment, title, seed, equation, versions, and `pno` (task, frames, strides)
//! DIR/<quantity>           [case, time, …space] or [case, …space] float32, cut into chunks along its first axis;
//!                          [time, …space] where cases are windows of one long series
//! DIR/time, DIR/x, …       coordinates, float64
//! DIR/mask_<quantity>      […space] int8: 1 where it never has a value (there it is NaN), where there are such points
//! DIR/split                [case] int8: 0 train, 1 valid, 2 test
//! DIR/window_start         [case] int32: first time step of a case, for windows of a series
//! ```
//!
//! A [`Source`] says what the data set holds and makes its rows; [`write()`] puts them on the disk; [`Dataset`] reads them.

mod cases;
mod cut;
mod dataset;
mod description;
mod ensemble;
pub mod era5;
mod fresh;
mod masks;
pub mod missing;
mod partial;
mod permutation;
mod source;
pub mod sources;
mod split;
mod statistics;
mod write;
mod zarr;

/// Most rows of a data set, and most cases; the hours of a century are 876 000.
pub const MAX_ROWS: usize = 1 << 22;

pub use cases::Loaded;
pub use cut::Case;
pub use dataset::Dataset;
pub use description::Description;
pub use ensemble::{read_map, write_ensemble, write_maps};
pub use fresh::Fresh;
pub use partial::Partial;
pub use source::Source;
pub use split::{Counts, Size, Split};
pub use statistics::{Moments, Statistics};
pub use write::write;
