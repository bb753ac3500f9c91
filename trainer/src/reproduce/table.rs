//! What a table is: rows of models, columns of measures.

use super::recipe;
use super::size::Size;
use super::source::{Data, Evaluation, Source, Training};

/// Which end of a column is the good one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Better {
    /// The least is best.
    Lower,
    /// Closest to this is best.
    Near(f64),
    /// No row is better for it.
    Neither,
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    /// Name in files.
    pub key: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Name in LaTeX.
    pub latex: &'static str,
    /// What is good.
    pub better: Better,
}

const fn column(
    key: &'static str,
    label: &'static str,
    latex: &'static str,
    better: Better,
) -> Column {
    Column {
        key,
        label,
        latex,
        better,
    }
}

/// Coverage of a perfect ensemble of 100 members with the published quantile rule.
pub const PERFECT_COVERAGE: f64 = 0.931;

const L2: Column = column("l2", "L2", r"$\mathcal{L}_{L^2}$", Better::Lower);
const ES: Column = column("energy_score", "energy score", "ES", Better::Lower);
const CRPS: Column = column("crps", "CRPS", "CRPS", Better::Lower);
const NLL: Column = column("nll", "NLL", "NLL", Better::Lower);
const COVERAGE: Column = column(
    "coverage",
    "coverage",
    r"$\mathcal{C}_{0.05}$",
    Better::Near(PERFECT_COVERAGE),
);
const WIDTH: Column = column(
    "interval_width",
    "width",
    r"$|\mathcal{C}_{0.05}|$",
    Better::Neither,
);
const SPREAD_SKILL: Column = column(
    "spread_skill",
    "spread/skill",
    "spread/skill",
    Better::Near(1.0),
);
const EPOCHS: Column = column("epochs", "epochs", "epochs", Better::Neither);
const PER_EPOCH: Column = column("seconds_per_epoch", "s per epoch", "s/epoch", Better::Lower);
const SECONDS: Column = column("seconds", "s", "$t$ [s]", Better::Lower);
const TOTAL: Column = column("total_seconds", "s, all runs", "total [s]", Better::Lower);

/// The columns of the paper's tables of scores.
pub const SCORES: &[Column] = &[L2, ES, CRPS, NLL, COVERAGE, WIDTH];
/// The columns of forecasts of several steps.
pub const STEPS: &[Column] = &[L2, ES, CRPS, NLL, COVERAGE, WIDTH, SPREAD_SKILL];
/// The scores that a skill is made of.
pub const SKILLS: &[Column] = &[
    column("l2", "L2", r"$\mathcal{L}_{L^2}$", Better::Neither),
    column("energy_score", "energy score", "ES", Better::Neither),
    column("crps", "CRPS", "CRPS", Better::Neither),
];
/// The columns of the runtime.
pub const RUNTIME: &[Column] = &[EPOCHS, PER_EPOCH, TOTAL];
/// The columns of the fine-tuning.
pub const FINE_TUNING: &[Column] = &[SECONDS, EPOCHS, L2, ES, CRPS, NLL, COVERAGE, WIDTH];
/// The columns of the number of members.
pub const SAMPLES: &[Column] = &[PER_EPOCH, EPOCHS, L2, ES, CRPS, NLL, COVERAGE];

/// A row: one model, scored in one way.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Heading it stands under; empty for none.
    pub group: String,
    /// What it is called.
    pub label: String,
    /// The model.
    pub source: Source,
    /// How it is scored.
    pub evaluation: Evaluation,
    /// Name of the row in the table of the paper that has the numbers to compare with.
    pub published: Option<String>,
}

impl Row {
    /// A model, one step ahead.
    pub fn new(label: &str, source: Source, published: Option<&str>) -> Self {
        let evaluation = Evaluation::one_step(source.training().data);
        Self {
            group: String::new(),
            label: label.to_owned(),
            source,
            evaluation,
            published: published.map(str::to_owned),
        }
    }

    /// A trained network, one step ahead.
    pub fn trained(label: &str, training: Training, published: Option<&str>) -> Self {
        Self::new(label, Source::Trained(training), published)
    }

    /// The same under a heading.
    #[must_use]
    pub fn under(mut self, group: &str) -> Self {
        group.clone_into(&mut self.group);
        self
    }
}

/// How the numbers of a table come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Scores and times of its rows.
    Measures,
    /// Scores over two dropout rates: a block per score.
    Grid,
    /// Skill of each heading's first row against its second.
    Skill,
    /// Settings; nothing is trained.
    Settings,
    /// Time and memory of short trainings, each in a process of its own.
    Scaling,
}

/// Pictures beside a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// One case: truth, mean, error, spread and coverage of every row.
    Predictions,
    /// CRPS and coverage of every point, for every row on one scale.
    Maps,
    /// Losses against time.
    Curves,
    /// Epochs against time.
    Runtime,
    /// Scores against the Fourier dropout.
    Dropout,
}

/// A table of the paper, or one of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name in commands and files.
    pub name: &'static str,
    /// What it is of.
    pub title: &'static str,
    /// The table of the paper whose numbers stand beside ours.
    pub published: Option<&'static str>,
    /// How its numbers come about.
    pub kind: Kind,
    /// Its columns.
    pub columns: &'static [Column],
    /// Its rows.
    pub rows: Vec<Row>,
    /// Its pictures.
    pub pictures: &'static [Picture],
    /// Seeds, where they are not those of the size.
    pub seeds: Option<&'static [u64]>,
    /// What to know when reading it.
    pub notes: Vec<String>,
}

impl Table {
    /// A table of scores.
    pub fn scores(name: &'static str, title: &'static str, rows: Vec<Row>) -> Self {
        Self {
            name,
            title,
            published: Some(name),
            kind: Kind::Measures,
            columns: SCORES,
            rows,
            pictures: &[],
            seeds: None,
            notes: vec![],
        }
    }

    /// The same with pictures.
    #[must_use]
    pub fn with_pictures(mut self, pictures: &'static [Picture]) -> Self {
        self.pictures = pictures;
        self
    }

    /// The same with a note.
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        self.notes.push(note.to_owned());
        self
    }

    /// Its data sets.
    pub fn data(&self) -> Vec<Data> {
        let used = |data: &Data| {
            let mut rows = self.rows.iter();
            rows.any(|row| row.source.training().data == *data || row.evaluation.data == *data)
        };
        Data::ALL.into_iter().filter(used).collect()
    }

    /// The seeds of its runs: its own, or those of its experiment at this size.
    pub fn seeds(&self, size: Size) -> Vec<u64> {
        if let Some(seeds) = self.seeds {
            return seeds.to_vec();
        }
        let data = self.rows.first().map(|row| row.source.training().data);
        let found = data.and_then(|data| recipe::seeds(data, size).ok());
        // A built-in file that cannot be read is found by its own tests.
        found.unwrap_or_else(|| SEEDS[..2].to_vec())
    }
}

/// The seeds of the paper.
pub const SEEDS: [u64; 9] = [
    1,
    12,
    123,
    1_234,
    12_345,
    123_456,
    1_234_567,
    12_345_678,
    123_456_789,
];
