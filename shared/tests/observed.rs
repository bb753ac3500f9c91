//! Observed inputs: what a network is told of them, perturbed ensembles, and functional noise that follows the level.
#![cfg(feature = "nn")]

mod cases;

use std::ops::Range;

use burn::tensor::Device;
use pno::checkpoint::{Checkpoint, Precision};
use pno::ensemble::forecast::Forecaster;
use pno::nn::{Network, Plan, init};
use pno::observation::Observation;
use pno::spec::{Experiment, Method, ModelSpec, Output, Rollout};
use pno::task::Task;

const WORST: Observation = Observation {
    noise: 0.5,
    every: 2,
};

/// A slim network for one step of a line, which is told how far its input may be off.
fn checkpoint(method: Method) -> Checkpoint {
    let task = Task::ks_step().on_grid(&[24]);
    let spec = ModelSpec {
        width: 5,
        lifting: 8,
        projection: 8,
        layers: 2,
        mlp: 6,
        output: Output::Increment,
        observed: Some(WORST),
        ..ModelSpec::for_task(Experiment::KsStep, method, &task)
    };
    let mut tensors = init::tensors(&spec, 3);
    tensors.iter_mut().flatten().for_each(|w| *w *= 1.5);
    Checkpoint::new(spec, task, tensors)
}

fn forecaster(method: Method, observation: Observation) -> Forecaster {
    let forecaster = Forecaster::new(&checkpoint(method), &Device::flex()).expect("a model");
    forecaster.observing(observation)
}

fn state() -> Vec<f32> {
    (0..24)
        .map(|i| 3.0 * (0.5 * f64::from(i)).sin() as f32)
        .collect()
}

fn members(method: Method, observation: Observation, steps: usize, range: Range<u32>) -> Vec<f32> {
    let forecaster = forecaster(method, observation);
    if steps == 1 {
        let forecast = forecaster.start(&state(), 7).expect("a forecast");
        return cases::ready(forecast.members(range)).expect("members");
    }
    let forecast = forecaster.start_steps(&state(), 7, steps, Rollout::Member);
    cases::ready(forecast.expect("feeds back").members(range)).expect("members")
}

/// Root of the mean variance over members.
fn spread(members: &[f32], count: usize) -> f64 {
    let values = members.len() / count;
    let variance = |i: usize| {
        let of = |m: usize| f64::from(members[m * values + i]);
        let mean = (0..count).map(of).sum::<f64>() / count as f64;
        (0..count).map(|m| (of(m) - mean).powi(2)).sum::<f64>() / (count - 1) as f64
    };
    ((0..values).map(variance).sum::<f64>() / values as f64).sqrt()
}

#[test]
fn the_level_is_the_channel_behind_those_of_the_task() {
    let checkpoint = checkpoint(Method::Det);
    let (spec, task) = (&checkpoint.header.spec, &checkpoint.header.task);
    assert_eq!((spec.in_channels, spec.input_channels()), (1, 2));
    assert_eq!(spec.tensors()[0].shape, [2, 8]);
    let device = Device::flex();
    let network = Network::from_tensors(spec, &checkpoint.tensors, &device);
    let plan = Plan::of_task(spec, task, &device);
    let sparse = Observation {
        noise: 0.25,
        every: 3,
    };
    let wanted = |observation: &Observation| {
        let level = |i: usize| match i % observation.every {
            0 => f64::from(observation.noise),
            _ => 1.0,
        };
        let scale = task.inputs[0].normalisation;
        let channels: Vec<f64> = (state().iter().enumerate())
            .flat_map(|(i, &v)| [f64::from(scale.normalise(v)), level(i)])
            .collect();
        let input = cases::tensor(&channels, [1, 24, 2], &device);
        let mut fields: Vec<f32> = cases::read(network.forward(input, &plan, None).mean)
            .into_iter()
            .map(|v| v as f32)
            .collect();
        task.restore(&mut fields);
        fields
    };
    for observation in [Observation::EXACT, Observation::noisy(0.25), sparse] {
        assert_eq!(
            members(Method::Det, observation, 1, 0..1),
            wanted(&observation)
        );
    }
    assert_ne!(wanted(&Observation::EXACT), wanted(&sparse));
}

