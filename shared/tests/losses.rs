//! Training losses against their definitions in f64, in the norm of every domain, and where members coincide.
#![cfg(feature = "autodiff")]

mod cases;
mod reference;

use burn::tensor::Device;
use cases::{gap, read, tensor};
use pno::nn::loss::{Norm, Objective};
use pno::noise;
use pno::score::{Measure, Options, Verification};
use pno::spec::Loss;
use pno::sphere::Latitudes;
use pno::task::{Axis, Coordinate, Domain, Mask, Task};
use reference::loss::{crps, energy_score, kernel_score, l2};
use reference::wave;

const CASES: usize = 2;
const WEIGHT: f64 = 0.3;
const BANDWIDTH: f64 = 1.4;

/// A task and the factor of every value in its squared norm, by the paper's formulas and not by the product's.
struct Place {
    name: &'static str,
    task: Task,
    /// Of every value in the sum of squares.
    squares: Vec<f64>,
    /// Of every value in a mean: these sum to one.
    means: Vec<f64>,
}

/// Clenshaw-Curtis weights of equally spaced colatitudes with both poles, by their cosine series.
fn clenshaw_curtis(nodes: usize) -> Vec<f64> {
    let n = nodes - 1;
    let at = |k: usize| {
        let angle = |j: usize| (2 * j * k) as f64 * std::f64::consts::PI / n as f64;
        let term = |j: usize| {
            let twice = if 2 * j == n { 1.0 } else { 2.0 };
            twice / (4.0 * (j * j) as f64 - 1.0) * angle(j).cos()
        };
        let sum: f64 = (1..=n / 2).map(term).sum();
        (if k == 0 || k == n { 1.0 } else { 2.0 }) / n as f64 * (1.0 - sum)
    };
    (0..nodes).map(at).collect()
}

/// `share` of every point, for all channels: summed in the norm, averaged in a mean.
fn place(name: &'static str, task: Task, extent: f64, share: impl Fn(usize) -> f64) -> Place {
    let channels = task.outputs.len();
    let shares: Vec<f64> = (0..task.output_values())
        .map(|i| share(i / channels))
        .collect();
    Place {
        name,
        task,
        squares: shares.iter().map(|w| extent * w).collect(),
        means: shares.iter().map(|w| w / channels as f64).collect(),
    }
}

fn places() -> Vec<Place> {
    let (ks, era5) = (
        Task::ks().on_grid(&[3, 4]),
        Task::era5().on_grid(&[2, 3, 4]),
    );
    let sphere = Task::sswe().on_grid(&[7, 6]);
    let curtis = clenshaw_curtis(7);
    let mut gauss = Task::sswe().on_grid(&[2, 5]);
    gauss.domain = Domain::Sphere(Latitudes::Gauss);
    let mut two_fields = ks.clone();
    two_fields.outputs.push(ks.outputs[0].clone());
    vec![
        place("ks", ks, 1.0, |_| 1.0 / 12.0),
        place("two fields in a box", two_fields, 1.0, |_| 1.0 / 12.0),
        place("era5", era5, 9.0 / 19.0, |_| 1.0 / 24.0),
        place("sswe", sphere, 1.0, move |i| curtis[i / 6] / 2.0 / 6.0),
        // Two Gauss circles weigh the same.
        place("two Gauss circles", gauss, 1.0, |_| 1.0 / 10.0),
        masked(),
    ]
}

/// Two fields in a box of 3 x 4 points: the first has no value in one column, the second in two others. Every value that is
/// left counts the same.
fn masked() -> Place {
    let mut task = Task::ks().on_grid(&[3, 4]);
    task.outputs.push(task.outputs[0].clone());
    task.outputs[0].mask = Mask::new(&[4], |x| x == 0);
    task.outputs[1].mask = Mask::new(&[4], |x| x > 1);
    // 9 values of the first are left and 6 of the second.
    let left = |i: usize| match i % 2 {
        0 => !(i / 2).is_multiple_of(4),
        _ => i / 2 % 4 < 2,
    };
    let share = |i: usize| if left(i) { 1.0 / 15.0 } else { 0.0 };
    Place {
        name: "fields with masks",
        task,
        squares: (0..24).map(|i| 2.0 * share(i)).collect(),
        means: (0..24).map(share).collect(),
    }
}

