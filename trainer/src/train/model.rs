//! The network in training: how a step draws members and what it minimises.

mod groups;

use burn::module::Module;
use burn::optim::lr_scheduler::module_lr_scheduler::ModuleLearningRate;
use burn::optim::{GradientsAccumulator, GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, ExecutionError, Tensor};
use burn::train::metric::Adaptor;
use burn::train::{InferenceStep, ItemLazy, TrainOutput, TrainStep};
use pno::nn::{Network, Rows};
use pno::noise;
use pno::spec::{Masks, Rollout};

use super::average::Average;
use super::batches::Batch;
use super::clip::{clip_global_norm, squared_norms};
use super::procedure::{Procedure, Stage};
use super::watch::Report;

/// A network and its procedure.
#[derive(Module, Debug)]
pub struct Trainee {
    /// The weights.
    pub network: Network,
    /// Their running average, where one is kept.
    average: Option<Average>,
    #[module(skip)]
    procedure: Procedure,
    #[module(skip)]
    execution: Execution,
}

/// How a step is carried out, which changes nothing but the rounding of its result.
#[derive(Debug, Clone, Default)]
pub struct Execution {
    /// Most cases at once; 0 for all of a batch.
    pub chunk: usize,
    /// Most members at once, of a case that is alone in its chunk; 0 for all.
    pub members: usize,
    /// Constants of the training grid on the other devices that share a batch.
    pub others: Vec<(Device, Stage)>,
}

impl Trainee {
    /// Puts a network into training.
    pub fn new(network: Network, procedure: Procedure, execution: Execution) -> Self {
        Self {
            network,
            average: None,
            procedure,
            execution,
        }
    }

    /// The same with a running average of the weights, if the procedure has one.
    #[must_use]
    pub fn with_average(self, device: &Device) -> Self {
        let average = (self.procedure.average > 0.0).then(|| Average::new(&self.network, device));
        Self { average, ..self }
    }

    /// The constants on the device of some cases.
    fn stage(&self, batch: &Batch) -> &Stage {
        let device = batch.input.device();
        let other = self.execution.others.iter().find(|(d, _)| *d == device);
        other.map_or(&self.procedure.training, |(_, stage)| stage)
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
            let first = batch.first * input.dims()[0] / cases;
            let drawn = self.draw(input.clone(), stage, seed, first, each);
            let [inputs, each, values] = drawn.dims();
            let fields = drawn.reshape([cases, inputs * each / cases, values]);
            let loss = stage.loss(&self.procedure.objective, &fields, truth);
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
        let mean = total.expect("a batch has a truth") / steps as f32;
        weighted(mean, batch.weights)
    }

    /// Members of each input as the method table says, `[inputs, members, values]`. Passes are numbered across the whole
    /// batch, of which the inputs from `first` on are here.
    fn draw(
        &self,
        input: Tensor<3>,
        stage: &Stage,
        seed: u64,
        first: usize,
        members: usize,
    ) -> Tensor<3> {
        let inputs = first as u32..(first + input.dims()[0]) as u32;
        let each = members as u32;
        let rows = Rows::members(seed, inputs.start * each..inputs.end * each);
        let shared = Rows::members(seed, inputs);
        let masks = match stage.masks {
            Masks::Off => None,
            Masks::PerCase => Some(&shared),
            Masks::PerMember => Some(&rows),
        };
        self.network.draw(input, &stage.plan, masks, &rows)
    }
}

/// The loss of each case with its factor.
fn weighted(losses: Tensor<1>, weights: Option<Tensor<1>>) -> Tensor<1> {
    match weights {
        Some(weights) => losses * weights,
        None => losses,
    }
}

/// What a step has found.
pub struct StepOutput(pub Report);

impl StepOutput {
    fn new(batch: (usize, usize), losses: Vec<Tensor<1>>, squares: Option<Tensor<1>>) -> Self {
        let losses = Tensor::cat(losses, 0);
        let cases = losses.dims()[0];
        let numbers = match squares {
            Some(squares) => Tensor::cat(vec![losses, squares], 0),
            None => losses,
        };
        let (epoch, batch) = (batch.0 + 1, batch.1 + 1);
        Self(Report {
            numbers,
            cases,
            epoch,
            batch,
        })
    }
}

impl Adaptor<Report> for StepOutput {
    fn adapt(&self) -> Report {
        self.0.clone()
    }
}

impl ItemLazy for StepOutput {
    fn sync(self) -> Result<Self, ExecutionError> {
        self.0.numbers.device().flush()?;
        Ok(self)
    }
}

impl TrainStep for Trainee {
    type Input = Batch;
    type Output = StepOutput;

    fn step(&self, batch: Batch) -> TrainOutput<StepOutput> {
        let stage = self.stage(&batch);
        let members = self.procedure.members.at(batch.epoch, batch.stage);
        let (place, whole) = ((batch.epoch, batch.number), batch.whole as f32);
        let mut losses = vec![];
        let mut sum = GradientsAccumulator::new();
        // The gradient of a mean is the sum of the gradients of its parts, so what is held at once is one chunk.
        for chunk in batch.chunks(self.execution.chunk) {
            if let Some(most) = self.group(&chunk, stage, members) {
                losses.push(self.add_in_groups(&mut sum, &chunk, stage, (members, most)));
                continue;
            }
            let loss = self.loss(chunk, stage, members);
            let grads = (loss.clone().sum() / whole).backward();
            sum.accumulate(self, GradientsParams::from_grads(grads, self));
            losses.push(loss.without_autodiff());
        }
        let mut grads = sum.grads();
        let squares = squared_norms(self, &grads);
        if let Some(squares) = &squares
            && self.execution.others.is_empty()
        {
            grads = clip_global_norm(self, grads, squares.clone(), self.procedure.clip);
        }
        TrainOutput {
            grads,
            item: StepOutput::new(place, losses, squares),
        }
    }

    fn optimize(
        self,
        optimiser: &mut ModuleOptimizer,
        rate: ModuleLearningRate,
        mut grads: GradientsParams,
    ) -> Self {
        // What several devices found is added up before it is clipped.
        if !self.execution.others.is_empty()
            && let Some(squares) = squared_norms(&self, &grads)
        {
            grads = clip_global_norm(&self, grads, squares, self.procedure.clip);
        }
        let mut trained = optimiser.step(rate, self, grads);
        if let Some(average) = trained.average.take() {
            let decay = trained.procedure.average;
            trained.average = Some(average.with(&trained.network, decay));
        }
        trained
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
        let place = (batch.epoch, batch.number);
        let members = members.in_validation(batch.stage);
        let chunks = batch.chunks(self.execution.chunk).into_iter();
        // What will be kept is what is validated.
        let averaged = self.average.as_ref().map(|average| Self {
            network: average.network.clone(),
            average: None,
            ..self.clone()
        });
        let kept = averaged.as_ref().unwrap_or(self);
        let losses = chunks.map(|chunk| kept.loss(chunk, validation, members));
        StepOutput::new(place, losses.collect(), None)
    }
}

#[cfg(test)]
mod tests;
