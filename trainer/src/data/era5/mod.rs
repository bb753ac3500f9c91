//! ERA5 and what looks like it: a field over time, latitude and longitude, cut to a box and a period, and shared out in windows.
//!
//! ```text
//! archives ── variable, axes, unit ── box × period ──> Selection: [row, latitude, longitude]
//! Selection.times ── periods, profile ──> Windows: where each case begins, and which part it belongs to
//! ```
//!
//! The files may be WeatherBench2 Zarr, NetCDF or GRIB: here they are only an [`Archive`](crate::formats::Archive). Nothing is filled in
//! or interpolated: what is not as it should be is told in one sentence.

mod axis;
mod layout;
mod periods;
mod region;
mod selection;
mod times;
mod unit;
mod view;
mod windows;

pub use periods::{Period, Periods};
pub use region::Region;
pub use selection::{Request, Selection};
pub use windows::{Cutting, Windows};

#[cfg(test)]
mod tests;
