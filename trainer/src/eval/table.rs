//! Scores for people: one line each.

use std::fmt::Write;

use pno::score::{EventReport, NUMBER_ESTIMATORS, Numbers, Report};

use super::Outcome;

/// The table of an evaluation: score, value, the baselines, and how it was estimated.
pub fn table(outcome: &Outcome) -> String {
    let mut out = scores_table(&outcome.report, &outcome.baselines.named());
    if !outcome.steps.is_empty() {
        out.push_str(&steps_table(&outcome.steps));
    }
    if let Some(all) = &outcome.trajectory {
        let Numbers {
            l2,
            energy_score,
            crps,
            coverage,
            ..
        } = all.scores;
        let energy_score = energy_score.unwrap_or(f64::NAN);
        let _ = write!(
            out,
            "\nall steps as one field: l2 {l2:.4}, energy score {energy_score:.4}, crps {crps:.4}, coverage {coverage:.4}"
        );
    }
    out
}

/// How the scores grow with the steps: one line each.
fn steps_table(steps: &[Report]) -> String {
    let mut out = format!(
        "\n\n{:>4}{:>11}{:>11}{:>11}{:>11}{:>14}{:>11}",
        "step", "l2", "rmse", "spread", "crps", "spread/error", "coverage"
    );
    for (step, report) in (1..).zip(steps) {
        let Numbers {
            l2,
            rmse,
            spread,
            crps,
            spread_skill,
            coverage,
            ..
        } = report.scores;
        let _ = write!(
            out,
            "\n{step:>4}{l2:>11.4}{rmse:>11.4}{spread:>11.4}{crps:>11.4}{spread_skill:>14.4}{coverage:>11.4}"
        );
    }
    out
}

/// A line for each event.
pub fn events(report: &Report) -> Vec<String> {
    let line = |found: &EventReport| {
        let brier = &found.brier;
        format!(
            "above {}: Brier score {:.4} (fair {:.4}), reliability {:.4}, resolution {:.4}, uncertainty {:.4}",
            found.event.threshold,
            brier.score,
            brier.score_fair,
            brier.reliability,
            brier.resolution,
            brier.uncertainty
        )
    };
    report.events.iter().map(line).collect()
}

/// A table of scores beside those of other forecasts of the same cases.
pub fn scores_table(report: &Report, others: &[(&str, &Report)]) -> String {
    let mut out = format!("{:<20}{:>11}", "score", "model");
    for (name, _) in others {
        let _ = write!(out, "{name:>13}");
    }
    out.push_str("  estimator\n");
    let value = |numbers: &Numbers, key: &str| {
        let found = numbers.named().into_iter().find(|(name, _)| *name == key);
        found.and_then(|(_, value)| value)
    };
    for &(key, estimator) in NUMBER_ESTIMATORS {
        let Some(ours) = value(&report.scores, key) else {
            continue;
        };
        let _ = write!(out, "{:<20}{ours:>11.4}", key.replace('_', " "));
        for (_, other) in others {
            let told = match value(&other.scores, key) {
                // What says something of a single field.
                Some(found) if ["l2", "rmse", "bias", "crps", "energy_score"].contains(&key) => {
                    format!("{found:.4}")
                }
                _ => String::new(),
            };
            let _ = write!(out, "{told:>13}");
        }
        let _ = writeln!(out, "  {estimator}");
    }
    for (name, other) in others {
        let skills = report.skill(other).unwrap_or_default();
        if let Some(skill) = skills.get("crps") {
            let _ = writeln!(
                out,
                "{:<20}{skill:>11.4}  1 - CRPS / CRPS of {name}: 1 is perfect, 0 no better",
                "CRPS skill"
            );
        }
    }
    let histogram = &report.rank_histogram;
    let outer = histogram
        .frequencies
        .first()
        .zip(histogram.frequencies.last());
    if let Some((low, high)) = outer.filter(|_| report.members > 1) {
        let _ = writeln!(
            out,
            "{:<20}{:>11.4}  share of truths outside all members; {:.4} if every rank is as likely",
            "outliers",
            low + high,
            2.0 / (report.members + 1) as f64
        );
    }
    let _ = write!(out, "{} members, {} cases", report.members, report.cases);
    if report.skipped_values > 0 {
        let _ = write!(
            out,
            ", {} values without a truth left out",
            report.skipped_values
        );
    }
    out
}
