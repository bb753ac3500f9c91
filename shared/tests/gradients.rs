//! Gradients of the training loss for every tensor of every operator, against finite differences of the f64 reference.
#![cfg(feature = "autodiff")]

mod cases;
mod reference;

use burn::tensor::{Device, Tensor};
use cases::{Case, each_operator, gap, read, tensor};
use pno::nn::{Network, Plan, Row, Rows, init, loss, ops};
use pno::noise::Place;
use pno::spec::{Method, ModelSpec};
use reference::loss::energy_score;
use reference::network::{Heads, heads};
use reference::noise::{RowNoise, normals};
use reference::{wave, widen};

const CASES: usize = 2;
const MEMBERS: usize = 3;
/// Half the distance of a central difference.
const STEP: f64 = 1e-5;
/// Entries of every tensor that are checked, spread over it.
const ENTRIES: usize = 3;

/// Whether dropout is on in the pass of `PNO_R`; `PNO_D` always has it, DET never.
#[derive(Clone, Copy, PartialEq)]
enum Masks {
    On,
    Off,
}

/// Seed of a case.
fn seed(case: usize) -> u64 {
    11 + case as u64
}

/// Inputs `[cases, points, in]` and truths `[cases, points, out]`.
fn batch(case: &Case) -> (Vec<f64>, Vec<f64>) {
    let points = CASES * case.grid.points();
    (
        wave(points * case.spec.in_channels, 1.0),
        wave(points * case.spec.out_channels, 2.0),
    )
}

/// The ensemble that the reference would be trained with: one member for DET. `PNO_R` has its normals also without masks.
fn reference_members(
    spec: &ModelSpec,
    seed: u64,
    masks: Masks,
    pass: impl Fn(Option<RowNoise>) -> Heads,
) -> Vec<Vec<f64>> {
    let row = |member| RowNoise { seed, member };
    let members = 0..MEMBERS as u32;
    match spec.method {
        Method::PnoR => {
            let out = pass((masks == Masks::On).then(|| row(0)));
            let draw = |member| {
                let noise = normals(row(member), out.mean.len());
                let spread = out.spread.iter().zip(noise).map(|(s, n)| s * n);
                out.mean.iter().zip(spread).map(|(m, s)| m + s).collect()
            };
            members.map(draw).collect()
        }
        Method::Det => vec![pass(None).mean],
        _ => members.map(|m| pass(Some(row(m))).mean).collect(),
    }
}

/// Sum of the scores of all cases.
fn reference_loss(case: &Case, spec: &ModelSpec, tensors: &[Vec<f64>], masks: Masks) -> f64 {
    let (inputs, truths) = batch(case);
    let inputs = inputs.chunks(inputs.len() / CASES);
    let truths = truths.chunks(truths.len() / CASES);
    inputs
        .zip(truths)
        .enumerate()
        .map(|(index, (input, truth))| {
            let pass = |noise| heads(spec, tensors, &case.grid, input, noise);
            let members = reference_members(spec, seed(index), masks, pass);
            let weights = vec![1.0 / truth.len() as f64; truth.len()];
            energy_score(&members, truth, &weights)
        })
        .sum()
}

/// Rows with noise, `members` for each case.
fn rows(members: usize) -> Rows {
    let row = |i: usize| Row {
        seed: seed(i / members),
        member: (i % members) as u32,
    };
    Rows::new((0..CASES * members).map(row).collect())
}

