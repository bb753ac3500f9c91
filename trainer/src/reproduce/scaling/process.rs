//! One measurement: a short training in a process of its own, so that its peak of memory is its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use pno::pde::darcy::Law;
use pno::spec::{Experiment, Method, Operator, Profile};
use serde::{Deserialize, Serialize};

use super::range::Setting;
use crate::data::sources::{Darcy, Generated};
use crate::data::{Counts, Dataset, Split};
use crate::reproduce::results::epochs;
use crate::reproduce::steps;
use crate::train::run::Run;
use crate::train::settings::{Override, Settings};
use crate::{device, files, interrupt};

/// The same network on every grid: modes that the coarsest carries.
const SETTINGS: [&str; 3] = [
    "model.modes=[8,8]",
    "train.batch=8",
    "train.schedule=constant",
];

/// What a process is asked to do.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    data: PathBuf,
    run: PathBuf,
    answer: PathBuf,
    members: usize,
    epochs: usize,
    device: String,
}

/// What it answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Seconds of an epoch, validation included: the quickest but the first.
    pub seconds: f64,
    /// Largest memory of the process.
    pub bytes: Option<u64>,
}

/// One measurement, in a process of its own; those of an interrupted reproduction are kept.
pub fn answer(setting: Setting, epochs: usize, folder: &Path, device: &str) -> Result<Answer> {
    let Setting {
        samples,
        grid,
        members,
    } = setting;
    let name = setting.name();
    let request = Request {
        data: folder.join(format!("data-n{samples}-g{grid}")),
        run: folder.join(format!("run-{name}")),
        answer: folder.join(setting.file()),
        members,
        epochs,
        device: device.to_owned(),
    };
    if let Ok(bytes) = std::fs::read(&request.answer) {
        return serde_json::from_slice(&bytes)
            .with_context(|| format!("{}: not a measurement", request.answer.display()));
    }
    if !request.data.exists() {
        let generated = Generated {
            counts: Counts([samples, samples.div_ceil(8), 1]),
            seed: 1,
            profile: Profile::Fixed,
        };
        steps::make_data(
            &Darcy::new(&generated, Law::Bumps, Some(grid))?,
            &request.data,
        )?;
    }
    let asked = folder.join(format!("{name}-request.json"));
    files::write_atomic(&asked, &serde_json::to_vec(&request)?)?;
    let status = Command::new(std::env::current_exe().context("the program's own path")?)
        .args(["reproduce", "scaling", "--measure"])
        .arg(&asked)
        .stdout(Stdio::null())
        .status()
        .context("cannot start a process of our own")?;
    if interrupt::requested() {
        bail!(interrupt::Interrupted(format!(
            "measurement {name}; the same command goes on"
        )));
    }
    let bytes = std::fs::read(&request.answer).with_context(|| {
        format!("the measurement {name} ended with {status} and without an answer")
    })?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// What the process of a measurement does.
pub fn child(request: &Path) -> Result<()> {
    let bytes = std::fs::read(request).with_context(|| request.display().to_string())?;
    let request: Request = serde_json::from_slice(&bytes)?;
    let data = Dataset::open(&request.data)?;
    let settings = Settings::preset(
        Experiment::Darcy,
        Operator::Fno,
        Method::PnoD,
        Profile::Fixed,
        crate::data::Size::Demo,
        Some(&data.task_of(Split::Train)),
    )?;
    let more = [
        format!("train.members={}", request.members),
        format!("train.epochs={}", request.epochs),
    ];
    let sets = SETTINGS.iter().map(ToString::to_string).chain(more);
    let overrides: Result<Vec<Override>, String> = sets.map(|set| set.parse()).collect();
    let settings = settings.with_overrides(&overrides.map_err(anyhow::Error::msg)?)?;
    let (device, _) = device::open(&request.device)?;
    if request.run.exists() {
        std::fs::remove_dir_all(&request.run).context("the run of an interrupted measurement")?;
    }
    let begin = Instant::now();
    Run::create(&request.run, settings, &data)?.train(&data, &device)?;
    let mean = begin.elapsed().as_secs_f64() / request.epochs as f64;
    let noted = epochs(&request.run)?;
    let later = noted.iter().skip(1).filter_map(|epoch| epoch.seconds);
    let quickest = later.fold(f64::INFINITY, f64::min);
    let answer = Answer {
        seconds: if quickest.is_finite() { quickest } else { mean },
        bytes: peak(),
    };
    files::write_atomic(&request.answer, &serde_json::to_vec(&answer)?)
}

/// Largest memory of this process so far; known on Linux.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_memory_is_at_least_what_is_held() {
        if cfg!(target_os = "linux") {
            let held = vec![1_u8; 30_000_000];
            let sum: u64 = held.iter().map(|&x| u64::from(x)).sum();
            assert!(peak().expect("known") >= sum);
        }
    }
}
