//! Ensembles of networks, rollouts of what is drawn once for all steps, and scaled members.
#![cfg(feature = "nn")]

mod cases;

use burn::tensor::Device;
use cases::ready;
use pno::checkpoint::Checkpoint;
use pno::ensemble::conformal::Calibration;
use pno::ensemble::forecast::Forecaster;
use pno::laplace::Posterior;
use pno::laplace::evidence::Scales;
use pno::nn::init;
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile, Rollout};
use pno::task::Task;

/// A slim deterministic network on a small sphere.
fn network(seed: u64) -> Checkpoint {
    let spec = ModelSpec::paper(
        Experiment::Sswe,
        Operator::Sfno,
        Method::Det,
        Profile::Fixed,
    );
    let spec = ModelSpec {
        width: 4,
        lifting: 6,
        projection: 6,
        modes: vec![4, 6],
        ..spec.expect("published")
    };
    let mut task = Task::sswe().on_grid(&[8, 12]);
    // Without its large mean geopotential is not rounded on its way through physical units.
    task.inputs[0].normalisation.mean = 0.0;
    task.outputs[0].normalisation.mean = 0.0;
    let mut tensors = init::tensors(&spec, seed);
    tensors.iter_mut().flatten().for_each(|w| *w *= 2.0);
    Checkpoint::new(spec, task, tensors)
}

fn ensemble() -> Forecaster {
    let networks: Vec<_> = (0..3).map(network).collect();
    let model = Checkpoint::of_networks(&networks).expect("alike");
    Forecaster::new(&model, &Device::flex()).expect("a model")
}

fn laplace(noise: bool) -> Forecaster {
    let scales = Scales {
        delta: 40.0,
        noise: 0.3,
    };
    let curvature: Vec<f64> = (0..49).map(|k| f64::from(u8::from(k % 8 == 0))).collect();
    let posterior = Posterior::new(&curvature, 7, scales, Profile::Fixed, noise);
    let model = network(1).with_posterior(posterior.expect("definite"));
    Forecaster::new(&model, &Device::flex()).expect("a model")
}

fn start(model: &Forecaster) -> Vec<f32> {
    let values = model.task().output_values();
    let mut state: Vec<f32> = (0..values).map(|i| (0.2 * i as f32).sin()).collect();
    model.task().restore(&mut state);
    state
}

fn members(model: &Forecaster, state: &[f32], range: std::ops::Range<u32>) -> Vec<f32> {
    let forecast = model.start(state, 7).expect("a forecast");
    ready(forecast.members(range)).expect("members")
}

/// Largest difference in network units.
fn gap(task: &Task, a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let (a, b) = (task.network_output(a), task.network_output(b));
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f32::max)
}

#[test]
fn a_member_is_what_its_network_says_alone_and_there_are_no_more() {
    let model = ensemble();
    let state = start(&model);
    let all = members(&model, &state, 0..3);
    let alone: Vec<f32> = (0..3)
        .flat_map(|seed| {
            let one = Forecaster::new(&network(seed), &Device::flex()).expect("a model");
            members(&one, &state, 0..1)
        })
        .collect();
    assert_eq!(all, alone);
    let values = model.task().output_values();
    assert_eq!(members(&model, &state, 1..2), all[values..2 * values]);
    assert_eq!(model.most_members(), Some(3));
    let forecast = model.start(&state, 7).expect("a forecast");
    let refused = ready(forecast.members(2..4)).expect_err("three networks");
    assert_eq!(
        refused.to_string(),
        "this model has 3 networks and so as many members, but member 4 was asked for"
    );
    let stepped = model.start_steps(&state, 7, 2, Rollout::Member);
    assert!(ready(stepped.expect("feeds back").members(0..4)).is_err());
}