fn by_definition(place: &Place, loss: Loss, members: &[Vec<f64>], truth: &[f64]) -> f64 {
    let (squares, means) = (&place.squares, &place.means);
    let unit: f64 = squares.iter().sum::<f64>().sqrt();
    match loss {
        Loss::Energy => energy_score(members, truth, squares),
        Loss::Crps => crps(members, truth, means),
        Loss::EnergyCrps => {
            energy_score(members, truth, squares) + WEIGHT * crps(members, truth, means)
        }
        Loss::Kernel => kernel_score(members, truth, squares, BANDWIDTH * unit),
        Loss::L2 => l2(members, truth, squares),
    }
}

fn objective(loss: Loss) -> Objective {
    Objective {
        loss,
        weight: WEIGHT as f32,
        bandwidth: BANDWIDTH as f32,
    }
}

/// Members `[cases, members, values]` and truths `[cases, values]`.
fn batch(values: usize, members: usize) -> (Vec<f64>, Vec<f64>) {
    (
        wave(CASES * members * values, 0.4),
        wave(CASES * values, 2.0),
    )
}

/// Sum of the definitions over cases.
fn wanted(place: &Place, loss: Loss, members: &[f64], truth: &[f64]) -> Vec<f64> {
    let values = place.squares.len();
    let cases = members.chunks(members.len() / CASES);
    cases
        .zip(truth.chunks(values))
        .map(|(members, truth)| {
            let members: Vec<Vec<f64>> = members.chunks(values).map(<[f64]>::to_vec).collect();
            by_definition(place, loss, &members, truth)
        })
        .collect()
}

