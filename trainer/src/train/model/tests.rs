//! Every method and loss learns, and is random where the method table says so.

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
use pno::spec::{Experiment, Level, Loss, Method, ModelSpec, Operator, Profile};
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
    let procedure = Procedure::new(spec, train, [task, task], &device, &Device::flex());
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
            let (first, last) = learn_smooth_map(operator, method, Loss::Energy, &task);
            let shape = task.input_shape();
            assert!(
                last < 0.6 * first,
                "{operator} {method} {shape:?}: {first} to {last}"
            );
        }
    }
}

#[test]
fn every_method_learns_with_every_loss_it_takes() {
    let task = task(&[24], Domain::Flat, 1);
    // Laplace approximations and ensembles are made of networks that are trained as `det`.
    let trained = |m: &&Method| m.trained_as() == **m;
    for &method in Method::ALL.iter().filter(trained) {
        for &loss in Loss::ALL {
            if method.trains_with(loss).is_err() {
                continue;
            }
            let (first, last) = learn_smooth_map(Operator::Fno, method, loss, &task);
            assert!(last < 0.6 * first, "{method} {loss}: {first} to {last}");
        }
    }
}

/// Two losses of the same cases with different seeds.
fn two_seeds(method: Method, training: bool) -> [f32; 2] {
    let task = task(&[24], Domain::Flat, 1);
    let device = Device::flex();
    let spec = ModelSpec {
        dropout: 0.3,
        fourier_dropout: 0.3,
        ..spec(Operator::Fno, method, &task)
    };
    let trainee = trainee(&spec, &settings(method), &task);
    let fields = waves(&task, 2);
    [1, 2].map(|seed| {
        let cases = Loaded::of_fields(task.clone(), &fields, &fields);
        let device = if training {
            device.clone().autodiff()
        } else {
            device.clone()
        };
        let batches = Batches::new(cases, 2, false, seed, 0, &device);
        let batch = batches.iter().next().expect("a batch").expect("in memory");
        let losses = if training {
            TrainStep::step(&trainee, batch).item
        } else {
            InferenceStep::step(&trainee.clone().valid(), batch)
        };
        mean(&losses)
    })
}

#[test]
fn losses_are_random_where_the_method_table_says_so() {
    for (method, random_validation) in [
        (Method::Det, false),
        (Method::PnoD, true),
        // No masks, but its members are draws.
        (Method::PnoR, true),
        (Method::Mcd, true),
    ] {
        let [a, b] = two_seeds(method, true);
        assert_ne!(a, b, "{method} in training");
        let [a, b] = two_seeds(method, false);
        assert_eq!(
            a != b,
            random_validation,
            "{method} in validation: {a}, {b}"
        );
    }
}

#[test]
fn more_members_come_with_their_epoch() {
    let task = task(&[24], Domain::Flat, 1);
    let spec = spec(Operator::Fno, Method::PnoD, &task);
    let fields = waves(&task, 2);
    let loss = |schedule: &[(usize, usize)], members, epoch| {
        let train = TrainSettings {
            members,
            members_schedule: schedule.to_vec(),
            ..settings(Method::PnoD)
        };
        let cases = Loaded::of_fields(task.clone(), &fields, &fields);
        let device = Device::flex().autodiff();
        let batches = Batches::new(cases, 2, false, 4, epoch, &device);
        let batch = batches.iter().next().expect("a batch").expect("in memory");
        mean(&TrainStep::step(&trainee(&spec, &train, &task), batch).item)
    };
    let schedule = [(2, 5)];
    assert_eq!(loss(&schedule, 3, 1), loss(&[], 3, 1));
    assert_eq!(loss(&schedule, 3, 2), loss(&[], 5, 2));
    assert_ne!(loss(&schedule, 3, 2), loss(&[], 3, 2));
}

#[test]
fn two_steps_on_a_sphere_are_learned_by_every_method() {
    let task = task(&[8, 16], Domain::Sphere(Latitudes::Gauss), 2);
    for rollout in [Rollout::Member, Rollout::Mean] {
        for method in [Method::Det, Method::Mcd, Method::PnoD, Method::PnoR] {
            let spec = spec(Operator::Sfno, method, &task);
            let train = TrainSettings {
                steps: 2,
                rollout,
                ..settings(method)
            };
            let fields = trajectories(&task, 4, 3, |x| 0.5 * x * x - 0.9 * x);
            let cases = Loaded::of_trajectories(task.clone(), 3, &fields);
            let device = Device::flex().autodiff();
            let batches = Batches::new(cases, 4, true, 5, 0, &device).with_steps(2);
            let (first, last) = learn(trainee(&spec, &train, &task), &batches);
            assert!(last < 0.6 * first, "{rollout} {method}: {first} to {last}");
        }
    }
}

#[test]
fn the_loss_of_two_steps_is_the_mean_of_the_norms_of_both_forecasts() {
    let task = task(&[8, 16], Domain::Sphere(Latitudes::Equiangular), 2);
    let spec = spec(Operator::Sfno, Method::Det, &task);
    let train = TrainSettings {
        steps: 2,
        ..settings(Method::Det)
    };
    let frames = trajectories(&task, 1, 3, |x| 0.5 * x * x - x);
    let cases = Loaded::of_trajectories(task.clone(), 3, &frames);
    let batches = Batches::new(cases, 1, false, 5, 0, &Device::flex()).with_steps(2);
    let batch = batches.iter().next().expect("a batch").expect("in memory");
    let found = InferenceStep::step(&trainee(&spec, &train, &task).valid(), batch);
    let found = f64::from(mean(&found));

    // The same network as a forecaster, its errors weighed on the host.
    let model = Checkpoint::new(spec.clone(), task.clone(), init::tensors(&spec, 3));
    let forecaster = Forecaster::new(&model, &Device::flex()).expect("fits");
    let values = task.output_values();
    let areas = task.grid().weights();
    let norm = |steps: usize| {
        let forecast = forecaster.start_steps(&frames[..values], 1, steps, Rollout::Member);
        let forecast = forecast.expect("feeds back");
        let field = block_on(forecast.members(0..1)).expect("a member");
        let truth = &frames[steps * values..(steps + 1) * values];
        let squares = field.iter().zip(truth).enumerate();
        let squares = squares.map(|(i, (u, y))| f64::from(u - y).powi(2) * areas[i / 2]);
        (squares.sum::<f64>() / areas.len() as f64).sqrt()
    };
    let wanted = 0.5 * (norm(1) + norm(2));
    assert!((found - wanted).abs() < 1e-5, "{found} instead of {wanted}");
}

