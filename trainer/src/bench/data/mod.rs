//! Speed of data generation, against the programs that made the published data, in one run and on the same cores.
//!
//! | room | what is there |
//! |---|---|
//! | `cores` | trajectories shared out among cores |
//! | `python`, `peer` | the interpreter, and a script that waits for its turn |
//! | `row` | ours and the peer in turns, the table |
//! | `ks`, `sswe`, `darcy` | one equation each |

mod cores;
mod darcy;
mod ks;
mod peer;
mod python;
mod row;
mod sswe;

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use pno::spec::Experiment;
use serde::Serialize;

use python::{Package, Python};
pub use row::{Row, table};

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
    let python = Python::new(program)?;
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

/// Values that a peer wrote, in the shape they should have.
fn exchanged(path: &Path, shape: &[usize]) -> Result<Vec<f32>> {
    let array = crate::npy::read(path)?;
    ensure!(
        array.shape == shape,
        "{}: its shape is {:?}, but {shape:?} is wanted",
        path.display(),
        array.shape
    );
    Ok(array.values)
}