#[test]
fn later_steps_take_a_members_own_field_for_exact() {
    let tenth = Observation::noisy(0.1);
    let first = members(Method::Det, tenth, 1, 0..1);
    let second = forecaster(Method::Det, Observation::EXACT);
    let second = second.start(&first, 7).expect("a forecast");
    let wanted = cases::ready(second.members(0..1)).expect("members");
    let found = members(Method::Det, tenth, 2, 0..1);
    for (a, b) in found.iter().zip(wanted) {
        assert!((a - b).abs() < 1e-5, "{a} and {b}");
    }
}

#[test]
fn perturbed_members_are_deterministic_forecasts_of_inputs_that_lead_to_the_same_observation() {
    let tenth = Observation::noisy(0.1);
    for steps in [1, 3] {
        let all = members(Method::Perturbed, tenth, steps, 0..5);
        assert_eq!(
            all[2 * 24..4 * 24],
            members(Method::Perturbed, tenth, steps, 2..4)
        );
        let task = Task::ks_step().on_grid(&[24]);
        for (m, found) in (0..5).zip(all.chunks(24)) {
            let own = tenth.perturbed(&task, &state(), 7, m);
            let det = forecaster(Method::Det, Observation::EXACT);
            let wanted = if steps == 1 {
                cases::ready(det.start(&own, 7).expect("a forecast").members(0..1))
            } else {
                let forecast = det.start_steps(&own, 7, steps, Rollout::Member);
                cases::ready(forecast.expect("feeds back").members(0..1))
            };
            for (a, b) in found.iter().zip(wanted.expect("members")) {
                assert!(
                    (a - b).abs() < 1e-4,
                    "member {m} after {steps}: {a} and {b}"
                );
            }
        }
        assert!(spread(&all, 5) > 0.0);
    }
    // Of an exact input there is nothing to perturb.
    let alike = members(Method::Perturbed, Observation::EXACT, 2, 0..3);
    assert_eq!(alike[..24], alike[48..]);
    assert_eq!(
        alike[..24],
        members(Method::Det, Observation::EXACT, 2, 0..1)
    );
}

#[test]
fn functional_noise_is_larger_where_less_is_known() {
    let of = |noise| {
        spread(
            &members(Method::PnoF, Observation::noisy(noise), 1, 0..64),
            64,
        )
    };
    let (exact, little, much) = (of(0.0), of(0.1), of(0.4));
    assert!(exact > 0.0 && exact < 0.2 * little, "{exact} and {little}");
    assert!(much > 2.0 * little, "{much} and {little}");
    // In a forecast of several steps only the first is told of an observation.
    let again = members(Method::PnoF, Observation::noisy(0.1), 3, 1..3);
    assert_eq!(
        again,
        members(Method::PnoF, Observation::noisy(0.1), 3, 0..3)[24..]
    );
}

#[test]
fn it_comes_back_from_a_file_and_is_refused_where_nothing_can_be_stepped_on() {
    let model = checkpoint(Method::PnoF);
    let bytes = model.encode(Precision::F32).expect("encodes");
    let back = Checkpoint::decode(&bytes).expect("decodes");
    assert_eq!(back, model);
    assert_eq!(back.header.spec.observed, Some(WORST));
    let refused = |change: fn(&mut Checkpoint)| {
        let mut model = model.clone();
        change(&mut model);
        model
            .encode(Precision::F32)
            .expect_err("refused")
            .to_string()
    };
    for worst in [
        Observation::noisy(f32::NAN),
        Observation::noisy(-0.1),
        Observation {
            noise: 0.1,
            every: 0,
        },
    ] {
        let mut model = model.clone();
        model.header.spec.observed = Some(worst);
        let message = model
            .encode(Precision::F32)
            .expect_err("refused")
            .to_string();
        assert!(message.contains("must be"), "{message}");
    }
    let message = refused(|m| {
        m.header.spec.output = Output::Field;
        m.header.task.outputs[0].name = "v".into();
    });
    assert!(
        message.contains("the observation of the input"),
        "{message}"
    );
}
