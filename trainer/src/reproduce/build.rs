//! From a table and what its jobs left behind to numbers in lines and columns.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use pno::task::Task;

use super::about::{About, Trained, machine};
use super::engine::Failures;
use super::jobs::{Job, Wish};
use super::place::Place;
use super::published::{Published, Value};
use super::recipe::{Recipe, settings, task};
use super::report::{Block, Cell, Head, Line, Report, Whose};
use super::results::{Scores, epochs, mean_and_deviation};
use super::size::Size;
use super::source::{Data, Source};
use super::table::{Kind, Row, Table};
use super::{grid, plain};
use crate::data::{Dataset, Split};
use crate::train::date;

/// What a report is made from.
pub struct Sources<'a> {
    /// The working folder.
    pub place: &'a Place,
    /// What was wanted.
    pub wish: &'a Wish,
    /// What failed.
    pub failures: &'a Failures,
    /// Where the networks ran.
    pub device: &'a str,
    /// The command as it was typed.
    pub command: &'a str,
}

/// The report of a table, with the remarks that a person left in the folder of the tables.
pub fn report(table: &Table, sources: &Sources, out: &Path) -> Result<Report> {
    let published = table.published.map(Published::read).transpose()?;
    let blocks = match table.kind {
        Kind::Measures => measures(table, sources, published.as_ref()),
        Kind::Grid => grid::blocks(table, sources, published.as_ref()),
        Kind::Skill => plain::skill(table, sources, published.as_ref()),
        Kind::Settings => plain::settings_table(sources.wish.size, published.as_ref())?,
        Kind::Scaling => vec![],
    };
    let heads = match table.kind {
        Kind::Grid => grid::heads(table),
        _ => table.columns.iter().map(head).collect(),
    };
    let mut notes = table.notes.clone();
    notes.extend(baselines(table, sources));
    let of_paper = published.as_ref().and_then(|p| p.note.as_ref());
    notes.extend(of_paper.map(|note| format!("Paper: {note}")));
    let remarks = out
        .join(sources.wish.size.name())
        .join(format!("{}.notes.md", table.name));
    Ok(Report {
        name: table.name,
        title: table.title.to_owned(),
        source: published.map(|p| p.source),
        heads,
        blocks,
        notes,
        remarks: std::fs::read_to_string(remarks).ok(),
        gaps: gaps(table, sources),
        figures: vec![],
        about: about(table, sources),
    })
}

fn head(column: &super::table::Column) -> Head {
    Head {
        key: column.key.into(),
        label: column.label.into(),
        latex: column.latex.into(),
        better: column.better,
    }
}

/// Ours and the paper's line of every row.
fn measures(table: &Table, sources: &Sources, published: Option<&Published>) -> Vec<Block> {
    let mut blocks: Vec<Block> = vec![];
    for row in sources.wish.rows(table) {
        let lines = lines(table, row, sources, published);
        match blocks.iter_mut().find(|block| block.title == row.group) {
            Some(block) => block.lines.extend(lines),
            None => blocks.push(Block {
                title: row.group.clone(),
                lines,
            }),
        }
    }
    blocks
}

fn lines(table: &Table, row: &Row, sources: &Sources, published: Option<&Published>) -> Vec<Line> {
    let runs = runs(table, row, sources);
    let keys = table.columns.iter().map(|column| column.key);
    let ours = Line {
        label: row.label.clone(),
        whose: Whose::Ours,
        runs: Some([runs.len(), sources.wish.seeds_of_row(table, row).len()]),
        cells: keys.clone().map(|key| ours(row, &runs, key)).collect(),
        note: None,
    };
    let found = row.published.as_ref().zip(published);
    let paper = found.and_then(|(id, published)| published.find(id));
    let paper = paper.map(|found| Line {
        label: row.label.clone(),
        whose: Whose::Paper,
        runs: None,
        cells: keys.map(|key| printed(found.values.get(key))).collect(),
        note: found.note.clone(),
    });
    std::iter::once(ours).chain(paper).collect()
}

