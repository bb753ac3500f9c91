//! Selections from files that exist only in memory, and from one that xarray wrote.

#![expect(
    clippy::single_range_in_vec_init,
    reason = "a list of blocks may have one"
)]

mod files;
mod quirks;
mod refusals;
mod zarr;
