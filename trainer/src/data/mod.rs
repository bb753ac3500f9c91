//! Data sets: Zarr V3 folders that `xarray.open_zarr` opens as they are.
//!
//! ```text
//! DIR/zarr.json        attributes: experiment, title, seed, equation, versions
//! DIR/u                [case, time, x] float32, cut into chunks along `case`
//! DIR/time, DIR/x      coordinates, float64
//! DIR/split            [case] int8: 0 train, 1 valid, 2 test
//! ```

mod dataset;
mod ensemble;
mod generate;
mod partial;
mod split;
mod summary;
mod zarr;

pub use dataset::{Case, Dataset};
pub use ensemble::write_ensemble;
pub use generate::{Plan, generate};
pub use split::{Size, Split};
pub use summary::{REFERENCE_FRAMES, Summary};
