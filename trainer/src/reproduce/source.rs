//! What is trained, what is made of it, and how it is scored: each with a name that stays the same.

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
}

impl Data {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Darcy,
        Self::Ks,
        Self::Sswe,
        Self::SsweTest,
        Self::Era5,
    ];

    /// Name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Darcy => "darcy",
            Self::Ks => "ks",
            Self::Sswe => "sswe",
            Self::SsweTest => "sswe-test",
            Self::Era5 => "era5",
        }
    }

    /// What it is for.
    pub fn experiment(self) -> Experiment {
        match self {
            Self::Darcy => Experiment::Darcy,
            Self::Ks => Experiment::Ks,
            Self::Sswe | Self::SsweTest => Experiment::Sswe,
            Self::Era5 => Experiment::Era5,
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
            Self::DeepEnsemble { networks, .. } => format!("{name}-ensemble{networks}"),
        }
    }

    /// Method that `--methods` selects it by.
    pub fn method(&self) -> Method {
        match self {
            Self::Laplace { .. } => Method::Laplace,
            other => other.training().method,
        }
    }
}

/// How a model is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evaluation {
    /// On the test split of this.
    pub data: Data,
    /// After so many steps.
    pub steps: usize,
    /// What every step but the first begins with.
    pub rollout: Rollout,
}

impl Evaluation {
    /// One step on the data set that belongs to the training's.
    pub fn one_step(trained_on: Data) -> Self {
        Self {
            data: trained_on.tested_on(),
            steps: 1,
            rollout: Rollout::Member,
        }
    }

    /// Ending of the name of a result.
    pub fn suffix(&self) -> String {
        match self.steps {
            1 => String::new(),
            steps => format!("-step{steps}-{}", self.rollout),
        }
    }
}
