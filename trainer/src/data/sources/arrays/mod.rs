//! A user's own arrays: inputs and targets with named axes, from `.npy`, NetCDF, HDF5 or Zarr.

pub(crate) mod config;
mod opened;

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use pno::spec::Experiment;
use pno::task::{Axis, Coordinate, Domain, Normalisation, Quantity, Task};
use serde_json::json;

use self::config::{Config, FieldConfig};
use self::opened::Opened;
use crate::data::description::{Description, Frames};
use crate::data::missing::Missing;
use crate::data::source::{Contents, Line, Maker, Rows, Scales, Source};
use crate::data::split::Counts;
use crate::formats::Options;

/// Axes a network can have.
const MOST_AXES: usize = pno::spec::MAX_DIMENSIONS;

/// Arrays that a TOML file describes.
pub struct Arrays {
    fields: Vec<Opened>,
    contents: Contents,
}

impl Arrays {
    /// Opens everything that the file names, and checks that it fits together. `missing`, where it is given, is stronger
    /// than what the file says of missing values.
    pub fn open(path: &Path, options: &Options, missing: Option<Missing>) -> Result<Self> {
        let mut config = Config::read(path)?;
        config.missing = missing.unwrap_or(config.missing);
        Self::new(path, &config, options).with_context(|| path.display().to_string())
    }

