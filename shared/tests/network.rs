//! The network against an independent f64 computation: values, both heads, masks, gradients.
#![cfg(feature = "autodiff")]

mod reference;

use burn::tensor::{Device, Tensor, TensorData};
use pno::nn::{Network, Row, Rows, init, loss, ops};
use pno::noise::Place;
use pno::spec::{Method, ModelSpec};
use pno::spectral::Plan;
use reference::{GRID, RowNoise, energy_score, heads, normals, small_spec, wave, widen};

const MEMBERS: usize = 3;
const SEED: u64 = 11;

fn points() -> usize {
    GRID[0] * GRID[1]
}

fn tensor<const D: usize>(values: &[f64], shape: [usize; D], device: &Device) -> Tensor<D> {
    let values: Vec<f32> = values.iter().map(|&v| v as f32).collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}

fn member_rows() -> Rows {
    Rows::members(SEED, 0..MEMBERS as u32)
}

/// Largest difference between a tensor and the reference.
fn gap<const D: usize>(found: Tensor<D>, wanted: &[f64]) -> f64 {
    let found: Vec<f32> = found.into_data().try_to_vec().expect("f32");
    assert_eq!(found.len(), wanted.len());
    found
        .iter()
        .zip(wanted)
        .map(|(&a, b)| (f64::from(a) - b).abs())
        .fold(0.0, f64::max)
}

#[test]
fn both_heads_without_masks_agree_with_direct_sums() {
    let spec = small_spec(Method::PnoR);
    let (weights, device) = (init::tensors(&spec, 5), Device::flex());
    let input = wave(points() * 3, 0.0);
    let network = Network::from_tensors(&spec, &weights, &device);
    let plan = Plan::new(&GRID, &spec.modes, &device);
    let out = network.heads(
        network.shared(tensor(&input, [1, points(), 3], &device)),
        &plan,
        None,
    );
    let (mean, spread) = heads(&spec, &widen(&weights), &input, None);
    assert!(gap(out.mean, &mean) < 2e-6);
    assert!(gap(out.spread.expect("a spread head"), &spread) < 2e-6);
}

#[test]
fn every_member_with_its_masks_agrees_with_direct_sums() {
    let spec = small_spec(Method::PnoD);
    let (weights, device) = (init::tensors(&spec, 6), Device::flex());
    let input = wave(points() * 3, 0.4);
    let network = Network::from_tensors(&spec, &weights, &device);
    let plan = Plan::new(&GRID, &spec.modes, &device);
    let shared = network.shared(tensor(&input, [1, points(), 3], &device));
    let out = network.heads(shared, &plan, Some(&member_rows()));
    let wide = widen(&weights);
    let wanted: Vec<f64> = (0..MEMBERS as u32)
        .flat_map(|member| heads(&spec, &wide, &input, Some(RowNoise { seed: SEED, member })).0)
        .collect();
    assert!(gap(out.mean, &wanted) < 3e-6);
}

/// The reference's training loss for one case.
fn reference_loss(spec: &ModelSpec, tensors: &[Vec<f64>], input: &[f64], truth: &[f64]) -> f64 {
    let row = |member: usize| RowNoise {
        seed: SEED,
        member: member as u32,
    };
    let members: Vec<Vec<f64>> = if spec.method == Method::PnoR {
        let (mean, spread) = heads(spec, tensors, input, Some(row(0)));
        (0..MEMBERS)
            .map(|m| {
                let noise = normals(row(m), mean.len());
                (0..mean.len())
                    .map(|i| mean[i] + spread[i] * noise[i])
                    .collect()
            })
            .collect()
    } else {
        (0..MEMBERS)
            .map(|m| heads(spec, tensors, input, Some(row(m))).0)
            .collect()
    };
    energy_score(&members, truth)
}

