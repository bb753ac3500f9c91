//! Drawing members: always the same field, whatever is drawn beside it; bad input gets its sentence.
#![cfg(feature = "nn")]

mod cases;

use burn::tensor::Device;
use pno::checkpoint::Checkpoint;
use pno::ensemble::forecast::{Forecast, Forecaster};
use pno::nn::init;
use pno::noise::{self, Place, normal};
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile};
use pno::task::Task;

/// A fresh KS network, slim so that a pass is quick.
fn checkpoint(method: Method) -> Checkpoint {
    let spec = ModelSpec {
        lifting: 16,
        projection: 16,
        width: 8,
        ..ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO")
    };
    let tensors = init::tensors(&spec, 3);
    Checkpoint::new(spec, Task::ks(), tensors)
}

fn input() -> Vec<f32> {
    (0..20 * 256)
        .map(|i| 2.0 * (0.11 * i as f32).sin())
        .collect()
}

fn forecast(method: Method, seed: u64) -> Forecast {
    Forecaster::new(&checkpoint(method), &Device::flex())
        .and_then(|forecaster| forecaster.start(&input(), seed))
        .expect("a forecast")
}

/// On the CPU a member is there as soon as it is asked for.
fn members(forecast: &Forecast, range: std::ops::Range<u32>) -> Vec<f32> {
    cases::ready(forecast.members(range)).expect("members")
}

#[test]
fn a_member_is_the_same_alone_and_in_company() {
    for method in [Method::PnoD, Method::PnoR] {
        let forecast = forecast(method, 7);
        let together = members(&forecast, 0..5);
        let points = together.len() / 5;
        for member in 0..5_u32 {
            let alone = members(&forecast, member..member + 1);
            let company = &together[member as usize * points..][..points];
            let gap = alone
                .iter()
                .zip(company)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f32::max);
            assert!(gap < 1e-4, "{method} member {member}: {gap}");
        }
    }
}

#[test]
fn seeds_and_members_differ() {
    for method in [Method::PnoD, Method::PnoR] {
        let (one, other) = (forecast(method, 7), forecast(method, 8));
        let (a, b) = (members(&one, 0..2), members(&other, 0..2));
        let (first, second) = a.split_at(a.len() / 2);
        assert_ne!(first, second, "{method}: members 0 and 1");
        assert_ne!(first, &b[..first.len()], "{method}: seeds 7 and 8");
    }
}

#[test]
fn members_of_pno_r_are_draws_from_one_pass_of_the_trunk() {
    let forecast = forecast(Method::PnoR, 5);
    assert!(forecast.chunk() >= 100, "one hundred members fit one pass");
    let all = members(&forecast, 0..100);
    let points = all.len() / 100;
    let eps = |member: usize, point: usize| {
        let key = noise::key(5, member as u32, Place::Normal.layer());
        f64::from(normal::normal(key, point as u32))
    };
    // With u = mean + spread * eps, two members fix mean and spread; all others must follow from their normals alone.
    for point in (0..points).step_by(97) {
        let value = |member: usize| f64::from(all[member * points + point]);
        let (low, high) = (0..100).fold((0, 0), |(low, high), m| {
            let below = eps(m, point) < eps(low, point);
            let above = eps(m, point) > eps(high, point);
            (if below { m } else { low }, if above { m } else { high })
        });
        let spread = (value(high) - value(low)) / (eps(high, point) - eps(low, point));
        let mean = value(low) - spread * eps(low, point);
        assert!(spread > 0.0);
        for member in 0..100 {
            let wanted = mean + spread * eps(member, point);
            assert!(
                (value(member) - wanted).abs() < 1e-4,
                "member {member}, point {point}"
            );
        }
    }
}

#[test]
fn bad_input_gets_its_sentence() {
    let forecaster = Forecaster::new(&checkpoint(Method::PnoD), &Device::flex()).expect("a model");
    let short = forecaster.start(&[1.0; 7], 1).unwrap_err();
    assert_eq!(
        short.to_string(),
        "the input has 7 values, but this model takes [20, 256], that is 5120"
    );
    let mut field = input();
    field[12] = f32::NAN;
    let broken = forecaster.start(&field, 1).unwrap_err();
    assert_eq!(
        broken.to_string(),
        format!(
            "the input has no finite value for {}: NaN, at position 12",
            Task::ks().input_place(12)
        )
    );
    let mut wrong = checkpoint(Method::PnoD);
    wrong.header.spec.in_channels = 2;
    let refused = Forecaster::new(&wrong, &Device::flex()).expect_err("does not fit");
    assert!(
        refused.to_string().contains("in_channels is 2"),
        "{refused}"
    );
    let refused = Forecaster::on_grid(&checkpoint(Method::PnoD), &[40], &Device::flex());
    let refused = refused.expect_err("one axis").to_string();
    assert!(refused.contains("[40] has 1 axes"), "{refused}");
}

