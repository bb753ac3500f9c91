//! Pictures of fields: SVG with embedded rasters, plain PNG, and a sketch for the terminal.
//!
//! Time runs to the right and position upwards, as in the paper.

mod forecast;
mod panel;
mod raster;
mod sample;
mod sketch;
mod svg;
mod ticks;

use std::path::Path;

use anyhow::{Result, bail};

use crate::cli::Usage;

pub use self::forecast::forecast;
use self::panel::Panel;
use self::raster::Image;
pub use self::sample::sample;
pub use self::sketch::sketch;

/// A finished figure: panels side by side under one title.
pub struct Figure {
    title: String,
    panels: Vec<Panel>,
}

impl Figure {
    /// Writes the figure in the format of the file's extension: `.svg` with axes and labels, `.png` with the rasters alone.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes = match Format::of(path)? {
            Format::Svg => svg::document(&self.title, &self.panels)?.into_bytes(),
            Format::Png => {
                let images: Vec<Image> = self
                    .panels
                    .iter()
                    .map(|panel| panel.image.magnified(panel.zoom()))
                    .collect();
                Image::beside(&images, 16).png()?
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
