//! Speed of data generation, against the programs that made the published data, in one run and on the same cores.
//!
//! | room | what is there |
//! |---|---|
//! | `ks`, `sswe`, `darcy` | one equation each |

mod darcy;
mod ks;
mod sswe;

use std::ffi::OsStr;

use anyhow::{Result, bail};
use pno::spec::Experiment;
use serde::Serialize;

use super::cores;
use super::python::{Package, Python};
use super::row::{Row, Words};

/// How to get the packages of all peers, in versions that go together.
pub const INSTALL: &str = "pip install py-pde numba torch==2.3.1 torch-harmonics==0.6.5 'numpy<2'";

/// What the table speaks of.
pub const WORDS: Words = Words {
    unit: "trajectory",
    differ: "fields differ by",
    of: " of their standard deviation",
};

/// Equations that are solved here.
pub const EQUATIONS: [Experiment; 3] = [Experiment::Ks, Experiment::Sswe, Experiment::Darcy];

/// What to measure.
pub struct Data<'a> {
    /// Equations to take part; empty for all.
    pub only: &'a [Experiment],
    /// The interpreter of the peers, and whether it was asked for: then it must do.
    pub python: (&'a OsStr, bool),
    /// Fewer trajectories.
    pub quick: bool,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Cores of both sides.
    pub cores: usize,
    /// One row per equation and profile.
    pub rows: Vec<Row>,
    /// Why there is no peer, if there is none.
    pub missing: Option<String>,
}

#[derive(Clone, Copy)]
struct Effort {
    quick: bool,
}

impl Effort {
    /// Measurements of each side.
    fn turns(self) -> usize {
        if self.quick { 3 } else { 7 }
    }
}

/// Packages of the KS peer.
const KS: [Package; 2] = [("pde", "py-pde"), ("numba", "numba")];
/// Packages of the shallow-water peer.
const SSWE: [Package; 2] = [("torch", "torch"), ("torch_harmonics", "torch-harmonics")];

/// Measures every equation; `progress` hears which.
pub fn measure(what: &Data, mut progress: impl FnMut(&str)) -> Result<Report> {
    let wanted = |experiment| what.only.is_empty() || what.only.contains(&experiment);
    let (program, asked_for) = what.python;
    let python = Python::new(program, INSTALL)?;
    let (there, missing) = peers(&python, wanted);
    if let (Some(sentence), true) = (&missing, asked_for) {
        bail!("{sentence}");
    }
    let peer = |experiment| there.contains(&experiment).then_some(&python);

    let effort = Effort { quick: what.quick };
    let mut rows = vec![];
    if wanted(Experiment::Ks) {
        progress("ks (compiling its peer takes half a minute)");
        rows.push(ks::measure(effort, peer(Experiment::Ks))?);
    }
    if wanted(Experiment::Sswe) {
        progress("sswe (its peer tries how it is fastest)");
        rows.push(sswe::measure(effort, peer(Experiment::Sswe))?);
    }
    if wanted(Experiment::Darcy) {
        progress("darcy");
        rows.extend(darcy::measure(effort)?);
    }
    Ok(Report {
        cores: cores::number(),
        rows,
        missing,
    })
}

/// The equations with a peer, and a sentence if one that is wanted has none here.
fn peers(
    python: &Python,
    wanted: impl Fn(Experiment) -> bool,
) -> (Vec<Experiment>, Option<String>) {
    let mut peers = vec![(Experiment::Ks, KS), (Experiment::Sswe, SSWE)];
    peers.retain(|(experiment, _)| wanted(*experiment));
    let packages: Vec<Package> = peers.iter().flat_map(|(_, packages)| *packages).collect();
    if packages.is_empty() {
        return (vec![], None);
    }
    let missing = match python.missing(&packages) {
        Ok(missing) => missing,
        Err(sentence) => return (vec![], Some(sentence)),
    };
    let is_missing = |package: &Package| missing.iter().any(|m| m == package.1);
    peers.retain(|(_, packages)| !packages.iter().any(is_missing));
    let there = peers.iter().map(|(experiment, _)| *experiment).collect();
    (there, (!missing.is_empty()).then(|| python.lacks(&missing)))
}
