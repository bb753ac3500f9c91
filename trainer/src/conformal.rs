//! Finds the factors that spread a model's members to a stated coverage, on cases it was not trained on.

use anyhow::{Context, Result, bail};
use pno::checkpoint::Checkpoint;
use pno::ensemble::conformal::{Calibration, ConformalError, Fit};
use pno::ensemble::forecast::Forecaster;
use pno::noise::case_seed;
use pno::score::Measure;

use crate::data::{Dataset, Split};
use crate::eval::{Horizon, draw_steps, same_task};
use crate::interrupt::{self, Interrupted};

/// Which cases, and how members are drawn for them.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Share of points that the central interval is to hold.
    pub coverage: f64,
    /// Part of the data set.
    pub split: Split,
    /// Members per case.
    pub members: u32,
    /// Seed of the members; each case mixes in its number.
    pub seed: u64,
    /// Every step up to this one gets factors of its own.
    pub horizon: Horizon,
}

/// Fits the calibration of a model that draws members as it was trained, without an earlier calibration.
pub fn fit(
    forecaster: &Forecaster,
    data: &Dataset,
    options: Options,
    progress: impl Fn(usize),
) -> Result<Calibration> {
    let Options { split, horizon, .. } = options;
    let (task, cases) = (forecaster.task(), data.split(split));
    let place = data.path().display();
    data.check_steps(horizon.steps)?;
    same_task(task, &data.task_of(split)).with_context(|| format!("{place}: its {split} split"))?;
    let forecaster = forecaster.clone().without_calibration();
    let mut fit = Fit::new(Measure::of(task), horizon.steps, options.coverage)?;
    for (done, &index) in cases.iter().enumerate() {
        if interrupt::requested() {
            bail!(Interrupted(format!(
                "after {done} of {} cases; nothing was written",
                cases.len()
            )));
        }
        let seed = case_seed(options.seed, index as u64);
        let input = data.case(index)?.input;
        let members = draw_steps(&forecaster, &input, seed, options.members, horizon)?;
        for (step, members) in (1..).zip(&members) {
            let truth = data.case_after(index, step)?.truth;
            fit.push(step, members, &truth)
                .map_err(|error| explained(&forecaster, error))?;
        }
        progress(done + 1);
    }
    let fingerprint = data.fingerprint()?;
    Ok(fit.finish(&format!("{fingerprint} {split}"))?)
}

/// What is known of a method without spread.
fn explained(forecaster: &Forecaster, error: ConformalError) -> anyhow::Error {
    let method = forecaster.spec().method;
    let error = anyhow::Error::new(error);
    error.context(format!("a model of method `{method}` cannot be calibrated"))
}

/// The model with its calibration, and with a record of it. Scores were of the members as they were before.
pub fn calibrated(model: &Checkpoint, calibration: Calibration) -> Checkpoint {
    let mut out = model.clone();
    let before = out.header.provenance.note.split("; conformal").next();
    let before = before.unwrap_or_default().to_owned();
    out.header.provenance.note = format!(
        "{before}; conformal scaling to coverage {} on {} cases",
        calibration.coverage, calibration.cases
    );
    out.header.provenance = out.header.provenance.tidied();
    (out.header.scores, out.header.calibration) = (None, Some(calibration));
    out
}
