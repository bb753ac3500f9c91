//! Fuzz targets of pno: each a plain function of bytes, which libFuzzer calls here and the ordinary tests call with the corpus.
//!
//! | target | what it is given | where it is |
//! |---|---|---|
//! | `checkpoint` | a `.pno` file, or a header around which the rest is made true | `targets/checkpoint.rs` |
//! | `specification` | choices from which a specification and a task are put together | `targets/specification.rs` |
//! | `npy`, `grib`, `netcdf`, `zarr` | a file, or a folder of files | `trainer/src/fuzz/mod.rs` |
//! | `experiment` | TOML | `trainer/src/fuzz/mod.rs` |
//! | `address` | the query of the page's address | `targets/address.rs` |
//! | `embed` | a message to an embedded figure | `targets/embed.rs` |
//!
//! A target that returns has passed, whatever it thought of its input. Memory beyond [`memory::MOST_BYTES`] ends the process
//! like a panic does; libFuzzer watches the time.
//!
//! The trainer's library brings burn, which takes very long to build for a fuzzer. So the files that read are compiled here
//! under the names that they have there.
#![allow(dead_code, missing_docs, unused_imports)]

pub mod memory;

#[path = "../../trainer/src/data/mod.rs"]
mod data;
#[path = "../../trainer/src/experiments/mod.rs"]
mod experiments;
#[path = "../../trainer/src/files.rs"]
mod files;
#[path = "../../trainer/src/formats/mod.rs"]
mod formats;
#[path = "../../trainer/src/interrupt.rs"]
mod interrupt;
mod laplace;
#[path = "../../trainer/src/lock.rs"]
mod lock;
#[path = "../../trainer/src/logger.rs"]
mod logger;
#[path = "../../trainer/src/npy.rs"]
mod npy;
mod train;

#[path = "../targets/checkpoint.rs"]
pub mod checkpoint;
#[path = "../targets/plan.rs"]
mod plan;
#[path = "../../trainer/src/fuzz/mod.rs"]
pub mod readers;
#[path = "../targets/specification.rs"]
pub mod specification;
pub mod page_targets;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

/// Arrays of NumPy, by both readers of them.
pub fn npy(bytes: &[u8]) {
    readers::npy(bytes);
    page_targets::npy::target(bytes);
}

/// The program of a target.
#[macro_export]
macro_rules! main {
    ($target:path) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::memory::limited(|| $target(bytes)));
    };
}