/// What the paper prints.
pub fn printed(value: Option<&Value>) -> Cell {
    match value {
        None => Cell::Empty,
        Some(Value::Text(words)) => Cell::Text(words.clone()),
        Some(Value::Numbers(numbers)) => Cell::Number {
            mean: numbers[0],
            std: numbers.get(1).copied(),
            runs: vec![],
        },
    }
}

/// Scores that say nothing of a single output.
const OF_ENSEMBLES: [&str; 4] = ["nll", "coverage", "interval_width", "spread_skill"];

/// Our numbers of one column.
pub fn ours(row: &Row, runs: &[Measures], key: &str) -> Cell {
    let single =
        matches!(row.source, Source::Trained(_)) && row.source.method() == pno::spec::Method::Det;
    if single && OF_ENSEMBLES.contains(&key) {
        return Cell::Empty;
    }
    if key == "total_seconds" {
        let all: Vec<f64> = runs
            .iter()
            .filter_map(|r| r.get("seconds").copied())
            .collect();
        return if all.is_empty() {
            Cell::Gap
        } else {
            Cell::Number {
                mean: all.iter().sum(),
                std: None,
                runs: all,
            }
        };
    }
    let values: Vec<f64> = runs.iter().filter_map(|r| r.get(key).copied()).collect();
    match mean_and_deviation(&values) {
        None => Cell::Gap,
        Some((mean, std)) => Cell::Number {
            mean,
            std,
            runs: values,
        },
    }
}

/// All numbers of one run.
pub type Measures = BTreeMap<String, f64>;

/// The numbers of every run of a row that is there.
pub fn runs(table: &Table, row: &Row, sources: &Sources) -> Vec<Measures> {
    let seeds = sources.wish.seeds_of_row(table, row);
    let run = |&seed: &u64| run(sources.place, row, seed);
    seeds.iter().filter_map(run).collect()
}

fn run(place: &Place, row: &Row, seed: u64) -> Option<Measures> {
    let scores = Scores::read(
        &place.result(&row.source, &row.evaluation, seed),
        &row.evaluation,
    )
    .ok()?;
    let mut all = scores.values;
    let training = row.source.training();
    let epochs = epochs(&place.run(&training.name, seed)).unwrap_or_default();
    if !epochs.is_empty() {
        let noted: Option<f64> = epochs.iter().map(|epoch| epoch.seconds).sum();
        let job = Job::Train(training.clone(), seed).name();
        let seconds = noted.or_else(|| place.times().get(&job).copied());
        let number = epochs.len() as f64;
        all.insert("epochs".into(), number);
        if let Some(seconds) = seconds {
            all.insert("seconds".into(), seconds);
            all.insert("seconds_per_epoch".into(), seconds / number);
        }
    }
    Some(all)
}

/// L2 of the forecasts without a model, once per data set and lead.
fn baselines(table: &Table, sources: &Sources) -> Vec<String> {
    let mut known: Vec<String> = vec![];
    for row in sources.wish.rows(table) {
        let Some(&seed) = sources.wish.seeds_of(table).first() else {
            continue;
        };
        let folder = sources.place.result(&row.source, &row.evaluation, seed);
        let Ok(scores) = Scores::read(&folder, &row.evaluation) else {
            continue;
        };
        let values = scores.baselines.iter();
        let values: Vec<String> = values.map(|(name, l2)| format!("{name} {l2:.4}")).collect();
        let after = match row.evaluation.steps {
            1 => String::new(),
            steps => format!(" after {steps} steps"),
        };
        let words = format!(
            "L2 without a model on {}{after}: {}.",
            row.evaluation.data.name(),
            values.join(", ")
        );
        if !values.is_empty() && !known.contains(&words) {
            known.push(words);
        }
    }
    known
}