#[test]
fn every_network_goes_its_own_way_or_all_go_on_from_their_mean() {
    let model = ensemble();
    let (state, values) = (start(&model), model.task().output_values());
    let first = members(&model, &state, 0..3);
    let mean: Vec<f32> = (0..values)
        .map(|v| (0..3).map(|m| first[m * values + v]).sum::<f32>() / 3.0)
        .collect();
    for rollout in [Rollout::Member, Rollout::Mean] {
        let stepped = model
            .start_steps(&state, 7, 2, rollout)
            .expect("feeds back");
        let found = ready(stepped.members(0..3)).expect("members");
        for m in 0..3_u32 {
            let from = match rollout {
                Rollout::Member => &first[m as usize * values..][..values],
                Rollout::Mean => &mean,
            };
            let wanted = members(&model, from, m..m + 1);
            let error = gap(
                model.task(),
                &found[m as usize * values..][..values],
                &wanted,
            );
            assert!(error < 1e-3, "{rollout}, member {m}: {error}");
        }
    }
}

#[test]
fn a_member_of_a_laplace_approximation_keeps_its_weights_for_all_steps() {
    let model = laplace(false);
    let (state, values) = (start(&model), model.task().output_values());
    let stepped = |model: &Forecaster, range| {
        let stepped = model.start_steps(&state, 7, 3, Rollout::Member);
        ready(stepped.expect("feeds back").trajectories(range)).expect("members")
    };
    let found = stepped(&model, 0..3);
    // The same seed gives the same weights, whatever the input.
    for m in 0..3_u32 {
        let mut field = state.clone();
        for step in 0..3 {
            field = members(&model, &field, m..m + 1);
            let here = &found[(m as usize * 3 + step) * values..][..values];
            let error = gap(model.task(), here, &field);
            assert!(error < 1e-3, "member {m}, step {}: {error}", step + 1);
        }
    }
    let apart = gap(
        model.task(),
        &found[..values],
        &found[3 * values..4 * values],
    );
    assert!(apart > 1e-2, "members are alike: {apart}");
    // Noise is given but not carried on: it is white with standard deviation 0.3 around the same trajectories.
    let noisy = stepped(&laplace(true), 0..3);
    let task = model.task();
    let difference = task.network_output(&noisy).into_iter();
    let difference: Vec<f32> = difference
        .zip(task.network_output(&found))
        .map(|(a, b)| a - b)
        .collect();
    for step in difference.chunks(values) {
        let power = step.iter().map(|d| f64::from(d * d)).sum::<f64>() / values as f64;
        assert!((power.sqrt() / 0.3 - 1.0).abs() < 0.2, "{}", power.sqrt());
    }
}

#[test]
fn all_steps_end_with_the_last_and_begin_with_a_forecast() {
    let model = ensemble();
    let (state, values) = (start(&model), model.task().output_values());
    for rollout in [Rollout::Member, Rollout::Mean] {
        let stepped = model
            .start_steps(&state, 7, 3, rollout)
            .expect("feeds back");
        let all = ready(stepped.trajectories(0..3)).expect("members");
        let last = ready(stepped.members(0..3)).expect("members");
        let first = members(&model, &state, 0..3);
        assert_eq!(all.len(), 9 * values);
        for m in 0..3 {
            let at = |step: usize| &all[(m * 3 + step) * values..][..values];
            assert_eq!(at(2), &last[m * values..][..values], "{rollout}");
            assert_eq!(at(0), &first[m * values..][..values], "{rollout}");
        }
    }
}

#[test]
fn a_calibrated_model_says_how_its_members_are_to_be_spread() {
    let networks: Vec<_> = (0..3).map(network).collect();
    let mut model = Checkpoint::of_networks(&networks).expect("alike");
    model.header.calibration = Some(Calibration {
        coverage: 0.95,
        members: 3,
        cases: 30,
        data: String::new(),
        channels: 3,
        factors: vec![2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    });
    let model = Forecaster::new(&model, &Device::flex()).expect("a model");
    let factors = |step| {
        let factors = model.factors(step).expect("calibrated");
        [0, 1, 2, 3].map(|value| factors.at(value))
    };
    assert_eq!(factors(1), [2.0, 3.0, 4.0, 2.0]);
    assert_eq!(factors(2), [5.0, 6.0, 7.0, 5.0]);
    assert!(model.without_calibration().factors(1).is_none());
    assert!(ensemble().factors(1).is_none());
}
