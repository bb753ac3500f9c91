//! Every number of a training run: presets, overrides, and the file that records them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use pno::spec::{Experiment, Loss, Method, ModelSpec, Operator, Profile, Rollout};
use pno::task::Task;
use serde::{Deserialize, Serialize};

pub use super::overrides::Override;
use super::overrides::{check_sections, from_value, overridden};
use crate::data::Size;
use crate::experiments::{self, Choice};
use crate::{files, laplace};

/// The file in a run's folder.
pub const NAME: &str = "settings.toml";

/// Losses that a CRPS of spectra can be added to.
const SPECTRAL: [Loss; 3] = [Loss::Energy, Loss::Crps, Loss::EnergyCrps];

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
    /// How often an epoch enters every trajectory, at frames drawn anew each time; 0 for once, where the data set says.
    #[serde(default)]
    pub entries: usize,
    /// Whether every epoch has new trajectories straight from the solver of the data set, which then gives grid, number and
    /// scales, and the cases of validation and test.
    #[serde(default)]
    pub fresh: bool,
    /// What is minimised.
    #[serde(default = "energy")]
    pub loss: Loss,
    /// Factor of the CRPS in the loss `energy+crps`.
    #[serde(default = "one")]
    pub loss_weight: f64,
    /// Factor of the CRPS of spectra that is added to `energy`, `crps` and `energy+crps`; 0 leaves it out.
    #[serde(default)]
    pub spectral: f64,
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
    /// Epochs at the beginning of the first stage over which the rate rises from zero.
    #[serde(default)]
    pub warm_up: f64,
    /// Decay of the weights (AdamW), in units of the learning rate; 0 for Adam.
    #[serde(default)]
    pub decay: f64,
    /// Decay of a running average of the weights, which is what is validated and kept; 0 for none.
    #[serde(default)]
    pub average: f64,
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
    /// Most cases of a batch at once, their gradients added up: less memory, the same result to rounding. 0 for all.
    #[serde(default)]
    pub micro_batch: usize,
    /// Most members of a case at once, with a `micro_batch` of 1: still less memory for one more pass. 0 for all.
    #[serde(default)]
    pub micro_members: usize,
    /// Share of the cases that begin with an exact input, where the network takes observed ones.
    #[serde(default = "quarter")]
    pub exact: f64,
    /// The loss of a case is divided by this and the noise level of its input, so that inputs with little noise count, too;
    /// 0 leaves it as it is.
    #[serde(default)]
    pub level_scale: f64,
    /// Keep the model of every so many epochs besides the best and the last; 0 for none.
    #[serde(default)]
    pub keep_every: usize,
    /// The model whose weights it begins with, and the first characters of the file's hash; empty for fresh weights.
    #[serde(default)]
    pub from: String,
    /// What comes after the first stage (which is `steps` and `epochs` above).
    #[serde(default)]
    pub stages: Vec<Stage>,
}

/// A later stage of a training: it goes on from the last weights of the one before, with the state of the optimiser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Steps of the forecast in the loss.
    pub steps: usize,
    /// Most epochs.
    pub epochs: usize,
    /// Factor of the learning rate: of that at the end of the stage before, or with a cosine of that at its beginning.
    #[serde(default = "half")]
    pub rate: f64,
    /// Cases per step; as in the stage before, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// How often an epoch enters every trajectory; as in the stage before, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<usize>,
    /// Members per case in training and validation; as in the stage before, if nothing is said. The members' schedule is for
    /// stages without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<usize>,
}

// What the settings of runs from before these keys stand for.
fn energy() -> Loss {
    Loss::Energy
}
fn one() -> f64 {
    1.0
}
fn quarter() -> f64 {
    0.25
}
fn half() -> f64 {
    0.5
}
fn one_step() -> usize {
    1
}
fn each_member() -> Rollout {
    Rollout::Member
}

