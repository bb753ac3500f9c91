//! What reliable and unreliable ensembles look like.

use pno::score::{Event, Measure, Options, Report, Verification, coverage};

use crate::{close, normals};

/// Members and truth of the same normal distribution, whose mean and spread differ from point to point.
pub fn calibrated(cases: u32, members: usize, points: usize, stretch: f32) -> Report {
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
