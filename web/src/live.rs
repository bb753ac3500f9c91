//! What a visitor can set where an equation is solved live, without a network beside it.

use std::sync::Arc;

use pno::pde::sswe::CHANNELS;
use serde::{Deserialize, Serialize};

use crate::painting::Painting;
use crate::settings::choices;

/// Last hour that is solved: ten days.
pub const LAST_HOUR: u32 = 240;
/// Widest brush; its unit is a 64th of the side.
pub const WIDEST_BRUSH: u32 = 16;
/// What a brush is measured in.
const BRUSH_UNIT: f64 = 1.0 / 64.0;

choices!(
    /// Cells along a side of the Darcy square.
    DarcyGrid {
        /// The published grid.
        #[default]
        Fine = "128",
        /// The published training grid's number of cells.
        Coarse = "64",
    }
);

impl DarcyGrid {
    /// Cells along a side.
    pub fn cells(self) -> usize {
        match self {
            Self::Fine => 128,
            Self::Coarse => 64,
        }
    }

    /// The grid with this number of cells.
    pub fn with_cells(cells: usize) -> Option<Self> {
        Self::ALL.iter().copied().find(|grid| grid.cells() == cells)
    }
}

choices!(
    /// What the brush leaves behind.
    Paint {
        /// The high permeability.
        #[default]
        High = "high",
        /// The low permeability.
        Low = "low",
    }
);

choices!(
    /// Circles of latitude and longitudes of the shallow water.
    SphereGrid {
        /// Small: every machine keeps up.
        #[default]
        Coarse = "32x64",
        /// Twice as fine, sixteen times the work.
        Fine = "64x128",
    }
);

impl SphereGrid {
    /// Circles of latitude, poles included, and longitudes.
    pub fn sizes(self) -> [usize; 2] {
        match self {
            Self::Coarse => [32, 64],
            Self::Fine => [64, 128],
        }
    }
}

choices!(
    /// Which field of the shallow water is shown.
    Channel {
        /// Depth times gravity.
        #[default]
        Geopotential = "geopotential",
        /// How fast the fluid turns.
        Vorticity = "vorticity",
        /// How fast it spreads.
        Divergence = "divergence",
    }
);

impl Channel {
    /// What it is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::Geopotential => "Geopotential",
            Self::Vorticity => "Vorticity",
            Self::Divergence => "Divergence",
        }
    }

    /// The unit that values are shown in.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Geopotential => "m² s⁻²",
            Self::Vorticity | Self::Divergence => "10⁻⁶ s⁻¹",
        }
    }

    /// The field `[lat, lon]` of a frame `[lat, lon, channel]`, in the unit that is shown.
    pub fn of_frame(self, frame: &[f32]) -> Vec<f32> {
        let (first, factor) = match self {
            Self::Geopotential => (0, 1.0),
            Self::Vorticity => (1, 1e6),
            Self::Divergence => (2, 1e6),
        };
        let values = frame.iter().skip(first).step_by(CHANNELS);
        values.map(|value| value * factor).collect()
    }
}

/// A place in a picture, as shares of its width (from the left) and height (from below).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// From the left.
    pub across: f64,
    /// From below.
    pub upwards: f64,
}

impl Place {
    /// The cell of a picture that holds it: column from the left, row from below.
    pub fn cell(self, columns: usize, rows: usize) -> (usize, usize) {
        let index = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
        (index(self.across, columns), index(self.upwards, rows))
    }

    /// The middle of a cell.
    pub fn of_cell(column: usize, row: usize, columns: usize, rows: usize) -> Self {
        let middle = |index: usize, count: usize| (index as f64 + 0.5) / count as f64;
        Self {
            across: middle(column, columns),
            upwards: middle(row, rows),
        }
    }

    /// As text of an address: three digits tell any cell of a thousand.
    pub fn encode(self) -> String {
        format!("{:.3},{:.3}", self.across, self.upwards)
    }

    /// Reads what [`Place::encode`] wrote.
    pub fn decode(text: &str) -> Option<Self> {
        let (across, upwards) = text.split_once(',')?;
        let share = |text: &str| {
            let value: f64 = text.parse().ok()?;
            (0.0..=1.0).contains(&value).then_some(value)
        };
        Some(Self {
            across: share(across)?,
            upwards: share(upwards)?,
        })
    }
}

