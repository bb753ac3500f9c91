//! Does the jobs: what is done stays done, what was interrupted goes on, what fails is told and the rest goes on.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use burn::tensor::Device;

use super::estimate::Estimate;
use super::jobs::Job;
use super::place::{Place, fingerprint};
use super::recipe::{Recipe, settings};
use super::results::Scores;
use super::size::Size;
use super::source::{Data, Source, Training};
use super::steps;
use crate::data::{Dataset, Split};
use crate::files;
use crate::interrupt::{self, Interrupted};
use crate::train::settings::Settings;

/// What does the work, and where.
pub struct Engine {
    /// The working folder.
    pub place: Place,
    /// How large.
    pub size: Size,
    /// On which device, and what it is called.
    pub device: (Device, String),
}

/// Why a job has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// One sentence.
    pub why: String,
    /// Whether something is not there that only the user can bring: a gap, but nobody's fault.
    pub absent: bool,
}

/// The jobs that have no result.
pub type Failures = BTreeMap<String, Failure>;

impl Engine {
    /// Does every job that is not done; `over` hears of each that is over. Failures are told and given back; Ctrl-C ends
    /// it all.
    pub fn run(
        &self,
        jobs: &[Job],
        mut over: impl FnMut(usize, &Failures) -> Result<()>,
    ) -> Result<Failures> {
        interrupt::watch();
        self.place.make()?;
        let mut failures = Failures::new();
        let (mut done, mut known) = (vec![], vec![]);
        for job in jobs {
            known.push(is_done(&self.place, self.size, job));
            done.push(matches!(known.last(), Some(Ok(true))));
        }
        let total = jobs.len();
        for (at, (job, known)) in jobs.iter().zip(known).enumerate() {
            if interrupt::requested() {
                bail!(Interrupted(format!(
                    "after {at} of {total} jobs; the same command goes on"
                )));
            }
            let mut needs = job.needs().into_iter();
            let failed = needs.find_map(|need| failures.get(&need.name()).cloned());
            let outcome = match failed {
                Some(failure) => Err(failure),
                None => self.one(jobs, at, known, &done)?,
            };
            match outcome {
                Ok(()) => done[at] = true,
                Err(failure) => {
                    failures.insert(job.name(), failure);
                }
            }
            over(at, &failures)?;
        }
        Ok(failures)
    }

    /// Does one job, unless it is done. What it needs is there.
    fn one(
        &self,
        jobs: &[Job],
        at: usize,
        known: Result<bool>,
        done: &[bool],
    ) -> Result<Result<(), Failure>> {
        let (job, total) = (&jobs[at], jobs.len());
        let name = job.name();
        // Asked again, since what it needs may have been made since.
        if known.is_ok() && is_done(&self.place, self.size, job)? {
            return Ok(Ok(()));
        }
        let begin = Instant::now();
        let outcome = known.and_then(|_| {
            let left = Estimate::new(&self.place, self.size).left(jobs, done);
            tell(&format!("job {} of {total}: {name}{left}", at + 1));
            self.work(job)
        });
        self.place.add_time(&name, begin.elapsed().as_secs_f64())?;
        let Err(error) = outcome else {
            return Ok(Ok(()));
        };
        if error.downcast_ref::<Interrupted>().is_some() {
            bail!(Interrupted(format!(
                "{name}, job {} of {total}; the same command goes on",
                at + 1
            )));
        }
        let why = format!("{name}: {error:#}");
        tell(&why);
        let absent = error.downcast_ref::<Absent>().is_some();
        Ok(Err(Failure { why, absent }))
    }

    fn work(&self, job: &Job) -> Result<()> {
        match job {
            Job::Data(data) => self.make(*data),
            Job::Train(training, seed) => self.train(training, *seed),
            Job::Derive(source, seed) => self.derive(source, *seed),
            Job::Evaluate(source, evaluation, seed) => {
                let out = self.place.result(source, evaluation, *seed);
                let model = self.place.model(source, *seed);
                let (device, label) = &self.device;
                let data = self.open(evaluation.data)?;
                steps::evaluate(
                    &model,
                    &data,
                    evaluation,
                    members(source, self.size),
                    &out,
                    (device, label),
                )
            }
        }
    }

    fn open(&self, data: Data) -> Result<Dataset> {
        Dataset::open(&self.place.data(data))
    }

    fn make(&self, data: Data) -> Result<()> {
        let folder = self.place.data(data);
        let recipe = Recipe::of(data, self.size)?.ok_or_else(|| absent(&self.place, data))?;
        let source = recipe.source()?;
        files::write_atomic(&self.place.request(data), recipe.words().as_bytes())?;
        steps::make_data(&*source, &folder)
    }

    fn train(&self, training: &Training, seed: u64) -> Result<()> {
        let data = self.open(training.data)?;
        let settings = wanted(&self.place, self.size, training, seed, &data)?;
        let folder = self.place.run(&training.name, seed);
        steps::train(&folder, &settings, &data, &self.device.0)
    }

