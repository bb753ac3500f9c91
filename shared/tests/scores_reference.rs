//! Scores against values that the Python package scoringrules gave for the same ensembles (`reference/scores.py`).

use pno::score::{
    Event, Measure, NanPolicy, Options, Verification,
    energy_score::energy_score_plain,
    kernel_score::{kernel_score, kernel_score_plain},
    variogram_score::{ORDER, variogram_score, variogram_score_all_pairs},
};

const FROZEN: &str = include_str!("reference/scores.txt");

struct Case {
    members: Vec<f32>,
    truth: Vec<f32>,
    scores: Vec<(String, f64)>,
}

fn cases() -> Vec<Case> {
    let numbers = |line: &str| -> Vec<f32> {
        let words = line.split_whitespace();
        words.map(|word| word.parse().expect("a number")).collect()
    };
    let mut lines = FROZEN.lines().peekable();
    let mut cases = vec![];
    while let Some(head) = lines.next() {
        let head: Vec<&str> = head.split_whitespace().collect();
        let count: usize = head[1].parse().expect("members");
        let members = (0..count).flat_map(|_| numbers(lines.next().expect("a member")));
        let members = members.collect();
        let truth = numbers(lines.next().expect("the truth"));
        let mut scores = vec![];
        while let Some(line) = lines.next_if(|line| !line.starts_with("case")) {
            let (name, value) = line.split_once(' ').expect("a name and a value");
            scores.push((name.to_owned(), value.parse().expect("a value")));
        }
        cases.push(Case {
            members,
            truth,
            scores,
        });
    }
    cases
}

#[test]
fn scores_are_those_of_scoringrules() {
    let mut compared = 0;
    for (number, case) in cases().iter().enumerate() {
        let Case { members, truth, .. } = case;
        let points = truth.len();
        let measure = Measure::flat(points);
        let options = Options {
            events: vec![Event::above(0.5)],
            ..Options::default()
        };
        let mut verification = Verification::new(measure.clone(), options);
        let numbers = verification.push(members, truth).expect("a case");
        let (report, _) = verification.finish();
        // A kernel of bandwidth 1 in the sum over points is one of 1/√points in the mean.
        let bandwidth = 1.0 / (points as f64).sqrt();
        let near = || variogram_score(members, truth, &measure, ORDER, NanPolicy::Propagate);
        for (name, wanted) in &case.scores {
            let level = name.strip_prefix("quantile_score_");
            let found = match name.as_str() {
                "crps" => numbers.crps,
                "crps_plain" => numbers.crps_plain,
                "energy_score" => numbers.energy_score.expect("pairs"),
                "energy_score_plain" => energy_score_plain(members, truth, &measure),
                "kernel_score" => kernel_score(members, truth, &measure, bandwidth),
                "kernel_score_plain" => kernel_score_plain(members, truth, &measure, bandwidth),
                "variogram_score" => variogram_score_all_pairs(members, truth, ORDER),
                "variogram_score_near" => near(),
                "brier" => report.events[0].brier.score,
                "nll" => numbers.nll,
                "rank_correlation" => numbers.rank_correlation.expect("asked for"),
                _ => {
                    let level: f64 = level.expect(name).parse().expect("a level");
                    let scores = &report.quantile_scores;
                    scores.iter().find(|s| s.level == level).expect(name).score
                }
            };
            // Our differences and quantiles are rounded to f32 before they are used.
            let tolerance = 1e-6 * wanted.abs().max(0.1);
            assert!(
                (found - wanted).abs() < tolerance,
                "case {number}, {name}: {found} for {wanted}"
            );
            compared += 1;
        }
        assert_eq!(
            numbers.energy_score_plain,
            Some(energy_score_plain(members, truth, &measure))
        );
        assert_eq!(numbers.variogram_score, Some(near()));
    }
    assert!(compared >= 4 * 15, "{compared} values were compared");
}