/// Sum of the scores of all cases, as the product computes it.
fn product_loss(
    network: &Network,
    case: &Case,
    spec: &ModelSpec,
    masks: Masks,
    device: &Device,
) -> Tensor<1> {
    let (points, values) = (case.grid.points(), case.grid.points() * spec.out_channels);
    let (input, truth) = batch(case);
    let input = tensor(&input, [CASES, points, spec.in_channels], device);
    let truth = tensor(&truth, [CASES, values], device);
    let plan = Plan::new(spec, &case.grid, device).whole();
    let members = match spec.method {
        Method::PnoR => {
            let masked = (masks == Masks::On).then(|| rows(1));
            let out = network.forward(input, &plan, masked.as_ref());
            let noise = ops::normals(&rows(MEMBERS).keys(Place::Normal, device), values);
            let spread = out.spread.expect("a spread head");
            noise.reshape([CASES, MEMBERS, values]) * spread.reshape([CASES, 1, values])
                + out.mean.reshape([CASES, 1, values])
        }
        Method::Det => network
            .forward(input, &plan, None)
            .mean
            .reshape([CASES, 1, values]),
        _ => {
            let out = network.forward(input, &plan, Some(&rows(MEMBERS)));
            out.mean.reshape([CASES, MEMBERS, values])
        }
    };
    loss::energy_score(&members, &truth).sum()
}

fn gradients_agree(case: &Case, method: Method, masks: Masks) {
    let spec = case.with(method);
    let weights = init::tensors(&spec, 7);
    let device = Device::flex().autodiff();
    let network = Network::from_tensors(&spec, &weights, &device);
    let scores = product_loss(&network, case, &spec, masks, &device);
    let mut wide = widen(&weights);
    let wanted = reference_loss(case, &spec, &wide, masks);
    let error = gap(&read(scores.clone()), &[wanted]);
    assert!(error < 1e-5, "{}, {method}: loss off by {error}", case.name);

    let found = network.gradients(&scores.backward());
    let mut worst = 0.0_f64;
    for (index, tensor) in spec.tensors().iter().enumerate() {
        let name = &tensor.name;
        let gradient = found[index].as_ref();
        let gradient = gradient.unwrap_or_else(|| panic!("{}: {name} has none", case.name));
        let gradient: Vec<f32> = gradient.try_to_vec().expect("f32");
        let largest = gradient.iter().fold(0.0_f32, |m, g| m.max(g.abs()));
        let scale = f64::from(largest).max(1e-3);
        for entry in (0..tensor.len()).step_by(tensor.len().div_ceil(ENTRIES)) {
            let mut at = |delta: f64| {
                let before = wide[index][entry];
                wide[index][entry] += delta;
                let value = reference_loss(case, &spec, &wide, masks);
                wide[index][entry] = before;
                value
            };
            let slope = (at(STEP) - at(-STEP)) / (2.0 * STEP);
            let error = (slope - f64::from(gradient[entry])).abs() / scale;
            worst = worst.max(error);
            assert!(
                error < 2e-5,
                "{}, {method}, {name}[{entry}]: {} instead of {slope}",
                case.name,
                gradient[entry]
            );
        }
    }
    println!("{}, {method}: {worst:.1e}", case.name);
}

#[test]
fn gradients_of_the_energy_score_through_masks_agree_with_finite_differences() {
    for case in each_operator() {
        gradients_agree(&case, Method::PnoD, Masks::On);
    }
}

#[test]
fn gradients_through_both_heads_with_and_without_masks_agree_with_finite_differences() {
    for case in each_operator() {
        gradients_agree(&case, Method::PnoR, Masks::On);
        gradients_agree(&case, Method::PnoR, Masks::Off);
    }
}

#[test]
fn gradients_of_one_output_without_masks_agree_with_finite_differences() {
    for case in each_operator() {
        gradients_agree(&case, Method::Det, Masks::Off);
    }
}

#[test]
fn coinciding_members_give_finite_gradients() {
    let device = Device::flex().autodiff();
    let field = tensor(&wave(10, 0.0), [1, 1, 10], &device).require_grad();
    let members = field.clone().repeat_dim(1, 3);
    let truth = tensor(&wave(10, 0.0), [1, 10], &device);
    let gradients = loss::energy_score(&members, &truth).backward();
    let gradient = read(field.grad(&gradients).expect("a gradient"));
    assert!(gradient.iter().all(|g| g.is_finite()), "{gradient:?}");
}