    fn new(path: &Path, config: &Config, options: &Options) -> Result<Self> {
        let mut fields = open_all(path, config, options)?;
        for field in &fields[1..] {
            field.check_like(&fields[0])?;
        }
        let plan = Plan::of(config, &fields[0])?;
        if config.missing == Missing::Mask {
            for field in &mut fields {
                field.find_mask(&plan.space)?;
            }
        }
        let domain = match config.sphere()? {
            Some(latitudes) => Domain::Sphere(latitudes),
            None => Domain::Flat,
        };
        let space: Vec<Axis> = plan
            .space
            .iter()
            .map(|&axis| fields[0].axis(axis, config))
            .collect::<Result<_>>()?;
        let time = |first: usize, number: usize| -> Result<Option<Axis>> {
            let Some(axis) = plan.time.filter(|_| number > 1) else {
                return Ok(None);
            };
            let mut whole = fields[0].axis(axis, config)?;
            whole.name = "time".into();
            whole.start = if plan.windows {
                whole.step * (first as f64 + 1.0 - plan.input.end() as f64)
            } else {
                whole.start + whole.step * first as f64
            };
            whole.size = number;
            Ok(Some(whole))
        };
        let axes = |frames: Frames| -> Result<Vec<Axis>> {
            let time = time(frames.first, frames.number)?;
            Ok(time.into_iter().chain(space.clone()).collect())
        };
        let quantity = |field: &FieldConfig| -> Result<Quantity> {
            let opened = fields.iter().find(|opened| opened.name == field.name);
            let unit = opened.map_or("", |opened| opened.unit.as_str());
            Ok(Quantity {
                mask: opened.and_then(|opened| opened.mask.clone()),
                ..Quantity::new(&field.name, unit, Normalisation::NONE)
            })
        };
        let input = axes(plan.input)?;
        ensure!(
            (1..=MOST_AXES).contains(&input.len()),
            "its cases have {} axes ({}), but a network takes 1 to {MOST_AXES}",
            input.len(),
            input
                .iter()
                .map(|axis| axis.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        );
        let task = Task {
            // A sphere has no edge to be told; elsewhere the network sees where it is.
            coordinates: match domain {
                Domain::Flat => (0..input.len()).map(Coordinate::unit).collect(),
                Domain::Sphere(_) => Vec::new(),
            },
            input,
            output: axes(plan.output)?,
            inputs: config.inputs.iter().map(quantity).collect::<Result<_>>()?,
            outputs: config.outputs.iter().map(quantity).collect::<Result<_>>()?,
            domain,
        };
        task.validate()?;
        check_sphere(&task, &fields[0], &plan.space)?;
        let coordinates = coordinates(&plan, &fields[0], &task, config)?;
        let (rows, shares) = plan.cases(config, fields[0].rows())?;
        let files: Vec<String> = fields.iter().map(Opened::identity).collect::<Result<_>>()?;
        let contents = Contents {
            experiment: Experiment::Arrays,
            description: Description::of_frames(task, plan.input, plan.output),
            arrays: fields.iter().map(|field| field.plan(&plan)).collect(),
            coordinates,
            rows,
            rows_at_once: fields.iter().map(Opened::rows_together).max().unwrap_or(1),
            shares,
            scales: Scales::OfTraining,
            request: json!({
                "source": "arrays",
                "config": format!("{config:?}"),
                "files": files,
            }),
            attributes: json!({
                "title": config.title,
                "source": fields.iter().map(Opened::place).collect::<Vec<_>>().join(", "),
                "split_seed": config.split.seed,
                "split_rule": if plan.windows {
                    "contiguous blocks of the series, in order train, valid, test, with the length of a window between them"
                } else {
                    "a permutation of the cases by split_seed: first test, then valid, the rest train"
                },
            }),
        };
        Ok(Self { fields, contents })
    }
}

/// Opens every quantity once, inputs first.
fn open_all(path: &Path, config: &Config, options: &Options) -> Result<Vec<Opened>> {
    let mut fields: Vec<Opened> = Vec::new();
    for field in config.inputs.iter().chain(&config.outputs) {
        if !fields.iter().any(|opened| opened.name == field.name) {
            let place = Config::place(path, &field.file);
            let archive = crate::formats::open(&place, options)?;
            fields.push(Opened::new(archive, field, config.axes.as_deref())?);
        }
    }
    Ok(fields)
}

/// What each axis of the arrays is for.
struct Plan {
    /// Whether the rows are steps of one series.
    windows: bool,
    /// Which axis is time, if any.
    time: Option<usize>,
    /// The axes of space.
    space: Vec<usize>,
    input: Frames,
    output: Frames,
}

impl Plan {
    fn of(config: &Config, field: &Opened) -> Result<Self> {
        let names = &field.axes;
        let inner: Vec<usize> = (1..names.len()).collect();
        if let Some(windows) = &config.windows {
            let frames = |first| Frames {
                first,
                number: windows.steps,
            };
            return Ok(Self {
                windows: true,
                time: Some(0),
                space: inner,
                input: frames(0),
                output: frames(windows.steps),
            });
        }
        let Some(frames) = &config.frames else {
            return Ok(Self {
                windows: false,
                time: None,
                space: inner,
                input: Frames::one(0),
                output: Frames::one(0),
            });
        };
        let is_time = |name: &str| matches!(name, "time" | "t" | "valid_time");
        ensure!(
            names.get(1).is_some_and(|name| is_time(name)),
            "[frames] is given, but the second axis of `{}` is not time: its axes are {}",
            field.name,
            names.join(", ")
        );
        let range = |text: &str, what: &str| -> Result<Frames> {
            let (first, number) = config::frames(text).with_context(|| format!("frames.{what}"))?;
            let found = field.shape()[1];
            ensure!(
                first + number <= found,
                "frames.{what} is {text}, but `{}` has {found} frames",
                field.name
            );
            Ok(Frames { first, number })
        };
        let (input, output) = (
            range(&frames.input, "input")?,
            range(&frames.output, "output")?,
        );
        ensure!(
            input.number == output.number,
            "frames.input has {} frames and frames.output {}, but as many are wanted",
            input.number,
            output.number
        );
        Ok(Self {
            windows: false,
            time: Some(1),
            space: inner[1..].to_vec(),
            input,
            output,
        })
    }

    /// Rows of the data set, and the share of every case.
    fn cases(&self, config: &Config, rows: usize) -> Result<(Rows, Vec<i8>)> {
        let split = config.split;
        let per_mille = |share: f64| (share * 1e6).round() as usize;
        let parts = [split.train, split.valid, split.test].map(per_mille);
        if !self.windows {
            let counts = Counts(parts).scaled(rows);
            return Ok((Rows::Cases(rows), counts.shares(split.seed)));
        }
        let stride = config.windows.as_ref().map_or(1, |windows| windows.stride);
        let (starts, shares) = blocks(rows, self.output.end(), stride, parts);
        ensure!(
            !starts.is_empty(),
            "a series of {rows} steps has no room for windows of {} in three parts",
            self.output.end()
        );
        Ok((
            Rows::Series {
                steps: rows,
                starts,
            },
            shares,
        ))
    }
}

/// Windows of `span` steps in three blocks of a series, a window's length apart so that no truth is a neighbour of an input.
fn blocks(steps: usize, span: usize, stride: usize, parts: [usize; 3]) -> (Vec<i32>, Vec<i8>) {
    let total: usize = parts.iter().sum::<usize>().max(1);
    let used = parts.iter().filter(|part| **part > 0).count();
    let room = steps.saturating_sub(span * used.saturating_sub(1));
    let (mut starts, mut shares) = (Vec::new(), Vec::new());
    let mut first = 0;
    for (share, part) in parts.into_iter().enumerate().filter(|(_, part)| *part > 0) {
        let end = first + room * part / total;
        for start in (first..(end + 1).saturating_sub(span)).step_by(stride) {
            starts.push(start as i32);
            shares.push(share as i8);
        }
        first = end + span;
    }
    (starts, shares)
}

/// The latitudes of a file must be those of the sphere's rule.
fn check_sphere(task: &Task, field: &Opened, space: &[usize]) -> Result<()> {
    if task.domain == Domain::Flat {
        return Ok(());
    }
    let wanted = &task.output_coordinates()[0];
    if let Some(found) = field.coordinate(space[0])? {
        for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
            if (found - wanted).abs() > 1e-3 {
                bail!(
                    "the latitude {i} of `{}` is {found}, but {wanted:.4} is wanted: from the north pole to the south, as `sphere` says",
                    field.name
                );
            }
        }
    }
    Ok(())
}

