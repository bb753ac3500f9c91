//! The network in training: how a step draws members and what it minimises.

use burn::module::Module;
use burn::tensor::{ExecutionError, Tensor};
use burn::train::metric::{Adaptor, LossInput};
use burn::train::{InferenceStep, ItemLazy, TrainOutput, TrainStep};
use pno::nn::{Network, Plan, Row, Rows, loss, ops};
use pno::noise::Place;
use pno::spec::Method;

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
        let [cases, values] = batch.truth.dims();
        let device = batch.input.device();
        let rows = |count: usize| {
            let row = |member: usize| Row {
                seed: batch.seed,
                member: member as u32,
            };
            Rows::new((0..count).map(row).collect())
        };
        let fields = if method == Method::PnoR {
            let masks = rows(cases);
            let masks = training.then_some(&masks);
            let heads = self.network.forward(batch.input, plan, masks);
            let mean = heads.mean.reshape([cases, 1, values]);
            match heads.spread {
                Some(spread) => {
                    let keys = rows(cases * members).keys(Place::Normal, &device);
                    let normals = ops::normals(&keys, values).reshape([cases, members, values]);
                    normals * spread.reshape([cases, 1, values]) + mean
                }
                None => mean,
            }
        } else {
            let rows = rows(cases * members);
            let heads = self.network.forward(batch.input, plan, Some(&rows));
            heads.mean.reshape([cases, members, values])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Loaded;
    use crate::train::batches::Batches;
    use burn::data::dataloader::DataLoader;
    use burn::optim::AdamConfig;
    use burn::tensor::Device;
    use pno::spec::{Experiment, Level, ModelSpec, Operator, Profile};
    use pno::sphere::Latitudes;
    use pno::task::{Axis, Coordinate, Domain, Normalisation, Quantity, Task};

    /// A task of `channels` fields on a small grid.
    fn task(sizes: &[usize], domain: Domain, channels: usize) -> Task {
        let axis = |(i, &size): (usize, &usize)| Axis::new(&format!("x{i}"), size, 0.0, 1.0, "");
        let axes: Vec<Axis> = sizes.iter().enumerate().map(axis).collect();
        let field = Quantity::new("u", "", Normalisation::NONE);
        let coordinates = match domain {
            Domain::Flat => (0..sizes.len()).map(Coordinate::unit).collect(),
            Domain::Sphere(_) => vec![],
        };
        Task {
            input: axes.clone(),
            output: axes,
            inputs: vec![field.clone(); channels],
            outputs: vec![field; channels],
            coordinates,
            domain,
        }
    }

    fn spec(operator: Operator, method: Method, task: &Task) -> ModelSpec {
        let is_uno = operator == Operator::Uno;
        let axes = task.input.len();
        let level = |scale| Level {
            width: 6,
            modes: vec![4; axes],
            scale: vec![scale; axes],
        };
        let spec = ModelSpec {
            experiment: Experiment::Ks,
            method,
            operator,
            profile: Profile::Fixed,
            in_channels: task.network_channels(),
            out_channels: task.outputs.len(),
            width: 6,
            lifting: 16,
            projection: 16,
            layers: if is_uno { 0 } else { 2 },
            modes: if is_uno { vec![] } else { vec![4; axes] },
            levels: if is_uno {
                [0.5, 1.0, 2.0].map(level).to_vec()
            } else {
                vec![]
            },
            dropout: 0.02,
            fourier_dropout: 0.02,
        };
        spec.validate().expect("valid");
        spec.fits(task).expect("fits");
        spec
    }

    /// Energy score of the first and the last of some steps on a smooth map.
    fn learn(operator: Operator, method: Method, task: &Task) -> (f32, f32) {
        let spec = spec(operator, method, task);
        let (device, count) = (Device::flex().autodiff(), 8);
        // One wave around the last axis, each case with its own phase: every grid inside a UNO carries it.
        let values = task.input_values();
        let around = task.input[task.input.len() - 1].size;
        let wave = |i: usize| {
            let turn = (i % around) as f32 / around as f32;
            (std::f32::consts::TAU * turn + (i / values) as f32).sin()
        };
        let inputs: Vec<f32> = (0..count * values).map(wave).collect();
        let truths: Vec<f32> = inputs.iter().map(|x| 0.5 * x * x - x).collect();
        let plan = |device: &Device| Plan::new(&spec, &task.grid(), device);
        let procedure = Procedure {
            method,
            members: 3,
            clip: 1.0,
            plan: plan(&device).whole(),
            valid_plan: plan(&Device::flex()),
        };
        let cases = Loaded::of_fields(task.clone(), &inputs, &truths);
        let batches = Batches::new(cases, count, true, 5, 0, &device);
        let mut trainee = Trainee::new(Network::init(&spec, 3, &device), procedure);
        let mut adam = AdamConfig::new().init();
        let mut scores = vec![];
        for _ in 0..60 {
            let batch = batches.iter().next().expect("a batch").expect("in memory");
            let output = TrainStep::step(&trainee, batch);
            scores.push(output.item.0.mean().into_scalar::<f32>());
            trainee = adam.step(1e-2, trainee, output.grads);
        }
        (scores[0], scores[scores.len() - 1])
    }

    #[test]
    fn every_operator_learns_a_smooth_map() {
        let sphere = Domain::Sphere(Latitudes::Gauss);
        for (operator, task) in [
            (Operator::Fno, task(&[24], Domain::Flat, 1)),
            (Operator::Fno, task(&[8, 12], Domain::Flat, 1)),
            (Operator::Fno, task(&[4, 6, 8], Domain::Flat, 2)),
            (Operator::Uno, task(&[8, 12], Domain::Flat, 1)),
            (Operator::Sfno, task(&[8, 16], sphere, 3)),
        ] {
            for method in [Method::PnoD, Method::PnoR] {
                let (first, last) = learn(operator, method, &task);
                let shape = task.input_shape();
                assert!(
                    last < 0.6 * first,
                    "{operator} {method} {shape:?}: {first} to {last}"
                );
            }
        }
    }
}
