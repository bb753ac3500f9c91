//! Darcy flow from PDEBench's file `2D_DarcyFlow_beta1.0_Train.hdf5`: `nu` [N, n, n], `tensor` [N, 1, n, n], cell centres.

use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use pno::spec::{Experiment, Profile};
use pno::task::{Axis, Task};
use serde_json::json;

use crate::data::MAX_ROWS;
use crate::data::description::Description;
use crate::data::permutation;
use crate::data::source::{Contents, Field, Line, Maker, Rows, Scales, Source};
use crate::data::split::Counts;
use crate::formats::{self, Archive, Variable};

/// Seed of the published permutations.
const PUBLISHED_SEED: u32 = 42;

/// What to take of the file, and how.
#[derive(Debug, Clone, Copy)]
pub struct Choices {
    /// As it should be, or as it was published.
    pub profile: Profile,
    /// Names the permutation of the `fixed` profile.
    pub seed: u64,
    /// Samples to take, from the first on; all if not given.
    pub samples: Option<usize>,
    /// Every how many points are stored.
    pub stride: usize,
}

/// An open file.
pub struct Pdebench {
    archive: Box<dyn Archive>,
    /// Coefficient and pressure.
    variables: [Variable; 2],
    points: usize,
    stride: usize,
    contents: Contents,
}

impl Pdebench {
    /// Checks the layout of a file.
    pub fn new(archive: Box<dyn Archive>, choices: Choices) -> Result<Self> {
        let place = archive.place().to_owned();
        let find = |name: &str| -> Result<Variable> {
            let all = archive.variables();
            let found = all.iter().find(|v| v.name == name).cloned();
            found.with_context(|| {
                let names: Vec<&str> = all.iter().map(|v| v.name.as_str()).collect();
                format!("{place}: there is no array `{name}`, so this is not PDEBench's Darcy file; there are {}", names.join(", "))
            })
        };
        let (coefficient, pressure) = (find("nu")?, find("tensor")?);
        let n = match (&coefficient.shape[..], &pressure.shape[..]) {
            (&[n, x, y], &[m, 1, p, q])
                if n == m && x == y && [p, q] == [x, y] && n > 0 && x > 1 =>
            {
                x
            }
            (nu, tensor) => bail!(
                "{place}: `nu` is {nu:?} and `tensor` {tensor:?}, but [N, n, n] and [N, 1, n, n] are wanted"
            ),
        };
        let stored = coefficient.shape[0];
        let samples = choices.samples.unwrap_or(stored);
        ensure!(
            (1..=stored).contains(&samples),
            "{place}: {samples} samples are wanted, but it has {stored}"
        );
        ensure!(
            samples <= MAX_ROWS,
            "{place}: it has {stored} samples, but a data set has at most {MAX_ROWS} rows"
        );
        ensure!(
            choices.stride >= 1 && n.is_multiple_of(choices.stride),
            "a stride of {} does not divide the {n} points of {place}",
            choices.stride
        );
        let [x, y] = ["x", "y"].map(|name| axis(&*archive, name, n, choices.stride));
        let axes = vec![x?, y?];
        let mut task = Task::darcy();
        task.input.clone_from(&axes);
        task.output.clone_from(&axes);
        task.validate().with_context(|| place.clone())?;
        let mut description = Description::whole(task);
        let paper = choices.profile == Profile::Paper;
        if paper && choices.stride == 1 {
            description.strides = [2, 1, 1];
        }
        let field = |name: &str, long_name: &str| Field {
            name: name.into(),
            long_name: long_name.into(),
            units: String::new(),
            axes: axes.iter().map(|a| (a.name.clone(), a.size)).collect(),
        };
        let line =
            |axis: &Axis| Line::new(&axis.name, "centre of the cell", "1", axis.coordinates());
        let together = archive
            .rows_together(&coefficient)
            .max(archive.rows_together(&pressure));
        let contents = Contents {
            experiment: Experiment::Darcy,
            description,
            arrays: vec![field("a", "permeability"), field("u", "pressure")],
            coordinates: axes.iter().map(line).collect(),
            rows: Rows::Cases(samples),
            rows_at_once: together.clamp(1, 64),
            shares: shares(choices, samples),
            scales: if paper {
                Scales::Given
            } else {
                Scales::OfTraining
            },
            request: json!({
                "source": "pdebench",
                "place": place,
                "file": formats::identity(&place)?,
                "samples": samples,
                "seed": choices.seed,
                "stride": choices.stride,
                "profile": choices.profile.name(),
            }),
            attributes: json!({
                "title": "Darcy flow of PDEBench",
                "source": place,
                "equation": "-div(a grad u) = beta on the unit square, u = 0 around it; solved by PDEBench as du/dt = div(a grad u) + beta until t = 2",
                "profile": choices.profile.name(),
                "split_seed": if paper { u64::from(PUBLISHED_SEED) } else { choices.seed },
                "split_rule": if paper {
                    "as published: the last tenth of numpy's permutation of seed 42 is test, of the rest a fifth by torch's of seed 42 is valid"
                } else {
                    "a permutation of the cases by split_seed: first test, then valid, the rest train"
                },
            }),
        };
        Ok(Self {
            archive,
            variables: [coefficient, pressure],
            points: n,
            stride: choices.stride,
            contents,
        })
    }
}

