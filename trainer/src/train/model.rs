//! The network in training: how a step draws members and what it minimises.

use burn::module::Module;
use burn::tensor::{ExecutionError, Tensor};
use burn::train::metric::{Adaptor, LossInput};
use burn::train::{InferenceStep, ItemLazy, TrainOutput, TrainStep};
use pno::nn::{Network, Rows};
use pno::noise;
use pno::spec::{Masks, Rollout};

use super::batches::Batch;
use super::clip::clip_global_norm;
use super::procedure::{Procedure, Stage};

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

    /// Loss of each case with fresh members, the mean over the steps of its forecast.
    fn loss(&self, batch: Batch, stage: &Stage, members: usize) -> Tensor<1> {
        let (cases, steps) = (batch.input.dims()[0], batch.truths.len());
        let mut input = batch.input;
        let mut total: Option<Tensor<1>> = None;
        for (step, truth) in batch.truths.iter().enumerate() {
            // The first step has the batch's own seed; members that have gone apart are drawn one from each.
            let seed = match step {
                0 => batch.seed,
                _ => noise::case_seed(batch.seed, step as u64),
            };
            let each = (cases * members / input.dims()[0]).max(1);
            let drawn = self.draw(input.clone(), stage, seed, each);
            let [inputs, each, values] = drawn.dims();
            let fields = drawn.reshape([cases, inputs * each / cases, values]);
            let loss = self.procedure.objective.of(&fields, truth, &stage.norm);
            total = Some(match total {
                Some(total) => total + loss,
                None => loss,
            });
            if step + 1 < steps {
                let feedback = stage.feedback.as_ref();
                let feedback = feedback.expect("several steps were checked to be possible");
                let outputs = match self.procedure.rollout {
                    Rollout::Member => fields,
                    Rollout::Mean => fields.mean_dim(1),
                };
                // Of the input only the coordinates are needed again, and they are those of every case.
                input = feedback.next(&input.narrow(0, 0, cases), outputs);
            }
        }
        total.expect("a batch has a truth") / steps as f32
    }

    /// Members of each input as the method table says, `[inputs, members, values]`.
    fn draw(&self, input: Tensor<3>, stage: &Stage, seed: u64, members: usize) -> Tensor<3> {
        let inputs = input.dims()[0];
        let rows = Rows::numbered(seed, inputs * members);
        let shared = Rows::numbered(seed, inputs);
        let masks = match stage.masks {
            Masks::Off => None,
            Masks::PerCase => Some(&shared),
            Masks::PerMember => Some(&rows),
        };
        self.network.draw(input, &stage.plan, masks, &rows)
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
        let Procedure {
            members,
            training,
            clip,
            ..
        } = &self.procedure;
        let members = members.at(batch.epoch);
        let losses = self.loss(batch, training, members);
        let grads = losses.clone().mean().backward();
        let mut output = TrainOutput::new(self, grads, StepOutput(losses));
        output.grads = clip_global_norm(self, output.grads, *clip);
        output
    }
}

impl InferenceStep for Trainee {
    type Input = Batch;
    type Output = StepOutput;

    fn step(&self, batch: Batch) -> StepOutput {
        let Procedure {
            members,
            validation,
            ..
        } = &self.procedure;
        StepOutput(self.loss(batch, validation, members.in_validation()))
    }
}

#[cfg(test)]
mod tests;
