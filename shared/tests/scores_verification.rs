//! A verification against sums written down as the formulas stand, in `f64`, one value after the other.

use pno::noise::normal::fill;
use pno::score::{
    CaseError, Event, Measure, NanPolicy, Numbers, Options, Report, Verification, coverage,
    energy_score::energy_score_with, score_case, score_case_with,
};
use pno::task::Task;

fn normals(stream: u32, n: usize) -> Vec<f32> {
    let mut values = vec![0.0; n];
    fill([41, stream], &mut values);
    values
}

fn close(name: &str, found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() <= tolerance * wanted.abs().max(1.0),
        "{name}: {found} for {wanted}"
    );
}

/// The scores of the values `range` of one case, by their formulas.
struct Brute<'a> {
    members: &'a [f32],
    truth: &'a [f32],
    measure: &'a Measure,
}

impl Brute<'_> {
    fn kept(&self, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        let known = |&v: &usize| !self.truth[v].is_nan();
        (0..self.truth.len())
            .filter(|&v| keep(v))
            .filter(known)
            .collect()
    }

    fn member(&self, m: usize, v: usize) -> f64 {
        f64::from(self.members[m * self.truth.len() + v])
    }

    fn count(&self) -> usize {
        self.members.len() / self.truth.len()
    }

    fn mean(&self, values: &[usize], f: impl Fn(usize) -> f64) -> f64 {
        let weight: f64 = values.iter().map(|&v| self.measure.weight(v)).sum();
        let sum: f64 = values.iter().map(|&v| self.measure.weight(v) * f(v)).sum();
        sum / weight
    }

    /// `√(extent · channels · weighted mean over values of f²)`: a mean over points, a sum over channels.
    fn norm(&self, values: &[usize], f: impl Fn(usize) -> f64) -> f64 {
        let factor = self.measure.extent() * self.measure.channels() as f64;
        (factor * self.mean(values, |v| f(v).powi(2))).sqrt()
    }

    /// `1/M Σ d(m, truth) - 1/(2 D) ΣΣ d(m, h)` with the divisor D.
    fn energy(&self, values: &[usize], divisor: f64) -> f64 {
        let count = self.count();
        let truth = |v: usize| f64::from(self.truth[v]);
        let error: f64 = (0..count)
            .map(|m| self.norm(values, |v| self.member(m, v) - truth(v)))
            .sum();
        let pairs = (0..count).flat_map(|m| (0..count).map(move |h| (m, h)));
        let spread: f64 = pairs
            .map(|(m, h)| self.norm(values, |v| self.member(m, v) - self.member(h, v)))
            .sum();
        error / count as f64 - spread / (2.0 * divisor)
    }

    fn moments(&self, v: usize) -> (f64, f64) {
        let count = self.count() as f64;
        let column = || (0..self.count()).map(|m| self.member(m, v));
        let mean = column().sum::<f64>() / count;
        let variance = column().map(|u| (u - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean - f64::from(self.truth[v]), variance)
    }

    fn crps(&self, v: usize, divisor: f64) -> f64 {
        let count = self.count();
        let column: Vec<f64> = (0..count).map(|m| self.member(m, v)).collect();
        let error: f64 = column
            .iter()
            .map(|u| (u - f64::from(self.truth[v])).abs())
            .sum();
        let pairs = column
            .iter()
            .flat_map(|a| column.iter().map(move |b| (a - b).abs()));
        error / count as f64 - pairs.sum::<f64>() / (2.0 * divisor)
    }

    fn check(&self, what: &str, found: &Numbers, values: &[usize], has_pairs: bool) {
        let count = self.count() as f64;
        let (fair, plain) = (count * (count - 1.0), count * count);
        let error = |v| self.moments(v).0;
        let variance = self.mean(values, |v| self.moments(v).1);
        let squared = self.mean(values, |v| error(v).powi(2));
        let near =
            |name: &str, found, wanted| close(&format!("{what}, {name}"), found, wanted, 1e-6);
        near("l2", found.l2, self.norm(values, error));
        near("rmse", found.rmse, squared.sqrt());
        near("bias", found.bias, self.mean(values, error));
        near("spread", found.spread, variance.sqrt());
        let ratio = ((count + 1.0) / count * variance / squared).sqrt();
        near("spread-skill", found.spread_skill, ratio);
        near(
            "crps",
            found.crps,
            self.mean(values, |v| self.crps(v, fair)),
        );
        near(
            "crps, plain",
            found.crps_plain,
            self.mean(values, |v| self.crps(v, plain)),
        );
        let nll = |v| {
            let (error, variance) = self.moments(v);
            0.5 * (std::f64::consts::TAU * variance).ln() + error * error / (2.0 * variance)
        };
        near("nll", found.nll, self.mean(values, nll));
        let bounds = |v: usize| {
            let mut column: Vec<f64> = (0..self.count()).map(|m| self.member(m, v)).collect();
            column.sort_unstable_by(f64::total_cmp);
            [0.025, 0.975].map(|q| {
                let place = q * (count - 1.0);
                let (low, part) = (place as usize, place.fract());
                column[low] + part * (column[(low + 1).min(column.len() - 1)] - column[low])
            })
        };
        near(
            "width",
            found.interval_width,
            self.mean(values, |v| bounds(v)[1] - bounds(v)[0]),
        );
        let hit = |v: usize| {
            let y = f64::from(self.truth[v]);
            f64::from(u8::from(bounds(v)[0] < y && y < bounds(v)[1]))
        };
        near("coverage", found.coverage, self.mean(values, hit));
        assert_eq!(found.energy_score.is_some(), has_pairs);
        if let (Some(energy), Some(other)) = (found.energy_score, found.energy_score_plain) {
            near("energy score", energy, self.energy(values, fair));
            near("energy score, plain", other, self.energy(values, plain));
        }
    }
}

