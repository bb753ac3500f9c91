//! A Laplace approximation of a network: features, fit, file, members.
#![cfg(feature = "nn")]

mod cases;

use burn::tensor::{Device, Tensor, TensorData};
use pno::checkpoint::{Checkpoint, Precision};
use pno::ensemble::forecast::{ForecastError, Forecaster};
use pno::laplace::{Fit, Gram, Posterior};
use pno::nn::{Network, Plan, init};
use pno::noise::{self, Place, normal, uniforms};
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile};
use pno::task::Task;

const MEMBERS: u32 = 4000;

/// Two small networks: one channel on a flat grid, three on a sphere.
fn networks() -> Vec<Checkpoint> {
    let small = |experiment, operator, sizes: &[usize]| {
        let spec = ModelSpec::paper(experiment, operator, Method::Det, Profile::Fixed);
        let spec = ModelSpec {
            width: 4,
            lifting: 8,
            projection: 7,
            layers: 2,
            modes: vec![4, 4],
            ..spec.expect("published")
        };
        let task = Task::published(experiment)
            .expect("published")
            .on_grid(sizes);
        let weights = init::tensors(&spec, 6);
        Checkpoint::new(spec, task, weights)
    };
    vec![
        small(Experiment::Ks, Operator::Fno, &[8, 16]),
        small(Experiment::Sswe, Operator::Sfno, &[9, 16]),
    ]
}

/// Physical fields of the task's inputs.
fn input(task: &Task, stream: u64) -> Vec<f32> {
    let mut values: Vec<f32> = uniforms(9, stream, task.input_values())
        .iter()
        .map(|u| (2.0 * u - 1.0) as f32)
        .collect();
    let channels = task.inputs.len();
    for (k, value) in values.iter_mut().enumerate() {
        *value = task.inputs[k % channels].normalisation.restore(*value);
    }
    values
}

/// Features `[points, hidden]`, from pieces of the given plan.
fn features(model: &Checkpoint, fields: &[f32], plan: &Plan) -> Vec<f32> {
    let (spec, task) = (&model.header.spec, &model.header.task);
    let device = Device::flex();
    let network = Network::from_tensors(spec, &model.tensors, &device);
    let data = TensorData::new(
        task.network_input(fields),
        [1, task.points(), spec.in_channels],
    );
    let pieces = network.features(Tensor::from_data(data, &device), plan);
    pieces
        .into_iter()
        .flat_map(|piece| piece.into_data().try_to_vec::<f32>().expect("f32"))
        .collect()
}

fn plan(model: &Checkpoint) -> Plan {
    let (spec, task) = (&model.header.spec, &model.header.task);
    Plan::new(spec, &task.grid(), &Device::flex())
}

/// The model with a posterior fitted on two cases of random truth.
fn fitted(model: &Checkpoint, noise: bool) -> Checkpoint {
    let network = model.header.spec.tensors().len();
    let [.., weight, bias] = &model.tensors[..network] else {
        panic!("a last layer");
    };
    let mut gram = Gram::new(weight, bias);
    let task = &model.header.task;
    for case in 0..2 {
        let features = features(model, &input(task, case), &plan(model));
        let truth: Vec<f32> = uniforms(9, 100 + case, task.output_values())
            .iter()
            .map(|u| (2.0 * u - 1.0) as f32)
            .collect();
        gram.push(&features, &truth);
    }
    let fit = Fit::new(gram, 2, 16, Profile::Fixed, noise).expect("a fit");
    model.clone().with_posterior(fit.posterior)
}

fn members(forecaster: &Forecaster, fields: &[f32], range: std::ops::Range<u32>) -> Vec<f32> {
    let forecast = forecaster.start(fields, 7).expect("an input");
    cases::ready(forecast.members(range)).expect("members")
}

#[test]
fn features_in_pieces_are_those_of_the_whole_and_give_the_networks_output() {
    for model in networks() {
        let fields = input(&model.header.task, 3);
        let whole = features(&model, &fields, &plan(&model).whole());
        let pieces = features(&model, &fields, &plan(&model).with_hidden_bytes(1));
        assert_eq!(whole, pieces);
        let (hidden, out) = (7, model.header.spec.out_channels);
        let [.., weight, bias] = model.tensors.as_slice() else {
            panic!("a last layer");
        };
        let forecaster = Forecaster::new(&model, &Device::flex()).expect("fits");
        let wanted = members(&forecaster, &fields, 0..1);
        let wanted = model.header.task.network_output(&wanted);
        for (k, wanted) in wanted.iter().enumerate() {
            let (point, channel) = (k / out, k % out);
            let products =
                (0..hidden).map(|h| whole[point * hidden + h] * weight[h * out + channel]);
            let found = bias[channel] + products.sum::<f32>();
            assert!((found - wanted).abs() < 1e-5, "{k}: {found} {wanted}");
        }
    }
}

