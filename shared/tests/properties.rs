//! What must hold for every ensemble.
//!
//! Values are multiples of 1/16 of moderate size, so that shifts and powers of two are exact and the tolerances only
//! cover the order of sums.

use pno::ensemble::{Moments, Quantiles};
use pno::score::{Maps, Scores, score_case};
use proptest::prelude::*;

const POINTS: usize = 5;

fn field() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec((-160_i16..160).prop_map(|n| f32::from(n) / 16.0), POINTS)
}

/// Several members and a truth.
fn case() -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<f32>)> {
    (prop::collection::vec(field(), 1..9), field())
}

fn map(members: &[Vec<f32>], f: impl Fn(f32) -> f32) -> Vec<f32> {
    members.iter().flatten().map(|&v| f(v)).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

fn same(a: &Scores, b: &Scores) -> bool {
    close(a.l2, b.l2)
        && close(a.energy_score, b.energy_score)
        && close(a.crps, b.crps)
        && close(a.nll, b.nll)
        && close(a.coverage, b.coverage)
        && (a.interval_width - b.interval_width).abs() < 1e-5
}

proptest! {
    #[test]
    fn the_order_of_the_members_does_not_matter(
        ((members, truth), shuffled) in case().prop_flat_map(|(members, truth)| {
            let shuffled = Just(members.clone()).prop_shuffle();
            (Just((members, truth)), shuffled)
        })
    ) {
        let a = score_case(&members.concat(), &truth);
        let b = score_case(&shuffled.concat(), &truth);
        prop_assert!(same(&a, &b), "{a:?} {b:?}");
    }

    #[test]
    fn a_shift_of_everything_changes_no_score((members, truth) in case(), shift in -8_i8..8) {
        let shift = f32::from(shift);
        let a = score_case(&members.concat(), &truth);
        let shifted: Vec<f32> = truth.iter().map(|y| y + shift).collect();
        let b = score_case(&map(&members, |v| v + shift), &shifted);
        // The NLL of equal members is 1e12 and more times the squared rounding of their mean.
        let b = if a.nll > 1e6 { Scores { nll: a.nll, ..b } } else { b };
        // The bounds of the interval round to f32, and a bound that meets the truth may fall on either side of it.
        let b = Scores { coverage: a.coverage, ..b };
        prop_assert!(same(&a, &b), "{a:?} {b:?}");
    }

    #[test]
    fn a_change_of_unit_scales_the_scores_that_have_a_unit((members, truth) in case(), power in -3_i32..4) {
        let scale = 2.0_f32.powi(power);
        let a = score_case(&members.concat(), &truth);
        let scaled: Vec<f32> = truth.iter().map(|y| y * scale).collect();
        let b = score_case(&map(&members, |v| v * scale), &scaled);
        let unit = f64::from(scale);
        prop_assert!(close(b.l2, unit * a.l2));
        prop_assert!(close(b.energy_score, unit * a.energy_score));
        prop_assert!(close(b.crps, unit * a.crps));
        prop_assert!(close(b.interval_width, unit * a.interval_width));
        prop_assert!(close(b.coverage, a.coverage));
        // Where all members agree the NLL has a smallest spread of 1e-6, which does not change with the unit.
        if (0..POINTS).all(|point| members.iter().any(|m| m[point] != members[0][point])) {
            prop_assert!(close(b.nll, a.nll + unit.ln()));
        }
    }

    #[test]
    fn the_energy_score_of_a_single_point_is_its_crps(
        members in prop::collection::vec(-9.0_f32..9.0, 1..12),
        truth in -9.0_f32..9.0,
    ) {
        let scores = score_case(&members, &[truth]);
        prop_assert!((scores.energy_score - scores.crps).abs() < 1e-5);
    }

    #[test]
    fn no_score_of_a_distance_is_negative((members, truth) in case()) {
        // The fair estimates as well: |u - v| <= |u - y| + |y - v|, and every member is in M - 1 pairs.
        let scores = score_case(&members.concat(), &truth);
        prop_assert!(scores.l2 >= 0.0 && scores.interval_width >= 0.0);
        prop_assert!(scores.crps >= -1e-12, "{}", scores.crps);
        prop_assert!(scores.energy_score >= -1e-12, "{}", scores.energy_score);
        prop_assert!((0.0..=1.0).contains(&scores.coverage));
    }

    #[test]
    fn the_interval_lies_within_the_members_and_widens_with_its_level((members, truth) in case()) {
        let ensemble = members.concat();
        let (low, high) = Quantiles::interval(&ensemble, POINTS, 0.05);
        let (inner_low, inner_high) = Quantiles::interval(&ensemble, POINTS, 0.5);
        for point in 0..POINTS {
            let column = || members.iter().map(|m| m[point]);
            prop_assert!(low[point] >= column().fold(f32::INFINITY, f32::min));
            prop_assert!(high[point] <= column().fold(f32::NEG_INFINITY, f32::max));
            prop_assert!(low[point] <= inner_low[point]);
            prop_assert!(inner_low[point] <= inner_high[point]);
            prop_assert!(inner_high[point] <= high[point]);
        }
        let maps = Maps::new(&ensemble, &truth, 0.05);
        prop_assert_eq!(&maps.lower, &low);
        prop_assert_eq!(&maps.upper, &high);
    }

    #[test]
    fn streaming_moments_are_the_two_pass_moments((members, _) in case()) {
        let mut moments = Moments::new(POINTS);
        for member in &members {
            moments.push(member);
        }
        let count = members.len() as f64;
        for point in 0..POINTS {
            let column = || members.iter().map(|m| f64::from(m[point]));
            let mean = column().sum::<f64>() / count;
            let squares: f64 = column().map(|v| (v - mean).powi(2)).sum();
            let std = (squares / (count - 1.0).max(1.0)).sqrt();
            prop_assert!((f64::from(moments.mean()[point]) - mean).abs() < 1e-5);
            prop_assert!((f64::from(moments.std()[point]) - std).abs() < 1e-5);
        }
    }
}