/// Three steps of time, five by seven points, two channels, weights by the second axis.
fn measure() -> Measure {
    let weights = (0..35).map(|p| 1.0 + f64::from(p / 7)).collect();
    Measure::grid(&[3, 5, 7])
        .with_channels(2)
        .with_weights(weights)
        .with_extent(0.5)
        .with_time()
}

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

#[test]
fn skipped_truth_is_left_out_and_counted() {
    let measure = measure();
    let (members, mut truth) = (normals(9, 9 * 210), normals(10, 210));
    for v in [0, 3, 80, 81, 209] {
        truth[v] = f32::NAN;
    }
    // A member without value where there is no truth either does no harm: land in an ocean model.
    let mut members = members;
    members[4 * 210 + 80] = f32::NAN;
    let options = Options {
        nan: NanPolicy::Skip,
        ..Options::default()
    };
    let mut verification = Verification::new(measure.clone(), options);
    let numbers = verification.push(&members, &truth).expect("a case");
    let brute = Brute {
        members: &members,
        truth: &truth,
        measure: &measure,
    };
    brute.check("the rest", &numbers, &brute.kept(|_| true), true);
    // A case without any truth is no case.
    let empty = verification
        .push(&members, &[f32::NAN; 210])
        .expect("a case");
    assert!(empty.crps.is_nan() && empty.l2.is_nan());
    let (report, maps) = verification.finish();
    assert_eq!((report.cases, report.empty_cases), (1, 1));
    assert_eq!(report.skipped_values, 5 + 210);
    assert_eq!(report.scores, numbers);
    assert_eq!(report.rank_histogram.samples, 205);
    for v in 0..210 {
        assert_eq!(maps.crps[v].is_nan(), truth[v].is_nan());
    }
    brute.check(
        "step 1",
        &report.leads[1],
        &brute.kept(|v| v / 70 == 1),
        true,
    );
}

#[test]
fn a_nan_spoils_every_number_that_it_takes_part_in() {
    let event = Event::above(0.0);
    for policy in [NanPolicy::Propagate, NanPolicy::Skip] {
        for is_truth in [true, false] {
            if policy == NanPolicy::Skip && is_truth {
                continue;
            }
            let (mut members, mut truth) = (normals(11, 5 * 210), normals(12, 210));
            if is_truth {
                truth[100] = f32::NAN;
            } else {
                members[3 * 210 + 100] = -f32::NAN;
            }
            let options = Options {
                nan: policy,
                events: vec![event],
                ..Options::default()
            };
            let mut verification = Verification::new(measure(), options);
            let broken = verification.push(&members, &truth).expect("a case");
            for (name, value) in broken.named() {
                assert!(value.expect(name).is_nan(), "{name} of {broken:?}");
            }
            let whole = verification.push(&normals(13, 5 * 210), &normals(14, 210));
            assert!(whole.expect("a case").crps.is_finite());
            let (report, maps) = verification.finish();
            assert!(report.scores.crps.is_nan() && report.scores.coverage.is_nan());
            assert!(report.leads[1].crps.is_nan(), "value 100 is in step 1");
            assert!(report.leads[0].crps.is_finite() && report.leads[2].nll.is_finite());
            assert!(report.rank_histogram.frequencies.iter().all(|f| f.is_nan()));
            assert!(report.pit.iter().all(|f| f.is_nan()));
            assert!(report.events[0].brier.score.is_nan());
            assert!(report.quantile_scores.iter().all(|s| s.score.is_nan()));
            assert!(maps.crps[100].is_nan() && maps.coverage[100].is_nan());
            assert!(maps.crps[99].is_finite());
        }
    }
}