/// Losses, squared norms, and all gradients of a step whose batch is carried out in chunks.
fn in_chunks(trainee: &Trainee, batch: &Batch, chunk: usize) -> (Vec<f32>, Vec<Vec<f32>>) {
    let trainee = Trainee {
        execution: Execution {
            chunk,
            others: vec![],
        },
        ..trainee.clone()
    };
    let output = TrainStep::step(&trainee, batch.clone());
    let mut collect = Collect(&output.grads, vec![]);
    trainee.visit(&mut collect);
    let numbers = output.item.0.numbers.try_to_vec_as().expect("numbers");
    (numbers, collect.1)
}

struct Collect<'a>(&'a GradientsParams, Vec<Vec<f32>>);

impl burn::module::ModuleVisitor for Collect<'_> {
    fn visit_float<const D: usize>(&mut self, param: &burn::module::Param<Tensor<D>>) {
        let gradient = self.0.get::<D>(param.id).expect("a gradient");
        self.1.push(gradient.try_to_vec_as().expect("numbers"));
    }
}

#[test]
fn a_batch_in_chunks_has_the_gradient_of_the_whole_batch() {
    let task = task(&[8, 16], Domain::Sphere(Latitudes::Gauss), 2);
    let close = |a: &[f32], b: &[f32]| {
        let scale = b.iter().fold(1e-12_f32, |most, x| most.max(x.abs()));
        let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        a.len() == b.len() && apart.fold(0.0, f32::max) < 2e-4 * scale
    };
    for (method, steps, rollout) in [
        (Method::PnoD, 1, Rollout::Member),
        (Method::PnoR, 1, Rollout::Member),
        (Method::Mcd, 1, Rollout::Member),
        (Method::PnoD, 2, Rollout::Member),
        (Method::PnoD, 2, Rollout::Mean),
        (Method::PnoR, 2, Rollout::Member),
    ] {
        let spec = ModelSpec {
            dropout: 0.3,
            ..spec(Operator::Sfno, method, &task)
        };
        let train = TrainSettings {
            steps,
            rollout,
            ..settings(method)
        };
        let fields = trajectories(&task, 5, 3, |x| 0.5 * x * x - 0.9 * x);
        let cases = Loaded::of_trajectories(task.clone(), 3, &fields);
        let device = Device::flex().autodiff();
        let batches = Batches::new(cases, 5, true, 5, 0, &device).with_steps(steps);
        let batch = batches.iter().next().expect("a batch").expect("in memory");
        let trainee = trainee(&spec, &train, &task);
        let (numbers, gradients) = in_chunks(&trainee, &batch, 0);
        assert_eq!(numbers.len(), 5 + gradients.len());
        for chunk in [1, 2, 4] {
            let (found, parts) = in_chunks(&trainee, &batch, chunk);
            assert!(
                close(&found, &numbers),
                "{method} {steps}: {found:?}, {numbers:?}"
            );
            for (part, whole) in parts.iter().zip(&gradients) {
                assert!(
                    close(part, whole),
                    "{method}, {steps} steps, chunks of {chunk}"
                );
            }
        }
    }
}

#[test]
fn a_batch_with_a_value_that_is_no_number_stops_training_with_a_sentence() {
    use crate::train::history::{History, Phase};
    use crate::train::watch::Watch;
    use burn::data::dataloader::Progress;
    use burn::train::Interrupter;
    use burn::train::metric::{Metric, MetricMetadata};

    let task = task(&[24], Domain::Flat, 1);
    let (spec, train) = (
        spec(Operator::Fno, Method::PnoD, &task),
        settings(Method::PnoD),
    );
    let device = Device::flex().autodiff();
    for (planted, finite) in [(f32::NAN, false), (1.0, true)] {
        let mut fields = waves(&task, 6);
        fields[4 * 24 + 3] = planted;
        let cases = Loaded::of_fields(task.clone(), &fields, &fields);
        let batches = Batches::new(cases, 2, false, 5, 6, &device);
        let batch = batches.iter().nth(2).expect("a batch").expect("in memory");
        let output = TrainStep::step(&trainee(&spec, &train, &task), batch);
        let (history, interrupter) = (History::new(vec![], &train, 3), Interrupter::new());
        let names = spec.tensors().into_iter().map(|t| t.name).collect();
        let mut watch = Watch::new(Phase::Train, &history, &interrupter, names);
        let metadata = MetricMetadata {
            progress: Progress::new(1, 1, None),
            iteration: None,
            lr: None,
        };
        watch.update(&output.item.0, &metadata).expect("read");
        assert_eq!(interrupter.should_stop(), !finite);
        let failure = history.failure();
        let Some(sentence) = failure.filter(|_| !finite) else {
            assert!(finite);
            continue;
        };
        for part in [
            "epoch 7, batch 3 of 3",
            "the loss is NaN",
            "` with norm NaN",
        ] {
            assert!(sentence.contains(part), "{sentence}");
        }
    }
}
