//! Scores of one KS case with a hundred members, at once and member by member, and of a field of a million points.
//!
//! `cargo bench -p pno --bench score --features simd,parallel`

use std::hint::black_box;

use pno::ensemble::Quantiles;
use pno::noise::uniforms;
use pno::score::{
    ALPHA, EnergyScore, Event, Measure, Options, Verification, energy_score::energy_score,
    score_case,
};

mod timing;

const MEMBERS: usize = 100;
const POINTS: usize = 5120;
/// The grid of the large case: 1 000 000 points.
const LARGE: [usize; 2] = [1000, 1000];

fn values(stream: u64, n: usize) -> Vec<f32> {
    let draws = uniforms(1, stream, n);
    draws.into_iter().map(|u| u as f32).collect()
}

fn main() {
    let (members, truth) = (values(0, MEMBERS * POINTS), values(1, POINTS));
    timing::median("all scores, 100 x 5120", || {
        score_case(black_box(&members), &truth)
    });
    timing::median("energy score", || energy_score(black_box(&members), &truth));
    timing::median("energy score, member by member", || {
        let mut score = EnergyScore::new(truth.clone());
        for member in black_box(&members).chunks_exact(POINTS) {
            score.push(member);
        }
        score.value()
    });
    timing::median("interval", || {
        Quantiles::interval(black_box(&members), POINTS, ALPHA)
    });
    let verified = |options: Options| {
        let measure = Measure::grid(&[20, 256]).with_time();
        let mut verification = Verification::new(measure, options);
        verification
            .push(black_box(&members), &truth)
            .expect("fields");
        verification.finish()
    };
    timing::median(
        "verification, by lead time",
        || verified(Options::default()),
    );
    timing::median("verification, point by point only", || {
        verified(Options::pointwise())
    });
    large();
}

/// The set that `trainer/peers/score_scoringrules.py` computes too.
fn large() {
    let points = LARGE.iter().product();
    let (members, truth) = (values(2, MEMBERS * points), values(3, points));
    let run = |options: Options| {
        let mut verification = Verification::new(Measure::grid(&LARGE), options);
        verification
            .push(black_box(&members), &truth)
            .expect("fields");
        verification.finish()
    };
    let pointwise = Options {
        events: vec![Event::above(0.5)],
        ..Options::pointwise()
    };
    timing::median_of(5, "100 x 1000000, all scores point by point", || {
        run(pointwise.clone())
    });
    for (name, options) in [
        (
            "  and energy and kernel score",
            Options {
                pairs: true,
                ..pointwise.clone()
            },
        ),
        (
            "  and variogram score",
            Options {
                variogram: true,
                ..pointwise.clone()
            },
        ),
        (
            "  and spectra",
            Options {
                spectra: true,
                ..pointwise.clone()
            },
        ),
    ] {
        timing::median_of(3, name, || run(options.clone()));
    }
}
