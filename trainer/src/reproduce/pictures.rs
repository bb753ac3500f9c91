//! The figures beside the tables.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use pno::spec::Method;
use pno::task::Task;

use super::build::{Sources, runs};
use super::report::Illustration;
use super::results::{Epoch, epochs};
use super::source::Source;
use super::table::{Picture, Row, Table};
use crate::data::{Dataset, Split, read_map};
use crate::figure::{self, Chart, Charts, Mark, Prediction, ScoreMaps, Series};
use crate::npy;

const COLOURS: [&str; 6] = [
    "#1f5a99", "#b3361c", "#3a7d44", "#a06a00", "#6b4c9a", "#5b6675",
];

/// Draws the figures of a table into `OUT/<size>/figures`; rows without a result are left out of them.
pub fn draw(table: &Table, sources: &Sources, out: &Path) -> Result<Vec<Illustration>> {
    let folder = out.join(sources.wish.size.name()).join("figures");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut drawn = vec![];
    for picture in table.pictures {
        let (name, caption) = words(*picture);
        let file = format!("{}-{name}.svg", table.name);
        let path = folder.join(&file);
        let size = sources.wish.size;
        let title = format!("{}: {caption} ({size} size)", table.title);
        let done = match picture {
            Picture::Predictions => predictions(table, sources, &title, &path)?,
            Picture::Maps => maps(table, sources, &title, &path)?,
            Picture::Curves => write(
                curves(table, sources),
                &format!("Fine-tuning ({size} size)"),
                &path,
            )?,
            Picture::Runtime => write(
                runtime(table, sources),
                &format!("Runtime ({size} size)"),
                &path,
            )?,
            Picture::Dropout => write(dropout(table, sources), &title, &path)?,
        };
        if done {
            drawn.push(Illustration {
                file: format!("figures/{file}"),
                caption: format!("{}: {caption}", table.title),
            });
        }
    }
    Ok(drawn)
}

fn words(picture: Picture) -> (&'static str, &'static str) {
    match picture {
        Picture::Predictions => ("predictions", "one test case"),
        Picture::Maps => (
            "maps",
            "CRPS and coverage of every point, mean over the test cases",
        ),
        Picture::Curves => ("curves", "losses against training time, first seed"),
        Picture::Runtime => ("time", "epochs against training time, first seed"),
        Picture::Dropout => ("scores", "scores against the Fourier dropout"),
    }
}

/// The rows of one step, each with the name it has in a figure.
fn shown<'a>(table: &'a Table, sources: &Sources) -> Vec<(String, &'a Row)> {
    let rows = sources.wish.rows(table).into_iter();
    let rows: Vec<&Row> = rows.filter(|row| row.evaluation.steps == 1).collect();
    let several = rows.iter().any(|row| row.group != rows[0].group);
    let named = rows.into_iter().map(|row| {
        let label = if several {
            format!("{}, {}", row.label, row.group)
        } else {
            row.label.clone()
        };
        (label, row)
    });
    named.collect()
}

/// The task of the test cases of a table; `None` while there are no data.
fn task(table: &Table, sources: &Sources) -> Option<Task> {
    let row = table.rows.first()?;
    let data = Dataset::open(&sources.place.data(row.evaluation.data)).ok()?;
    Some(data.task_of(Split::Test))
}

fn first_seed(table: &Table, sources: &Sources) -> Option<u64> {
    sources.wish.seeds_of(table).first().copied()
}

fn predictions(table: &Table, sources: &Sources, title: &str, path: &Path) -> Result<bool> {
    let known = task(table, sources).zip(first_seed(table, sources));
    let Some((task, seed)) = known else {
        return Ok(false);
    };
    let mut methods = vec![];
    for (label, row) in shown(table, sources) {
        let folder = sources.place.result(&row.source, &row.evaluation, seed);
        let file = folder.join("case.npy");
        if !file.exists() {
            continue;
        }
        let array = npy::read(&file)?;
        let values = task.output_values();
        ensure!(
            array.shape == [4, values],
            "{}: its shape is {:?}, but [4, {values}] is wanted",
            file.display(),
            array.shape
        );
        let mut parts = array.values.chunks_exact(values).map(<[f32]>::to_vec);
        let mut next = || parts.next().unwrap_or_default();
        methods.push(Prediction {
            label,
            truth: next(),
            mean: next(),
            std: next(),
            hits: next(),
        });
    }
    if methods.is_empty() {
        return Ok(false);
    }
    figure::predictions(&task, &methods, title).write(path)?;
    Ok(true)
}

fn maps(table: &Table, sources: &Sources, title: &str, path: &Path) -> Result<bool> {
    let known = task(table, sources).zip(first_seed(table, sources));
    let Some((task, seed)) = known else {
        return Ok(false);
    };
    let quantity = &task.outputs[0].name;
    let mut methods = vec![];
    for (label, row) in shown(table, sources) {
        let folder = sources.place.result(&row.source, &row.evaluation, seed);
        let file = folder.join("maps.zarr");
        if !file.exists() {
            continue;
        }
        let single = row.source == Source::Trained(row.source.training().clone())
            && row.source.method() == Method::Det;
        let coverage = if single {
            None
        } else {
            Some(read_map(&file, "coverage", quantity)?)
        };
        methods.push(ScoreMaps {
            label,
            crps: read_map(&file, "crps", quantity)?,
            coverage,
        });
    }
    if methods.is_empty() {
        return Ok(false);
    }
    figure::score_maps(&task, &methods, title).write(path)?;
    Ok(true)
}

