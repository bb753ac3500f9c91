//! One field with its axes and its colours.

use pno::colour::Table;
use pno::task::Axis;

use super::layer::Layer;
use super::raster::{Image, shade};
use super::shades::Shades;

/// What the colours mean.
pub enum Key {
    /// A continuous scale.
    Scale {
        /// The colours.
        table: &'static Table,
        /// Value of the first colour.
        lo: f32,
        /// Value of the last colour.
        hi: f32,
    },
    /// Named colours.
    Names(Vec<([u8; 3], String)>),
}

/// Extent of an axis of a panel.
pub struct Span {
    /// What it says beside it.
    pub label: String,
    /// Coordinate of the low edge.
    pub lo: f64,
    /// Coordinate of the high edge.
    pub hi: f64,
}

impl Span {
    /// An axis; pixels are drawn around their coordinate, so the edges lie half a step outside.
    pub fn of(axis: &Axis) -> Self {
        let unit = if axis.unit.is_empty() {
            String::new()
        } else {
            format!(" ({})", axis.unit)
        };
        Self {
            label: format!("{}{unit}", axis.name),
            lo: axis.start - axis.step / 2.0,
            hi: axis.start + axis.step * (axis.size as f64 - 0.5),
        }
    }
}

/// A field, ready to be drawn.
pub struct Panel {
    /// What is shown.
    pub title: String,
    /// The pixels.
    pub image: Image,
    /// Horizontal axis.
    pub across: Span,
    /// Vertical axis.
    pub up: Span,
    /// What the colours mean.
    pub key: Key,
    /// Place of a vertical rule between two parts of the field.
    pub rule: Option<f64>,
    /// Whether time runs to the right: then a pixel need not be square.
    history: bool,
}

impl Panel {
    /// A field on a continuous scale.
    pub fn scaled(title: &str, layer: &Layer, shades: Shades) -> Self {
        let Shades { table, lo, hi } = shades;
        let key = Key::Scale { table, lo, hi };
        Self::coloured(title, layer, shade(table, lo, hi), key)
    }

    /// A field in colours of one's own.
    pub fn coloured(title: &str, layer: &Layer, colour: impl Fn(f32) -> [u8; 3], key: Key) -> Self {
        Self {
            title: title.to_owned(),
            image: Image::field(&layer.values, layer.up.size, colour),
            across: Span::of(&layer.across),
            up: Span::of(&layer.up),
            key,
            rule: None,
            history: layer.is_history(),
        }
    }

    /// Width of the field in a figure of the given height: ten units per frame for a window of twenty, square pixels in space.
    pub fn width(&self, height: f64) -> f64 {
        let width = if self.history {
            self.image.width as f64 * 9.0
        } else {
            height * self.image.width as f64 / self.image.height as f64
        };
        width.clamp(180.0, 620.0)
    }

    /// How often a pixel is repeated in a plain PNG.
    pub fn zoom(&self) -> (usize, usize) {
        let (width, height) = (self.image.width.max(1), self.image.height.max(1));
        if self.history {
            return ((180 / width).max(4), (400 / height).max(1));
        }
        let zoom = (300 / height).max(1);
        (zoom, zoom)
    }
}