    fn derive(&self, source: &Source, seed: u64) -> Result<()> {
        let data = self.open(source.training().data)?;
        let models: Vec<_> = bases(&self.place, source, seed);
        let device = &self.device.0;
        let made = match source {
            Source::Trained(training) => bail!("{} is trained, not made", training.name),
            Source::Laplace { profile, .. } => steps::laplace(&models[0], *profile, &data, device)?,
            Source::Conformal(_) => steps::conformal(&models[0], &data, device)?,
            Source::Perturbed(_) => steps::perturbed(&models[0])?,
            Source::DeepEnsemble { .. } => steps::deep_ensemble(&models)?,
        };
        let folder = self.place.run(&source.name(), seed);
        steps::write_model(&folder, &made)?;
        let origin = origin(&models).context("a model vanished")?;
        files::write_atomic(&folder.join("from.txt"), origin.as_bytes())
    }
}

/// Whether a job's result is there and of what is there now.
pub fn is_done(place: &Place, size: Size, job: &Job) -> Result<bool> {
    match job {
        Job::Data(data) => data_is_done(place, size, *data),
        Job::Train(training, seed) => {
            let folder = place.run(&training.name, *seed);
            if !folder.exists() {
                return Ok(false);
            }
            let data = Dataset::open(&place.data(training.data))?;
            let from = training.from.as_ref();
            let from = from.map(|from| base(place, from, *seed));
            if from.is_some_and(|from| !from.exists()) {
                return Ok(false);
            }
            let settings = wanted(place, size, training, *seed, &data)?;
            steps::is_trained(&folder, &settings)
        }
        Job::Derive(source, seed) => {
            let folder = place.run(&source.name(), *seed);
            let noted = std::fs::read_to_string(folder.join("from.txt")).ok();
            let there = place.model(source, *seed).exists();
            Ok(there && noted.is_some() && noted == origin(&bases(place, source, *seed)))
        }
        Job::Evaluate(source, evaluation, seed) => {
            let folder = place.result(source, evaluation, *seed);
            let Ok(scores) = Scores::read(&folder, evaluation) else {
                return Ok(false);
            };
            let model = fingerprint(&place.model(source, *seed));
            let same = model == Some(scores.model_hash)
                && scores.members == members(source, size)
                && scores.observation == evaluation.observation;
            Ok(same && folder.join(steps::CASE).exists())
        }
    }
}

/// Members of an evaluation: a deep ensemble has no more than networks.
fn members(source: &Source, size: Size) -> u32 {
    match source {
        Source::DeepEnsemble { networks, .. } => size.members().min(*networks as u32),
        _ => size.members(),
    }
}

fn data_is_done(place: &Place, size: Size, data: Data) -> Result<bool> {
    let folder = place.data(data);
    let Some(recipe) = Recipe::of(data, size)? else {
        if folder.exists() {
            return Ok(true);
        }
        bail!(absent(place, data));
    };
    if !folder.exists() {
        return Ok(false);
    }
    let (wanted, path) = (recipe.words(), place.request(data));
    match std::fs::read_to_string(&path) {
        Ok(found) if found != wanted => Err(anyhow!(
            "{} was made with {found}, but this reproduction wants {wanted}: remove it with its runs, or choose another --work",
            folder.display()
        )),
        _ => Ok(true),
    }
}

/// What only the user can bring.
#[derive(Debug)]
struct Absent(String);

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Absent {}

/// What to do about data that are not made here.
fn absent(place: &Place, data: Data) -> Absent {
    let folder = place.data(data);
    let folder = folder.display();
    Absent(format!(
        "{folder} is not there: `pno data import {} SOURCE… --out {folder}` makes it, then the same command goes on",
        data.experiment()
    ))
}

/// The settings of a training, with what it begins with.
fn wanted(
    place: &Place,
    size: Size,
    training: &Training,
    seed: u64,
    data: &Dataset,
) -> Result<Settings> {
    let task = data.task_of(Split::Train);
    let from = training.from.as_ref();
    let from = from.map(|from| base(place, from, seed));
    settings(training, size, seed, Some(&task), from.as_deref())
}

/// The model of a training.
fn base(place: &Place, training: &Training, seed: u64) -> PathBuf {
    place.model(&Source::Trained(training.clone()), seed)
}

/// The trained models that a model is made of.
fn bases(place: &Place, source: &Source, seed: u64) -> Vec<PathBuf> {
    let needs = Job::Derive(source.clone(), seed).needs();
    let models = needs.iter().filter_map(|need| match need {
        Job::Train(training, seed) => Some(base(place, training, *seed)),
        _ => None,
    });
    models.collect()
}

/// Hashes of the models that a model is made of.
fn origin(models: &[PathBuf]) -> Option<String> {
    let hashes: Option<Vec<String>> = models.iter().map(|model| fingerprint(model)).collect();
    Some(hashes?.join("\n"))
}

/// A line for people, beside the progress.
fn tell(line: &str) {
    // Nobody reading is no reason to stop working.
    let _ = writeln!(std::io::stderr(), "{line}");
}