impl TrainSettings {
    /// The numbers of a method for a problem that is not of the paper.
    pub fn general(method: Method, profile: Profile, size: Size) -> Result<Self> {
        let choice = Choice {
            experiment: Experiment::Arrays,
            operator: Operator::Fno,
            method,
            profile,
            size,
            variants: &[],
            task: None,
        };
        let train = experiments::table(&choice, None)?.remove("train");
        from_value(train.context("numbers of a training")?)
    }

    /// Most epochs of a stage, from 0.
    pub fn epochs_of(&self, stage: usize) -> usize {
        match stage {
            0 => self.epochs,
            later => self.stages[later - 1].epochs,
        }
    }

    /// Steps of the forecast in the loss of a stage, from 0.
    pub fn steps_of(&self, stage: usize) -> usize {
        match stage {
            0 => self.steps,
            later => self.stages[later - 1].steps,
        }
    }

    /// All stages, by number.
    pub fn each_stage(&self) -> std::ops::RangeInclusive<usize> {
        0..=self.stages.len()
    }

    /// What a stage from 0, or the last one before it that does, says for itself.
    fn own(&self, stage: usize, of: impl Fn(&Stage) -> Option<usize>) -> Option<usize> {
        self.stages[..stage].iter().rev().find_map(of)
    }

    /// Cases per step of a stage, from 0.
    pub fn batch_of(&self, stage: usize) -> usize {
        self.own(stage, |stage| stage.batch).unwrap_or(self.batch)
    }

    /// How often an epoch of a stage, from 0, enters every trajectory.
    pub fn entries_of(&self, stage: usize) -> usize {
        let own = self.own(stage, |stage| stage.entries);
        own.unwrap_or(self.entries)
    }

    /// Members per case that a stage, from 0, has of its own; others follow the schedule.
    pub fn members_of(&self, stage: usize) -> Option<usize> {
        self.own(stage, |stage| stage.members)
    }

    /// The largest number of members that a stage, from 0, comes to.
    pub fn most_members_of(&self, stage: usize) -> usize {
        let scheduled = self.members_schedule.iter().map(|(_, members)| *members);
        let most = scheduled.fold(self.members, usize::max);
        self.members_of(stage).unwrap_or(most)
    }

    /// Most epochs of all stages together.
    pub fn all_epochs(&self) -> usize {
        let all = self.each_stage().map(|s| self.epochs_of(s));
        // A file may say any number; no run ever gets there.
        all.fold(0, usize::saturating_add)
    }

    /// Most steps of any stage.
    pub fn most_steps(&self) -> usize {
        let steps = self.each_stage().map(|s| self.steps_of(s));
        steps.max().unwrap_or(self.steps)
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
    /// How the posterior is fitted; of method `laplace` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laplace: Option<laplace::Options>,
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
        Self::chosen(
            &Choice {
                experiment,
                operator,
                method,
                profile,
                size,
                variants: &[],
                task,
            },
            None,
        )
    }

    /// The settings of a choice, with a user's file over ours.
    pub fn chosen(choice: &Choice<'_>, own: Option<&toml::Table>) -> Result<Self> {
        let Choice {
            experiment,
            operator,
            method,
            ..
        } = *choice;
        let mut table = experiments::table(choice, own)?;
        if experiment == Experiment::Arrays
            && let Some(task) = choice.task
        {
            let general = ModelSpec::for_task(experiment, method, task).operator;
            if general != operator {
                bail!(
                    "arrays on this grid are for `{general}`; `{operator}` has no preset for them"
                );
            }
        }
        let laplace = method == Method::Laplace;
        table.retain(|section, _| {
            ["model", "train"].contains(&section) || laplace && section == "laplace"
        });
        let settings = from_value::<Self>(toml::Value::Table(table))?;
        settings.validate()?;
        Ok(settings)
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
        check_sections(&table)?;
        let settings = from_value::<Self>(toml::Value::Table(table))?;
        settings.validate()?;
        Ok(settings)
    }

