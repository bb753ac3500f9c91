//! ERA5 and what looks like it: windows of one long series of maps.

use std::ops::Range;

use anyhow::{Result, ensure};
use pno::spec::{Experiment, Profile};
use pno::task::{Axis, Coordinate, Domain, Normalisation, Quantity, Task};
use serde_json::json;

use crate::data::description::{Description, Frames};
use crate::data::era5::{Cutting, Selection, Windows};
use crate::data::missing::Missing;
use crate::data::source::{Contents, Field, Line, Maker, Rows, Scales, Source};
use crate::formats::cf::format_date;
use crate::formats::identity;

const HOUR_SECS: i64 = 3600;
/// Names that the 2 m temperature has in one file or another.
const TEMPERATURE: [&str; 4] = ["2m_temperature", "t2m", "2t", "T2M"];

/// A box of maps and the windows that are cut out of it.
pub struct Era5 {
    selection: Selection,
    /// First step of the selection that a window uses.
    first: usize,
    contents: Contents,
}

impl Era5 {
    /// Cuts windows; steps that no window uses are never read.
    pub fn new(
        mut selection: Selection,
        sources: &[String],
        cutting: &Cutting,
        missing: Missing,
    ) -> Result<Self> {
        ensure!(
            cutting.inputs == cutting.outputs && cutting.inputs >= 2,
            "{} steps of input and {} of truth, but as many are wanted, and at least 2",
            cutting.inputs,
            cutting.outputs
        );
        let windows = Windows::cut(&selection.times, cutting)?;
        let span = cutting.inputs + cutting.outputs;
        let first = windows.starts.iter().copied().min().unwrap_or(0) as usize;
        let last = windows.starts.iter().copied().max().unwrap_or(0) as usize;
        let steps = last + span - first;
        let starts = windows
            .starts
            .iter()
            .map(|&start| start as i32 - first as i32);
        // First, because it refuses more points than there can be.
        let mut task = task_of(&selection, cutting)?;
        if missing == Missing::Mask {
            selection.mask_as(first)?;
            task = task_of(&selection, cutting)?;
        }
        let paper = cutting.profile == Profile::Paper;
        let quantity = task.outputs[0].clone();
        let frames = |first| Frames {
            first,
            number: cutting.inputs,
        };
        let times = &selection.times[first..first + steps];
        let files: Vec<String> = sources
            .iter()
            .map(|source| identity(source))
            .collect::<Result<_>>()?;
        let sizes = [&selection.latitudes, &selection.longitudes].map(Vec::len);
        let contents = Contents {
            experiment: Experiment::Era5,
            description: Description::of_frames(task, frames(0), frames(cutting.inputs)),
            arrays: vec![Field {
                long_name: quantity.name.replace('_', " "),
                name: quantity.name,
                units: quantity.unit,
                axes: vec![
                    ("latitude".into(), sizes[0]),
                    ("longitude".into(), sizes[1]),
                ],
            }],
            coordinates: coordinates(&selection, times),
            rows: Rows::Series {
                steps,
                starts: starts.collect(),
            },
            rows_at_once: selection.rows_together(),
            shares: windows.shares,
            scales: if paper {
                Scales::Given
            } else {
                Scales::OfTraining
            },
            request: json!({
                "source": "era5",
                "sources": sources,
                "files": files,
                "variable": selection.variable,
                "latitudes": [selection.latitudes.first(), selection.latitudes.last()],
                "longitudes": [selection.longitudes.first(), selection.longitudes.last()],
                "times": [times.first(), times.last()],
                "units": selection.units,
                "steps": steps,
                "cutting": format!("{cutting:?}"),
                "missing": missing.to_string(),
            }),
            attributes: json!({
                "title": format!("{} over time, latitude and longitude", selection.variable),
                "source": sources.join(", "),
                "variable": selection.variable,
                "period": format!("{} to {}", format_date(times[0]), format_date(times[steps - 1])),
                "train_period": windows.periods[0],
                "valid_period": windows.periods[1],
                "test_period": windows.periods[2],
                "profile": cutting.profile.name(),
                "frames": format!("a case is {} steps of input and the next {} as truth", cutting.inputs, cutting.outputs),
                "split_seed": if paper { json!(42) } else { json!(null) },
                "split_rule": if paper {
                    "as published: a random 80 % of the overlapping windows of the training period for training, the others for validation (torch's permutation of seed 42)"
                } else {
                    "by periods: every window lies in one, and no two windows of different parts touch"
                },
                "notes": selection.notes.join("; "),
            }),
        };
        Ok(Self {
            selection,
            first,
            contents,
        })
    }
}