#[test]
fn another_grid_gives_fields_on_that_grid() {
    let forecaster = Forecaster::on_grid(&checkpoint(Method::PnoR), &[20, 128], &Device::flex());
    let forecaster = forecaster.expect("fits");
    assert_eq!(forecaster.task().output_shape(), [20, 128]);
    let forecast = forecaster.start(&[0.5; 20 * 128], 1).expect("an input");
    let members = members(&forecast, 0..3);
    assert_eq!(members.len(), 3 * 20 * 128);
}

#[test]
fn every_channel_comes_in_its_own_units() {
    let (experiment, operator) = (Experiment::Sswe, Operator::Sfno);
    let spec = ModelSpec::paper(experiment, operator, Method::Det, Profile::Fixed);
    let spec = ModelSpec {
        width: 2,
        lifting: 3,
        projection: 4,
        modes: vec![4, 4],
        ..spec.expect("published")
    };
    // All weights are zero but the last bias: the network's output is (1, 2, 3) at every point.
    let mut tensors: Vec<Vec<f32>> = spec.tensors().iter().map(|t| vec![0.0; t.len()]).collect();
    *tensors.last_mut().expect("a bias") = vec![1.0, 2.0, 3.0];
    let task = Task::published(experiment)
        .expect("published")
        .on_grid(&[9, 16]);
    let model = Checkpoint::new(spec, task.clone(), tensors);
    let forecaster = Forecaster::new(&model, &Device::flex()).expect("fits");
    let forecast = forecaster.start(&[1.0; 3 * 9 * 16], 1).expect("an input");
    let members = members(&forecast, 0..2);
    assert_eq!(members.len(), 2 * 3 * 9 * 16);
    for (i, &value) in members.iter().enumerate() {
        let channel = i % 3;
        let scale = task.outputs[channel].normalisation;
        assert_eq!(
            value,
            scale.restore(channel as f32 + 1.0),
            "channel {channel}"
        );
    }
}

#[test]
fn members_of_det_are_copies_and_those_of_mcd_are_not() {
    let (det, other_seed) = (forecast(Method::Det, 7), forecast(Method::Det, 8));
    let all = members(&det, 0..4);
    let (first, rest) = all.split_at(all.len() / 4);
    assert!(rest.chunks(first.len()).all(|member| member == first));
    assert_eq!(members(&other_seed, 9..10), first, "no seed plays a part");
    let mcd = members(&forecast(Method::Mcd, 7), 0..2);
    let (first, second) = mcd.split_at(mcd.len() / 2);
    assert_ne!(first, second);
}

/// Dropout of each kind alone: the noise of the other is not there.
#[test]
fn the_two_rates_of_dropout_act_each_by_itself() {
    let spread = |dropout: f32, fourier_dropout: f32| {
        let mut model = checkpoint(Method::PnoD);
        (model.header.spec.dropout, model.header.spec.fourier_dropout) = (dropout, fourier_dropout);
        let forecaster = Forecaster::new(&model, &Device::flex()).expect("a model");
        let forecast = forecaster.start(&input(), 7).expect("a forecast");
        let all = members(&forecast, 0..2);
        let (a, b) = all.split_at(all.len() / 2);
        let gaps: Vec<f32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        // Neighbours along x: white noise has no memory, spectral noise moves them together.
        let pairs: f32 = gaps.windows(2).map(|g| g[0] * g[1]).sum();
        let squares: f32 = gaps.iter().map(|g| g * g).sum();
        (squares, pairs / squares)
    };
    assert_eq!(spread(0.0, 0.0).0, 0.0);
    let (hidden, white) = spread(0.3, 0.0);
    let (spectral, smooth) = spread(0.0, 0.3);
    assert!(hidden > 0.0 && spectral > 0.0);
    assert!(smooth > 0.9 && white < smooth - 0.2, "{white} and {smooth}");
}
