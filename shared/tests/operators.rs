//! Every operator against an independent f64 computation: both heads, masks, several rows per case, pieces.
#![cfg(feature = "nn")]

mod cases;
mod reference;
mod tolerance;

use burn::module::Param;
use burn::tensor::Device;
use cases::{Case, each_operator, edges, gap, read, tensor};
use pno::nn::{Network, Plan, PointwiseMlp, Row, Rows, init, ops};
use pno::noise::mask::{RUN, Rate};
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile};
use pno::sphere::Latitudes;
use pno::task::{Grid, Task};
use reference::{network::heads, noise::RowNoise, rms, sphere, std, wave, widen};
use tolerance::{Of, agree};

/// Seed and member of every row: two cases of two members each.
const ROWS: [(u64, u32); 4] = [(11, 0), (11, 1), (12, 0), (12, 5)];

/// Both heads of the product, the second empty without a spread head.
fn product(
    spec: &ModelSpec,
    weights: &[Vec<f32>],
    plan: &Plan,
    input: &[f64],
    rows: &[(u64, u32)],
) -> [Vec<f64>; 2] {
    let device = Device::flex();
    let network = Network::from_tensors(spec, weights, &device);
    let (points, channels) = (plan.points(), spec.in_channels);
    let cases = input.len() / (points * channels);
    let row = |&(seed, member): &(u64, u32)| Row { seed, member };
    let rows = (!rows.is_empty()).then(|| Rows::new(rows.iter().map(row).collect()));
    let input = tensor(input, [cases, points, channels], &device);
    let out = network.forward(input, plan, rows.as_ref());
    [read(out.mean), out.spread.map(read).unwrap_or_default()]
}

/// Both heads of the reference: each case serves `rows / cases` rows, and one without noise if there are none.
fn wanted(
    spec: &ModelSpec,
    weights: &[Vec<f32>],
    grid: &Grid,
    input: &[f64],
    rows: &[(u64, u32)],
) -> [Vec<f64>; 2] {
    let weights = widen(weights);
    let inputs: Vec<&[f64]> = input.chunks(grid.points() * spec.in_channels).collect();
    let noise: Vec<Option<RowNoise>> = if rows.is_empty() {
        vec![None; inputs.len()]
    } else {
        let noise = |&(seed, member): &(u64, u32)| Some(RowNoise { seed, member });
        rows.iter().map(noise).collect()
    };
    let rows_per_case = noise.len() / inputs.len();
    let mut both = [vec![], vec![]];
    for (row, &noise) in noise.iter().enumerate() {
        let out = heads(spec, &weights, grid, inputs[row / rows_per_case], noise);
        both[0].extend(out.mean);
        both[1].extend(out.spread);
    }
    both
}

/// Compares one network, and says how far off it was.
fn agrees(case: &Case, method: Method, rows: &[(u64, u32)]) {
    let spec = case.with(method);
    spec.validate().expect("a valid specification");
    let weights = init::tensors(&spec, 5);
    let input = wave(2 * case.grid.points() * spec.in_channels, 0.4);
    let plan = Plan::new(&spec, &case.grid, &Device::flex());
    let found = product(&spec, &weights, &plan, &input, rows);
    let wanted = wanted(&spec, &weights, &case.grid, &input, rows);
    for (head, (found, wanted)) in ["mean", "spread"].iter().zip(found.iter().zip(&wanted)) {
        if wanted.is_empty() {
            assert!(found.is_empty());
            continue;
        }
        let error = gap(found, wanted) / std(wanted);
        let masks = if rows.is_empty() { "no masks" } else { "masks" };
        println!("{}: {method}, {masks}, {head}: {error:.1e}", case.name);
        // A nearly constant output has no more digits than f32.
        let tolerance = Of::F32.tolerance() + 1e-6 * rms(wanted) / std(wanted);
        assert!(
            error < tolerance,
            "{}: {method}, {head}: {error}",
            case.name
        );
    }
}

#[test]
fn both_heads_without_masks_agree_with_direct_sums() {
    for case in each_operator() {
        agrees(&case, Method::PnoR, &[]);
    }
}

#[test]
fn every_row_with_its_masks_agrees_with_direct_sums() {
    for case in each_operator() {
        agrees(&case, Method::PnoD, &ROWS);
        agrees(&case, Method::PnoR, &ROWS);
    }
}

