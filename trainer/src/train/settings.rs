//! Every number of a training run: presets, overrides, and the file that records them.

use anyhow::{Context, Result, bail};
use pno::nn::loss::Objective;
use pno::spec::{Experiment, Loss, Masks, Method, ModelSpec, Operator, Profile, Rollout};
use pno::task::Task;
use serde::{Deserialize, Serialize};

pub use super::overrides::Override;
use super::overrides::{from_value, overridden};
use crate::data::Size;

/// How the learning rate moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// It stays.
    Constant,
    /// The paper's rule: halved every epoch while the early-stopping counter is above 5 and the rate above 1e-4.
    Plateau,
    /// Falls to zero along a half cosine over all epochs: the best use of a fixed budget.
    Cosine,
}

/// Numbers of the training procedure, named as in the paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainSettings {
    /// Cases per step.
    pub batch: usize,
    /// What is minimised.
    #[serde(default = "energy")]
    pub loss: Loss,
    /// Factor of the CRPS in the loss `energy+crps`.
    #[serde(default = "one")]
    pub loss_weight: f64,
    /// Width of the kernel in the loss `kernel`, in norms of a field one standard deviation away everywhere.
    #[serde(default = "one")]
    pub bandwidth: f64,
    /// Members per case in the training loss.
    pub members: usize,
    /// Other numbers of members later on: pairs of (epochs done, members). Validation keeps `members`.
    #[serde(default)]
    pub members_schedule: Vec<(usize, usize)>,
    /// Steps of the forecast in the loss, which is their mean; several where outputs can be inputs.
    #[serde(default = "one_step")]
    pub steps: usize,
    /// What the second step begins with: every member its own field (`member`) or their mean (`mean`, as published).
    #[serde(default = "each_member")]
    pub rollout: Rollout,
    /// Learning rate of Adam at the start.
    pub learning_rate: f64,
    /// How the rate moves.
    pub schedule: Schedule,
    /// Most epochs.
    pub epochs: usize,
    /// Early stopping is silent for this many epochs.
    pub silent_epochs: usize,
    /// Epochs without improvement before training stops.
    pub patience: usize,
    /// Largest global norm of the gradient.
    pub clip: f64,
    /// Seed of weights, order and noise.
    pub seed: u64,
}

// What the settings of runs from before these keys stand for.
fn energy() -> Loss {
    Loss::Energy
}
fn one() -> f64 {
    1.0
}
fn one_step() -> usize {
    1
}
fn each_member() -> Rollout {
    Rollout::Member
}

impl TrainSettings {
    /// The preset of a method: what the paper used, or what learns something in minutes.
    pub fn preset(operator: Operator, method: Method, profile: Profile, size: Size) -> Self {
        let loss = method.procedure().loss;
        let paper = Self {
            batch: if operator == Operator::Uno { 32 } else { 64 },
            loss,
            loss_weight: one(),
            bandwidth: one(),
            members: if loss.scores_ensembles() { 3 } else { 1 },
            members_schedule: vec![],
            steps: one_step(),
            rollout: profile.rollout(),
            learning_rate: 1e-3,
            schedule: Schedule::Constant,
            epochs: 1000,
            silent_epochs: 50,
            patience: 10,
            clip: 1.0,
            seed: 1,
        };
        match size {
            Size::Paper => paper,
            Size::Small => Self {
                batch: 8,
                learning_rate: 2e-3,
                schedule: Schedule::Cosine,
                epochs: 8,
                ..paper
            },
        }
    }

    /// The loss with its numbers.
    pub fn objective(&self) -> Objective {
        Objective {
            loss: self.loss,
            weight: self.loss_weight as f32,
            bandwidth: self.bandwidth as f32,
        }
    }
}

/// Everything that can be set, in the shape of `settings.toml` and of `--set`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The network.
    pub model: ModelSpec,
    /// The procedure.
    pub train: TrainSettings,
}

impl Settings {
    /// The preset of an experiment, an operator and a method.
    pub fn preset(
        experiment: Experiment,
        operator: Operator,
        method: Method,
        profile: Profile,
        size: Size,
        task: Option<&Task>,
    ) -> Result<Self> {
        if method == Method::Laplace {
            bail!(
                "method `laplace` is made of a trained `det` model: train with --method det, then `pno laplace RUN --data DIR --out MODEL.pno`"
            );
        }
        Ok(Self {
            model: model(experiment, operator, method, profile, size, task)?,
            train: TrainSettings::preset(operator, method, profile, size),
        })
    }

    /// Applies `key=value` overrides such as `train.batch=32` or `model.modes=[10,48]`.
    pub fn with_overrides(&self, overrides: &[Override]) -> Result<Self> {
        let settings = overridden(self, overrides)?;
        settings.validate()?;
        Ok(settings)
    }

