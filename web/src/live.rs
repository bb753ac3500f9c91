//! What a visitor can set of the problems that are solved live.

use std::sync::Arc;

use crate::painting::Painting;
use crate::settings::choices;

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

/// A place in a picture, as shares of its width (from the left) and height (from below).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// From the left.
    pub across: f64,
    /// From below.
    pub upwards: f64,
}

impl Place {
    /// The middle of a picture.
    pub const MIDDLE: Self = Self {
        across: 0.5,
        upwards: 0.5,
    };

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

    /// Moved by cells; it stops at the borders, except to the sides of a picture that goes round.
    #[must_use]
    pub fn stepped(
        self,
        right: isize,
        up: isize,
        [rows, columns]: [usize; 2],
        round: bool,
    ) -> Self {
        let (column, row) = self.cell(columns, rows);
        let column = if round {
            (column as isize + right).rem_euclid(columns as isize) as usize
        } else {
            column.saturating_add_signed(right).min(columns - 1)
        };
        let row = row.saturating_add_signed(up).min(rows - 1);
        Self::of_cell(column, row, columns, rows)
    }

    /// As text of an address: three digits tell any cell of a thousand.
    pub fn encode(self) -> String {
        format!("{:.3},{:.3}", self.across, self.upwards)
    }

    /// Reads what [`Place::encode`] wrote.
    pub fn decode(text: &str) -> Option<Self> {
        let (across, upwards) = text.split_once(',')?;
        // As many digits as are written, so that an address means the same after it was written anew.
        let share = |text: &str| {
            let value: f64 = text.parse().ok()?;
            let inside = (0.0..=1.0).contains(&value);
            inside.then(|| (1000.0 * value).round() / 1000.0)
        };
        Some(Self {
            across: share(across)?,
            upwards: share(upwards)?,
        })
    }
}

/// Grids, and the painted permeability.
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
}

impl Default for Live {
    fn default() -> Self {
        Self {
            grid: DarcyGrid::default(),
            painting: None,
            brush: 6,
            paint: Paint::default(),
            sphere: SphereGrid::default(),
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

    /// Draws the brush from one place to another, where there is a painting.
    pub fn stroke(&mut self, from: Place, to: Place) {
        let (diameter, high) = (self.diameter(), self.paint == Paint::High);
        if let Some(painting) = &mut self.painting {
            let ends = [from, to].map(|place| (place.across, place.upwards));
            Arc::make_mut(painting).stroke(ends[0], ends[1], diameter, high);
        }
    }

    /// Changes the grid of the Darcy square; a painting goes along.
    pub fn set_grid(&mut self, grid: DarcyGrid) {
        self.grid = grid;
        if let Some(painting) = &mut self.painting {
            *painting = Arc::new(painting.on(grid.cells()));
        }
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
        let place = Place::of_cell(0, 0, 64, 32);
        let step = |place: Place, right, up, round| place.stepped(right, up, [32, 64], round);
        assert_eq!(step(place, -1, -1, false).cell(64, 32), (0, 0));
        let place = step(place, -1, 1, true);
        assert_eq!(place.cell(64, 32), (63, 1));
        assert_eq!(step(place, 1, 100, true).cell(64, 32), (0, 31));
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
}