fn write(charts: Vec<Chart>, title: &str, path: &Path) -> Result<bool> {
    if charts.iter().all(|chart| chart.series.is_empty()) {
        return Ok(false);
    }
    let title = title.to_owned();
    Charts { title, charts }.write(path)?;
    Ok(true)
}

fn chart(title: &str, hint: &str, labels: [&str; 2], series: Vec<Series>) -> Chart {
    Chart {
        title: title.to_owned(),
        hint: hint.to_owned(),
        labels: labels.map(str::to_owned),
        series,
        band: None,
        logarithmic: [false; 2],
        from_zero: false,
    }
}

/// The epochs of every row's first run, each with the time at which it ended (its number, where times are unknown).
fn histories(table: &Table, sources: &Sources) -> Vec<(String, Vec<(f64, Epoch)>)> {
    let Some(seed) = first_seed(table, sources) else {
        return vec![];
    };
    let mut all = vec![];
    for row in sources.wish.rows(table) {
        let folder = sources.place.run(&row.source.training().name, seed);
        let epochs = epochs(&folder).unwrap_or_default();
        let timed = epochs.iter().all(|epoch| epoch.seconds.is_some());
        let mut end = 0.0;
        let placed = epochs.into_iter().map(|epoch| {
            end += epoch.seconds.filter(|_| timed).unwrap_or(1.0);
            (end, epoch)
        });
        let placed: Vec<(f64, Epoch)> = placed.collect();
        if !placed.is_empty() {
            all.push((row.label.clone(), placed));
        }
    }
    all
}

/// What the horizontal axis of [`histories`] is.
fn clock(histories: &[(String, Vec<(f64, Epoch)>)]) -> &'static str {
    let mut epochs = histories.iter().flat_map(|(_, epochs)| epochs);
    if epochs.all(|(_, epoch)| epoch.seconds.is_some()) {
        "seconds of training"
    } else {
        "epochs"
    }
}

/// Training and validation loss of the two ways to a PNO_D; the MCD model has another loss and is left out.
fn curves(table: &Table, sources: &Sources) -> Vec<Chart> {
    let mut histories = histories(table, sources);
    histories.retain(|(label, _)| label.starts_with("PNO"));
    let of = |title: &str, value: fn(&Epoch) -> Option<f64>| {
        let series = histories
            .iter()
            .zip(COLOURS)
            .map(|((label, epochs), colour)| {
                let points = epochs.iter();
                let points = points.filter_map(|(end, epoch)| Some((*end, value(epoch)?)));
                Series {
                    name: label.clone(),
                    mark: Mark::Line,
                    colour,
                    points: points.collect(),
                }
            });
        chart(
            title,
            "without the time of the model that was there before",
            [clock(&histories), "energy score"],
            series.collect(),
        )
    };
    vec![
        of("Training loss", |epoch| epoch.train_loss),
        of("Validation loss", |epoch| Some(epoch.valid_loss)),
    ]
}

/// Steep is fast, long is many epochs.
fn runtime(table: &Table, sources: &Sources) -> Vec<Chart> {
    let histories = histories(table, sources);
    let series = histories
        .iter()
        .zip(COLOURS)
        .map(|((label, epochs), colour)| {
            let ends = epochs.iter().enumerate();
            Series {
                name: label.clone(),
                mark: Mark::Dots,
                colour,
                points: ends.map(|(at, (end, _))| (*end, (at + 1) as f64)).collect(),
            }
        });
    vec![chart(
        "Epochs against time",
        "steep: fast epochs; far right: long training",
        [clock(&histories), "epochs"],
        series.collect(),
    )]
}

/// The chart with the axes of the paper, on which equal distances are equal factors; upwards only where every value is
/// positive, so that none is lost.
fn with_factors(chart: Chart) -> Chart {
    let mut points = chart.series.iter().flat_map(|series| &series.points);
    let positive = points.all(|(_, value)| *value > 0.0);
    Chart {
        logarithmic: [true, positive],
        ..chart
    }
}

/// A chart per score, a line per weight dropout.
fn dropout(table: &Table, sources: &Sources) -> Vec<Chart> {
    let mut rates: Vec<&str> = vec![];
    for row in &table.rows {
        if !rates.contains(&row.group.as_str()) {
            rates.push(&row.group);
        }
    }
    let of_score = |key: &str, label: &str| {
        let series = rates.iter().zip(COLOURS).filter_map(|(p, colour)| {
            let rows = table.rows.iter().filter(|row| row.group == **p);
            let points: Vec<(f64, f64)> = rows
                .filter_map(|row| {
                    let found = runs(table, row, sources);
                    Some((row.label.parse().ok()?, *found.first()?.get(key)?))
                })
                .collect();
            (!points.is_empty()).then(|| Series {
                name: (*p).to_owned(),
                mark: Mark::Dots,
                colour,
                points,
            })
        });
        with_factors(chart(
            label,
            "a line per weight dropout p",
            ["Fourier dropout q", label],
            series.collect(),
        ))
    };
    let columns = table.columns.iter();
    columns
        .map(|column| of_score(column.key, column.label))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axes_of_the_dropout_figure_are_those_of_the_paper_and_lose_no_value() {
        let with = |values: [f64; 2]| {
            let points = [0.01, 0.2].into_iter().zip(values).collect();
            let series = Series {
                name: "p = 0.1".into(),
                mark: Mark::Dots,
                colour: COLOURS[0],
                points,
            };
            with_factors(chart("NLL", "", ["q", "NLL"], vec![series])).logarithmic
        };
        assert_eq!(with([1.5, 3.2]), [true, true]);
        assert_eq!(with([-0.3, 3.2]), [true, false]);
    }
}
