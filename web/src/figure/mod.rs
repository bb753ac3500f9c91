//! A figure as plain data: words, axes, paths, and the table behind it. The page only draws it.

mod axis;
mod path;
mod table;

pub use axis::Axis;
pub use table::Table;

/// Side of the square in which paths are drawn; the page stretches it.
pub const SIDE: f32 = 1000.0;

/// What a part of a figure stands for; the style sheet knows how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What really happened.
    Truth,
    /// What the network saw.
    History,
    /// The middle of the members.
    Median,
    /// Their mean.
    Mean,
    /// Central 50 %.
    Inner,
    /// Central 80 %.
    Middle,
    /// Central 95 %.
    Outer,
    /// Single members.
    Members,
    /// What was measured.
    Found,
    /// A second measured curve.
    Second,
    /// Where the members themselves would lie.
    Chance,
    /// What a perfect forecast has.
    Ideal,
    /// A threshold.
    Threshold,
    /// Baseline: random states.
    Climatology,
    /// Baseline: what was seen last.
    Persistence,
    /// Baseline: what was seen last of the same hour.
    SameHour,
}

impl Role {
    /// Its name in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::Truth => "truth",
            Self::History => "history",
            Self::Median => "median",
            Self::Mean => "mean",
            Self::Inner => "inner",
            Self::Middle => "middle",
            Self::Outer => "outer",
            Self::Members => "members",
            Self::Found => "found",
            Self::Second => "second",
            Self::Chance => "chance",
            Self::Ideal => "ideal",
            Self::Threshold => "threshold",
            Self::Climatology => "climatology",
            Self::Persistence => "persistence",
            Self::SameHour => "same-hour",
        }
    }
}

/// How a path is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// As a line.
    Line,
    /// As an area.
    Area,
    /// As dots of a fixed size.
    Dots,
}

impl Paint {
    /// Its name in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Area => "area",
            Self::Dots => "dots",
        }
    }
}

/// One path of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// What it stands for.
    pub role: Role,
    /// How it is painted.
    pub paint: Paint,
    /// Its words in the legend; none where another layer has them.
    pub words: Option<&'static str>,
    /// The path, in a square of side 1000 that the page stretches.
    pub path: String,
}

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Name for tests and files.
    pub name: &'static str,
    /// Heading.
    pub title: String,
    /// How to read it for this forecast: one sentence.
    pub reading: String,
    /// The picture in words, made of its numbers.
    pub label: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Paths, from the back to the front.
    pub layers: Vec<Layer>,
    /// The numbers.
    pub table: Table,
}

impl Figure {
    /// A figure without a path.
    pub fn new(name: &'static str, title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self {
            name,
            title: title.into(),
            reading: String::new(),
            label: String::new(),
            x,
            y,
            layers: vec![],
            table: Table::default(),
        }
    }

    /// With its words: how to read it, and its numbers as a sentence.
    #[must_use]
    pub fn told(mut self, reading: impl Into<String>, label: impl Into<String>) -> Self {
        (self.reading, self.label) = (reading.into(), label.into());
        self
    }

    /// With its numbers.
    #[must_use]
    pub fn with_table(mut self, table: Table) -> Self {
        self.table = table;
        self
    }

    /// The legend: layers with words, in their order.
    pub fn legend(&self) -> impl Iterator<Item = (&Layer, &'static str)> {
        self.layers
            .iter()
            .filter_map(|layer| Some((layer, layer.words?)))
    }
}
