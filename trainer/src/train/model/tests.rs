//! Training steps of small networks on small grids.

mod chance;
mod chunks;
mod failure;
mod learning;
mod steps;

use super::*;
use crate::data::{Loaded, Size};
use crate::train::batches::Batches;
use crate::train::settings::TrainSettings;
use crate::wait::block_on;
use burn::data::dataloader::DataLoader;
use burn::optim::AdamConfig;
use burn::tensor::Device;
use pno::checkpoint::Checkpoint;
use pno::ensemble::forecast::Forecaster;
use pno::nn::init;
use pno::spec::{Experiment, Level, Loss, Method, ModelSpec, Operator, Output, Profile};
use pno::sphere::Latitudes;
use pno::task::{Axis, Coordinate, Domain, Normalisation, Quantity, Task};

/// A task of `channels` fields on a small grid.
fn task(sizes: &[usize], domain: Domain, channels: usize) -> Task {
    let axis = |(i, &size): (usize, &usize)| Axis::new(&format!("x{i}"), size, 0.0, 1.0, "");
    let axes: Vec<Axis> = sizes.iter().enumerate().map(axis).collect();
    let fields: Vec<Quantity> = (0..channels)
        .map(|i| Quantity::new(&format!("u{i}"), "", Normalisation::NONE))
        .collect();
    let coordinates = match domain {
        Domain::Flat => (0..sizes.len()).map(Coordinate::unit).collect(),
        Domain::Sphere(_) => vec![],
    };
    Task {
        input: axes.clone(),
        output: axes,
        inputs: fields.clone(),
        outputs: fields,
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
        networks: 1,
        output: Output::Field,
        mlp: 0,
        noise: if method.takes_functions() {
            vec![1.5, 3.0]
        } else {
            vec![]
        },
        observed: None,
    };
    spec.validate().expect("valid");
    spec.fits(task).expect("fits");
    spec
}

fn settings(method: Method) -> TrainSettings {
    TrainSettings::general(method, Profile::Fixed, Size::Demo).expect("a preset")
}

/// Smooth fields: one wave around the last axis, each case with its own phase; every grid inside a UNO carries it.
fn waves(task: &Task, count: usize) -> Vec<f32> {
    let values = task.input_values();
    let around = task.input[task.input.len() - 1].size;
    let wave = |i: usize| {
        let turn = (i % around) as f32 / around as f32;
        (std::f32::consts::TAU * turn + (i / values) as f32).sin()
    };
    (0..count * values).map(wave).collect()
}

/// Trajectories of a map, `[case, frame, points, channel]`.
fn trajectories(task: &Task, count: usize, frames: usize, map: fn(f32) -> f32) -> Vec<f32> {
    let starts = waves(task, count);
    let mut all = vec![];
    for start in starts.chunks(task.input_values()) {
        let mut state = start.to_vec();
        for _ in 0..frames {
            all.extend(&state);
            state = state.iter().map(|&x| map(x)).collect();
        }
    }
    all
}

fn trainee(spec: &ModelSpec, train: &TrainSettings, task: &Task) -> Trainee {
    let device = Device::flex().autodiff();
    let procedure = Procedure::new(spec, train, [task, task], None, &device, &Device::flex());
    Trainee::new(
        Network::init(spec, 3, &device),
        procedure,
        Execution::default(),
    )
}

/// Mean loss of the cases of a step.
fn mean(output: &StepOutput) -> f32 {
    let losses = output.0.numbers.clone().narrow(0, 0, output.0.cases);
    losses.mean().into_scalar::<f32>()
}

/// Loss of the first and the last of some steps.
fn learn(mut trainee: Trainee, batches: &Batches) -> (f32, f32) {
    let mut adam = AdamConfig::new().init();
    let mut losses = vec![];
    for _ in 0..60 {
        let batch = batches.iter().next().expect("a batch").expect("in memory");
        let output = TrainStep::step(&trainee, batch);
        losses.push(mean(&output.item));
        trainee = adam.step(1e-2, trainee, output.grads);
    }
    (losses[0], losses[losses.len() - 1])
}

/// Learns `x` to `x²/2 - x`.
fn learn_smooth_map(operator: Operator, method: Method, loss: Loss, task: &Task) -> (f32, f32) {
    let train = TrainSettings {
        loss,
        ..settings(method)
    };
    let count = 8;
    let inputs = waves(task, count);
    let truths: Vec<f32> = inputs.iter().map(|x| 0.5 * x * x - x).collect();
    let cases = Loaded::of_fields(task.clone(), &inputs, &truths);
    let batches = Batches::new(cases, count, true, 5, 0, &Device::flex().autodiff());
    let spec = spec(operator, method, task);
    learn(trainee(&spec, &train, task), &batches)
}
