//! Speed of a training step of PNO_D with the published networks, against PyTorch with neuraloperator, in one run and on the
//! same cores; and where the time goes.
//!
//! | room | what is there |
//! |---|---|
//! | `step` | our step, as a whole and by stages |

mod step;

use std::ffi::OsStr;

use anyhow::{Result, bail, ensure};
use burn::tensor::Device;
use pno::spec::{Experiment, Method, Operator, Profile};
use serde::Serialize;

use super::cores;
use super::peer::Peer;
use super::python::{Package, Python};
use super::row::{Difference, Row, Words};
use crate::data::Size;
use crate::train::settings::Settings;
pub use step::Stages;
use step::Steps;

/// How to get the peer's packages, in versions that go together.
pub const INSTALL: &str =
    "pip install torch==2.3.1 neuraloperator==0.3.0 torch-harmonics==0.6.5 'numpy<2'";
/// Packages of the peer.
const PACKAGES: [Package; 3] = [
    ("torch", "torch"),
    ("neuralop", "neuraloperator"),
    ("torch_harmonics", "torch-harmonics"),
];

/// Networks with a peer.
pub const NETWORKS: [Experiment; 3] = [Experiment::Darcy, Experiment::Ks, Experiment::Sswe];
/// Those that are measured when nothing else is said.
const USUAL: [Experiment; 2] = [Experiment::Darcy, Experiment::Ks];

/// What the table speaks of.
pub const WORDS: Words = Words {
    unit: "step",
    differ: "without dropout fields differ by",
    of: " of their standard deviation",
};

/// Dropout of all networks: how much is dropped does not change the time.
const RATE: f32 = 0.2;
/// As in the paper.
const MEMBERS: usize = 3;

/// What to measure.
pub struct Training<'a> {
    /// Networks to take part; empty for Darcy and KS.
    pub only: &'a [Experiment],
    /// Cases of a step; that of the paper if left out.
    pub batch: Option<usize>,
    /// The interpreter of the peer, and whether it was asked for: then it must do.
    pub python: (&'a OsStr, bool),
    /// Measurements of each side.
    pub turns: usize,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Cores of both sides.
    pub cores: usize,
    /// One row per network.
    pub rows: Vec<Row>,
    /// Where our time goes, one for each row.
    pub stages: Vec<Stages>,
    /// Why there is no peer, if there is none.
    pub missing: Option<String>,
}

/// Measures every network; `progress` hears which.
pub fn measure(what: &Training, mut progress: impl FnMut(&str)) -> Result<Report> {
    let (program, asked_for) = what.python;
    let python = Python::new(program, INSTALL)?;
    let missing = match python.missing(&PACKAGES) {
        Ok(missing) if missing.is_empty() => None,
        Ok(missing) => Some(python.lacks(&missing)),
        Err(sentence) => Some(sentence),
    };
    if let (Some(sentence), true) = (&missing, asked_for) {
        bail!("{sentence}");
    }
    let python = missing.is_none().then_some(&python);
    let networks = if what.only.is_empty() {
        &USUAL
    } else {
        what.only
    };
    let (mut rows, mut stages) = (vec![], vec![]);
    for &experiment in networks {
        progress(&format!("{experiment} (its peer tries how it is fastest)"));
        let (row, parts) = network(what, experiment, python)?;
        rows.push(row);
        stages.push(parts);
    }
    Ok(Report {
        cores: cores::number(),
        rows,
        stages,
        missing,
    })
}

fn network(
    what: &Training,
    experiment: Experiment,
    python: Option<&Python>,
) -> Result<(Row, Stages)> {
    let operator = match experiment {
        Experiment::Sswe => Operator::Sfno,
        _ => Operator::Fno,
    };
    let (method, profile) = (Method::PnoD, Profile::Fixed);
    let mut settings = Settings::preset(experiment, operator, method, profile, Size::Paper, None)?;
    settings.model.dropout = RATE;
    settings.model.fourier_dropout = RATE;
    settings.train.members = MEMBERS;
    settings.train.batch = what.batch.unwrap_or(settings.train.batch);
    let mut steps = Steps::new(&settings, &Device::flex())?;
    let ours = steps.fields()?;
    let mut peer = python.map(|python| start(python, &steps)).transpose()?;

    let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, all) = (pool(1)?, pool(cores::number())?);
    let sizes: Vec<String> = steps
        .task()
        .input_shape()
        .iter()
        .map(usize::to_string)
        .collect();
    let cell = std::cell::RefCell::new(&mut steps);
    let on = |pool: &rayon::ThreadPool| {
        let steps: &mut Steps = &mut cell.borrow_mut();
        cores::timed(|| pool.install(|| steps.step()))
    };
    let mut row = Row::measure(
        &format!(
            "{experiment} {operator}, {}, {} cases x {MEMBERS}",
            sizes.join(" x "),
            settings.train.batch
        ),
        what.turns,
        || on(&one),
        || on(&all),
        peer.as_mut(),
    )?;
    let stages = all.install(|| steps.stages(what.turns));
    if let (Some(python), Some(compared)) = (python, &mut row.peer) {
        let shape = [settings.train.batch, ours.len() / settings.train.batch];
        let theirs = python.exchanged("fields.npy", &shape)?;
        let difference = Difference::new("the network's answer", &ours, &theirs);
        ensure!(
            difference.relative < 1e-3,
            "the peer of {experiment} is another network: its fields differ from ours by {:.1e} of their standard \
             deviation, but less than 1e-3 is wanted",
            difference.relative
        );
        compared.differences = vec![difference];
    }
    Ok((row, stages))
}

/// The peer with our weights and our batch.
fn start(python: &Python, steps: &Steps) -> Result<Peer> {
    let path = |name: &str| python.file(name).display().to_string();
    let (weights, input, truth) = steps.arrays()?;
    let cases = steps.cases();
    let task = steps.task();
    let channels = task.network_channels();
    crate::npy::write(
        &python.file("weights.npy"),
        &[weights.len()],
        &weights,
        true,
    )?;
    let shape = [cases, task.points(), channels];
    crate::npy::write(&python.file("input.npy"), &shape, &input, true)?;
    let shape = [cases, task.output_values()];
    crate::npy::write(&python.file("truth.npy"), &shape, &truth, true)?;
    python.peer(
        "train_neuraloperator.py",
        &[
            ("--experiment", steps.experiment().to_string()),
            ("--weights", path("weights.npy")),
            ("--input", path("input.npy")),
            ("--truth", path("truth.npy")),
            ("--fields", path("fields.npy")),
            ("--members", MEMBERS.to_string()),
            ("--rate", RATE.to_string()),
            ("--cores", cores::number().to_string()),
        ],
    )
}