#[test]
fn cases_are_averaged_and_nothing_grows_with_them() {
    let (mut mean, cases) = (0.0, 7);
    let mut verification = Verification::new(Measure::flat(30), Options::default());
    let mut squares = vec![0.0; 30];
    for case in 0..cases {
        let (members, truth) = (normals(20 + case, 150), normals(40 + case, 30));
        let numbers = verification.push(&members, &truth).expect("a case");
        mean += numbers.l2 / f64::from(cases);
        let measure = Measure::flat(30);
        let brute = Brute {
            members: &members,
            truth: &truth,
            measure: &measure,
        };
        for (v, sum) in squares.iter_mut().enumerate() {
            *sum += brute.moments(v).0.powi(2) / f64::from(cases);
        }
    }
    let (report, maps) = verification.finish();
    close("mean of norms", report.scores.l2, mean, 1e-12);
    let rmse = (squares.iter().sum::<f64>() / 30.0).sqrt();
    close("root of mean", report.scores.rmse, rmse, 1e-6);
    assert!(report.scores.l2 < report.scores.rmse);
    for (v, square) in squares.iter().enumerate() {
        close(
            "map of error",
            f64::from(maps.error[v]),
            square.sqrt(),
            1e-6,
        );
    }
}

/// Members and truth of the same normal distribution, whose mean and spread differ from point to point.
fn calibrated(cases: u32, members: usize, points: usize, stretch: f32) -> Report {
    let options = Options {
        events: vec![Event::above(0.5)],
        ..Options::pointwise()
    };
    let mut verification = Verification::new(Measure::flat(points), options);
    for case in 0..cases {
        let scale = |i: usize| 0.5 + 3.0 * (i % points) as f32 / points as f32;
        let signal = normals(9000 + case, points);
        let mut ensemble = normals(100 + case, members * points);
        for (i, value) in ensemble.iter_mut().enumerate() {
            *value = 5.0 * signal[i % points] + *value * stretch * scale(i);
        }
        let mut truth = normals(5000 + case, points);
        for (i, value) in truth.iter_mut().enumerate() {
            *value = 5.0 * signal[i] + *value * scale(i);
        }
        verification.push(&ensemble, &truth).expect("a case");
    }
    verification.finish().0
}

#[test]
fn a_reliable_ensemble_of_any_size_looks_reliable() {
    for members in [4, 20] {
        let report = calibrated(20, members, 2000, 1.0);
        // 40 000 independent values: four standard errors of a ratio of about 1/√(2n).
        close("spread-skill", report.scores.spread_skill, 1.0, 0.025);
        let [low, high] = report.rank_histogram.flatness_band;
        let flatness = report.rank_histogram.flatness;
        assert!(low * 0.5 < flatness && flatness < high * 1.5, "{flatness}");
        let wanted = coverage::expected(members, 0.05);
        close("coverage", report.scores.coverage, wanted, 0.03);
        // Sorted by its estimated spread a small ensemble is not on the diagonal; a larger one is but for the ends.
        assert_eq!(report.spread_skill_curve.len(), 10);
        if members == 20 {
            for bin in &report.spread_skill_curve[2..8] {
                close("curve", bin.spread / bin.error, 1.0, 0.12);
            }
            let event = &report.events[0];
            for bin in event.reliability.iter().filter(|bin| bin.share > 0.02) {
                // Shares of twenty members regress to the mean a little.
                close("reliability", bin.observed, bin.forecast, 0.06);
            }
            assert!(event.brier.reliability < 0.02);
        }
        for frequency in &report.pit {
            close("pit", *frequency, 0.05, 0.01);
        }
    }
}

