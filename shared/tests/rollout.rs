//! Forecasts of several steps: against steps done one by one, and what each rollout carries on.
#![cfg(feature = "nn")]

mod cases;

use std::ops::Range;

use burn::tensor::Device;
use pno::checkpoint::Checkpoint;
use pno::ensemble::forecast::{ForecastError, Forecaster};
use pno::nn::init;
use pno::noise::case_seed;
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile, Rollout};
use pno::task::{Normalisation, Task};

/// A slim network on a small sphere, whose outputs have another scale than its inputs.
fn checkpoint(method: Method) -> Checkpoint {
    let spec = ModelSpec::paper(Experiment::Sswe, Operator::Sfno, method, Profile::Fixed);
    let spec = ModelSpec {
        width: 4,
        lifting: 6,
        projection: 6,
        modes: vec![4, 6],
        dropout: 0.2,
        fourier_dropout: 0.2,
        ..spec.expect("published")
    };
    let mut task = Task::sswe().on_grid(&[8, 12]);
    // Without its large mean geopotential is not rounded on its way through physical units.
    task.inputs[0].normalisation = Normalisation {
        mean: 10.0,
        std: 1000.0,
    };
    task.outputs[0].normalisation.mean = 0.0;
    task.outputs[1].normalisation.std = 4e-6;
    // Fresh weights hardly react to their input; these do.
    let mut tensors = init::tensors(&spec, 3);
    tensors.iter_mut().flatten().for_each(|w| *w *= 2.0);
    Checkpoint::new(spec, task, tensors)
}

fn forecaster(method: Method) -> Forecaster {
    Forecaster::new(&checkpoint(method), &Device::flex()).expect("a model")
}

/// A state in physical units.
fn start(forecaster: &Forecaster) -> Vec<f32> {
    let values = forecaster.task().output_values();
    let mut state: Vec<f32> = (0..values).map(|i| (0.2 * i as f32).sin()).collect();
    forecaster.task().restore(&mut state);
    state
}

/// On the CPU a member is there as soon as it is asked for.
fn ready<T>(future: impl Future<Output = Result<T, ForecastError>>) -> T {
    cases::ready(future).expect("members")
}

fn stepped(method: Method, steps: usize, rollout: Rollout, range: Range<u32>) -> Vec<f32> {
    let model = forecaster(method);
    let forecast = model.start_steps(&start(&model), 7, steps, rollout);
    ready(forecast.expect("feeds back").members(range))
}

/// Largest difference in network units.
fn gap(task: &Task, a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let (a, b) = (task.network_output(a), task.network_output(b));
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max)
}

#[test]
fn a_forecast_of_one_step_is_a_forecast() {
    for method in [Method::Det, Method::Mcd, Method::PnoD, Method::PnoR] {
        let model = forecaster(method);
        let forecast = model.start(&start(&model), 7).expect("a forecast");
        let wanted = ready(forecast.members(0..3));
        for rollout in [Rollout::Member, Rollout::Mean] {
            let found = stepped(method, 1, rollout, 0..3);
            assert!(
                gap(model.task(), &found, &wanted) < 1e-4,
                "{method} {rollout}"
            );
        }
    }
}

#[test]
fn three_steps_of_a_network_without_noise_are_three_forecasts() {
    let model = forecaster(Method::Det);
    let mut state = start(&model);
    for _ in 0..3 {
        let forecast = model.start(&state, 1).expect("a forecast");
        state = ready(forecast.members(0..1));
    }
    for rollout in [Rollout::Member, Rollout::Mean] {
        let found = stepped(Method::Det, 3, rollout, 0..2);
        let error = gap(model.task(), &found, &state.repeat(2));
        assert!(error < 1e-3, "{rollout}: {error}");
    }
}

#[test]
fn a_member_goes_its_own_way_and_is_the_same_alone_and_in_company() {
    for method in [Method::Mcd, Method::PnoD, Method::PnoR] {
        for rollout in [Rollout::Member, Rollout::Mean] {
            let task = forecaster(method).task().clone();
            let together = stepped(method, 3, rollout, 0..4);
            let values = task.output_values();
            for member in 0..4_u32 {
                let alone = stepped(method, 3, rollout, member..member + 1);
                let company = &together[member as usize * values..][..values];
                let error = gap(&task, &alone, company);
                assert!(error < 1e-4, "{method} {rollout}, member {member}: {error}");
            }
            assert_ne!(together[..values], together[values..2 * values]);
        }
    }
}

/// Two steps by hand: a forecast, and another one from what the rollout carries on, with the second step's seed.
#[test]
fn the_second_step_begins_with_what_the_rollout_carries_on() {
    let seed_of_second = case_seed(7, 1);
    for method in [Method::Mcd, Method::PnoD, Method::PnoR] {
        let model = forecaster(method);
        let task = model.task();
        let values = task.output_values();
        let from = |state: &[f32], seed, range| {
            let forecast = model.start(state, seed).expect("a forecast");
            ready(forecast.members(range))
        };
        // As published: the mean of three members, without dropout for a network that was trained with l2.
        let mean = if method == Method::Mcd {
            let still = forecaster(Method::Det);
            let forecast = still.start(&start(&still), 7).expect("a forecast");
            ready(forecast.members(0..1))
        } else {
            let three = from(&start(&model), 7, 0..3);
            (0..values)
                .map(|v| (three[v] + three[values + v] + three[2 * values + v]) / 3.0)
                .collect()
        };
        let mut second_steps = vec![];
        for rollout in [Rollout::Member, Rollout::Mean] {
            let found = stepped(method, 2, rollout, 2..3);
            let state = match rollout {
                Rollout::Member => from(&start(&model), 7, 2..3),
                Rollout::Mean => mean.clone(),
            };
            let wanted = from(&state, seed_of_second, 2..3);
            let error = gap(task, &found, &wanted);
            assert!(error < 1e-4, "{method} {rollout}: {error}");
            second_steps.push(found);
        }
        // Else the agreement above would say nothing.
        let apart = gap(task, &second_steps[0], &second_steps[1]);
        assert!(apart > 1e-2, "{method}: {apart} between the rollouts");
    }
}

#[test]
fn a_model_that_cannot_be_stepped_on_says_so() {
    let spec = ModelSpec::paper_fno(Experiment::Ks, Method::Det).expect("an FNO");
    let tensors = init::tensors(&spec, 1);
    let model = Checkpoint::new(spec, Task::ks(), tensors);
    let model = Forecaster::new(&model, &Device::flex()).expect("a model");
    let refused = model.start_steps(&vec![0.0; 5120], 1, 2, Rollout::Member);
    let refused = refused.expect_err("windows of time");
    assert_eq!(refused, ForecastError::NoFeedback);
}

#[test]
fn members_stepped_on_one_by_one_are_those_of_a_longer_forecast() {
    for method in [Method::Det, Method::PnoD, Method::PnoR] {
        let model = forecaster(method);
        let forecast = model.start_steps(&start(&model), 7, 1, Rollout::Member);
        let forecast = forecast.expect("feeds back");
        let mut members = forecast.begin(1..4);
        for steps in 1..=3 {
            let found = ready(forecast.advance(&mut members));
            assert_eq!(members.step(), steps);
            let wanted = stepped(method, steps, Rollout::Member, 1..4);
            assert_eq!(gap(model.task(), &found, &wanted), 0.0, "{method} {steps}");
        }
    }
}
