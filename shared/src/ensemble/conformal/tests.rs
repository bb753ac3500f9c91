use super::*;
use crate::noise::{key, normal};
use crate::score::Measure;
use crate::task::{Axis, Domain, Normalisation, Quantity};

/// Standard normals of one stream.
fn normals(stream: u32, n: usize) -> Vec<f32> {
    let mut out = vec![0.0; n];
    normal::fill(key(11, stream, 0), &mut out);
    out
}

/// A case whose truth has standard deviation 1 around a mean that the members, of standard deviation `width`, know.
fn gaussian(case: u32, count: usize, values: usize, width: f32) -> (Vec<f32>, Vec<f32>) {
    let means = normals(3 * case, values);
    let noise = normals(3 * case + 1, values);
    let truth = means.iter().zip(noise).map(|(m, e)| 5.0 * m + e).collect();
    let noise = normals(3 * case + 2, count * values);
    let member = |(k, e): (usize, f32)| 5.0 * means[k % values] + width * e;
    (noise.into_iter().enumerate().map(member).collect(), truth)
}

fn fit(cases: std::ops::Range<u32>, width: f32, spread: Option<&Factors>) -> Calibration {
    let (count, values) = (400, 64);
    let mut fit = Fit::new(Measure::flat(values), 1, 0.95).expect("a coverage");
    for case in cases {
        let (mut members, truth) = gaussian(case, count, values, width);
        if let Some(factors) = spread {
            factors.spread(&mut members);
        }
        fit.push(1, &members, &truth).expect("a case");
    }
    fit.finish("data").expect("factors")
}

fn one(factor: f32) -> Calibration {
    Calibration {
        coverage: 0.95,
        members: 2,
        cases: 19,
        data: String::new(),
        channels: 1,
        factors: vec![factor],
    }
}

/// A task of one quantity without time.
fn line(values: usize) -> Task {
    let axes = vec![Axis::new("x", values, 0.0, 1.0, "")];
    let quantity = vec![Quantity::new("u", "", Normalisation::NONE)];
    Task {
        input: axes.clone(),
        output: axes,
        inputs: quantity.clone(),
        outputs: quantity,
        coordinates: vec![],
        domain: Domain::Flat,
    }
}

#[test]
fn a_gaussian_with_the_wrong_spread_gets_the_factor_of_the_closed_form() {
    // The corrected level of 300 cases leaves 0.05 - 0.95/300 = 0.04683 outside: 1.9878 standard deviations. The interval
    // of 400 members ends at place 10.975 of 401 gaps, 1.9209 of their standard deviations.
    for width in [0.5, 2.0, 1.0] {
        let found = fit(0..300, width, None).factors[0];
        let wanted = 1.9878 / (1.9209 * width);
        // 19200 scores: their quantile is sure to 0.7 %.
        assert!((found / wanted - 1.0).abs() < 0.02, "{found} {wanted}");
    }
}

#[test]
fn coverage_of_unseen_cases_reaches_the_target_within_sampling_error() {
    let calibration = fit(0..300, 0.5, None);
    let factors = calibration.of(&line(64), 1);
    let (mut inside, mut before, unseen) = (0, 0, 300..700);
    let total = 64.0 * unseen.len() as f64;
    for case in unseen {
        let (mut members, truth) = gaussian(case, 400, 64, 0.5);
        let covered = |members: &[f32]| {
            let (lower, upper) = crate::ensemble::Quantiles::interval(members, 64, 0.05);
            let inside = |i: &usize| lower[*i] < truth[*i] && truth[*i] < upper[*i];
            (0..64).filter(inside).count()
        };
        before += covered(&members);
        factors.spread(&mut members);
        inside += covered(&members);
    }
    let share = |count: usize| count as f64 / total;
    // Without scaling 67 %; a perfect ensemble has 0.95. Three standard errors of both samples are 0.6 %.
    assert!((share(before) - 0.67).abs() < 0.02, "{}", share(before));
    assert!((0.944..0.962).contains(&share(inside)), "{}", share(inside));
}

#[test]
fn a_second_fit_finds_nothing_left_to_do() {
    let first = fit(0..300, 0.5, None);
    let again = fit(0..300, 0.5, Some(&first.of(&line(64), 1)));
    // Rounded up to a tenth of a percent both times.
    assert!((again.factors[0] - 1.0).abs() < 0.0021, "{again:?}");
}

/// Two members at -1 and 1, whose 90 % interval is -0.9 to 0.9, and the truth somewhere.
fn two_members(truths: &[f32], coverage: f64) -> Result<f32, ConformalError> {
    let mut fit = Fit::new(Measure::flat(1), 1, coverage)?;
    for truth in truths {
        fit.push(1, &[-1.0, 1.0], &[*truth])?;
    }
    Ok(fit.finish("")?.factors[0])
}

