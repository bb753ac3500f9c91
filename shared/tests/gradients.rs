//! Gradients of the training loss for every tensor of every operator, against finite differences of the f64 reference.
#![cfg(feature = "autodiff")]

mod cases;
mod reference;

use burn::tensor::{Device, Tensor};
use cases::{Case, each_operator, gap, read, tensor};
use pno::nn::loss::{Norm, Objective};
use pno::nn::{Network, Plan, Row, Rows, init, ops};
use pno::noise::Place;
use pno::spec::{Loss, Method, ModelSpec};
use reference::loss::{crps, energy_score, kernel_score, l2};
use reference::network::{Heads, heads};
use reference::noise::{RowNoise, normals};
use reference::{wave, widen};

const CASES: usize = 2;
const MEMBERS: usize = 3;
/// Of the CRPS in `energy+crps`, and of the kernel.
const WEIGHT: f64 = 0.7;
const BANDWIDTH: f64 = 0.8;
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

/// One loss of the reference, in the plain norm.
fn reference_score(loss: Loss, members: &[Vec<f64>], truth: &[f64]) -> f64 {
    let weights = vec![1.0 / truth.len() as f64; truth.len()];
    match loss {
        Loss::Energy => energy_score(members, truth, &weights),
        Loss::Crps => crps(members, truth, &weights),
        Loss::EnergyCrps => {
            energy_score(members, truth, &weights) + WEIGHT * crps(members, truth, &weights)
        }
        Loss::Kernel => kernel_score(members, truth, &weights, BANDWIDTH),
        Loss::L2 => l2(members, truth, &weights),
    }
}

/// Sum of the scores of all cases.
fn reference_loss(
    case: &Case,
    spec: &ModelSpec,
    tensors: &[Vec<f64>],
    masks: Masks,
    loss: Loss,
) -> f64 {
    let (inputs, truths) = batch(case);
    let inputs = inputs.chunks(inputs.len() / CASES);
    let truths = truths.chunks(truths.len() / CASES);
    inputs
        .zip(truths)
        .enumerate()
        .map(|(index, (input, truth))| {
            let pass = |noise| heads(spec, tensors, &case.grid, input, noise);
            let members = reference_members(spec, seed(index), masks, pass);
            reference_score(loss, &members, truth)
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
    loss: Loss,
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
    let objective = Objective {
        loss,
        weight: WEIGHT as f32,
        bandwidth: BANDWIDTH as f32,
    };
    objective.of(&members, &truth, &Norm::plain()).sum()
}

fn gradients_agree(case: &Case, method: Method, masks: Masks, loss: Loss) {
    let spec = case.with(method);
    let weights = init::tensors(&spec, 7);
    let device = Device::flex().autodiff();
    let network = Network::from_tensors(&spec, &weights, &device);
    let scores = product_loss(&network, case, &spec, masks, loss, &device);
    let mut wide = widen(&weights);
    let wanted = reference_loss(case, &spec, &wide, masks, loss);
    let error = gap(&read(scores.clone()), &[wanted]);
    let name = case.name;
    assert!(
        error < 1e-5,
        "{name}, {method}, {loss}: loss off by {error}"
    );

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
                let value = reference_loss(case, &spec, &wide, masks, loss);
                wide[index][entry] = before;
                value
            };
            let slope = (at(STEP) - at(-STEP)) / (2.0 * STEP);
            let error = (slope - f64::from(gradient[entry])).abs() / scale;
            worst = worst.max(error);
            assert!(
                error < 2e-5,
                "{}, {method}, {loss}, {name}[{entry}]: {} instead of {slope}",
                case.name,
                gradient[entry]
            );
        }
    }
    println!("{}, {method}, {loss}: {worst:.1e}", case.name);
}

#[test]
fn gradients_of_the_energy_score_through_masks_agree_with_finite_differences() {
    for case in each_operator() {
        gradients_agree(&case, Method::PnoD, Masks::On, Loss::Energy);
    }
}

#[test]
fn gradients_through_both_heads_with_and_without_masks_agree_with_finite_differences() {
    for case in each_operator() {
        gradients_agree(&case, Method::PnoR, Masks::On, Loss::Energy);
        gradients_agree(&case, Method::PnoR, Masks::Off, Loss::Energy);
    }
}

#[test]
fn gradients_of_one_output_without_masks_agree_with_finite_differences() {
    for case in each_operator() {
        gradients_agree(&case, Method::Det, Masks::Off, Loss::L2);
    }
}

#[test]
fn gradients_of_every_loss_agree_with_finite_differences() {
    let sphere_and_box = each_operator().into_iter().step_by(7);
    for case in sphere_and_box {
        for loss in [Loss::Crps, Loss::EnergyCrps, Loss::Kernel] {
            gradients_agree(&case, Method::PnoD, Masks::On, loss);
            gradients_agree(&case, Method::PnoR, Masks::On, loss);
        }
        gradients_agree(&case, Method::Mcd, Masks::On, Loss::L2);
    }
}
