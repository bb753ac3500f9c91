//! The corpus of the fuzzer through the readers: what once brought one down never does again.
#![allow(missing_docs)]

#[path = "../../fuzz/src/memory.rs"]
mod memory;
#[path = "../../fuzz/src/replay.rs"]
mod replay;

use pno_trainer::fuzz;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

#[test]
fn arrays_of_numpy() {
    replay::replay("npy", fuzz::npy);
}

#[test]
fn zarr_folders() {
    replay::replay("zarr", fuzz::zarr);
}

#[test]
fn grib_files() {
    replay::replay("grib", fuzz::grib);
}

#[test]
fn netcdf_and_hdf5_files() {
    replay::replay("netcdf", fuzz::netcdf);
}

#[test]
fn settings_in_toml() {
    replay::replay("experiment", fuzz::experiment);
}