/// Time, latitude and longitude of what is written.
fn coordinates(selection: &Selection, times: &[i64]) -> Vec<Line> {
    let hours = times.iter().map(|&t| t as f64 / HOUR_SECS as f64).collect();
    let degrees =
        |name: &str, unit: &str, values: &[f64]| Line::new(name, name, unit, values.to_vec());
    vec![
        Line::new("time", "time (UTC)", "hours since 1970-01-01", hours),
        degrees("latitude", "degrees_north", &selection.latitudes),
        degrees("longitude", "degrees_east", &selection.longitudes),
    ]
}

/// The task of windows of so many steps each, without normalisation.
pub fn window_task(selection: &Selection, steps: usize) -> Result<Task> {
    let cutting = Cutting {
        inputs: steps,
        outputs: steps,
        ..Cutting::default()
    };
    task_of(selection, &cutting)
}

/// The task: as many steps as go in come out. The network sees latitude, time within the window, and longitude, as published.
fn task_of(selection: &Selection, cutting: &Cutting) -> Result<Task> {
    let step_hours = (selection.times[1] - selection.times[0]) as f64 / HOUR_SECS as f64;
    let time = |start: f64| Axis::new("time", cutting.inputs, start, step_hours, "hours");
    let line = |name: &str, values: &[f64], unit: &str| -> Result<Axis> {
        ensure!(
            values.len() >= 2,
            "the box has {} of the {name}s, but at least 2 are wanted",
            values.len()
        );
        let step = (values[values.len() - 1] - values[0]) / (values.len() - 1) as f64;
        Ok(Axis::new(name, values.len(), values[0], step, unit))
    };
    let latitude = line("latitude", &selection.latitudes, "degrees_north")?;
    let longitude = line("longitude", &selection.longitudes, "degrees_east")?;
    let name = if TEMPERATURE.contains(&selection.variable.as_str()) {
        TEMPERATURE[0]
    } else {
        &selection.variable
    };
    let scale = match cutting.profile {
        Profile::Paper => Task::era5().outputs[0].normalisation,
        Profile::Fixed => Normalisation::NONE,
    };
    let field = Quantity {
        mask: selection.mask.clone(),
        ..Quantity::new(name, &selection.units, scale)
    };
    let n = cutting.inputs as f64;
    let task = Task {
        input: vec![
            time(-step_hours * (n - 1.0)),
            latitude.clone(),
            longitude.clone(),
        ],
        output: vec![time(step_hours), latitude, longitude],
        inputs: vec![field.clone()],
        outputs: vec![field],
        coordinates: vec![
            Coordinate::unit(1),
            Coordinate {
                axis: 0,
                first: 0.0,
                last: (n - 1.0) / (2.0 * n - 1.0),
            },
            Coordinate::unit(2),
        ],
        domain: Domain::Flat,
    };
    task.validate()?;
    Ok(task)
}

impl Source for Era5 {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn maker(&self) -> Result<Box<dyn Maker + '_>> {
        Ok(Box::new(Reader(self)))
    }
}

struct Reader<'a>(&'a Era5);

impl Maker for Reader<'_> {
    fn rows(&mut self, rows: Range<usize>) -> Result<Vec<Vec<f32>>> {
        let first = self.0.first;
        let values = self
            .0
            .selection
            .read(rows.start + first..rows.end + first)?;
        Ok(vec![values])
    }
}