    /// Reads those of a run.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(NAME);
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Self::from_toml(&text).with_context(|| path.display().to_string())
    }

    /// Writes them into the folder of a run.
    pub fn write(&self, run: &Path) -> Result<()> {
        files::write_atomic(&run.join(NAME), self.to_toml()?.as_bytes())
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
        if self.laplace.is_some() != (method == Method::Laplace) {
            bail!("settings `laplace` are of method `laplace`, but the method is `{method}`");
        }
        let positive = |x: f64| x.is_finite() && x > 0.0;
        for (name, ok, wanted) in [
            ("train.batch", t.batch >= 1, "at least 1"),
            (
                "train.loss_weight",
                t.loss_weight.is_finite() && t.loss_weight >= 0.0,
                "at least 0",
            ),
            (
                "train.spectral",
                t.spectral.is_finite() && t.spectral >= 0.0,
                "at least 0",
            ),
            (
                "train.spectral",
                t.spectral == 0.0 || SPECTRAL.contains(&t.loss),
                "0 unless the loss is energy, crps or energy+crps",
            ),
            ("train.bandwidth", positive(t.bandwidth), "positive"),
            (
                "train.members_schedule",
                t.members_schedule.is_sorted_by(|a, b| a.0 < b.0),
                "pairs [epoch, members] with rising epochs",
            ),
            ("train.steps", (1..=16).contains(&t.steps), "1 to 16"),
            (
                "train.stages",
                t.stages
                    .iter()
                    .all(|s| (1..=16).contains(&s.steps) && s.epochs >= 1 && positive(s.rate)),
                "stages of 1 to 16 steps, at least 1 epoch and a positive rate",
            ),
            (
                "train.stages",
                t.stages.iter().all(|s| s.batch != Some(0)),
                "stages with a batch of at least 1, or none of their own",
            ),
            (
                "train.stages",
                (1..=t.stages.len()).all(|s| t.steps_of(s) != t.steps_of(s - 1)),
                "stages that each have another number of steps than the one before",
            ),
            ("train.epochs", t.epochs >= 1, "at least 1"),
            ("train.patience", t.patience >= 1, "at least 1"),
            ("train.learning_rate", positive(t.learning_rate), "positive"),
            ("train.clip", positive(t.clip), "positive"),
            (
                "train.warm_up",
                (0.0..=t.epochs as f64).contains(&t.warm_up),
                "0 to train.epochs",
            ),
            ("train.exact", (0.0..=1.0).contains(&t.exact), "0 to 1"),
            (
                "train.level_scale",
                t.level_scale.is_finite() && t.level_scale >= 0.0,
                "at least 0",
            ),
            ("train.decay", (0.0..=1.0).contains(&t.decay), "0 to 1"),
            (
                "train.average",
                (0.0..1.0).contains(&t.average),
                "at least 0 and below 1",
            ),
        ] {
            if !ok {
                bail!("setting `{name}` must be {wanted}");
            }
        }
        let scheduled = t.members_schedule.iter().map(|(_, members)| *members);
        let of_stages = t.stages.iter().filter_map(|stage| stage.members);
        for members in scheduled.chain(of_stages).chain([t.members]) {
            check_members(members, method, t.loss)?;
        }
        Ok(())
    }

    /// The first setting that is another one in `other`: its name, its value here and its value there.
    pub fn first_difference(&self, other: &Self) -> Result<Option<(String, String, String)>> {
        let tables = [self, other].map(toml::Table::try_from);
        let [here, there] = tables.map(|table| table.context("settings as a table"));
        let (here, there) = (here?, there?);
        let shown =
            |value: Option<&toml::Value>| value.map_or("nothing".into(), toml::Value::to_string);
        for (section, values) in &here {
            let others = there.get(section).and_then(toml::Value::as_table);
            for (name, value) in values.as_table().into_iter().flatten() {
                let found = others.and_then(|others| others.get(name));
                if found != Some(value) {
                    let key = format!("{section}.{name}");
                    return Ok(Some((key, value.to_string(), shown(found))));
                }
            }
        }
        Ok(None)
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
    let alike = !method.passes_per_member() && !method.has_spread_head();
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

#[cfg(test)]
mod tests;
