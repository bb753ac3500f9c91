//! Reading a data set: everything is checked when it is opened or read, and what is wrong is said with its place.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use pno::spec::Experiment;
use pno::task::Task;
use rayon::prelude::*;

use super::Split;
use super::zarr::{Array, Attributes, Store};

/// One case in physical units.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// What the model sees, `task.input_shape()`.
    pub input: Vec<f32>,
    /// What really happened, `task.output_shape()`.
    pub truth: Vec<f32>,
}

/// An open data set.
pub struct Dataset {
    path: PathBuf,
    experiment: Experiment,
    task: Task,
    attributes: Attributes,
    field: Array,
    shares: Vec<i8>,
    /// Indices per split, in the order of [`Split::ALL`].
    splits: [Vec<usize>; 3],
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
        ensure!(
            experiment == Experiment::Ks,
            "{place}: {experiment} data cannot be read yet; known: ks"
        );
        let task = Task::ks();

        let field = store.open::<f32>(&task.quantity().name)?;
        let wanted: Vec<usize> = vec![task.input[0].size + task.output[0].size, task.input[1].size];
        ensure!(
            field.shape().len() == 3
                && field.shape()[1..] == wanted[..]
                && field.dimensions() == ["case", "time", "x"],
            "{place}: the array `{}` is {:?} {:?}, but [case, time, x] with time {} and x {} is wanted",
            task.quantity().name,
            field.dimensions(),
            field.shape(),
            wanted[0],
            wanted[1]
        );
        check_coordinates(&store, &task, path)?;
        let shares = store.open::<i8>("split")?.read::<i8>()?;
        let splits = cases_of_splits(&shares, field.shape()[0])
            .with_context(|| format!("{place}: the array `split`"))?;
        Ok(Self {
            path: path.to_owned(),
            experiment,
            task,
            attributes,
            field,
            shares,
            splits,
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

    /// Input and output of a model trained on it.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// What its maker says of it.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Number of cases.
    pub fn cases(&self) -> usize {
        self.field.shape()[0]
    }

    /// Indices of the cases of a split, in storage order.
    pub fn split(&self, split: Split) -> &[usize] {
        &self.splits[split as usize]
    }

    /// Hash over attributes, splits and values, so it needs to read everything. Chunking and compression do not matter.
    pub fn fingerprint(&self) -> Result<String> {
        let mut hasher = blake3::Hasher::new();
        // Sorted, because another program may have written them in another order.
        let sorted: BTreeMap<_, _> = self.attributes.iter().collect();
        let attributes = serde_json::to_vec(&sorted)?;
        hasher.update(&(attributes.len() as u64).to_le_bytes());
        hasher.update(&attributes);
        hasher.update(
            &self
                .shares
                .iter()
                .map(|&share| share as u8)
                .collect::<Vec<_>>(),
        );
        for chunk in 0..self.field.chunks() {
            let bytes: Vec<u8> = self
                .chunk(chunk)?
                .into_iter()
                .flat_map(f32::to_le_bytes)
                .collect();
            hasher.update(&bytes);
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// One case.
    pub fn case(&self, index: usize) -> Result<Case> {
        ensure!(
            index < self.cases(),
            "{}: there is no case {index}; the last one is {}",
            self.path.display(),
            self.cases() - 1
        );
        let rows = self.field.rows_per_chunk();
        let chunk = self.chunk(index / rows)?;
        Ok(self.cut(&chunk, index % rows))
    }

    /// All inputs and all truths of a split, each `[case, points]`, in physical units.
    pub fn load(&self, split: Split) -> Result<(Vec<f32>, Vec<f32>)> {
        let cases = self.split(split);
        ensure!(
            !cases.is_empty(),
            "{}: its {split} split has no cases",
            self.path.display()
        );
        let rows = self.field.rows_per_chunk();
        let parts: Vec<Vec<Case>> = cases
            .chunk_by(|a, b| a / rows == b / rows)
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|cases| {
                let chunk = self.chunk(cases[0] / rows)?;
                Ok(cases
                    .iter()
                    .map(|case| self.cut(&chunk, case % rows))
                    .collect())
            })
            .collect::<Result<_>>()?;
        let points = cases.len() * self.task.points();
        let (mut inputs, mut truths) = (Vec::with_capacity(points), Vec::with_capacity(points));
        for case in parts.into_iter().flatten() {
            inputs.extend(case.input);
            truths.extend(case.truth);
        }
        Ok((inputs, truths))
    }

    /// The values of one chunk, all finite.
    pub(super) fn chunk(&self, index: usize) -> Result<Vec<f32>> {
        let values = self.field.read_chunk::<f32>(index)?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let case = index * self.field.rows_per_chunk() + at / self.field.row_len();
            bail!(
                "{}: chunk {}: case {case} holds {}",
                self.path.display(),
                self.field.key(index),
                values[at]
            );
        }
        Ok(values)
    }

    /// Number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.field.chunks()
    }

    fn cut(&self, chunk: &[f32], row: usize) -> Case {
        let len = self.field.row_len();
        let (input, truth) = chunk[row * len..(row + 1) * len].split_at(len - self.task.points());
        Case {
            input: input.to_vec(),
            truth: truth.to_vec(),
        }
    }
}

/// The stored coordinates must be the ones the task was defined on.
fn check_coordinates(store: &Store, task: &Task, path: &Path) -> Result<()> {
    let mut time = task.input[0].coordinates();
    time.extend(task.output[0].coordinates());
    for (name, wanted) in [("time", time), ("x", task.input[1].coordinates())] {
        let found = store.open::<f64>(name)?.read::<f64>()?;
        let same = found.len() == wanted.len()
            && found
                .iter()
                .zip(&wanted)
                .all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs().max(1.0));
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