#[test]
fn members_have_the_analytic_mean_and_variance_at_every_point() {
    for model in networks() {
        for noise in [false, true] {
            let laplace = fitted(&model, noise);
            // Through a file, as the page gets it.
            let file = laplace.encode(Precision::F32).expect("encodes");
            let laplace = Checkpoint::decode(&file).expect("decodes");
            let posterior = laplace.posterior().expect("a posterior");
            assert_eq!(posterior.noise() > 0.0, noise);
            let task = &laplace.header.task;
            let fields = input(task, 5);
            let features = features(&model, &fields, &plan(&model));
            let on = |model| Forecaster::new(model, &Device::flex()).expect("fits");
            let mean = task.network_output(&members(&on(&model), &fields, 0..1));
            let drawn = task.network_output(&members(&on(&laplace), &fields, 0..MEMBERS));
            let (values, out, n) = (task.output_values(), task.outputs.len(), f64::from(MEMBERS));
            let mut ratios = 0.0;
            for k in 0..values {
                let apart = |m: usize| f64::from(drawn[m * values + k]) - f64::from(mean[k]);
                let (mut sum, mut squares) = (0.0, 0.0);
                for m in 0..MEMBERS as usize {
                    sum += apart(m);
                    squares += apart(m).powi(2);
                }
                let wanted = posterior.variance(&features[k / out * 7..][..7])
                    + f64::from(posterior.noise()).powi(2);
                assert!((sum / n).abs() < 5.5 * (wanted / n).sqrt(), "mean at {k}");
                let ratio = squares / n / wanted;
                assert!((ratio - 1.0).abs() < 5.5 * (2.0 / n).sqrt(), "{k}: {ratio}");
                ratios += ratio / values as f64;
            }
            // Points share their members' weights, so the mean ratio is hardly surer than that of one point.
            assert!((ratios - 1.0).abs() < 0.06, "{ratios}");
            println!("{values} points, noise {noise}: mean ratio of variances {ratios:.4}");
        }
    }
}

#[test]
fn a_member_is_its_drawn_last_layer_on_the_shared_features() {
    for model in networks() {
        let laplace = fitted(&model, true);
        let posterior = laplace.posterior().expect("a posterior");
        let task = &laplace.header.task;
        let fields = input(task, 5);
        let features = features(&model, &fields, &plan(&model));
        let forecaster = Forecaster::new(&laplace, &Device::flex()).expect("fits");
        let all = members(&forecaster, &fields, 0..6);
        let alone = members(&forecaster, &fields, 5..6);
        let calm = members(&forecaster.without_observation_noise(), &fields, 5..6);
        let normalised = |fields: &[f32]| task.network_output(fields);
        let (alone, calm) = (normalised(&alone), normalised(&calm));
        let company = normalised(&all[5 * task.output_values()..]);
        let [.., weight, bias] = model.tensors.as_slice() else {
            panic!("a last layer");
        };
        let layer = posterior.draw(weight, bias, 7, 5..6);
        let key = noise::key(7, 5, Place::Normal.layer());
        let out = task.outputs.len();
        for k in 0..alone.len() {
            let (point, channel) = (k / out, k % out);
            let products = (0..7).map(|h| features[point * 7 + h] * layer.weight[channel * 7 + h]);
            let wanted = layer.bias[channel] + products.sum::<f32>();
            let noise = posterior.noise() * normal::normal(key, k as u32);
            assert!((calm[k] - wanted).abs() < 1e-5, "{k}: {} {wanted}", calm[k]);
            assert!((alone[k] - wanted - noise).abs() < 1e-5, "{k}");
            assert!((alone[k] - company[k]).abs() < 1e-5, "{k}");
        }
    }
}

#[test]
fn a_model_that_was_never_fitted_is_certain_and_one_without_a_posterior_refused() {
    let model = networks().swap_remove(0);
    let mut laplace = model.clone();
    laplace.header.spec.method = Method::Laplace;
    let refused = Forecaster::new(&laplace, &Device::flex()).expect_err("no posterior");
    assert!(
        matches!(refused, ForecastError::Posterior { .. }),
        "{refused}"
    );
    let certain = laplace.with_posterior(Posterior::certain(8));
    let fields = input(&model.header.task, 1);
    let of = |model| {
        members(
            &Forecaster::new(model, &Device::flex()).expect("fits"),
            &fields,
            0..2,
        )
    };
    for (a, b) in of(&certain).iter().zip(of(&model)) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
}
