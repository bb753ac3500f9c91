//! The work itself, each step in a few lines on top of the rooms that know how: data, training, methods, evaluation.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use burn::tensor::Device;
use pno::checkpoint::{Checkpoint, Precision};
use pno::ensemble::forecast::Forecaster;
use pno::noise::case_seed;
use pno::score::{ALPHA, Maps};
use pno::spec::{Method, Profile};

use super::results::records;
use super::source::Evaluation;
use crate::cli::{self, Progress};
use crate::data::{Dataset, Source as DataSource, Split, write};
use crate::eval::{self, Horizon, Plan, draw};
use crate::files::{self, Model};
use crate::train::history::replay;
use crate::train::run::Run;
use crate::train::settings::Settings;
use crate::{conformal, ensemble, laplace, npy, perturbed};

/// Seed of the members of every evaluation.
const MEMBERS_SEED: u64 = 0;

/// Members of every case when a spread is scaled.
const CALIBRATION_MEMBERS: u32 = 100;

/// Name of the case for the figures, beside the files of the result.
pub const CASE: &str = "case.npy";

/// Makes a data set, or goes on with one that was interrupted.
pub fn make_data(source: &dyn DataSource, out: &Path) -> Result<()> {
    let progress = Progress::new("samples", source.contents().rows.number());
    write(source, out, false, |done| progress.set(done))
}

/// Whether a run folder holds a training that came to its end, with these settings.
pub fn is_trained(folder: &Path, settings: &Settings) -> Result<bool> {
    let path = folder.join("settings.toml");
    if !path.exists() || !folder.join(Checkpoint::FILE_NAME).exists() {
        return Ok(false);
    }
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let found = Settings::from_toml(&text).with_context(|| path.display().to_string())?;
    if let Some((key, found, wanted)) = found.first_difference(settings)? {
        bail!(
            "{} holds a run with {key} = {found}, but {wanted} is wanted: remove that folder, or choose another --work",
            folder.display()
        );
    }
    // Without taking the lock: another process may be at work there, and then it is not finished.
    let records = records(folder)?;
    Ok(replay(&settings.train, &records).finished())
}

/// Trains, or goes on with a training that was interrupted.
pub fn train(folder: &Path, settings: &Settings, data: &Dataset, device: &Device) -> Result<()> {
    let run = Run::open(folder, settings.clone(), data)?;
    run.train(data, device)?;
    Ok(())
}

/// A deterministic model with a posterior of its last layer.
pub fn laplace(
    model: &Path,
    profile: Profile,
    data: &Dataset,
    device: &Device,
) -> Result<Checkpoint> {
    let model = Model::read(model)?;
    let options = laplace::Options {
        profile,
        noise: true,
    };
    let progress = Progress::new("cases", data.split(Split::Train).len());
    let told = |done, _total| progress.set(done);
    Ok(laplace::fit(&model.checkpoint, data, options, device, told)?.0)
}

/// A model whose spread is scaled on the validation cases.
pub fn conformal(model: &Path, data: &Dataset, device: &Device) -> Result<Checkpoint> {
    let model = Model::read(model)?;
    let grid = data.task_of(Split::Valid).input_shape();
    let forecaster = Forecaster::on_grid(&model.checkpoint, &grid, device)
        .with_context(|| format!("{} cannot be used", model.path.display()))?;
    let options = conformal::Options {
        coverage: 1.0 - ALPHA,
        split: Split::Valid,
        members: CALIBRATION_MEMBERS,
        seed: MEMBERS_SEED,
        horizon: Horizon::ONE_STEP,
    };
    let progress = Progress::new("cases", data.split(Split::Valid).len());
    let found = conformal::fit(&forecaster, data, options, |done| progress.set(done))?;
    Ok(conformal::calibrated(&model.checkpoint, found))
}

/// A deterministic model whose members begin with perturbed inputs.
pub fn perturbed(model: &Path) -> Result<Checkpoint> {
    let model = Model::read(model)?;
    perturbed::used_as(model.checkpoint, Method::Perturbed)
        .with_context(|| model.path.display().to_string())
}

/// One model of several networks.
pub fn deep_ensemble(models: &[PathBuf]) -> Result<Checkpoint> {
    let read = |path: &PathBuf| {
        let model = Model::read(path)?;
        Ok((path.display().to_string(), model.checkpoint))
    };
    let models: Result<Vec<_>> = models.iter().map(read).collect();
    ensemble::assemble(&models?)
}

/// Writes a model that was made of others.
pub fn write_model(folder: &Path, model: &Checkpoint) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let bytes = model.encode(Precision::F32)?;
    files::write_atomic(&folder.join(Checkpoint::FILE_NAME), &bytes)
}

/// Scores a model and leaves a result folder: scores, maps, plots, and one case for the figures.
pub fn evaluate(
    model: &Path,
    data: &Dataset,
    evaluation: &Evaluation,
    members: u32,
    out: &Path,
    (device, label): (&Device, &str),
) -> Result<()> {
    let model = Model::read(model)?;
    let grid = data.task_of(Split::Test).input_shape();
    let forecaster = Forecaster::on_grid(&model.checkpoint, &grid, device)
        .with_context(|| format!("{} cannot be used", model.path.display()))?
        .observing(evaluation.observation);
    let cases = data.split(Split::Test);
    let horizon = Horizon {
        steps: evaluation.steps,
        rollout: evaluation.rollout,
    };
    let plan = Plan {
        forecaster: &forecaster,
        dataset: data,
        cases,
        members,
        seed: MEMBERS_SEED,
        horizon,
        thresholds: &[],
    };
    let progress = Progress::new("cases", cases.len());
    let outcome = plan.run(|done| progress.set(done))?;
    drop(progress);
    if out.exists() {
        // Of a model that has been trained again since.
        std::fs::remove_dir_all(out).with_context(|| out.display().to_string())?;
    }
    let evaluation = eval::Evaluation {
        plan: &plan,
        model_hash: &model.fingerprint,
        data_fingerprint: &data.fingerprint()?,
        split: Split::Test,
        climatology: None,
        device: label,
        command: &cli::command_line(),
    };
    evaluation.write(&outcome, out, cases[0])?;
    write_case(&plan, cases[0], &out.join(CASE))
}

/// One case in physical units: truth, mean, standard deviation and hits, `[4, values]`.
fn write_case(plan: &Plan, index: usize, path: &Path) -> Result<()> {
    let case = plan.dataset.case_after(index, plan.horizon.steps)?;
    let seed = case_seed(plan.seed, index as u64);
    let input = plan
        .observation()
        .of(plan.forecaster.task(), &case.input, seed);
    let members = draw(plan.forecaster, &input, seed, plan.members, plan.horizon)?;
    let maps = Maps::new(&members, &case.truth, ALPHA);
    let hits: Vec<f32> = maps
        .hits
        .iter()
        .map(|&hit| f32::from(u8::from(hit)))
        .collect();
    let values = [&case.truth, &maps.mean, &maps.std, &hits].map(Vec::as_slice);
    npy::write(path, &[4, case.truth.len()], &values.concat(), true)
}