/// The coordinate of an axis: where the cells are.
fn axis(archive: &dyn Archive, name: &str, n: usize, stride: usize) -> Result<Axis> {
    let step = 1.0 / n as f64;
    let wanted = |i: usize| (i as f64 + 0.5) * step;
    let full = format!("{name}-coordinate");
    if let Some(variable) = archive.variables().iter().find(|v| v.name == full) {
        ensure!(
            variable.shape == [n],
            "{}: `{full}` has the shape {:?}, but [{n}] is wanted",
            archive.place(),
            variable.shape
        );
        let whole = std::iter::once(0..n).collect::<Vec<_>>();
        let found = archive.read(variable, &whole)?;
        if let Some(i) = (0..n).find(|&i| (found[i] - wanted(i)).abs() > 1e-2 * step) {
            bail!(
                "{}: `{full}` {i} is {}, but {} is wanted, the centre of a cell",
                archive.place(),
                found[i],
                wanted(i)
            );
        }
    }
    Ok(Axis::new(
        name,
        n / stride,
        wanted(0),
        step * stride as f64,
        "",
    ))
}

/// 72 / 18 / 10 %, by the published permutations or by ours.
fn shares(choices: Choices, samples: usize) -> Vec<i8> {
    let counts = Counts([72, 18, 10]).scaled(samples);
    if choices.profile == Profile::Fixed {
        return counts.shares(choices.seed);
    }
    let order = permutation::numpy_permutation(samples, PUBLISHED_SEED);
    let (train_file, test) = order.split_at(samples - counts.0[2]);
    let mut shares = vec![0; samples];
    for &case in test {
        shares[case] = 2;
    }
    let inner = permutation::torch_randperm(train_file.len(), u64::from(PUBLISHED_SEED));
    for &position in &inner[counts.0[0]..] {
        shares[train_file[position]] = 1;
    }
    shares
}

impl Source for Pdebench {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn maker(&self) -> Result<Box<dyn Maker + '_>> {
        Ok(Box::new(Reader(self)))
    }
}

struct Reader<'a>(&'a Pdebench);

impl Maker for Reader<'_> {
    fn rows(&mut self, rows: Range<usize>) -> Result<Vec<Vec<f32>>> {
        let variables = self.0.variables.iter();
        variables
            .map(|variable| self.0.read(variable, rows.clone()))
            .collect()
    }
}

impl Pdebench {
    fn read(&self, variable: &Variable, rows: Range<usize>) -> Result<Vec<f32>> {
        let n = self.points;
        let mut block = vec![0..n; variable.shape.len()];
        block[0] = rows.clone();
        if variable.shape.len() == 4 {
            block[1] = 0..1;
        }
        let values = self.archive.read(variable, &block)?;
        if let Some(at) = values.iter().position(|value| !(*value as f32).is_finite()) {
            bail!(
                "{}: `{}` of sample {} at ({}, {}) is {}, but finite values are wanted",
                self.archive.place(),
                variable.name,
                rows.start + at / (n * n),
                at / n % n,
                at % n,
                values[at]
            );
        }
        let lines = values.chunks_exact(n).enumerate();
        let kept = lines.filter(|(line, _)| (line % n).is_multiple_of(self.stride));
        Ok(kept
            .flat_map(|(_, line)| line.iter().step_by(self.stride).map(|&v| v as f32))
            .collect())
    }
}
