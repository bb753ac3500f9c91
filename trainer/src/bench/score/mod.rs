//! Speed of scoring: all scores that are made point by point, against numpy and scoringrules, in one run and on the same
//! cores, with the memory it takes.
//!
//! | room | what is there |
//! |---|---|
//! | `numbers` | what both sides must agree on |
//! | `peak` | the most memory at once |

mod numbers;
mod peak;

use std::ffi::OsStr;

use anyhow::{Context, Result, bail};
use pno::noise::normal;
use pno::score::{Event, Measure, Options, Verification};
use rayon::prelude::*;
use serde::Serialize;

use super::cores::{self, timed};
use super::python::{Package, Python};
use super::row::{Row, Words};

/// How to get the peer's packages.
pub const INSTALL: &str = "pip install scoringrules numba";
/// Packages of the peer.
const PACKAGES: [Package; 2] = [("scoringrules", "scoringrules"), ("numba", "numba")];

/// What the table speaks of.
pub const WORDS: Words = Words {
    unit: "ensemble",
    differ: "numbers differ by",
    of: "",
};

/// The event whose Brier score is made.
const THRESHOLD: f32 = 0.5;
const SEED: u32 = 1;

/// What to measure.
pub struct Scoring<'a> {
    /// Members of the ensemble.
    pub members: usize,
    /// Points of a field.
    pub points: usize,
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
    /// The one row.
    pub rows: Vec<Row>,
    /// Memory of ours.
    pub memory: Memory,
    /// Why there is no peer, if there is none.
    pub missing: Option<String>,
}

/// Memory of the whole process.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Memory {
    /// Members and truth.
    pub input_bytes: u64,
    /// Most at once while they were scored, they and the program itself included.
    pub peak_bytes: Option<u64>,
    /// That over the input.
    pub ratio: Option<f64>,
}

impl Memory {
    /// In words.
    pub fn sentence(&self) -> String {
        let mega = |bytes: u64| bytes as f64 / 1e6;
        let input = mega(self.input_bytes);
        match self.peak_bytes.zip(self.ratio) {
            None => {
                format!("memory: the input has {input:.0} MB; this system does not tell the peak")
            }
            Some((peak, ratio)) => format!(
                "memory: {:.0} MB at the peak, the program and its input of {input:.0} MB included: {ratio:.2} times the input",
                mega(peak)
            ),
        }
    }
}

/// Measures both sides; `progress` hears what is going on.
pub fn measure(what: &Scoring, mut progress: impl FnMut(&str)) -> Result<Report> {
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
    let Scoring {
        members, points, ..
    } = *what;
    progress("making an ensemble");
    let ensemble = Ensemble::new(members, points)?;
    let (first, peak) = peak::peak_bytes(|| ensemble.score());
    let ours = numbers::numbers(&first?);
    let input_bytes = 4 * (points * (members + 1)) as u64;
    let memory = Memory {
        input_bytes,
        peak_bytes: peak,
        ratio: peak.map(|peak| peak as f64 / input_bytes as f64),
    };

    let mut peer = if missing.is_some() {
        None
    } else {
        progress("writing it for the peer, which then compiles");
        Some(ensemble.peer(&python)?)
    };
    progress("taking turns");
    let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, all) = (pool(1)?, pool(cores::number())?);
    let mut row = Row::measure(
        &format!("{members} members x {points} points"),
        what.turns,
        || timed(|| one.install(|| ensemble.score())),
        || timed(|| all.install(|| ensemble.score())),
        peer.as_mut(),
    )?;
    if let Some(compared) = &mut row.peer {
        let theirs = python.exchanged("scores.npy", &[ours.len()])?;
        compared.differences = numbers::differences(&ours, &theirs)?;
    }
    Ok(Report {
        cores: cores::number(),
        rows: vec![row],
        memory,
        missing,
    })
}

/// Members `[member, points]` and truth `[points]`, standard normal.
struct Ensemble {
    count: usize,
    members: Vec<f32>,
    truth: Vec<f32>,
}

impl Ensemble {
    fn new(count: usize, points: usize) -> Result<Self> {
        let length = count.checked_mul(points);
        let mut members: Vec<f32> = vec![];
        length
            .and_then(|length| members.try_reserve_exact(length).ok().map(|()| length))
            .map(|length| members.resize(length, 0.0))
            .with_context(|| {
                format!("{count} members of {points} points do not fit into the memory")
            })?;
        let fields: Vec<&mut [f32]> = members.chunks_exact_mut(points).collect();
        fields
            .into_par_iter()
            .enumerate()
            .for_each(|(m, field)| normal::fill([SEED, m as u32], field));
        let mut truth = vec![0.0; points];
        normal::fill([SEED, u32::MAX], &mut truth);
        Ok(Self {
            count,
            members,
            truth,
        })
    }

    /// All scores that are made point by point, and their maps.
    fn score(&self) -> Result<pno::score::Report> {
        let options = Options {
            events: vec![Event::above(THRESHOLD)],
            levels: numbers::LEVELS.to_vec(),
            ..Options::pointwise()
        };
        let mut verification = Verification::new(Measure::flat(self.truth.len()), options);
        verification.push(&self.members, &self.truth)?;
        let (report, maps) = verification.finish();
        std::hint::black_box(maps);
        Ok(report)
    }

    fn peer(&self, python: &Python) -> Result<super::peer::Peer> {
        let points = self.truth.len();
        let (members, truth) = (python.file("members.npy"), python.file("truth.npy"));
        crate::npy::write(&members, &[self.count, points], &self.members, true)?;
        crate::npy::write(&truth, &[points], &self.truth, true)?;
        python.peer(
            "score_scoringrules.py",
            &[
                ("--members", members.display().to_string()),
                ("--truth", truth.display().to_string()),
                ("--scores", python.file("scores.npy").display().to_string()),
                ("--cores", cores::number().to_string()),
            ],
        )
    }
}
