//! One quantity varied: its table, its lines, its charts.

use super::fit::{Fit, steady};
use super::process::Answer;
use crate::figure::{Chart, Mark, Series};
use crate::reproduce::report::{Block, Cell, Line, Whose, number};

/// A quantity that is varied while the others stay.
pub struct Sweep {
    /// What is varied.
    pub name: &'static str,
    /// Its values and what was measured.
    pub points: Vec<(f64, Answer)>,
}

impl Sweep {
    fn times(&self) -> Vec<(f64, f64)> {
        self.points
            .iter()
            .map(|(x, answer)| (*x, answer.seconds))
            .collect()
    }

    fn megabytes(&self) -> Vec<(f64, f64)> {
        let known = self
            .points
            .iter()
            .filter_map(|(x, answer)| Some((*x, answer.bytes? as f64 / 1e6)));
        known.collect()
    }

    /// Rows of the table.
    pub fn block(&self) -> Block {
        let cell = |mean: f64| Cell::Number {
            mean,
            std: None,
            runs: vec![],
        };
        let lines = self.points.iter().map(|(x, answer)| Line {
            label: self.name.to_owned(),
            whose: Whose::Ours,
            runs: None,
            cells: vec![
                Cell::Text(x.to_string()),
                cell(answer.seconds),
                answer
                    .bytes
                    .map_or(Cell::Gap, |bytes| cell(bytes as f64 / 1e6)),
            ],
            note: None,
        });
        Block {
            title: self.name.to_owned(),
            lines: lines.collect(),
        }
    }

    /// How straight the growth is.
    pub fn fits(&self) -> Vec<String> {
        let words = |what: &str, unit: &str, points: &[(f64, f64)]| {
            if let Some([least, most]) = steady(points) {
                return Some(format!(
                    "{what} does not grow with {}: {} to {} {unit}.",
                    self.name,
                    number(least),
                    number(most)
                ));
            }
            let fit = Fit::of(points)?;
            Some(format!(
                "{what} over {}: {} + {} per {} {unit}, R² {:.4}.",
                self.name,
                number(fit.base),
                scientific(fit.slope),
                self.name.trim_end_matches('s'),
                fit.r_squared
            ))
        };
        let all = [
            words("Epoch time", "s", &self.times()),
            words("Peak memory", "MB", &self.megabytes()),
        ];
        all.into_iter().flatten().collect()
    }

    /// Time of an epoch.
    pub fn seconds(&self) -> Chart {
        self.chart("Time", "s per epoch", self.times())
    }

    /// Peak of memory.
    pub fn memory(&self) -> Chart {
        self.chart("Memory", "peak MB", self.megabytes())
    }

    fn chart(&self, what: &str, unit: &str, points: Vec<(f64, f64)>) -> Chart {
        let mut series = vec![];
        let mut hint = String::new();
        if steady(&points).is_some() {
            hint = "the same for all".into();
        } else if let Some(fit) = Fit::of(&points) {
            let ends = points.first().zip(points.last());
            let line = ends.map(|(a, b)| [a.0, b.0].map(|x| (x, fit.base + fit.slope * x)));
            hint = format!("R² {:.4} of a straight line", fit.r_squared);
            series.push(Series {
                name: "straight line".into(),
                mark: Mark::Dashed,
                colour: "#5b6675",
                points: line.map_or(vec![], |line| line.to_vec()),
            });
        }
        series.push(Series {
            name: "measured".into(),
            mark: Mark::Dots,
            colour: "#1f5a99",
            points,
        });
        Chart {
            title: format!("{what} and {}", self.name),
            hint,
            labels: [self.name.to_owned(), unit.to_owned()],
            series,
            band: None,
            logarithmic: [false; 2],
            from_zero: true,
        }
    }
}

fn scientific(value: f64) -> String {
    format!("{value:.3e}")
}
