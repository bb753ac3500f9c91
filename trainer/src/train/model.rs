//! The network in training: how a step draws members and what it minimises.

use burn::module::Module;
use burn::tensor::{ExecutionError, Tensor};
use burn::train::metric::{Adaptor, LossInput};
use burn::train::{InferenceStep, ItemLazy, TrainOutput, TrainStep};
use pno::nn::{Network, Row, Rows, loss, ops};
use pno::noise::Place;
use pno::spec::Method;
use pno::spectral::Plan;

use super::batches::Batch;
use super::clip::clip_global_norm;

/// What a step needs besides the weights.
#[derive(Debug, Clone)]
pub struct Procedure {
    /// How members are drawn.
    pub method: Method,
    /// Members per case in the loss.
    pub members: usize,
    /// Largest global norm of the gradient.
    pub clip: f64,
    /// Transforms of the training grid, on the training device.
    pub plan: Plan,
    /// The same on the device without gradients.
    pub valid_plan: Plan,
}

/// A network and its procedure.
#[derive(Module, Debug)]
pub struct Trainee {
    /// The weights.
    pub network: Network,
    #[module(skip)]
    procedure: Procedure,
}

impl Trainee {
    /// Puts a network into training.
    pub fn new(network: Network, procedure: Procedure) -> Self {
        Self { network, procedure }
    }

    /// Energy score of each case with fresh members.
    ///
    /// `PNO_D`: independent masks for every member and case, always on.
    /// `PNO_R`: one mask per case while training and none in validation, then white noise per member.
    fn energy_score(&self, batch: Batch, plan: &Plan, training: bool) -> Tensor<1> {
        let Procedure {
            method, members, ..
        } = self.procedure;
        let [cases, points] = batch.truth.dims();
        let device = batch.input.device();
        let rows = |count: usize| {
            let row = |member: usize| Row {
                seed: batch.seed,
                member: member as u32,
            };
            Rows::new((0..count).map(row).collect())
        };
        let shared = self.network.shared(batch.input);
        let fields = if method == Method::PnoR {
            let masks = rows(cases);
            let heads = self.network.heads(shared, plan, training.then_some(&masks));
            let mean = heads.mean.reshape([cases, 1, points]);
            match heads.spread {
                Some(spread) => {
                    let keys = rows(cases * members).keys(Place::Normal, &device);
                    let normals = ops::normals(&keys, points).reshape([cases, members, points]);
                    normals * spread.reshape([cases, 1, points]) + mean
                }
                None => mean,
            }
        } else {
            let rows = rows(cases * members);
            let heads = self.network.heads(shared, plan, Some(&rows));
            heads.mean.reshape([cases, members, points])
        };
        loss::energy_score(&fields, &batch.truth)
    }
}

/// Loss of each case of a step.
pub struct StepOutput(Tensor<1>);

impl Adaptor<LossInput> for StepOutput {
    fn adapt(&self) -> LossInput {
        LossInput::new(self.0.clone())
    }
}

impl ItemLazy for StepOutput {
    fn sync(self) -> Result<Self, ExecutionError> {
        self.0.device().flush()?;
        Ok(Self(self.0.without_autodiff()))
    }
}

impl TrainStep for Trainee {
    type Input = Batch;
    type Output = StepOutput;

    fn step(&self, batch: Batch) -> TrainOutput<StepOutput> {
        let scores = self.energy_score(batch, &self.procedure.plan, true);
        let grads = scores.clone().mean().backward();
        let mut output = TrainOutput::new(self, grads, StepOutput(scores));
        output.grads = clip_global_norm(self, output.grads, self.procedure.clip);
        output
    }
}

impl InferenceStep for Trainee {
    type Input = Batch;
    type Output = StepOutput;

    fn step(&self, batch: Batch) -> StepOutput {
        StepOutput(self.energy_score(batch, &self.procedure.valid_plan, false))
    }
}