/// Why numbers are missing; a reason that several jobs share is told once.
fn gaps(table: &Table, sources: &Sources) -> Vec<String> {
    let mut gaps: Vec<String> = vec![];
    let tables = std::slice::from_ref(table);
    for job in sources.wish.jobs(tables) {
        let Job::Evaluate(source, evaluation, seed) = &job else {
            continue;
        };
        let folder = sources.place.result(source, evaluation, *seed);
        let reason = match sources.failures.get(&job.name()) {
            Some(failure) => failure.why.clone(),
            None if Scores::read(&folder, evaluation).is_err() => {
                "not every job has been done yet".into()
            }
            None => continue,
        };
        if !gaps.contains(&reason) {
            gaps.push(reason);
        }
    }
    gaps
}

fn about(table: &Table, sources: &Sources) -> About {
    let (wish, place) = (sources.wish, sources.place);
    let times = place.times();
    let jobs = wish.jobs(std::slice::from_ref(table));
    let seconds = jobs.iter().filter_map(|job| times.get(&job.name()));
    let data = table.data().into_iter().map(|data| {
        let words = made_by(place, wish.size, data);
        format!("{}: {words}", data.name())
    });
    let mut trainings: Vec<Trained> = vec![];
    for row in wish.rows(table) {
        if let Some(one) = trained(row, sources)
            && !trainings.contains(&one)
        {
            trainings.push(one);
        }
    }
    let seeds = if table.rows.is_empty() {
        vec![]
    } else {
        wish.seeds_of(table)
    };
    About {
        size: wish.size.name(),
        warning: wish.size.warning().filter(|_| table.kind != Kind::Settings),
        seeds,
        members: wish.size.members(),
        data: data.collect(),
        trainings,
        machine: machine(),
        device: sources.device.to_owned(),
        command: sources.command.to_owned(),
        version: env!("CARGO_PKG_VERSION"),
        date: date::today(),
        // An empty sum of floats is -0.
        seconds: seconds.sum::<f64>() + 0.0,
    }
}

/// The command that made a data set, or what it says of itself where somebody put it there.
fn made_by(place: &Place, size: Size, data: Data) -> String {
    let noted = place.request(data).exists();
    // What is made here says what it was asked for, and comes from no file.
    let brought = Dataset::open(&place.data(data)).ok();
    let brought = brought.filter(|found| !noted || found.attributes().contains_key("source"));
    let Some(found) = brought else {
        return match Recipe::of(data, size) {
            Ok(Some(recipe)) => format!("`{}`", recipe.words()),
            _ => "as imported".into(),
        };
    };
    let said = |name: &str| {
        found
            .attributes()
            .get(name)
            .and_then(|value| value.as_str())
    };
    let counts = Split::ALL.map(|split| format!("{} {split}", found.split(split).len()));
    format!(
        "not made here, but {}{}: {}",
        said("title").unwrap_or("data without a title"),
        said("source").map_or(String::new(), |source| format!(" from {source}")),
        counts.join(", ")
    )
}

/// Input and output of a network in training, of the data that are there or will be.
fn task_of(place: &Place, size: Size, data: Data) -> Option<Task> {
    let found = Dataset::open(&place.data(data)).ok();
    found
        .map(|found| found.task_of(Split::Train))
        .or_else(|| task(data, size))
}

fn trained(row: &Row, sources: &Sources) -> Option<Trained> {
    let (wish, training) = (sources.wish, row.source.training());
    let task = task_of(sources.place, wish.size, training.data)?;
    let settings = settings(training, wish.size, 1, Some(&task), None).ok()?;
    let (model, train) = (&settings.model, &settings.train);
    let sizes = |sizes: &[usize]| {
        sizes
            .iter()
            .map(usize::to_string)
            .collect::<Vec<_>>()
            .join(" x ")
    };
    let modes = model
        .levels
        .first()
        .map_or(&model.modes, |level| &level.modes);
    Some(Trained {
        name: training.name.clone(),
        parameters: model.parameter_count(),
        grid: sizes(&task.input_shape()),
        modes: sizes(modes),
        batch: train.batch,
        learning_rate: train.learning_rate,
        epochs: train.all_epochs(),
        loss: format!("{}, M = {}", train.loss, train.members),
        dropout: [model.dropout, model.fourier_dropout],
    })
}
