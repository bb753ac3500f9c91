//! A solved Darcy flow: permeability, pressure, and what a sentence says about them.

use pno::pde::darcy::Law;

use crate::live::Place;
use crate::message::Solved;
use crate::picture::square_index;
use crate::scale::{scientific, short};

/// A pressure with its permeability, both `[x, y]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// The permeability that was solved for.
    pub permeability: Vec<f32>,
    /// The pressure.
    pub pressure: Vec<f32>,
    /// How it was found.
    pub told: Solved,
}

impl Flow {
    /// Takes the worker's fields; `None` if they are not two fields of the grid that it tells.
    pub fn from_fields(told: Solved, fields: Vec<Vec<f32>>) -> Option<Self> {
        let [permeability, pressure] = <[_; 2]>::try_from(fields).ok()?;
        let points = (told.cells as usize).pow(2);
        let whole = points > 0 && permeability.len() == points && pressure.len() == points;
        whole.then_some(Self {
            permeability,
            pressure,
            told,
        })
    }

    /// Cells along a side.
    pub fn cells(&self) -> usize {
        self.told.cells as usize
    }

    /// Largest pressure and where it is.
    pub fn peak(&self) -> (f32, Place) {
        let n = self.cells();
        let values = self.pressure.iter().enumerate();
        let (at, value) = values
            .max_by(|a, b| a.1.total_cmp(b.1))
            .unwrap_or((0, &0.0));
        (*value, Place::of_cell(at / n, at % n, n, n))
    }

    /// Mean pressure.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.pressure.iter().map(|&u| f64::from(u)).sum();
        sum / self.pressure.len() as f64
    }

    /// `128 × 128 solved in 12 ms`.
    pub fn cost(&self) -> String {
        let n = self.told.cells;
        let time = short(self.told.milliseconds);
        format!("{n} × {n} solved in {time} ms")
    }

    /// The pressure in one sentence, and its value at a place.
    pub fn sentence(&self, place: Place) -> String {
        let (most, peak) = self.peak();
        let here = self.pressure[square_index(self.cells(), place)];
        format!(
            "Pressure on {n} × {n} cells: largest {} at {}, mean {}. At {}: {}.",
            short(f64::from(most)),
            words_of(peak),
            short(self.mean()),
            words_of(place),
            short(f64::from(here)),
            n = self.told.cells,
        )
    }

    /// The residual as a number to read.
    pub fn residual(&self) -> String {
        scientific(self.told.residual)
    }
}

/// Share of the square that has the high permeability.
pub fn high_share(permeability: &[f32]) -> f64 {
    let [low, high] = Law::Bumps.values();
    let middle = f32::midpoint(low, high);
    let count = permeability.iter().filter(|a| **a > middle).count();
    count as f64 / permeability.len().max(1) as f64
}

/// A place in the unit square.
pub fn words_of(place: Place) -> String {
    format!("x {}, y {}", short(place.across), short(place.upwards))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow() -> Flow {
        let told = Solved {
            cells: 2,
            iterations: 3,
            residual: 4.2e-11,
            milliseconds: 1.25,
        };
        let fields = vec![vec![0.1, 1.0, 1.0, 1.0], vec![0.1, 0.2, 0.4, 0.1]];
        Flow::from_fields(told, fields).expect("whole fields")
    }

    #[test]
    fn the_sentence_is_made_from_the_numbers() {
        let place = Place {
            across: 0.2,
            upwards: 0.7,
        };
        assert_eq!(
            flow().sentence(place),
            "Pressure on 2 × 2 cells: largest 0.4 at x 0.75, y 0.25, mean 0.2. At x 0.2, y 0.7: 0.2."
        );
        assert_eq!(flow().cost(), "2 × 2 solved in 1.25 ms");
        assert_eq!(flow().residual(), "4.2 × 10⁻¹¹");
        assert_eq!(high_share(&flow().permeability), 0.75);
    }

    #[test]
    fn fields_of_the_wrong_size_are_refused() {
        let told = flow().told;
        assert_eq!(Flow::from_fields(told, vec![vec![0.0; 4]]), None);
        assert_eq!(
            Flow::from_fields(told, vec![vec![0.0; 4], vec![0.0; 3]]),
            None
        );
        let empty = Solved { cells: 0, ..told };
        assert_eq!(Flow::from_fields(empty, vec![vec![], vec![]]), None);
    }
}
