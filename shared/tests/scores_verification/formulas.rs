//! Every number is the sum of its formula.

use pno::score::{
    Measure, Options, Verification, energy_score::energy_score_with, score_case, score_case_with,
};
use pno::task::Task;

use crate::brute::Brute;
use crate::{close, measure, normals};

#[test]
fn every_number_is_the_sum_of_its_formula_for_all_steps_and_channels() {
    let measure = measure();
    let (members, truth) = (normals(1, 9 * 210), normals(2, 210));
    let mut verification = Verification::new(measure.clone(), Options::default());
    let numbers = verification.push(&members, &truth).expect("a case");
    let (report, maps) = verification.finish();
    let brute = Brute {
        members: &members,
        truth: &truth,
        measure: &measure,
    };
    let all = brute.kept(|_| true);
    brute.check("the case", &numbers, &all, true);
    assert_eq!(report.scores, numbers);
    for lead in 0..3 {
        let values = brute.kept(|v| v / 70 == lead);
        brute.check(&format!("step {lead}"), &report.leads[lead], &values, true);
    }
    for channel in 0..2 {
        let values = brute.kept(|v| v % 2 == channel);
        // The norm of one channel of two is still that of both: twice the mean of its square.
        let name = format!("channel {channel}");
        brute.check(&name, &report.channels[channel], &values, false);
    }
    for v in 0..210 {
        close(
            "map of crps",
            f64::from(maps.crps[v]),
            brute.crps(v, 72.0),
            1e-6,
        );
        let (error, variance) = brute.moments(v);
        close(
            "map of spread",
            f64::from(maps.spread[v]),
            variance.sqrt(),
            1e-6,
        );
        close("map of error", f64::from(maps.error[v]), error.abs(), 1e-6);
        close("map of bias", f64::from(maps.bias[v]), error, 1e-6);
    }
    let energy = energy_score_with(&members, &truth, &measure);
    close(
        "energy score",
        numbers.energy_score.expect("pairs"),
        energy,
        1e-12,
    );
}

#[test]
fn fields_of_many_pieces_are_scored_as_one() {
    // More than two pieces of 16384 values, and not a whole number of them.
    let points = 40_001;
    let (members, truth) = (normals(3, 4 * points), normals(4, points));
    let measure = Measure::flat(points);
    let brute = Brute {
        members: &members,
        truth: &truth,
        measure: &measure,
    };
    let mut verification = Verification::new(measure.clone(), Options::default());
    let numbers = verification.push(&members, &truth).expect("a case");
    brute.check("a large case", &numbers, &brute.kept(|_| true), true);
    let (report, _) = verification.finish();
    assert!(report.leads.is_empty());
    assert_eq!(report.rank_histogram.samples, points as u64);
    let scores = score_case(&members, &truth);
    assert_eq!(numbers.scores(4, 1), scores);
}

#[test]
fn channels_are_summed_in_norms_and_averaged_in_means() {
    // The same field in three channels: norms grow by √3, means stay.
    let (members, truth) = (normals(5, 6 * 50), normals(6, 50));
    let thrice = |field: &[f32]| -> Vec<f32> { field.iter().flat_map(|&v| [v; 3]).collect() };
    let one = score_case(&members, &truth);
    let measure = Measure::flat(50).with_channels(3);
    let three = score_case_with(&thrice(&members), &thrice(&truth), &measure);
    let root = 3.0_f64.sqrt();
    close("l2", three.l2, root * one.l2, 1e-12);
    close(
        "energy score",
        three.energy_score,
        root * one.energy_score,
        1e-7,
    );
    close("crps", three.crps, one.crps, 1e-12);
    close("nll", three.nll, one.nll, 1e-12);
    close("coverage", three.coverage, one.coverage, 1e-12);
    close("width", three.interval_width, one.interval_width, 1e-12);
}

#[test]
fn the_published_measures_are_those_of_the_method() {
    // ERA5: norms of 0.6882 of a root mean square, CRPS untouched.
    let task = Task::era5().on_grid(&[10, 4, 5]);
    let (members, truth) = (normals(7, 5 * 200), normals(8, 200));
    let found = score_case_with(&members, &truth, &Measure::of(&task));
    let flat = score_case(&members, &truth);
    let factor = (9.0_f64 / 19.0).sqrt();
    close("l2", found.l2, factor * flat.l2, 1e-12);
    close(
        "energy score",
        found.energy_score,
        factor * flat.energy_score,
        1e-12,
    );
    close("crps", found.crps, flat.crps, 1e-12);
    // The sphere: the area mean of each channel, summed. A field that is 1, 2 and 2 has the norm 3 everywhere.
    let task = Task::sswe().on_grid(&[9, 16]);
    let member = [1.0, 2.0, 2.0].repeat(144);
    let found = score_case_with(&member, &vec![0.0; 432], &Measure::of(&task));
    close("l2", found.l2, 3.0, 1e-12);
    close("crps", found.crps, 5.0 / 3.0, 1e-12);
    // z² on the sphere has mean 1/3: an error of z = sin(latitude) in one channel is 1/√3.
    let latitudes = task.output_coordinates()[0].clone();
    let z: Vec<f32> = latitudes
        .iter()
        .flat_map(|lat| [[lat.to_radians().sin() as f32, 0.0, 0.0]; 16])
        .flatten()
        .collect();
    let found = score_case_with(&z, &vec![0.0; 432], &Measure::of(&task));
    close("l2", found.l2, (1.0_f64 / 3.0).sqrt(), 1e-6);
}