/// The settings of both live experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// Grid of the Darcy square, unless a painting has its own.
    pub grid: DarcyGrid,
    /// What the visitor painted; `None` where it is the random field of the seed.
    pub painting: Option<Arc<Painting>>,
    /// Diameter of the brush, in parts of 1/64 of the side.
    pub brush: u32,
    /// What the brush leaves behind.
    pub paint: Paint,
    /// Grid of the shallow water.
    pub sphere: SphereGrid,
    /// Which field of the shallow water is shown.
    pub channel: Channel,
    /// Hours since the first frame.
    pub hour: u32,
    /// Where the value is read, and where a key paints.
    pub place: Place,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            grid: DarcyGrid::default(),
            painting: None,
            brush: 6,
            paint: Paint::default(),
            sphere: SphereGrid::default(),
            channel: Channel::default(),
            hour: 0,
            place: Place {
                across: 0.5,
                upwards: 0.5,
            },
        }
    }
}

impl Live {
    /// Cells along a side of the Darcy square: those of the painting, where there is one.
    pub fn cells(&self) -> usize {
        let painted = self.painting.as_ref().map(|painting| painting.cells());
        painted.unwrap_or_else(|| self.grid.cells())
    }

    /// Diameter of the brush as a share of the side.
    pub fn diameter(&self) -> f64 {
        f64::from(self.brush) * BRUSH_UNIT
    }

    /// Draws the brush from one place to another, where there is a painting; the cursor goes along.
    pub fn stroke(&mut self, from: Place, to: Place) {
        let (diameter, high) = (self.diameter(), self.paint == Paint::High);
        if let Some(painting) = &mut self.painting {
            let ends = [from, to].map(|place| (place.across, place.upwards));
            Arc::make_mut(painting).stroke(ends[0], ends[1], diameter, high);
        }
        self.place = to;
    }

    /// Changes the grid of the Darcy square; a painting goes along.
    pub fn set_grid(&mut self, grid: DarcyGrid) {
        self.grid = grid;
        if let Some(painting) = &mut self.painting {
            *painting = Arc::new(painting.on(grid.cells()));
        }
    }

    /// Moves the place by cells; it stops at the borders, except across a sphere, which goes round.
    pub fn step(&mut self, right: isize, up: isize, [rows, columns]: [usize; 2], round: bool) {
        let (column, row) = self.place.cell(columns, rows);
        let column = if round {
            (column as isize + right).rem_euclid(columns as isize) as usize
        } else {
            column.saturating_add_signed(right).min(columns - 1)
        };
        let row = row.saturating_add_signed(up).min(rows - 1);
        self.place = Place::of_cell(column, row, columns, rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_grids_are_their_sizes() {
        for &grid in DarcyGrid::ALL {
            assert_eq!(grid.name(), grid.cells().to_string());
            assert_eq!(DarcyGrid::with_cells(grid.cells()), Some(grid));
        }
        for &grid in SphereGrid::ALL {
            assert_eq!(grid.name(), grid.sizes().map(|n| n.to_string()).join("x"));
        }
        assert_eq!(DarcyGrid::with_cells(32), None);
    }

    #[test]
    fn a_place_survives_the_address_to_its_cell() {
        for (column, row) in [(0, 0), (127, 63), (64, 31), (3, 60)] {
            let place = Place::of_cell(column, row, 128, 64);
            let back = Place::decode(&place.encode()).expect("a place");
            assert_eq!(back.cell(128, 64), (column, row));
        }
        for text in ["", "0.5", "0.5,1.1", "-0.1,0", "NaN,0", "a,b"] {
            assert_eq!(Place::decode(text), None, "{text}");
        }
    }

    #[test]
    fn keys_stop_at_a_border_and_go_round_a_sphere() {
        let mut live = Live {
            place: Place::of_cell(0, 0, 64, 32),
            ..Live::default()
        };
        live.step(-1, -1, [32, 64], false);
        assert_eq!(live.place.cell(64, 32), (0, 0));
        live.step(-1, 1, [32, 64], true);
        assert_eq!(live.place.cell(64, 32), (63, 1));
        live.step(1, 100, [32, 64], true);
        assert_eq!(live.place.cell(64, 32), (0, 31));
    }

    #[test]
    fn a_painting_goes_along_to_another_grid() {
        let mut live = Live {
            painting: Some(Arc::new(Painting::filled(64, true))),
            ..Live::default()
        };
        assert_eq!(live.cells(), 64, "the painting decides");
        live.set_grid(DarcyGrid::Fine);
        assert_eq!(live.cells(), 128);
    }

    #[test]
    fn a_channel_is_every_third_value_in_its_unit() {
        let frame = [98_000.0, 1e-6, -2e-6, 99_000.0, 3e-6, 4e-6];
        assert_eq!(Channel::Geopotential.of_frame(&frame), [98_000.0, 99_000.0]);
        let close = |found: Vec<f32>, wanted: [f32; 2]| {
            found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5)
        };
        assert!(close(Channel::Vorticity.of_frame(&frame), [1.0, 3.0]));
        assert!(close(Channel::Divergence.of_frame(&frame), [-2.0, 4.0]));
    }
}