#[test]
fn grids_at_the_edge_of_the_modes_agree_with_direct_sums() {
    for case in edges() {
        agrees(&case, Method::Det, &[]);
        agrees(&case, Method::Mcd, &ROWS);
    }
}

/// A published network with masks, one row; the error in units of the output's standard deviation.
fn published_error(
    task: &Task,
    experiment: Experiment,
    operator: Operator,
    profile: Profile,
) -> f64 {
    let spec = ModelSpec::paper(experiment, operator, Method::PnoD, profile).expect("published");
    let field: Vec<f32> = wave(task.input_values(), 0.0)
        .iter()
        .map(|&v| v as f32)
        .collect();
    let input: Vec<f64> = task
        .network_input(&field)
        .into_iter()
        .map(f64::from)
        .collect();
    let weights = init::tensors(&spec, 2);
    let plan = Plan::new(&spec, &task.grid(), &Device::flex());
    let found = product(&spec, &weights, &plan, &input, &ROWS[..1]);
    let wanted = wanted(&spec, &weights, &task.grid(), &input, &ROWS[..1]);
    let error = gap(&found[0], &wanted[0]) / std(&wanted[0]);
    println!("published {experiment} {operator} ({profile}): {error:.1e}");
    error
}

#[test]
fn the_published_ks_fno_agrees_with_direct_sums() {
    let task = Task::ks();
    let error = published_error(&task, Experiment::Ks, Operator::Fno, Profile::Fixed);
    assert!(error < 1e-4, "{error}");
}

#[test]
fn the_published_unos_agree_with_direct_sums() {
    for profile in [Profile::Paper, Profile::Fixed] {
        for (experiment, sizes) in [(Experiment::Ks, [20, 256]), (Experiment::Darcy, [64, 64])] {
            let task = resized(experiment, sizes);
            let error = published_error(&task, experiment, Operator::Uno, profile);
            assert!(error < 1e-4, "{experiment}, {profile}: {error}");
        }
    }
}

#[test]
fn the_published_sfno_agrees_with_direct_sums() {
    // Half of its circles still carry all of its degrees.
    let task = resized(Experiment::Sswe, [64, 128]);
    let error = published_error(&task, Experiment::Sswe, Operator::Sfno, Profile::Fixed);
    assert!(error < 1e-4, "{error}");
}

/// A published task on a grid of another size.
fn resized(experiment: Experiment, sizes: [usize; 2]) -> Task {
    let mut task = Task::published(experiment).expect("published");
    for axes in [&mut task.input, &mut task.output] {
        for (axis, size) in axes.iter_mut().zip(sizes) {
            axis.size = size;
        }
    }
    task
}

#[test]
fn an_mlp_in_pieces_is_the_one_operation_of_the_cpu() {
    // On the CPU a network never takes the pieces of a GPU; here both are asked.
    let device = Device::flex();
    let (cases, members, points, inputs, hidden, outputs) = (2, 2, 331, 3, 7, 5);
    let weights =
        |shape: [usize; 2], phase| tensor(&wave(shape[0] * shape[1], phase), shape, &device);
    let biases = |n: usize, phase| tensor(&wave(n, phase), [n], &device);
    let mlp = PointwiseMlp {
        hidden_weight: Param::from_tensor(weights([inputs, hidden], 0.1)),
        hidden_bias: Param::from_tensor(biases(hidden, 0.2)),
        output_weight: Param::from_tensor(weights([hidden, outputs], 0.3)),
        output_bias: Param::from_tensor(biases(outputs, 0.4)),
    };
    let x = tensor(
        &wave(cases * points * inputs, 0.5),
        [cases, points, inputs],
        &device,
    );
    let keys: Vec<_> = (0..(cases * members) as u32).map(|row| [row, 9]).collect();
    let keys = ops::Keys::new(&keys, &device);
    let dropout = ops::Dropout::new(&keys, Rate::new(0.3));
    for dropout in [Some(dropout), None] {
        let fused = read(mlp.forward(x.clone(), dropout, 1));
        // Pieces begin at runs of the mask; the last is shorter.
        for piece in [RUN, 3 * RUN, points, usize::MAX] {
            let parts = read(mlp.forward_in_pieces(x.clone(), dropout, piece));
            let error = gap(&fused, &parts) / rms(&parts);
            assert!(error < 2e-6, "pieces of {piece}: {error}");
        }
    }
}

