//! Making a data set: chunks in parallel, resumable, in memory that does not grow with the number of rows.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use pno::checkpoint::Checkpoint;
use pno::task::{Normalisation, Task};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::description::{ATTRIBUTE, Description};
use super::masks;
use super::partial::Partial;
use super::source::{Contents, Field, Maker, Rows, Scales, Source};
use super::statistics::Statistics;
use super::zarr::{Array, Attributes, Layout, Store, attributes, write_coordinate};
use crate::interrupt::{self, Interrupted};

/// Makes the data set at `out`; `progress` hears of every finished row (also of those an earlier run finished).
///
/// The same request gives the same values however often it was interrupted. Nothing has the name `out` before it is whole.
pub fn write(
    source: &dyn Source,
    out: &Path,
    force: bool,
    progress: impl Fn(usize) + Sync,
) -> Result<()> {
    let contents = source.contents();
    check(contents)?;
    let Some(partial) = Partial::start_or_end(out, &contents.request.to_string(), force)? else {
        return Ok(());
    };
    let store = Store::at(partial.folder())?;
    let fields: Vec<Array> = contents
        .arrays
        .iter()
        .map(|field| create(&store, contents, field))
        .collect::<Result<_>>()?;
    fill(source, &fields, progress).with_context(|| {
        format!(
            "{} is not finished (what is done is kept, and the same command goes on from there)",
            out.display()
        )
    })?;
    let mut description = contents.description.clone();
    if contents.scales == Scales::OfTraining {
        scale(&mut description.task, contents, &fields)?;
    }
    scale_increments(&mut description, contents, &fields)?;

    let mut arrays = fields;
    for line in &contents.coordinates {
        let values = line.values.clone();
        arrays.push(write_coordinate(
            &store,
            &line.name,
            &line.long_name,
            &line.units,
            values,
        )?);
    }
    arrays.extend(masks::write(&store, &description)?);
    arrays.push(write_shares(&store, contents)?);
    if let Rows::Series { starts, .. } = &contents.rows {
        arrays.push(write_starts(&store, starts)?);
    }
    let mut about = attributes(contents.attributes.clone());
    about.insert("experiment".into(), json!(contents.experiment.name()));
    about.insert("pno_version".into(), json!(env!("CARGO_PKG_VERSION")));
    about.insert(
        ATTRIBUTE.into(),
        serde_json::to_value(masks::without(description))?,
    );
    store.write_group(about, &arrays.iter().collect::<Vec<_>>())?;
    partial.finish()
}

/// A source that contradicts itself is a bug of ours, but one that must not reach the disk.
fn check(contents: &Contents) -> Result<()> {
    let cases = match &contents.rows {
        Rows::Cases(n) => *n,
        Rows::Series { starts, .. } => starts.len(),
    };
    ensure!(cases > 0, "there is no case to make");
    ensure!(
        contents.shares.len() == cases,
        "{} shares for {cases} cases",
        contents.shares.len()
    );
    let names: Vec<&str> = contents.arrays.iter().map(|f| f.name.as_str()).collect();
    let wanted = contents.description.arrays();
    ensure!(names == wanted, "arrays {names:?}, but {wanted:?} wanted");
    // Now, and not when somebody has trained on it for hours.
    Checkpoint::check_task(&contents.description.task)
        .context("no checkpoint could hold a model of these data")?;
    masks::check_names(&names)
}

/// Makes what is not there yet.
fn fill(source: &dyn Source, fields: &[Array], progress: impl Fn(usize) + Sync) -> Result<()> {
    let contents = source.contents();
    let done = AtomicUsize::new(0);
    let tell = |n: usize| progress(done.fetch_add(n, Ordering::Relaxed) + n);
    // Makers are dear (tables of a solver, an open file): as many as threads, lent out chunk by chunk.
    let idle: Mutex<Vec<Box<dyn Maker + '_>>> = Mutex::new(Vec::new());
    let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let first = &fields[0];
    (0..first.chunks())
        .into_par_iter()
        .with_max_len(1)
        .try_for_each(|chunk| {
            let rows = first.rows_of(chunk);
            // A chunk that decodes is whole: a write that was cut short fails its length or its checksum.
            if fields.iter().all(|f| f.read_chunk::<f32>(chunk).is_ok()) {
                tell(rows.len());
                return Ok(());
            }
            let lent = lock().pop();
            let mut maker = match lent {
                Some(maker) => maker,
                None => source.maker()?,
            };
            let made = make(&mut *maker, rows, contents.rows_at_once, fields.len(), tell)?;
            lock().push(maker);
            for (field, values) in fields.iter().zip(made) {
                field.write_chunk(chunk, values)?;
            }
            Ok(())
        })
}