fn gradients_agree(method: Method) {
    let spec = small_spec(method);
    let weights = init::tensors(&spec, 7);
    let (input, truth) = (wave(points() * 3, 1.0), wave(points(), 2.0));
    let device = Device::flex().autodiff();
    let network = Network::from_tensors(&spec, &weights, &device);
    let plan = Plan::new(&GRID, &spec.modes, &device);
    let shared = network.shared(tensor(&input, [1, points(), 3], &device));
    let members = if method == Method::PnoR {
        let one = Rows::new(vec![Row {
            seed: SEED,
            member: 0,
        }]);
        let out = network.heads(shared, &plan, Some(&one));
        let noise = ops::normals(&member_rows().keys(Place::Normal, &device), points());
        let spread = out.spread.expect("a spread head").reshape([1, points()]);
        noise * spread + out.mean.reshape([1, points()])
    } else {
        network
            .heads(shared, &plan, Some(&member_rows()))
            .mean
            .reshape([MEMBERS, points()])
    };
    let scores = loss::energy_score(
        &members.reshape([1, MEMBERS, points()]),
        &tensor(&truth, [1, points()], &device),
    );
    let mut wide = widen(&weights);
    let wanted = reference_loss(&spec, &wide, &input, &truth);
    assert!((f64::from(scores.clone().into_scalar::<f32>()) - wanted).abs() < 1e-5);

    let grads = scores.backward();
    let found = network.gradients(&grads);
    let mut checked = 0;
    for (index, tensor) in spec.tensors().iter().enumerate() {
        let grad = found[index]
            .as_ref()
            .unwrap_or_else(|| panic!("{} has no gradient", tensor.name));
        let grad: Vec<f32> = grad.try_to_vec().expect("f32");
        let largest = grad.iter().fold(0.0_f32, |m, g| m.max(g.abs()));
        // A few entries of every tensor, spread over it.
        for entry in (0..tensor.len()).step_by((tensor.len() / 5).max(1)) {
            let step = 1e-5;
            let mut at = |delta: f64| {
                wide[index][entry] += delta;
                let value = reference_loss(&spec, &wide, &input, &truth);
                wide[index][entry] -= delta;
                value
            };
            let slope = (at(step) - at(-step)) / (2.0 * step);
            let error = (slope - f64::from(grad[entry])).abs();
            let scale = f64::from(largest).max(1e-3);
            assert!(
                error < 2e-4 * scale + 1e-6,
                "{}[{entry}]: {} instead of {slope}",
                tensor.name,
                grad[entry]
            );
            checked += 1;
        }
    }
    assert!(checked > 80, "only {checked} entries were checked");
}

#[test]
fn gradients_of_the_energy_score_through_masks_agree_with_finite_differences() {
    gradients_agree(Method::PnoD);
}

#[test]
fn gradients_through_both_heads_agree_with_finite_differences() {
    gradients_agree(Method::PnoR);
}

#[test]
fn coinciding_members_give_finite_gradients() {
    let device = Device::flex().autodiff();
    let field = tensor(&wave(10, 0.0), [1, 1, 10], &device).require_grad();
    let members = field.clone().repeat_dim(1, 3);
    let truth = tensor(&wave(10, 0.0), [1, 10], &device);
    let grads = loss::energy_score(&members, &truth).backward();
    let grad: Vec<f32> = field
        .grad(&grads)
        .expect("a gradient")
        .into_data()
        .try_to_vec()
        .expect("f32");
    assert!(grad.iter().all(|g| g.is_finite()), "{grad:?}");
}

#[test]
fn a_spectral_block_gives_the_same_function_at_two_resolutions() {
    let spec = ModelSpec {
        dropout: 0.0,
        fourier_dropout: 0.0,
        ..small_spec(Method::PnoD)
    };
    let device = Device::flex();
    let network = Network::init(&spec, 8, &device);
    // A band-limited field, sampled at two resolutions whose grids share every second point.
    let field = |n1: usize, n2: usize| -> Vec<f64> {
        (0..n1 * n2)
            .flat_map(|p| {
                let (t, x) = ((p / n2) as f64 / n1 as f64, (p % n2) as f64 / n2 as f64);
                (0..spec.width).map(move |c| {
                    let (c, tau) = (c as f64, std::f64::consts::TAU);
                    (tau * (t + 2.0 * x) + c).sin()
                        + 0.5 * (tau * x * (1.0 + c % 2.0)).cos()
                        + 0.2 * (tau * t - c).cos()
                })
            })
            .collect()
    };
    let run = |n1: usize, n2: usize| -> Vec<f32> {
        let plan = Plan::new(&[n1, n2], &spec.modes, &device);
        let v = tensor(&field(n1, n2), [1, n1 * n2, spec.width], &device);
        network
            .block(0)
            .spectral
            .forward(v, &plan, None)
            .into_data()
            .try_to_vec()
            .expect("f32")
    };
    let (coarse, fine) = (run(10, 15), run(20, 30));
    for t in 0..10 {
        for x in 0..15 {
            for c in 0..spec.width {
                let (a, b) = (
                    coarse[(t * 15 + x) * spec.width + c],
                    fine[(2 * t * 30 + 2 * x) * spec.width + c],
                );
                assert!((a - b).abs() < 1e-5, "({t}, {x}, {c}): {a} and {b}");
            }
        }
    }
}