#[test]
fn too_narrow_and_too_wide_ensembles_show() {
    let narrow = calibrated(10, 20, 1000, 0.4);
    let wide = calibrated(10, 20, 1000, 2.5);
    assert!(narrow.scores.spread_skill < 0.45 && wide.scores.spread_skill > 2.2);
    for (report, is_bowl) in [(&narrow, true), (&wide, false)] {
        let histogram = &report.rank_histogram;
        assert!(histogram.flatness > 3.0 * histogram.flatness_band[1]);
        assert_eq!(
            histogram.frequencies[0] > histogram.frequencies[10],
            is_bowl
        );
        let sum: f64 = histogram.frequencies.iter().sum();
        close("sum", sum, 1.0, 1e-12);
    }
}

#[test]
fn ties_are_broken_alike_every_time_and_evenly() {
    // Rain: members and truth are all zero. Every rank has the same chance.
    let run = |seed| {
        let options = Options {
            seed,
            ..Options::pointwise()
        };
        let mut verification = Verification::new(Measure::flat(20_000), options);
        verification
            .push(&vec![0.0; 4 * 20_000], &vec![0.0; 20_000])
            .expect("a case");
        verification.finish().0.rank_histogram
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
    for frequency in run(7).frequencies {
        // Five standard deviations.
        close("frequency", frequency, 0.2, 5.0 * 0.0029);
    }
}

#[test]
fn skill_is_measured_against_a_forecast_of_the_same_cases() {
    let verified = |scale: f32, points: usize| {
        let mut verification = Verification::new(Measure::flat(points), Options::default());
        let truth = normals(61, points);
        let members: Vec<f32> = normals(60, 8 * points).iter().map(|u| u * scale).collect();
        verification.push(&members, &truth).expect("a case");
        verification.finish().0
    };
    let (good, bad) = (verified(1.0, 400), verified(4.0, 400));
    let skill = good.skill(&bad).expect("the same cases");
    close(
        "crps",
        skill["crps"],
        1.0 - good.scores.crps / bad.scores.crps,
        1e-12,
    );
    assert!(skill["crps"] > 0.3 && skill["energy_score"] > 0.3);
    assert_eq!(good.skill(&good).expect("itself")["l2"], 0.0);
    assert!(!skill.contains_key("nll"), "its best value is not zero");
    assert_eq!(good.skill(&verified(1.0, 401)), None);
}

#[test]
fn a_report_comes_back_from_a_file_with_its_estimators() {
    let report = calibrated(1, 3, 50, 1.0);
    let bytes = postcard::to_stdvec(&report).expect("bytes");
    let back: Report = postcard::from_bytes(&bytes).expect("a report");
    assert_eq!(report, back);
    for (key, _) in report.scores.named() {
        assert!(!report.estimators[key].is_empty());
    }
    let fair = &report.estimators["crps"];
    assert!(fair.contains("fair") && report.estimators["crps_plain"].contains("plain"));
    // A NaN comes back as a NaN.
    let nothing = Verification::new(Measure::flat(3), Options::default())
        .finish()
        .0;
    let bytes = postcard::to_stdvec(&nothing).expect("bytes");
    let back: Report = postcard::from_bytes(&bytes).expect("a report");
    assert!(back.scores.l2.is_nan() && back.cases == 0);
}

#[test]
fn cases_of_another_size_are_refused_in_a_sentence() {
    let mut verification = Verification::new(Measure::grid(&[2, 3]), Options::default());
    verification
        .push(&[0.0; 12], &[0.0; 6])
        .expect("two members");
    let refused = |error: CaseError| error.to_string();
    let truth = verification.push(&[0.0; 12], &[0.0; 5]).expect_err("truth");
    assert_eq!(
        refused(truth),
        "the truth of case 1 has 5 values, but the grid [2, 3] with 1 channels has 6"
    );
    for members in [0, 13] {
        let error = verification.push(&vec![0.0; members], &[0.0; 6]);
        let said = refused(error.expect_err("members"));
        assert!(said.contains(&format!("have {members} values")), "{said}");
    }
    let count = verification.push(&[0.0; 18], &[0.0; 6]).expect_err("count");
    assert_eq!(
        refused(count),
        "case 1 has 3 members, but the cases before it have 2"
    );
    assert_eq!(verification.finish().0.cases, 1);
}