    /// Reads `settings.toml`.
    pub fn from_toml(text: &str) -> Result<Self> {
        let table: toml::Table = text.parse()?;
        let settings = from_value::<Self>(toml::Value::Table(table))?;
        settings.validate()?;
        Ok(settings)
    }

    /// Writes `settings.toml`.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string_pretty(self).context("settings as TOML")
    }

    /// Checks every value.
    pub fn validate(&self) -> Result<()> {
        self.model.validate()?;
        let t = &self.train;
        let method = self.model.method;
        method.trains_with(t.loss).map_err(anyhow::Error::msg)?;
        let positive = |x: f64| x.is_finite() && x > 0.0;
        for (name, ok, wanted) in [
            ("train.batch", t.batch >= 1, "at least 1"),
            (
                "train.loss_weight",
                t.loss_weight.is_finite() && t.loss_weight >= 0.0,
                "at least 0",
            ),
            ("train.bandwidth", positive(t.bandwidth), "positive"),
            (
                "train.members_schedule",
                t.members_schedule.is_sorted_by(|a, b| a.0 < b.0),
                "pairs [epoch, members] with rising epochs",
            ),
            ("train.steps", (1..=16).contains(&t.steps), "1 to 16"),
            ("train.epochs", t.epochs >= 1, "at least 1"),
            ("train.patience", t.patience >= 1, "at least 1"),
            ("train.learning_rate", positive(t.learning_rate), "positive"),
            ("train.clip", positive(t.clip), "positive"),
        ] {
            if !ok {
                bail!("setting `{name}` must be {wanted}");
            }
        }
        let scheduled = t.members_schedule.iter().map(|(_, members)| *members);
        for members in scheduled.chain([t.members]) {
            check_members(members, method, t.loss)?;
        }
        Ok(())
    }

    /// Flat `key = value` pairs for the checkpoint.
    pub fn pairs(&self) -> Result<Vec<(String, String)>> {
        let table = toml::Table::try_from(self).context("settings as a table")?;
        let mut pairs = vec![];
        for (section, values) in &table {
            for (name, value) in values.as_table().into_iter().flatten() {
                // The levels of a UNO are longer than a setting may be; they stand in the checkpoint's specification.
                if name != "levels" {
                    pairs.push((format!("{section}.{name}"), value.to_string()));
                }
            }
        }
        Ok(pairs)
    }
}

/// Whether a loss can use this many members of a method.
fn check_members(members: usize, method: Method, loss: Loss) -> Result<()> {
    let alike = method.procedure().training != Masks::PerMember && !method.has_spread_head();
    let (ok, wanted) = if loss.scores_ensembles() {
        (members >= 2, "at least 2, or the spread has no gradient")
    } else if alike {
        (
            members == 1,
            "1, since all members of this method are alike in training",
        )
    } else {
        (members >= 1, "at least 1")
    };
    if !ok {
        bail!("setting `train.members` is {members}, but must be {wanted}");
    }
    Ok(())
}

/// The published network, or a slim one that learns something in minutes.
fn model(
    experiment: Experiment,
    operator: Operator,
    method: Method,
    profile: Profile,
    size: Size,
    task: Option<&Task>,
) -> Result<ModelSpec> {
    // What is not of the paper gets a network that suits its grid; so does a small run of what is larger than KS.
    if let Some(task) = task
        && (experiment == Experiment::Arrays || size == Size::Small && experiment != Experiment::Ks)
    {
        let general = ModelSpec::for_task(experiment, method, task);
        if general.operator == operator {
            return Ok(general);
        }
        if experiment == Experiment::Arrays {
            bail!(
                "arrays on this grid are for `{}`; `{operator}` has no preset for them",
                general.operator
            );
        }
    }
    let mut model = ModelSpec::paper(experiment, operator, method, profile)
        .with_context(|| format!("the paper has no `{operator}` for `{experiment}`"))?;
    if size == Size::Small && experiment == Experiment::Ks {
        match operator {
            // The published network sees wavenumbers up to 6, where 8 % of the variance is, and spends its time in wide
            // pointwise layers. This one sees wavenumbers up to 20.
            Operator::Fno => {
                (model.lifting, model.projection, model.modes) = (32, 64, vec![10, 40]);
            }
            // Half the channels, and the wavenumbers that each grid can carry up to 20.
            Operator::Uno => {
                for (level, modes) in model.levels.iter_mut().zip([40, 40, 24, 24, 24, 40, 40]) {
                    level.width = level.width.min(32);
                    level.modes[1] = modes;
                }
            }
            Operator::Sfno => {}
        }
    }
    Ok(model)
}

#[cfg(test)]
mod tests;