#[test]
fn pieces_of_a_plan_begin_at_runs_of_the_mask_and_fill_their_budget() {
    let case = each_operator().swap_remove(1);
    let plan = Plan::new(&case.spec, &case.grid, &Device::flex());
    for (rows, hidden) in [(1, 7), (4, 128), (256, 4096)] {
        for bytes in [1, 1 << 20, 32 << 20] {
            let piece = plan.clone().with_hidden_bytes(bytes).piece(rows, hidden);
            assert!(piece > 0 && piece.is_multiple_of(RUN), "{piece} points");
            let held = |points: usize| points * rows * hidden * size_of::<f32>();
            assert!(piece == RUN || held(piece) <= bytes, "{piece} points");
            assert!(held(piece + RUN) > bytes, "{piece} points");
        }
    }
    assert!(plan.whole().piece(256, 4096) > case.grid.points());
}

#[test]
fn grids_of_several_tiles_with_a_shorter_one_at_the_end_agree_with_direct_sums() {
    for case in each_operator() {
        // The CPU goes through a grid in tiles of runs; the hidden widths are odd.
        let sizes: Vec<usize> = match case.grid.sizes.len() {
            1 => vec![331],
            2 => vec![17, 19],
            _ => vec![5, 7, 9],
        };
        let grid = Grid {
            sizes,
            ..case.grid.clone()
        };
        assert!(grid.points() > 4 * RUN && !grid.points().is_multiple_of(RUN));
        let spec = case.with(Method::PnoR);
        let weights = init::tensors(&spec, 9);
        let input = wave(2 * grid.points() * spec.in_channels, 0.1);
        let plan = Plan::new(&spec, &grid, &Device::flex());
        let found = product(&spec, &weights, &plan, &input, &ROWS);
        let wanted = wanted(&spec, &weights, &grid, &input, &ROWS);
        for (head, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            agree(
                &format!("{}, head {head}", case.name),
                Of::F32,
                found,
                wanted,
            );
        }
    }
}

#[test]
fn weights_that_were_stored_in_f16_give_the_fields_of_f32_to_the_digits_of_f16() {
    for case in each_operator() {
        let spec = case.with(Method::PnoR);
        let weights = init::tensors(&spec, 5);
        let rounded = |values: &Vec<f32>| {
            let values = values.iter().map(|&v| half::f16::from_f32(v).to_f32());
            values.collect()
        };
        let stored: Vec<Vec<f32>> = weights.iter().map(rounded).collect();
        assert_ne!(stored, weights);
        let input = wave(2 * case.grid.points() * spec.in_channels, 0.4);
        let plan = Plan::new(&spec, &case.grid, &Device::flex());
        let found = product(&spec, &stored, &plan, &input, &ROWS);
        let wanted = product(&spec, &weights, &plan, &input, &ROWS);
        for (head, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            agree(
                &format!("{}, head {head}", case.name),
                Of::F16,
                found,
                wanted,
            );
        }
    }
}

#[test]
fn the_reference_harmonics_are_orthonormal() {
    for (latitudes, circles) in [(Latitudes::Equiangular, 25), (Latitudes::Gauss, 13)] {
        let colatitudes = sphere::colatitudes(latitudes, circles);
        let weights = sphere::weights(&colatitudes);
        for m in 0..6 {
            for l in m..12 {
                for other in m..12 {
                    let product: f64 = colatitudes
                        .iter()
                        .zip(&weights)
                        .map(|(&t, w)| {
                            w * sphere::legendre(l, m, t) * sphere::legendre(other, m, t)
                        })
                        .sum();
                    let wanted = f64::from(u8::from(l == other)) / std::f64::consts::TAU;
                    assert!(
                        (product - wanted).abs() < 1e-13,
                        "{l} {other} {m}: {product}"
                    );
                }
            }
        }
    }
    // Positive at the equator for l = m: without the Condon-Shortley sign.
    let equator = sphere::legendre(1, 1, std::f64::consts::FRAC_PI_2);
    assert!((equator - (3.0 / (8.0 * std::f64::consts::PI)).sqrt()).abs() < 1e-15);
}