#[test]
fn with_one_point_it_is_the_split_conformal_quantile() {
    // Scores 1/0.9 ... 19/0.9, in another order and on both sides.
    let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let truths: Vec<f32> = (0..19).map(|k| sign(k) * (k * 7 % 19 + 1) as f32).collect();
    for (n, rank) in [(9, 9), (10, 10), (18, 18), (19, 18)] {
        // ceil((n + 1) 0.9) of the n smallest scores.
        let mut scores: Vec<f32> = truths[..n].iter().map(|t| t.abs() / 0.9).collect();
        scores.sort_by(f32::total_cmp);
        let found = two_members(&truths[..n], 0.9).expect("a factor");
        let ratio = found / scores[rank - 1];
        assert!((1.0..1.0011).contains(&ratio), "{n}: {ratio}");
    }
    assert_eq!(
        two_members(&truths[..8], 0.9),
        Err(ConformalError::TooFewCases {
            coverage: 0.9,
            found: 8,
            wanted: 9
        })
    );
}

#[test]
fn what_has_no_spread_or_no_chance_is_refused() {
    let mut fit = Fit::new(Measure::flat(2), 1, 0.5).expect("a coverage");
    let same = [1.0, 2.0, 1.0, 2.0];
    assert_eq!(fit.push(1, &same, &[0.0; 2]), Err(ConformalError::NoSpread));
    for _ in 0..4 {
        // The second point has no spread and a truth elsewhere.
        fit.push(1, &[-1.0, 2.0, 1.0, 2.0], &[0.1, 3.0])
            .expect("a case");
    }
    let message = fit.finish("").expect_err("half is out of reach");
    assert_eq!(
        message.to_string(),
        "no factor up to 10000 reaches coverage 0.5 in channel 1 at lead time 1: 50.0 % of its points have no spread, or a mean outside their interval"
    );
    for coverage in [0.0, 1.0, f64::NAN] {
        assert!(Fit::new(Measure::flat(1), 1, coverage).is_err());
    }
}

#[test]
fn masked_points_have_no_part() {
    use crate::task::Mask;
    let fit = |members: &[f32], truth: &[f32]| -> Result<f32, ConformalError> {
        let measure = Measure::flat(3).with_masks(vec![Mask::new(&[3], |x| x == 1)]);
        let mut fit = Fit::new(measure, 1, 0.5)?;
        for _ in 0..3 {
            fit.push(1, members, truth)?;
        }
        Ok(fit.finish("")?.factors[0])
    };
    // A model gives NaN at masked points, and data may have a value there: the other points have no spread all the same.
    let alike = [1.0, f32::NAN, 2.0, 1.0, f32::NAN, 2.0];
    for truth in [[0.5, 7.0, 0.5], [0.5, f32::NAN, 0.5]] {
        assert_eq!(fit(&alike, &truth), Err(ConformalError::NoSpread));
    }
    let apart = [-1.0, f32::NAN, -1.0, 1.0, f32::NAN, 1.0];
    let wanted = fit(&apart, &[0.3, f32::NAN, 0.4]).expect("a factor");
    assert_eq!(fit(&apart, &[0.3, 7.0, 0.4]), Ok(wanted));
}

#[test]
fn every_channel_and_lead_time_has_its_own_factor() {
    // Times 1 and 2, two points, two channels; members at -1 and 1 everywhere, so that scores are truths over 0.5.
    let measure = Measure::grid(&[2, 2]).with_channels(2).with_time();
    let mut fit = Fit::new(measure, 1, 0.5).expect("a coverage");
    let members = [vec![-1.0; 8], vec![1.0; 8]].concat();
    let truth = [1.0, 10.0, 1.0, 10.0, 2.0, f32::NAN, 2.0, 20.0];
    for _ in 0..3 {
        fit.push(1, &members, &truth).expect("a case");
    }
    let calibration = fit.finish("abc").expect("factors");
    assert_eq!((calibration.leads(), calibration.cases), (2, 3));
    for (found, wanted) in calibration.factors.iter().zip([2.0, 20.0, 4.0, 40.0]) {
        assert!((1.0..1.0011).contains(&(found / wanted)), "{found}");
    }
    calibration.validate(2).expect("valid");
}

#[test]
fn steps_of_a_forecast_are_lead_times_where_the_output_has_none() {
    let mut fit = Fit::new(Measure::flat(1), 3, 0.5).expect("a coverage");
    for _ in 0..3 {
        for step in 1..=3 {
            let truth = [0.5 * step as f32];
            fit.push(step, &[-1.0, 1.0], &truth).expect("a case");
        }
    }
    let calibration = fit.finish("").expect("factors");
    let at = |step| calibration.of(&line(1), step).at(0);
    for (step, wanted) in [(1, 1.0), (2, 2.0), (3, 3.0), (9, 3.0)] {
        assert!((1.0..1.0011).contains(&(at(step) / wanted)), "{step}");
    }
}

