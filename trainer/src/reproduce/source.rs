//! What is trained, what is made of it, and how it is scored: each with a name that stays the same.

use pno::observation::Observation;
use pno::spec::{Experiment, Method, Operator, Profile, Rollout};

/// A data set of the reproduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// Darcy flow.
    Darcy,
    /// Kuramoto-Sivashinsky.
    Ks,
    /// Shallow water, three frames: for training.
    Sswe,
    /// Shallow water, eleven frames: for tests of up to ten hours.
    SsweTest,
    /// Two-metre temperature.
    Era5,
    /// Kuramoto-Sivashinsky, step by step.
    KsStep,
    /// Shallow water, trajectories to be entered at any hour.
    SsweStep,
}

impl Data {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Darcy,
        Self::Ks,
        Self::Sswe,
        Self::SsweTest,
        Self::Era5,
        Self::KsStep,
        Self::SsweStep,
    ];

    /// Name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Darcy => "darcy",
            Self::Ks => "ks",
            Self::Sswe => "sswe",
            Self::SsweTest => "sswe-test",
            Self::Era5 => "era5",
            Self::KsStep => "ks-step",
            Self::SsweStep => "sswe-step",
        }
    }

    /// What it is for.
    pub fn experiment(self) -> Experiment {
        match self {
            Self::Darcy => Experiment::Darcy,
            Self::Ks => Experiment::Ks,
            Self::Sswe | Self::SsweTest | Self::SsweStep => Experiment::Sswe,
            Self::Era5 => Experiment::Era5,
            Self::KsStep => Experiment::KsStep,
        }
    }

    /// The named changes of the experiment that it is of.
    pub fn variants(self) -> Vec<String> {
        match self {
            Self::SsweStep => vec!["step".to_owned()],
            _ => vec![],
        }
    }

    /// Where models that are trained on it are tested.
    pub fn tested_on(self) -> Self {
        match self {
            Self::Sswe => Self::SsweTest,
            other => other,
        }
    }
}

/// One network and how it is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// Names the run folder, with the seed after it.
    pub name: String,
    /// What it learns.
    pub data: Data,
    /// Which network.
    pub operator: Operator,
    /// How it is trained and drawn from.
    pub method: Method,
    /// As published, or as it should be.
    pub profile: Profile,
    /// Settings that are not those of the preset: `train.members=10`.
    pub sets: Vec<String>,
    /// What it begins with instead of fresh weights.
    pub from: Option<Box<Training>>,
    /// Named changes of the experiment: `two-step`, `fine-tune`, `full-spectrum`.
    pub variants: Vec<String>,
}

impl Training {
    /// The published network of an experiment, trained as published.
    pub fn paper(data: Data, operator: Operator, method: Method) -> Self {
        Self {
            name: format!("{}-{operator}-{method}", data.name()),
            data,
            operator,
            method,
            profile: Profile::Paper,
            sets: vec![],
            from: None,
            variants: vec![],
        }
    }

    /// A network as it should be, on data that are steps of trajectories.
    pub fn step(data: Data, operator: Operator, method: Method) -> Self {
        Self {
            profile: Profile::Fixed,
            variants: data.variants(),
            ..Self::paper(data, operator, method)
        }
    }

    /// The same, begun with the weights of another training.
    #[must_use]
    pub fn after(mut self, first: Self) -> Self {
        self.from = Some(Box::new(first));
        self
    }

    /// The same with other settings, under another name.
    #[must_use]
    pub fn with(mut self, suffix: &str, sets: &[&str]) -> Self {
        self.name = format!("{}-{suffix}", self.name);
        self.sets.extend(sets.iter().map(|&set| set.to_owned()));
        self
    }

    /// The same with a named change of the experiment.
    #[must_use]
    pub fn varied(mut self, variant: &str) -> Self {
        self.name = format!("{}-{variant}", self.name);
        self.variants.push(variant.to_owned());
        self
    }
}

/// A model: a trained network, or something made of one.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// As it was trained.
    Trained(Training),
    /// With a posterior of its last layer.
    Laplace {
        /// A deterministic network.
        of: Training,
        /// The optimum of the evidence, or the published artefacts.
        profile: Profile,
    },
    /// With its spread scaled so that intervals cover what they should.
    Conformal(Training),
    /// A deterministic network from perturbed inputs: the classic ensemble.
    Perturbed(Training),
    /// Several networks that differ in their seeds.
    DeepEnsemble {
        /// How each is trained.
        of: Training,
        /// How many.
        networks: usize,
    },
}

impl Source {
    /// The network that it is, or is made of.
    pub fn training(&self) -> &Training {
        match self {
            Self::Trained(training)
            | Self::Conformal(training)
            | Self::Perturbed(training)
            | Self::Laplace { of: training, .. }
            | Self::DeepEnsemble { of: training, .. } => training,
        }
    }

    /// Names the folder of the model, with the seed after it.
    pub fn name(&self) -> String {
        let name = &self.training().name;
        match self {
            Self::Trained(_) => name.clone(),
            Self::Laplace { profile, .. } => format!("{name}-laplace-{profile}"),
            Self::Conformal(_) => format!("{name}-conformal"),
            Self::Perturbed(_) => format!("{name}-perturbed"),
            Self::DeepEnsemble { networks, .. } => format!("{name}-ensemble{networks}"),
        }
    }

    /// Method that `--methods` selects it by.
    pub fn method(&self) -> Method {
        match self {
            Self::Laplace { .. } => Method::Laplace,
            Self::Perturbed(_) => Method::Perturbed,
            other => other.training().method,
        }
    }
}

/// How a model is scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation {
    /// On the test split of this.
    pub data: Data,
    /// After so many steps.
    pub steps: usize,
    /// What every step but the first begins with.
    pub rollout: Rollout,
    /// Whether all steps are scored as one field, and not the last alone.
    pub whole: bool,
    /// How well the input is known.
    pub observation: Observation,
}

impl Evaluation {
    /// One step on the data set that belongs to the training's.
    pub fn one_step(trained_on: Data) -> Self {
        Self {
            data: trained_on.tested_on(),
            steps: 1,
            rollout: Rollout::Member,
            whole: false,
            observation: Observation::EXACT,
        }
    }

    /// So many steps as one field, from inputs that are known so well.
    pub fn window(trained_on: Data, steps: usize, observation: Observation) -> Self {
        Self {
            steps,
            whole: true,
            observation,
            ..Self::one_step(trained_on)
        }
    }

    /// Ending of the name of a result.
    pub fn suffix(&self) -> String {
        let steps = match (self.steps, self.whole) {
            (1, _) => String::new(),
            (steps, false) => format!("-step{steps}-{}", self.rollout),
            (steps, true) => format!("-steps{steps}-{}", self.rollout),
        };
        if self.observation.is_exact() {
            return steps;
        }
        let observed = self.observation.to_string();
        format!("{steps}-{}", observed.replace(['=', ','], "-"))
    }
}
