//! `pno`: makes data, trains probabilistic neural operators, scores them and writes the checkpoints the page shows.
//!
//! | room | what is there |
//! |---|---|
//! | [`cli`] | one file per command |
//! | [`data`] | Zarr data sets: generate, open, describe |
//! | [`experiments`] | what the paper trained, in files of `trainer/experiments/` |
//! | [`train`] | the training loop |
//! | [`laplace`] | a deterministic model becomes a Laplace approximation |
//! | [`ensemble`] | several deterministic models become one |
//! | [`perturbed`] | a deterministic model is drawn from perturbed inputs |
//! | [`conformal`] | factors that spread members to a stated coverage |
//! | [`eval`] | scores of a model on a data set, with baselines |
//! | [`reproduce`] | the tables and figures of the paper |
//! | [`exchange`] | safetensors and PyTorch files |
//! | [`formats`] | files of others: NetCDF, HDF5, GRIB, NumPy, Zarr |
//! | [`figure`] | pictures: rasters, SVG, terminal |
//! | [`device`] | from a name to a device, or to a sentence |
//! | [`files`], [`lock`], [`npy`], [`interrupt`], [`wait`], [`logger`] | atomic writes, one process at a time, NumPy arrays, Ctrl-C, futures, reports of libraries |

mod bench;
mod cli;
mod conformal;
mod data;
mod device;
mod ensemble;
mod eval;
mod exchange;
mod experiments;
mod figure;
mod files;
mod formats;
#[doc(hidden)]
pub mod fuzz;
mod interrupt;
mod laplace;
mod lock;
mod logger;
mod npy;
mod perturbed;
mod reproduce;
mod scoring;
#[cfg(test)]
#[path = "../../shared/tests/skip/mod.rs"]
mod skip;
mod train;
mod wait;

pub use cli::main;