/// The rows of a chunk, piece by piece, so that an interrupt is heard soon.
fn make(
    maker: &mut dyn Maker,
    rows: Range<usize>,
    at_once: usize,
    arrays: usize,
    tell: impl Fn(usize),
) -> Result<Vec<Vec<f32>>> {
    let mut made = vec![Vec::new(); arrays];
    for first in rows.clone().step_by(at_once.max(1)) {
        if interrupt::requested() {
            bail!(Interrupted("the finished chunks are kept".into()));
        }
        let piece = first..(first + at_once).min(rows.end);
        for (all, values) in made.iter_mut().zip(maker.rows(piece.clone())?) {
            all.extend(values);
        }
        tell(piece.len());
    }
    Ok(made)
}

/// Which rows are of training cases.
fn training_rows(contents: &Contents) -> Vec<bool> {
    let train = |case: &usize| contents.shares[*case] == 0;
    match &contents.rows {
        Rows::Cases(n) => (0..*n).map(|case| train(&case)).collect(),
        Rows::Series { steps, starts } => {
            let mut rows = vec![false; *steps];
            for case in (0..starts.len()).filter(train) {
                let first = starts[case] as usize;
                rows[first..first + contents.description.span()].fill(true);
            }
            rows
        }
    }
}

/// Sets the scale of every quantity to mean and standard deviation over the training cases.
fn scale(task: &mut Task, contents: &Contents, fields: &[Array]) -> Result<()> {
    let mut rows = training_rows(contents);
    if !rows.contains(&true) {
        // A data set for tests alone: better its own scale than none.
        rows.fill(true);
    }
    for (name, field) in contents.description.arrays().iter().zip(fields) {
        let mask = contents.description.mask_of(name);
        let found = Statistics::of(field, 1, mask, |row| rows[row])?.all();
        ensure!(
            found.std() > 0.0,
            "the array `{name}` has the value {} everywhere in the training cases, so it has no scale",
            found.min
        );
        let normalisation = Normalisation {
            mean: found.mean,
            std: found.std(),
        };
        for quantity in task.inputs.iter_mut().chain(&mut task.outputs) {
            if quantity.name == *name {
                quantity.normalisation = normalisation;
            }
        }
    }
    Ok(())
}

/// Where a case is a step of a trajectory: sets the size of the change over a step of every quantity, its root mean square
/// over all steps of the training trajectories.
fn scale_increments(
    description: &mut Description,
    contents: &Contents,
    fields: &[Array],
) -> Result<()> {
    let lag = description
        .output
        .first
        .saturating_sub(description.input.first);
    let trajectories = matches!(contents.rows, Rows::Cases(_)) && !description.has_time_axis();
    if lag == 0 || !trajectories || !description.task.feeds_back() {
        return Ok(());
    }
    let mut rows = training_rows(contents);
    if !rows.contains(&true) {
        rows.fill(true);
    }
    let frames = fields[0].row_len() / description.frame_len();
    for (name, field) in contents.description.arrays().iter().zip(fields) {
        let mask = contents.description.mask_of(name);
        let found = Statistics::of_changes(field, (frames, lag), mask, |row| rows[row])?.all();
        let size = (found.mean * found.mean + found.std() * found.std()).sqrt();
        // What never changes has no size, and no network is asked for its changes.
        let size = (size > 0.0).then_some(size);
        for quantity in &mut description.task.outputs {
            if quantity.name == *name {
                quantity.increment = size;
            }
        }
    }
    Ok(())
}

fn create(store: &Store, contents: &Contents, field: &Field) -> Result<Array> {
    let rows = contents.rows.number();
    let axes = field.axes.iter().map(|(name, _)| name.as_str());
    let dimensions: Vec<&str> = std::iter::once(contents.rows.axis()).chain(axes).collect();
    let sizes = field.axes.iter().map(|&(_, size)| size);
    store.create::<f32>(Layout {
        name: &field.name,
        dimensions: &dimensions,
        shape: std::iter::once(rows).chain(sizes).collect(),
        rows: contents.rows_per_chunk().min(rows),
        attributes: described(&field.long_name, &field.units),
    })
}

fn described(long_name: &str, units: &str) -> Attributes {
    // Model units are written as `1`, the CF convention for a number without a unit.
    let units = if units.is_empty() { "1" } else { units };
    attributes(json!({ "long_name": long_name, "units": units }))
}

fn write_shares(store: &Store, contents: &Contents) -> Result<Array> {
    let about = json!({
        "long_name": "part of the data set the case belongs to",
        "flag_values": [0, 1, 2],
        "flag_meanings": "train valid test",
    });
    let shares = contents.shares.clone();
    store.write(case_layout("split", shares.len(), about), shares)
}

fn write_starts(store: &Store, starts: &[i32]) -> Result<Array> {
    let about = json!({ "long_name": "index of the first time step of the case" });
    store.write(
        case_layout("window_start", starts.len(), about),
        starts.to_vec(),
    )
}

fn case_layout(name: &str, cases: usize, about: Value) -> Layout<'_> {
    Layout {
        name,
        dimensions: &["case"],
        shape: vec![cases],
        rows: cases,
        attributes: attributes(about),
    }
}
