//! Reading a data set: everything is checked when it is opened or read, and what is wrong is said with its place.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail, ensure};
use pno::spec::Experiment;
use pno::task::{Axis, Quantity, Task};
use rayon::prelude::*;

use super::cases::Loaded;
use super::cut::{Case, Cut};
use super::description::Frames;
use super::masks;
use super::statistics::Statistics;
use super::zarr::{Array, Attributes, Scalar, Store};
use super::{Description, MAX_ROWS, Split};

/// Most steps that a forecast may have.
const MAX_STEPS: usize = 1000;
/// Most values of a coordinate: the most points that a task may have.
const MAX_AXIS: usize = pno::task::MAX_POINTS;

/// An open data set.
pub struct Dataset {
    path: PathBuf,
    experiment: Experiment,
    attributes: Attributes,
    description: Description,
    /// One per quantity, in the order of [`Description::arrays`].
    arrays: Vec<Array>,
    /// First row of every case.
    starts: Vec<usize>,
    shares: Vec<i8>,
    /// Cases per split, in the order of [`Split::ALL`].
    splits: [Vec<usize>; 3],
    fingerprint: OnceLock<String>,
}

impl Dataset {
    /// Opens a data set and checks all but the values, which are read later.
    pub fn open(path: &Path) -> Result<Self> {
        let store = Store::at(path)?;
        let attributes = store.attributes()?;
        let place = path.display();
        let experiment = attributes
            .get("experiment")
            .and_then(|value| value.as_str())
            .with_context(|| format!("{place}: the attribute `experiment` is missing, so this is not a data set of ours"))?
            .parse::<Experiment>()
            .with_context(|| format!("{place}: its attribute `experiment`"))?;
        let mut description = Description::read(&attributes, path)?;
        masks::read(&store, &mut description).with_context(|| place.to_string())?;
        let arrays: Vec<Array> = description
            .arrays()
            .iter()
            .map(|name| store.open::<f32>(name))
            .collect::<Result<_>>()?;
        let windows = store.has("window_start");
        let rows = check_shapes(&description, &arrays, windows, path)?;
        check_coordinates(&store, &description, path)?;
        let starts = if windows {
            starts(&store, &description, rows)
                .with_context(|| format!("{place}: the array `window_start`"))?
        } else {
            (0..rows).collect()
        };
        let shares = short::<i8>(&store, "split", MAX_ROWS)
            .with_context(|| format!("{place}: the array `split`"))?;
        let splits = cases_of_splits(&shares, starts.len())
            .with_context(|| format!("{place}: the array `split`"))?;
        Ok(Self {
            path: path.to_owned(),
            experiment,
            attributes,
            description,
            arrays,
            starts,
            shares,
            splits,
            fingerprint: OnceLock::new(),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it was made for.
    pub fn experiment(&self) -> Experiment {
        self.experiment
    }

    /// Input and output of a model, on the stored grid.
    pub fn task(&self) -> &Task {
        &self.description.task
    }

    /// Input and output of a model on the grid of a split, which may be coarser than the stored one.
    pub fn task_of(&self, split: Split) -> Task {
        self.description.task_of(split)
    }

    /// What its maker says of it.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Number of cases.
    pub fn cases(&self) -> usize {
        self.starts.len()
    }

    /// Indices of the cases of a split, in storage order.
    pub fn split(&self, split: Split) -> &[usize] {
        &self.splits[split as usize]
    }

    /// Split of a case.
    pub fn split_of(&self, case: usize) -> Option<Split> {
        let share = usize::try_from(*self.shares.get(case)?).ok()?;
        Split::ALL.get(share).copied()
    }

    /// Name and statistics of every array, frame by frame. Reads everything.
    pub fn statistics(&self) -> Result<Vec<(&str, Statistics)>> {
        let frames = self.frames_per_row();
        let names = self.description.arrays();
        let pairs = names.into_iter().zip(&self.arrays);
        pairs
            .map(|(name, array)| {
                let mask = self.description.mask_of(name);
                Ok((name, Statistics::of(array, frames, mask, |_| true)?))
            })
            .collect()
    }

    /// Hash over attributes, splits and values, so it needs to read everything: once, then it is remembered. Chunking and
    /// compression do not matter.
    pub fn fingerprint(&self) -> Result<String> {
        if let Some(known) = self.fingerprint.get() {
            return Ok(known.clone());
        }
        let found = self.hashed()?;
        Ok(self.fingerprint.get_or_init(|| found).clone())
    }

    fn hashed(&self) -> Result<String> {
        let mut hasher = blake3::Hasher::new();
        // Sorted, because another program may have written them in another order.
        let sorted: BTreeMap<_, _> = self.attributes.iter().collect();
        let attributes = serde_json::to_vec(&sorted)?;
        hasher.update(&(attributes.len() as u64).to_le_bytes());
        hasher.update(&attributes);
        let shares: Vec<u8> = self.shares.iter().map(|&share| share as u8).collect();
        hasher.update(&shares);
        for start in &self.starts {
            hasher.update(&(*start as u64).to_le_bytes());
        }
        // Read by all threads, as many chunks at once as there are threads; hashed in their order.
        let threads = rayon::current_num_threads().max(1);
        for (array, name) in self.arrays.iter().zip(self.description.arrays()) {
            if let Some(mask) = self.description.mask_of(name) {
                hasher.update(&masks::bytes(mask));
            }
            for first in (0..array.chunks()).step_by(threads) {
                let last = (first + threads).min(array.chunks());
                let read = (first..last).into_par_iter().map(|chunk| {
                    let values = self.chunk(array, chunk)?.into_iter();
                    Ok(values.flat_map(f32::to_le_bytes).collect())
                });
                for bytes in read.collect::<Result<Vec<Vec<u8>>>>()? {
                    hasher.update(&bytes);
                }
            }
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// One case, on the grid of its split.
    pub fn case(&self, index: usize) -> Result<Case> {
        ensure!(
            index < self.cases(),
            "{}: there is no case {index}; the last one is {}",
            self.path.display(),
            self.cases() - 1
        );
        let split = self
            .split_of(index)
            .with_context(|| format!("{}: case {index} has no split", self.path.display()))?;
        Ok(self.load_cases(split, &[index])?.case(0))
    }

    /// One case whose truth is that after some steps, each as long as the first.
    pub fn case_after(&self, index: usize, steps: usize) -> Result<Case> {
        let case = self.case(index)?;
        if steps == 1 {
            return Ok(case);
        }
        self.check_steps(steps)?;
        let split = self
            .split_of(index)
            .with_context(|| format!("{}: case {index} has no split", self.path.display()))?;
        let truth = self.load_cases(split, &[index])?.truth(0, steps);
        Ok(Case { truth, ..case })
    }

    /// Input and truths of a forecast of some steps of one case, on the grid of its split.
    pub fn forecast(&self, index: usize, steps: usize) -> Result<(Vec<f32>, Vec<Vec<f32>>)> {
        self.check_steps(steps)?;
        if steps == 1 {
            let Case { input, truth } = self.case(index)?;
            return Ok((input, vec![truth]));
        }
        let split = self
            .split_of(index)
            .with_context(|| format!("{}: case {index} has no split", self.path.display()))?;
        Ok(self.load_cases(split, &[index])?.described(0, steps))
    }

    /// Whether a case is a step from one state to a later one.
    pub fn is_stepping(&self) -> bool {
        let Description { input, output, .. } = &self.description;
        !self.description.has_time_axis() && output.first > input.first
    }

    /// How many states of every case forecasts may be about: the frames of a trajectory from the first truth on, otherwise
    /// the one truth.
    pub fn states_per_case(&self) -> usize {
        Cut::new(&self.description, Split::Train, self.frames_per_row()).states()
    }

    /// One of those states, on the grid of a split.
    pub fn state(&self, split: Split, case: usize, state: usize) -> Result<Vec<f32>> {
        Ok(self.load_cases(split, &[case])?.state(0, state))
    }

    /// How long a step from input to truth takes, with its unit (empty for model units). `None` where the output has an axis
    /// of time itself, and where the data do not say.
    pub fn step_time(&self) -> Result<Option<(f64, String)>> {
        let store = Store::at(&self.path)?;
        let is_known = store.has("time") && !store.has("window_start");
        if self.description.has_time_axis() || !is_known {
            return Ok(None);
        }
        let array = store.open::<f64>("time")?;
        let times = short::<f64>(&store, "time", MAX_AXIS)?;
        let time = |frames: Frames| times.get(frames.first);
        let ends = time(self.description.input).zip(time(self.description.output));
        let unit = array.text_attribute("units").unwrap_or_default();
        let unit = if unit == "1" { String::new() } else { unit };
        Ok(ends.map(|(start, end)| (end - start, unit)))
    }

    /// Whether every case has the truth of this many steps, and a step begins with what the one before gave.
    pub fn check_steps(&self, steps: usize) -> Result<()> {
        let Description {
            task,
            input,
            output,
            ..
        } = &self.description;
        let place = self.path.display();
        ensure!(
            (1..=MAX_STEPS).contains(&steps),
            "{steps} steps: 1 to {MAX_STEPS} are possible"
        );
        if steps == 1 {
            return Ok(());
        }
        ensure!(
            task.feeds_back() && output.first > input.first,
            "{place}: {steps} steps need an output that can be the next input, the same quantities on the same axes, but a case maps {} to {}",
            names(&task.inputs),
            names(&task.outputs)
        );
        let last = output.first + (steps - 1) * (output.first - input.first);
        let frames = self.frames_per_row();
        ensure!(
            last < frames,
            "{place}: {steps} steps need frame {last} of every case, but it has {frames} frames per case (from 0)"
        );
        Ok(())
    }

    /// Whether trajectories can be entered at other frames than the data set says, for forecasts of so many steps.
    pub fn check_entries(&self, steps: usize) -> Result<()> {
        let (description, place) = (&self.description, self.path.display());
        let cut = self.cut(Split::Train);
        ensure!(
            cut.lag() > 0 && cut.rows == 1 && !description.has_time_axis(),
            "{place}: its cases are no steps of trajectories, so there are no other frames to begin at"
        );
        ensure!(
            cut.beginnings(steps) > 0,
            "{place}: {steps} steps need {} frames of a trajectory, but it has {}",
            1 + steps * cut.lag(),
            self.frames_per_row()
        );
        Ok(())
    }

    /// All cases of a split in memory: every value once, however many windows share it.
    pub fn load(&self, split: Split) -> Result<Loaded> {
        let cases = self.split(split);
        ensure!(
            !cases.is_empty(),
            "{}: its {split} split has no cases",
            self.path.display()
        );
        self.load_cases(split, cases)
    }

    /// How cases of a split are cut out of rows.
    pub fn cut(&self, split: Split) -> Cut {
        Cut::new(&self.description, split, self.frames_per_row())
    }

    /// The axes inside a frame, as stored.
    pub fn space(&self) -> &[Axis] {
        self.description.space()
    }

    /// Whether a description is that of these data, whatever the scales.
    pub fn describes(&self, description: &Description) -> bool {
        let mut other = description.clone();
        let sides = [
            (&mut other.task.inputs, &self.task().inputs),
            (&mut other.task.outputs, &self.task().outputs),
        ];
        for (theirs, ours) in sides {
            for (theirs, ours) in theirs.iter_mut().zip(ours) {
                (theirs.normalisation, theirs.increment) = (ours.normalisation, ours.increment);
            }
        }
        other == self.description
    }

    /// At most so many cases of a split, evenly spread.
    pub fn load_some(&self, split: Split, most: usize) -> Result<Loaded> {
        let cases = self.split(split);
        let count = most.min(cases.len());
        let spread = (0..count).map(|i| cases[i * cases.len() / count]);
        self.load_cases(split, &spread.collect::<Vec<_>>())
    }

    fn load_cases(&self, split: Split, cases: &[usize]) -> Result<Loaded> {
        let cut = self.cut(split);
        let starts: Vec<usize> = cases.iter().map(|&case| self.starts[case]).collect();
        Loaded::read(
            self.task_of(split),
            cut,
            &self.arrays,
            &starts,
            |array, chunk| self.chunk(array, chunk),
        )
    }

    /// Frames of every row of the arrays.
    pub fn frames_per_row(&self) -> usize {
        self.arrays[0].row_len() / self.description.frame_len()
    }

    /// Where in an array a value is: row, then frame where there are several, then coordinates.
    fn place(&self, array: &Array, value: usize) -> String {
        let space = self.description.space();
        let points = self.description.frame_len();
        let dimensions = array.dimensions();
        let first = dimensions.first().map_or("row", String::as_str);
        let row = value / array.row_len();
        let frames = array.row_len() / points.max(1);
        let frame = match frames {
            0 | 1 => String::new(),
            _ => format!(" frame {},", value % array.row_len() / points),
        };
        format!(
            "{first} {row},{frame} {}",
            pno::task::point(space, value % points.max(1))
        )
    }

    /// The values of one chunk, all finite but those at masked points, which are NaN.
    fn chunk(&self, array: &Array, index: usize) -> Result<Vec<f32>> {
        let mut values = array.read_chunk::<f32>(index)?;
        let mask = self.description.mask_of(array.name());
        if let Some(mask) = mask {
            let all = values.iter_mut().enumerate();
            for (_, value) in all.filter(|(at, _)| mask.is_masked(*at)) {
                *value = f32::NAN;
            }
        }
        let is_masked = |at: usize| mask.is_some_and(|mask| mask.is_masked(at));
        let broken = |(at, value): (usize, &f32)| !value.is_finite() && !is_masked(at);
        if let Some(at) = values.iter().enumerate().position(broken) {
            bail!(
                "{}: `{}` is {} at {} (chunk {}), but only masked points have no value",
                self.path.display(),
                array.name(),
                values[at],
                self.place(array, index * array.rows_per_chunk() * array.row_len() + at),
                array.key(index),
            );
        }
        Ok(values)
    }
}

fn names(quantities: &[Quantity]) -> String {
    let names: Vec<&str> = quantities.iter().map(|q| q.name.as_str()).collect();
    names.join(", ")
}

/// Every array must have as many rows as the others, each of as many whole frames; gives the number of rows. A case is one
/// row, unless there are windows.
fn check_shapes(
    description: &Description,
    arrays: &[Array],
    windows: bool,
    path: &Path,
) -> Result<usize> {
    let space: Vec<(&str, usize)> = description
        .space()
        .iter()
        .map(|axis| (axis.name.as_str(), axis.size))
        .collect();
    let rows = arrays[0].shape()[0];
    ensure!(
        rows <= MAX_ROWS,
        "{}: its arrays have {rows} rows, but at most {MAX_ROWS} are read",
        path.display()
    );
    let first = arrays[0].dimensions().first().cloned().unwrap_or_default();
    for (name, array) in description.arrays().iter().zip(arrays) {
        let (dimensions, shape) = (array.dimensions(), array.shape());
        ensure!(
            dimensions.len() == shape.len() && !dimensions.contains(&String::new()),
            "{}: the array `{name}` does not name its axes (`dimension_names` in {name}/zarr.json), which are case or time and then {}",
            path.display(),
            space
                .iter()
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
                .join(", ")
        );
        let inner: Vec<(&str, usize)> = dimensions
            .iter()
            .map(String::as_str)
            .zip(shape.iter().copied())
            .skip(1)
            .collect();
        let fits = match inner.as_slice() {
            [("time", _), rest @ ..] if description.span() > 1 && first == "case" => rest == space,
            rest => rest == space,
        };
        ensure!(
            fits && dimensions[0] == first && shape[0] == rows,
            "{}: the array `{name}` is {dimensions:?} {shape:?}, but {rows} rows of {first} with {space:?} inside are wanted",
            path.display(),
        );
        let frames = array.row_len() / description.frame_len();
        let wanted = arrays[0].row_len() / description.frame_len();
        ensure!(
            frames == wanted,
            "{}: the array `{name}` has {frames} frames per case, but `{}` has {wanted}",
            path.display(),
            arrays[0].name()
        );
        let across_rows = windows && first == "time";
        ensure!(
            across_rows || frames >= description.span(),
            "{}: the array `{name}` has {frames} frames per case, but its cases reach to frame {}{}",
            path.display(),
            description.span() - 1,
            match first.as_str() {
                "time" => ", and there is no array `window_start` that says where they begin",
                _ => "",
            }
        );
    }
    Ok(rows)
}

/// The stored coordinates must be the ones the task was defined on.
fn check_coordinates(store: &Store, description: &Description, path: &Path) -> Result<()> {
    let task = &description.task;
    let mut wanted: Vec<(&str, Vec<f64>)> = Vec::new();
    for (axis, values) in task.output.iter().zip(task.output_coordinates()) {
        wanted.push((&axis.name, values));
    }
    let found = |name: &str| {
        short::<f64>(store, name, MAX_AXIS)
            .with_context(|| format!("{}: the coordinate `{name}`", path.display()))
    };
    let mut all: Vec<(&str, Vec<f64>, Vec<f64>)> = Vec::new();
    if description.has_time_axis() {
        wanted.remove(0);
        // Steps of a series have dates; frames of a case have the times of the task.
        if !store.has("window_start") {
            let times = found("time")?;
            let sides = [
                (description.input, &task.input[0]),
                (description.output, &task.output[0]),
            ];
            for (frames, axis) in sides {
                let stored = times.iter().skip(frames.first).take(frames.number);
                all.push(("time", stored.copied().collect(), axis.coordinates()));
            }
        }
    }
    for (name, wanted) in wanted {
        all.push((name, found(name)?, wanted));
    }
    for (name, found, wanted) in all {
        let same = found.len() == wanted.len()
            && found
                .iter()
                .zip(&wanted)
                .all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0));
        if !same {
            let span = |values: &[f64]| match values {
                [first, .., last] => format!("{} values from {first} to {last}", values.len()),
                other => format!("{other:?}"),
            };
            bail!(
                "{}: the coordinate `{name}` has {}, but {} are wanted",
                path.display(),
                span(&found),
                span(&wanted)
            );
        }
    }
    Ok(())
}

/// The values of an array of one axis that has at most so many.
fn short<T: Scalar>(store: &Store, name: &str, most: usize) -> Result<Vec<T>> {
    let array = store.open::<T>(name)?;
    let shape = array.shape();
    ensure!(
        shape.len() == 1 && shape[0] <= most,
        "has the shape {shape:?}, but at most {most} values along one axis are wanted"
    );
    array.read::<T>()
}

/// First row of every window, each with room for a whole case after it.
fn starts(store: &Store, description: &Description, rows: usize) -> Result<Vec<usize>> {
    let found = short::<i32>(store, "window_start", MAX_ROWS)?;
    let last = rows.checked_sub(description.span());
    let checked = found.iter().enumerate().map(|(case, &start)| {
        usize::try_from(start)
            .ok()
            .filter(|&start| last.is_some_and(|last| start <= last))
            .ok_or_else(|| {
                anyhow!(
                    "lets case {case} begin at step {start}, but {} of {rows} steps are wanted from there",
                    description.span()
                )
            })
    });
    checked.collect()
}

fn cases_of_splits(shares: &[i8], cases: usize) -> Result<[Vec<usize>; 3]> {
    ensure!(
        shares.len() == cases,
        "has {} entries for {cases} cases",
        shares.len()
    );
    let mut splits: [Vec<usize>; 3] = Default::default();
    for (case, &share) in shares.iter().enumerate() {
        usize::try_from(share)
            .ok()
            .and_then(|part| splits.get_mut(part))
            .ok_or_else(|| anyhow!("gives case {case} the number {share}, but 0 (train), 1 (valid) or 2 (test) is wanted"))?
            .push(case);
    }
    Ok(splits)
}
