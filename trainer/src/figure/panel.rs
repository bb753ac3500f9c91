//! One field with its axes and its colours.

use pno::colour::Table;
use pno::task::Axis;

use super::raster::{Image, shade};

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
    /// An axis of a task; pixels are drawn around their coordinate, so the edges lie half a step outside.
    pub fn of(axes: &[&Axis]) -> Self {
        let (first, last) = (axes[0], axes[axes.len() - 1]);
        let unit = if first.unit.is_empty() {
            String::new()
        } else {
            format!(" ({})", first.unit)
        };
        Self {
            label: format!("{}{unit}", first.name),
            lo: first.start - first.step / 2.0,
            hi: last.start + last.step * (last.size as f64 - 0.5),
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
    pub time: Span,
    /// Vertical axis.
    pub x: Span,
    /// What the colours mean.
    pub key: Key,
    /// Place of a vertical rule between two parts of the field.
    pub rule: Option<f64>,
}

impl Panel {
    /// A field `[time, x]` on a continuous scale.
    pub fn scaled(
        title: &str,
        values: &[f32],
        axes: (&[&Axis], &Axis),
        table: &'static Table,
        (lo, hi): (f32, f32),
    ) -> Self {
        Self {
            title: title.to_owned(),
            image: Image::field(values, axes.1.size, shade(table, lo, hi)),
            time: Span::of(axes.0),
            x: Span::of(&[axes.1]),
            key: Key::Scale { table, lo, hi },
            rule: None,
        }
    }

    /// Width of the field in a figure: ten units per frame for a window of twenty.
    pub fn width(&self) -> f64 {
        (self.image.width as f64 * 9.0).clamp(180.0, 480.0)
    }

    /// How often a pixel is repeated in a plain PNG.
    pub fn zoom(&self) -> (usize, usize) {
        (
            (180 / self.image.width.max(1)).max(4),
            (400 / self.image.height.max(1)).max(1),
        )
    }
}