#[test]
fn members_and_statistics_are_scaled_alike() {
    let task = Task::ks().on_grid(&[4, 3]);
    let calibration = Calibration {
        // Two factors for four times.
        factors: vec![2.0, 0.5],
        ..one(1.0)
    };
    let factors = calibration.of(&task, 1);
    let found: Vec<f32> = (0..12).map(|i| factors.at(i)).collect();
    assert_eq!(found, [[2.0; 6], [0.5; 6]].concat());
    let mut members = normals(1, 5 * 12);
    let statistics = |members: &[f32]| {
        let mut moments = crate::ensemble::Moments::new(12);
        members.chunks(12).for_each(|m| moments.push(m));
        let (lower, _) = crate::ensemble::Quantiles::interval(members, 12, 0.2);
        (moments.mean(), moments.std(), lower)
    };
    let (mean, mut std, mut lower) = statistics(&members);
    factors.spread(&mut members);
    factors.widen(&mut std);
    factors.around(&mean, &mut lower);
    let scaled = statistics(&members);
    for (found, wanted) in [(mean, scaled.0), (std, scaled.1), (lower, scaled.2)] {
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-5, "{a} {b}");
        }
    }
}

#[test]
fn a_calibration_out_of_range_is_refused() {
    one(2.0).validate(1).expect("valid");
    let refused = |change: fn(&mut Calibration)| {
        let mut calibration = one(2.0);
        change(&mut calibration);
        calibration.validate(1).expect_err("refused").to_string()
    };
    assert!(refused(|c| c.coverage = 1.0).contains("coverage"));
    assert!(refused(|c| c.coverage = f64::NAN).contains("coverage"));
    assert!(refused(|c| c.members = 1).contains("at least 2"));
    assert!(refused(|c| c.channels = 3).contains("channels"));
    assert!(refused(|c| c.factors.clear()).contains("number of factors is 0"));
    assert!(refused(|c| c.factors = vec![1.0; MAX_FACTORS + 1]).contains("1025"));
    assert!(refused(|c| c.factors[0] = 0.0).contains("a factor is 0"));
    assert!(refused(|c| c.factors[0] = f32::INFINITY).contains("a factor is inf"));
}

#[test]
fn a_factor_holds_whatever_a_smaller_one_holds() {
    // Members from even to very uneven, the mean inside the interval or far outside; truths on all sides.
    let even = [-2.0, -1.0, 0.5, 1.0, 2.0];
    let uneven = [0.0, 0.1, 0.2, 0.3, 900.0];
    let below = [-900.0, 0.1, 0.2, 0.3, 0.4];
    for members in [even, uneven, below] {
        let (lower, upper) = crate::ensemble::Quantiles::interval(&members, 1, 0.8);
        let mean = mean(&members, 1)[0];
        let inside = (f64::from(lower[0])..=f64::from(upper[0])).contains(&mean);
        assert_eq!(inside, members == even, "{mean} {lower:?} {upper:?}");
        let at = |factor: f64, q: f32| mean + factor * (f64::from(q) - mean);
        for truth in (-40..=40).map(|i| i as f32 * 0.25) {
            let score = fit::score(truth, mean, lower[0], upper[0]);
            for factor in [0.01, 0.5, 1.0, 1.7, 30.0, 9000.0] {
                let held =
                    (at(factor, lower[0])..=at(factor, upper[0])).contains(&f64::from(truth));
                // What is promised is held, at this factor and at every larger one.
                if factor > score * (1.0 + 1e-9) {
                    assert!(held, "{members:?} {truth} {factor}");
                }
                // Where the mean is inside nothing is held that was not promised.
                if inside && factor < score * (1.0 - 1e-9) {
                    assert!(!held, "{members:?} {truth} {factor}");
                }
            }
        }
    }
}

#[test]
fn coverage_is_reached_although_some_means_lie_outside_their_interval() {
    // One point in fifty has a member that drags the mean out of the interval of the others.
    let (count, values) = (40, 50);
    let case = |case: u32| {
        let (mut members, truth) = gaussian(case, count, values, 0.8);
        for value in (0..values).filter(|v| (*v as u32 + case).is_multiple_of(50)) {
            members[value] += 1e4;
        }
        (members, truth)
    };
    let mut fit = Fit::new(Measure::flat(values), 1, 0.9).expect("a coverage");
    for number in 0..200 {
        let (members, truth) = case(number);
        fit.push(1, &members, &truth).expect("a case");
    }
    let factors = fit.finish("").expect("factors").of(&line(values), 1);
    let mut inside = 0;
    for number in 200..500 {
        let (mut members, truth) = case(number);
        factors.spread(&mut members);
        let (lower, upper) = crate::ensemble::Quantiles::interval(&members, values, 0.1);
        let held = |i: &usize| lower[*i] <= truth[*i] && truth[*i] <= upper[*i];
        inside += (0..values).filter(held).count();
    }
    let share = inside as f64 / (300 * values) as f64;
    assert!((0.895..0.93).contains(&share), "{share}");
}
