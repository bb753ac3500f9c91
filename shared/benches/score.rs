//! Scores of one KS case with a hundred members, at once and member by member.
//!
//! `cargo bench -p pno --bench score`

use std::hint::black_box;

use pno::ensemble::Quantiles;
use pno::noise::uniforms;
use pno::score::{ALPHA, EnergyScore, energy_score::energy_score, score_case};

mod timing;

const MEMBERS: usize = 100;
const POINTS: usize = 5120;

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
}
