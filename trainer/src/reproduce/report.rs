//! A table with its numbers, before it is written in one format or another.

use super::about::About;
use super::table::Better;

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing, because nothing belongs there.
    Empty,
    /// Nothing, because a job failed or was not done.
    Gap,
    /// Words.
    Text(String),
    /// Mean and standard deviation.
    Number {
        /// Mean over runs.
        mean: f64,
        /// Sample standard deviation over runs.
        std: Option<f64>,
        /// Value of every run, where they are ours.
        runs: Vec<f64>,
    },
}

/// Whose numbers they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Ours.
    Ours,
    /// The paper's.
    Paper,
}

/// One line of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it is of.
    pub label: String,
    /// Whose numbers.
    pub whose: Whose,
    /// Runs behind ours, and runs that were wanted.
    pub runs: Option<[usize; 2]>,
    /// One cell per column.
    pub cells: Vec<Cell>,
    /// Why its numbers should be read with care.
    pub note: Option<String>,
}

/// Lines under one heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The heading; empty for none.
    pub title: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// Head of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// Name in files.
    pub key: String,
    /// Name for people.
    pub label: String,
    /// Name in LaTeX.
    pub latex: String,
    /// Which end is good.
    pub better: Better,
}

/// A picture beside the table.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Illustration {
    /// Path below the folder of the table.
    pub file: String,
    /// What it shows.
    pub caption: String,
}

/// A whole table.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Name in commands and files.
    pub name: &'static str,
    /// What it is of.
    pub title: String,
    /// Where the paper's numbers stand.
    pub source: Option<String>,
    /// Columns.
    pub heads: Vec<Head>,
    /// Lines.
    pub blocks: Vec<Block>,
    /// What to know when reading it.
    pub notes: Vec<String>,
    /// What a person wrote about it: `<table>.notes.md` beside the table.
    pub remarks: Option<String>,
    /// What is missing, and why.
    pub gaps: Vec<String>,
    /// Pictures.
    pub figures: Vec<Illustration>,
    /// Where and how it was made.
    pub about: About,
}

impl Report {
    /// Whether a cell is the best of its column among the lines of the same block and the same origin.
    pub fn is_best(&self, block: &Block, line: &Line, column: usize) -> bool {
        let distance = |line: &Line| match (&line.cells[column], self.heads[column].better) {
            (Cell::Number { mean, .. }, Better::Lower) => Some(*mean),
            (Cell::Number { mean, .. }, Better::Near(goal)) => Some((mean - goal).abs()),
            _ => None,
        };
        let rivals = block.lines.iter().filter(|other| other.whose == line.whose);
        let rivals: Vec<f64> = rivals.filter_map(distance).collect();
        rivals.len() > 1 && distance(line).is_some_and(|own| rivals.iter().all(|r| own <= *r))
    }
}

impl Head {
    /// A number of this column: scores as the paper prints them, times and epochs with one decimal.
    pub fn number(&self, value: f64) -> String {
        match self.key.as_str() {
            "seconds" | "total_seconds" | "seconds_per_epoch" | "epochs" | "memory"
                if value.abs() >= 10.0 =>
            {
                format!("{value:.1}")
            }
            _ => number(value),
        }
    }
}

/// A number as the paper prints it: four decimals, or a power of ten where it is large.
pub fn number(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => value.to_string(),
        size if size >= 1e4 => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A table of two methods and two columns.
    pub fn example() -> Report {
        let head = |key: &str, better| Head {
            key: key.into(),
            label: key.to_uppercase(),
            latex: key.to_uppercase(),
            better,
        };
        let line = |label: &str, whose, numbers: [f64; 2]| Line {
            label: label.into(),
            whose,
            runs: (whose == Whose::Ours).then_some([2, 2]),
            cells: numbers
                .map(|mean| Cell::Number {
                    mean,
                    std: Some(0.01),
                    runs: if whose == Whose::Ours {
                        vec![mean - 0.01, mean + 0.01]
                    } else {
                        vec![]
                    },
                })
                .to_vec(),
            note: (whose == Whose::Paper && label == "MCD").then(|| "Doubtful.".into()),
        };
        Report {
            name: "example",
            title: "An example".into(),
            source: Some("table 1".into()),
            heads: vec![
                head("l2", Better::Lower),
                head("coverage", Better::Near(0.931)),
            ],
            blocks: vec![Block {
                title: "1 h".into(),
                lines: vec![
                    line("PNO_D", Whose::Ours, [0.5, 0.99]),
                    line("PNO_D", Whose::Paper, [0.4, 0.90]),
                    line("MCD", Whose::Ours, [0.6, 0.90]),
                    line("MCD", Whose::Paper, [0.3, 0.50]),
                ],
            }],
            notes: vec!["A note.".into()],
            remarks: Some("It came out well.".into()),
            gaps: vec![],
            figures: vec![Illustration {
                file: "figures/example-maps.svg".into(),
                caption: "Maps".into(),
            }],
            about: About {
                size: "small",
                warning: Some("A reduction."),
                seeds: vec![1, 12],
                members: 100,
                data: vec!["ks: 8 cases".into()],
                trainings: vec![],
                machine: "2 cores".into(),
                device: "CPU".into(),
                command: "pno reproduce example".into(),
                version: "0.0.0",
                date: "2026-01-01".into(),
                seconds: 7200.0,
            },
        }
    }

    #[test]
    fn the_best_is_sought_among_lines_of_one_origin() {
        let report = example();
        let block = &report.blocks[0];
        let best = |line: usize, column| report.is_best(block, &block.lines[line], column);
        assert!(best(0, 0) && !best(2, 0), "ours: the lower L2");
        assert!(!best(1, 0) && best(3, 0), "the paper's: the lower L2");
        assert!(
            !best(0, 1) && best(2, 1),
            "0.90 is nearer to 0.931 than 0.99"
        );
    }

    #[test]
    fn numbers_are_printed_as_in_the_paper() {
        assert_eq!(number(0.8793), "0.8793");
        assert_eq!(number(-1.3444), "-1.3444");
        assert_eq!(number(685.15), "685.15");
        assert_eq!(number(2.3e10), "2.3e10");
        assert_eq!(number(f64::NAN), "NaN");
    }
}
