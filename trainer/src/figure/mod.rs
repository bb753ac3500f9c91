//! Pictures of fields: SVG with embedded rasters, plain PNG, and a sketch for the terminal.
//!
//! Time runs to the right and position upwards, as in the paper; maps have north at the top.

pub mod chart;
mod forecast;
mod layer;
mod methods;
mod panel;
mod paper;
mod raster;
mod sample;
mod shades;
mod sketch;
mod svg;
mod ticks;
mod verification;

use std::path::Path;

use anyhow::{Result, bail};

use crate::cli::Usage;

pub use self::chart::{Chart, Charts, Mark, Series};
pub use self::forecast::forecast;
pub use self::methods::{Prediction, ScoreMaps, predictions, score_maps};
use self::panel::Panel;
use self::raster::Image;
pub use self::sample::{parts, sample};
pub use self::sketch::sketch;
pub use self::verification::verification;

/// A finished figure: rows of panels under one title.
pub struct Figure {
    title: String,
    rows: Vec<Vec<Panel>>,
}

impl Figure {
    /// Writes the figure in the format of the file's extension: `.svg` with axes and labels, `.png` with the rasters alone.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes = match Format::of(path)? {
            Format::Svg => svg::document(&self.title, &self.rows)?.into_bytes(),
            Format::Png => {
                let row = |panels: &Vec<Panel>| {
                    let images = panels.iter().map(|p| p.image.magnified(p.zoom()));
                    Image::beside(&images.collect::<Vec<_>>(), 16)
                };
                Image::below(&self.rows.iter().map(row).collect::<Vec<_>>()).png()?
            }
        };
        crate::files::write_atomic(path, &bytes)
    }
}

/// The formats a figure can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Vector graphics with embedded rasters.
    Svg,
    /// Pixels.
    Png,
}

impl Format {
    /// Format by extension; commands ask before the long work begins.
    pub fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => bail!(Usage(format!(
                "{}: a figure is written as .svg or .png",
                path.display()
            ))),
        }
    }
}