/// The coordinates of the data set.
fn coordinates(plan: &Plan, field: &Opened, task: &Task, config: &Config) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    if let Some(axis) = plan.time {
        let time = field.axis(axis, config)?;
        let units = field.units(axis).unwrap_or_else(|| "1".into());
        lines.push(Line::new("time", "time", &units, time.coordinates()));
    }
    let places = task.output_coordinates();
    let axes = task.output.iter().zip(places);
    for (axis, values) in axes.skip(task.output.len() - plan.space.len()) {
        let units = if axis.unit.is_empty() {
            "1"
        } else {
            &axis.unit
        };
        lines.push(Line::new(&axis.name, &axis.name, units, values));
    }
    Ok(lines)
}

impl Source for Arrays {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn maker(&self) -> Result<Box<dyn Maker + '_>> {
        Ok(Box::new(Reader(self)))
    }
}

struct Reader<'a>(&'a Arrays);

impl Maker for Reader<'_> {
    fn rows(&mut self, rows: Range<usize>) -> Result<Vec<Vec<f32>>> {
        let fields = self.0.fields.iter();
        fields.map(|field| field.read(rows.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_file_that_was_replaced_is_another_request() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let fill = |name: &str, first: f32, age_secs: u64| {
            let values: Vec<f32> = (0..40_u8).map(|i| first + f32::from(i % 7)).collect();
            crate::npy::write(&path(name), &[10, 4], &values, true).expect("written");
            let file = std::fs::File::options().write(true).open(path(name));
            let time = SystemTime::now() - Duration::from_secs(age_secs);
            file.and_then(|file| file.set_modified(time))
                .expect("dated");
        };
        let set = "title = \"a set\"\naxes = [\"case\", \"x\"]\n\
                   [[inputs]]\nname = \"a\"\nfile = \"a.npy\"\n\
                   [[outputs]]\nname = \"u\"\nfile = \"u.npy\"\n";
        std::fs::write(path("set.toml"), set).expect("written");
        let request = || {
            let opened = Arrays::open(&path("set.toml"), &Options::default(), None);
            opened.expect("opens").contents.request
        };
        fill("a.npy", 0.0, 100);
        fill("u.npy", 1.0, 100);
        let before = request();
        assert_eq!(request(), before);
        // The same name, shape and length: half of the one and half of the other would be no data set.
        fill("u.npy", 2.0, 50);
        assert_ne!(request(), before);
    }

    #[test]
    fn blocks_of_a_series_never_touch() {
        for (steps, span, stride) in [(200, 20, 1), (73, 4, 3), (61, 20, 1), (10, 20, 1)] {
            let (starts, shares) = blocks(steps, span, stride, [80, 10, 10]);
            for (a, share_a) in starts.iter().zip(&shares) {
                assert!(*a as usize + span <= steps);
                for (b, share_b) in starts.iter().zip(&shares) {
                    let apart = (a - b).unsigned_abs() as usize;
                    assert!(share_a == share_b || apart >= 2 * span, "{a} and {b}");
                }
            }
        }
        let (starts, shares) = blocks(400, 4, 1, [80, 10, 10]);
        for share in 0..3 {
            assert!(shares.contains(&share), "{shares:?}");
        }
        assert_eq!(starts[0], 0);
    }
}