#[test]
fn every_loss_is_its_definition_and_so_is_its_slope() {
    let device = Device::flex().autodiff();
    for place in places() {
        let values = place.squares.len();
        let norm = Norm::new(&place.task, &device);
        for (&loss, count) in Loss::ALL.iter().flat_map(|l| [1, 2, 3, 5].map(|m| (l, m))) {
            let about = format!("{}, {loss}, {count} members", place.name);
            let (mut members, truth) = batch(values, count);
            let fields = tensor(&members, [CASES, count, values], &device).require_grad();
            let truths = tensor(&truth, [CASES, values], &device);
            let found = objective(loss).of(&fields, &truths, &norm);
            let error = gap(
                &read(found.clone()),
                &wanted(&place, loss, &members, &truth),
            );
            assert!(error < 2e-6, "{about}: off by {error}");
            let slopes = read(fields.grad(&found.backward()).expect("a gradient"));
            for entry in (0..members.len()).step_by(5) {
                let mut at = |delta: f64| -> f64 {
                    let before = members[entry];
                    members[entry] += delta;
                    let sum = wanted(&place, loss, &members, &truth).iter().sum();
                    members[entry] = before;
                    sum
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                let error = (slope - slopes[entry]).abs();
                assert!(
                    error < 2e-6,
                    "{about}, value {entry}: {} instead of {slope}",
                    slopes[entry]
                );
            }
        }
    }
}

/// Tasks on which the two definitions of the norm once differed, or one of them failed, beside the ordinary ones.
fn odd_places() -> Vec<(&'static str, Task)> {
    let along = |axis, first, last| Coordinate { axis, first, last };
    let mut line = Task::ks();
    for axes in [&mut line.input, &mut line.output] {
        *axes = vec![Axis::new("x", 9, 0.0, 1.0, "")];
    }
    line.coordinates = vec![along(0, -1.0, 2.5)];
    let of_length = |length| Task {
        coordinates: vec![along(0, 0.0, length)],
        ..line.clone()
    };
    let still = |mut task: Task| {
        for coordinate in &mut task.coordinates {
            coordinate.last = coordinate.first;
        }
        task
    };
    let mut sphere = Task::sswe().on_grid(&[7, 6]);
    sphere.coordinates = vec![along(0, 90.0, -90.0), along(1, 0.0, 300.0)];
    let mut twice = Task::ks().on_grid(&[3, 4]);
    twice.coordinates.push(along(1, 0.0, 5.0));
    let mut blind = Task::era5().on_grid(&[2, 3, 4]);
    blind.coordinates.clear();
    vec![
        ("a line", line.clone()),
        ("the shortest line that a task may have", of_length(1e-12)),
        ("a short line", of_length(1e-10)),
        ("the longest line", of_length(1e12)),
        ("a line whose coordinate stands still", still(line)),
        ("a plane", Task::darcy().on_grid(&[4, 5])),
        ("a plane of one row", Task::ks().on_grid(&[1, 6])),
        (
            "a plane that stands still",
            still(Task::ks().on_grid(&[3, 4])),
        ),
        ("two coordinates along one axis", twice),
        ("a box", Task::era5().on_grid(&[2, 3, 4])),
        (
            "a box that stands still",
            still(Task::era5().on_grid(&[2, 3, 4])),
        ),
        ("a box without coordinates", blind),
        ("fields with masks", masked().task),
        ("a sphere with masks", {
            let mut task = Task::sswe().on_grid(&[7, 6]);
            task.outputs[1].mask = Mask::new(&[7, 6], |i| i % 5 < 2);
            task
        }),
        ("a sphere", Task::sswe().on_grid(&[7, 6])),
        ("a sphere with coordinates", sphere.clone()),
        ("a sphere whose coordinates stand still", still(sphere)),
    ]
}

#[test]
fn the_loss_of_an_ensemble_is_its_reported_score() {
    let device = Device::flex();
    for (name, task) in odd_places() {
        task.validate().expect(name);
        let (values, norm) = (task.output_values(), Norm::new(&task, &device));
        // Of a field that is one everywhere: the scale of norms on this domain. Scores of single values have the scale 1.
        let unit = f64::from(norm.squared_unit()).sqrt();
        for count in [1, 2, 5] {
            let (members, truth) = batch(values, count);
            let fields = tensor(&members, [CASES, count, values], &device);
            let truths = tensor(&truth, [CASES, values], &device);
            let of = |loss| read(Objective::new(loss).of(&fields, &truths, &norm));
            let (energy, crps, kernel) = (of(Loss::Energy), of(Loss::Crps), of(Loss::Kernel));
            let l2 = of(Loss::L2);
            let narrow =
                |values: &[f64]| -> Vec<f32> { values.iter().map(|&v| v as f32).collect() };
            let (members, truth) = (narrow(&members), narrow(&truth));
            let mut verification = Verification::new(Measure::of(&task), Options::default());
            for case in 0..CASES {
                let members = &members[case * count * values..][..count * values];
                let truth = &truth[case * values..][..values];
                let reported = verification.push(members, truth).expect("fields");
                let mut pairs = vec![
                    ("energy score", unit, energy[case], reported.energy_score),
                    ("CRPS", 1.0, crps[case], Some(reported.crps)),
                    ("kernel score", 1.0, kernel[case], reported.kernel_score),
                ];
                if count == 1 {
                    pairs.push(("L2", unit, l2[case], Some(reported.l2)));
                }
                for (score, scale, loss, reported) in pairs {
                    let reported = reported.expect("asked for");
                    assert!(
                        (loss - reported).abs() < 2e-6 * (scale + reported.abs()),
                        "{name}, {count} members, case {case}: {score} {reported}, loss {loss}"
                    );
                }
            }
        }
    }
}

#[test]
fn coinciding_members_give_finite_slopes_and_do_not_push_each_other() {
    let device = Device::flex().autodiff();
    for place in places() {
        let (values, norm) = (place.squares.len(), Norm::new(&place.task, &device));
        let truth = wave(values, 2.0);
        for &loss in Loss::ALL {
            // On the truth, where every norm has its corner; then away from it.
            for (phase, on_truth) in [(2.0, true), (0.5, false)] {
                let fields = wave(values, phase).repeat(3);
                let fields = tensor(&fields, [1, 3, values], &device).require_grad();
                let truth = tensor(&truth, [1, values], &device);
                let found = objective(loss).of(&fields, &truth, &norm);
                let slopes = read(fields.grad(&found.backward()).expect("a gradient"));
                let about = format!("{}, {loss}", place.name);
                assert!(slopes.iter().all(|s| s.is_finite()), "{about}: {slopes:?}");
                let largest = slopes.iter().fold(0.0_f64, |a, s| a.max(s.abs()));
                if on_truth {
                    assert!(
                        largest < 1e-9,
                        "{about}: a slope of {largest} at the best forecast"
                    );
                } else {
                    assert!(largest > 1e-5, "{about}: no way to the truth");
                    let (first, rest) = slopes.split_at(values);
                    assert!(rest.chunks(values).all(|s| gap(s, first) < 1e-7), "{about}");
                }
            }
        }
    }
}

#[test]
fn the_sphere_counts_its_poles_for_little() {
    let device = Device::flex();
    let task = Task::sswe().on_grid(&[9, 8]);
    let values = task.output_values();
    let norm = Norm::new(&task, &device);
    let at_circle = |circle: usize| -> f64 {
        let field: Vec<f64> = (0..values)
            .map(|i| f64::from(u8::from(i / 24 == circle)))
            .collect();
        read(norm.of(tensor(&field, [1, values], &device)))[0]
    };
    let plain = (3.0_f64 / 9.0).sqrt();
    assert!(at_circle(0) < 0.4 * plain, "{} at a pole", at_circle(0));
    assert!(
        at_circle(4) > 1.2 * plain,
        "{} at the equator",
        at_circle(4)
    );
    // cos(colatitude) has mean square 1/3 over the sphere, in each of the three channels.
    let heights: Vec<f64> = (0..values)
        .map(|i| (std::f64::consts::PI * (i / 24) as f64 / 8.0).cos())
        .collect();
    let found = read(norm.of(tensor(&heights, [1, values], &device)))[0];
    assert!((found - 1.0).abs() < 1e-6, "{found}");
}

/// Mean loss over many cases of two points: the truth is standard normal, members are normal about `centre` with `spread`.
fn simulated(loss: Loss, members: usize, centre: f64, spread: f64) -> f64 {
    const CASES: usize = 20_000;
    let normals = |stream: u32, count: usize| -> Vec<f64> {
        let key = noise::key(5, stream, 0);
        let draw = |i| f64::from(noise::normal::normal(key, i as u32));
        (0..count).map(draw).collect()
    };
    let fields: Vec<f64> = normals(1, 2 * members * CASES)
        .into_iter()
        .map(|n| centre + spread * n)
        .collect();
    let device = Device::flex();
    let fields = tensor(&fields, [CASES, members, 2], &device);
    let truths = tensor(&normals(2, 2 * CASES), [CASES, 2], &device);
    let losses = Objective::new(loss).of(&fields, &truths, &Norm::plain());
    read(losses.mean())[0]
}

#[test]
fn the_true_distribution_has_the_lowest_loss() {
    for loss in [Loss::Energy, Loss::Crps, Loss::EnergyCrps, Loss::Kernel] {
        let best = simulated(loss, 3, 0.0, 1.0);
        for (centre, spread) in [(0.0, 0.6), (0.0, 1.6), (0.5, 1.0), (-0.5, 0.8)] {
            let other = simulated(loss, 3, centre, spread);
            assert!(
                other > 1.01 * best,
                "{loss}: {other} for N({centre}, {spread}²), {best} for the truth"
            );
        }
    }
}

#[test]
fn the_number_of_members_does_not_change_what_is_expected() {
    // Two normals are 2/√π apart on average, two in the plane √π, which the norm divides by √2; scores are half of that.
    let pi = std::f64::consts::PI;
    for members in [2, 3, 8] {
        let (crps, energy) = (
            simulated(Loss::Crps, members, 0.0, 1.0),
            simulated(Loss::Energy, members, 0.0, 1.0),
        );
        assert!((crps - 1.0 / pi.sqrt()).abs() < 0.01, "{members}: {crps}");
        assert!(
            (energy - pi.sqrt() / 2.0 / 2.0_f64.sqrt()).abs() < 0.01,
            "{members}: {energy}"
        );
    }
}

#[test]
fn no_gradient_comes_from_a_masked_point_whatever_is_there() {
    let device = Device::flex().autodiff();
    let task = masked().task;
    let (values, norm) = (task.output_values(), Norm::new(&task, &device));
    let (members, truth) = batch(values, 3);
    for &loss in Loss::ALL {
        let slopes = |members: &[f64]| {
            let fields = tensor(members, [CASES, 3, values], &device).require_grad();
            let truths = tensor(&truth, [CASES, values], &device);
            let found = objective(loss).of(&fields, &truths, &norm);
            let slopes = read(fields.grad(&found.backward()).expect("a gradient"));
            (read(found), slopes)
        };
        let (found, usual) = slopes(&members);
        let masked = |i: usize| task.masks_output(i % values);
        let mut moved = 0;
        for (i, slope) in usual.iter().enumerate() {
            assert!(*slope == 0.0 || !masked(i), "{loss}, value {i}: {slope}");
            moved += usize::from(*slope != 0.0);
        }
        // The outermost of three members that are all on one side of the truth has no slope in the fair CRPS.
        let others = (0..usual.len()).filter(|&i| !masked(i)).count();
        assert!(4 * moved > others, "{loss}: {moved} of {others}");
        let wild = members.iter().enumerate();
        let wild: Vec<f64> = wild
            .map(|(i, v)| if masked(i) { 1e6 * (v + 2.0) } else { *v })
            .collect();
        assert_eq!(slopes(&wild), (found, usual), "{loss}");
    }
}
