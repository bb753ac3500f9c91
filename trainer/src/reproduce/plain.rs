//! Tables that are made of other tables' runs, or of settings alone.

use anyhow::Result;
use pno::spec::{Method, Operator};

use super::build::{Sources, printed, runs};
use super::published::{Published, Row as PublishedRow};
use super::recipe::{settings, task};
use super::report::{Block, Cell, Line, Whose};
use super::size::Size;
use super::source::{Data, Training};
use super::table::Table;
use crate::train::settings::Settings;

/// `1 - S(first) / S(second)` of the mean scores under every heading, and the mean of those that are there.
pub fn skill(table: &Table, sources: &Sources, published: Option<&Published>) -> Vec<Block> {
    let keys: Vec<&str> = table.columns.iter().map(|column| column.key).collect();
    let groups: Vec<&str> = table
        .rows
        .iter()
        .step_by(2)
        .map(|row| row.group.as_str())
        .collect();
    let mut lines = vec![];
    let mut sums = vec![vec![]; keys.len()];
    for (pair, group) in table.rows.chunks(2).zip(&groups) {
        let measured: Vec<_> = pair.iter().map(|row| runs(table, row, sources)).collect();
        let mean = |at: usize, key: &str| -> Option<f64> {
            let values: Vec<f64> = measured[at]
                .iter()
                .filter_map(|r| r.get(key).copied())
                .collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let cells = keys.iter().zip(&mut sums).map(|(key, sum)| {
            let scores = mean(0, key).zip(mean(1, key));
            let Some((d, r)) = scores else {
                return Cell::Gap;
            };
            sum.push(1.0 - d / r);
            single(1.0 - d / r)
        });
        let cells = cells.collect();
        let found = measured.iter().map(Vec::len).min().unwrap_or(0);
        let wanted = sources.wish.seeds_of(table).len();
        lines.push(ours(group, Some([found, wanted]), cells));
        lines.extend(theirs(group, published, &keys));
    }
    let complete = sums.iter().all(|sum| sum.len() == groups.len());
    let label = if complete {
        "mean"
    } else {
        "mean of those that are there"
    };
    let mean = |sum: &Vec<f64>| {
        if sum.is_empty() {
            Cell::Gap
        } else {
            single(sum.iter().sum::<f64>() / sum.len() as f64)
        }
    };
    lines.push(ours(label, None, sums.iter().map(mean).collect()));
    let paper = theirs("mean", published, &keys);
    lines.extend(paper);
    vec![Block {
        title: String::new(),
        lines,
    }]
}

fn single(mean: f64) -> Cell {
    Cell::Number {
        mean,
        std: None,
        runs: vec![],
    }
}

fn ours(label: &str, runs: Option<[usize; 2]>, cells: Vec<Cell>) -> Line {
    Line {
        label: label.to_owned(),
        whose: Whose::Ours,
        runs,
        cells,
        note: None,
    }
}

fn theirs(id: &str, published: Option<&Published>, keys: &[&str]) -> Option<Line> {
    let row: &PublishedRow = published?.find(id)?;
    Some(Line {
        label: id.to_owned(),
        whose: Whose::Paper,
        runs: None,
        cells: keys
            .iter()
            .map(|key| printed(row.values.get(*key)))
            .collect(),
        note: row.note.clone(),
    })
}

/// The networks of the paper's table.
const NETWORKS: [(Data, Operator); 6] = [
    (Data::Darcy, Operator::Fno),
    (Data::Darcy, Operator::Uno),
    (Data::Ks, Operator::Fno),
    (Data::Ks, Operator::Uno),
    (Data::Sswe, Operator::Sfno),
    (Data::Era5, Operator::Fno),
];

/// The presets of a size beside the printed settings.
pub fn settings_table(size: Size, published: Option<&Published>) -> Result<Vec<Block>> {
    let keys = [
        "batch",
        "learning_rate",
        "width",
        "projection",
        "lifting",
        "modes",
        "dropout",
    ];
    let mut lines = vec![];
    for (data, operator) in NETWORKS {
        let task = task(data, size);
        let of = |method| {
            let training = Training::paper(data, operator, method);
            settings(&training, size, 1, task.as_ref(), None)
        };
        let all = [Method::PnoD, Method::PnoR, Method::Mcd, Method::Det].map(of);
        let all: Vec<Settings> = all.into_iter().collect::<Result<_>>()?;
        let id = format!("{}/{operator}", data.name());
        let cells = preset(&all).map(Cell::Text).to_vec();
        lines.push(ours(&id, None, cells));
        lines.extend(theirs(&id, published, &keys));
    }
    Ok(vec![Block {
        title: String::new(),
        lines,
    }])
}

/// The cells of one network, from the settings of its four methods.
fn preset(all: &[Settings]) -> [String; 7] {
    let (model, train) = (&all[0].model, &all[0].train);
    let joined = |values: Vec<String>, by: &str| values.join(by);
    let modes = |modes: &[usize]| {
        let numbers = modes.iter().map(usize::to_string).collect();
        format!("({})", joined(numbers, ", "))
    };
    let (width, modes) = if model.levels.is_empty() {
        (model.width.to_string(), modes(&model.modes))
    } else {
        (
            joined(
                model.levels.iter().map(|l| l.width.to_string()).collect(),
                ", ",
            ),
            joined(model.levels.iter().map(|l| modes(&l.modes)).collect(), ", "),
        )
    };
    let dropout = all.iter().map(|s| s.model.dropout.to_string()).collect();
    let batches = if all.iter().all(|s| s.train.batch == train.batch) {
        train.batch.to_string()
    } else {
        format!("{} / {}", train.batch, all[1].train.batch)
    };
    [
        batches,
        train.learning_rate.to_string(),
        width,
        model.projection.to_string(),
        model.lifting.to_string(),
        modes,
        joined(dropout, " / "),
    ]
}
