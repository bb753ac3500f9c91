//! Scores by lead time for people: what a forecast is like, and what it is better than.

use super::Lead;
use super::columns::{columns, number};

/// Two tables: the scores of each lead time, and the CRPS skill against each forecast that needs no model.
pub fn lead_table(leads: &[Lead]) -> String {
    let mut out = columns(&scores(leads));
    let skills = skills(leads);
    if skills.len() > 1 {
        out.push_str("\n\nCRPS skill, 1 - CRPS / CRPS of a forecast without a model: 1 is perfect, 0 no better\n");
        out.push_str(&columns(&skills));
    }
    out
}

/// Columns, each with its head.
type Columns = Vec<Vec<String>>;

fn scores(leads: &[Lead]) -> Columns {
    let column = |head: &str, value: &dyn Fn(&Lead) -> String| -> Vec<String> {
        let values = leads.iter().map(value);
        std::iter::once(head.to_owned()).chain(values).collect()
    };
    vec![
        first(leads),
        column("l2", &|lead| number(Some(lead.scores.l2))),
        column("energy score", &|lead| number(lead.scores.energy_score)),
        column("crps", &|lead| number(Some(lead.scores.crps))),
        column("spread", &|lead| number(Some(lead.scores.spread))),
        column("rmse", &|lead| number(Some(lead.scores.rmse))),
        column("spread/error", &|lead| {
            number(Some(lead.scores.spread_skill))
        }),
        column("coverage", &|lead| number(Some(lead.scores.coverage))),
        column("rank corr.", &|lead| number(lead.scores.rank_correlation)),
        column("worst spectrum", &worst),
    ]
}

fn skills(leads: &[Lead]) -> Columns {
    // In the order in which they are worth beating.
    let names = ["zero", "climatology", "persistence", "same_hour"];
    let is_there = |name: &&str| leads.iter().any(|l| l.baselines.contains_key(*name));
    let columns = names.into_iter().filter(is_there).map(|name| {
        let skill = |lead: &Lead| {
            let skill = lead.baselines.get(name).and_then(|b| b.skill.as_ref());
            number(skill.and_then(|skill| skill.get("crps").copied().flatten()))
        };
        let head = std::iter::once(name.replace('_', " "));
        head.chain(leads.iter().map(skill)).collect()
    });
    std::iter::once(first(leads)).chain(columns).collect()
}

/// The lead times.
fn first(leads: &[Lead]) -> Vec<String> {
    let times = leads.iter().map(|lead| lead.time.to_string());
    std::iter::once(head(leads)).chain(times).collect()
}

/// `lead time [h]`.
pub fn head(leads: &[Lead]) -> String {
    match leads.first().map_or("", |lead| lead.unit.as_str()) {
        "" => "lead time".into(),
        unit => format!("lead time [{unit}]"),
    }
}

/// The ratio that is farthest from 1 over the quantities, and its wavenumber: `1.37 at 12`.
fn worst(lead: &Lead) -> String {
    let distance = |ratio: f64| match ratio.ln().abs() {
        distance if distance.is_nan() => f64::INFINITY,
        distance => distance,
    };
    let worst = lead.spectrum.iter();
    let worst = worst.max_by(|a, b| distance(a.worst).total_cmp(&distance(b.worst)));
    worst.map_or("-".into(), |ratio| {
        format!("{} at {}", short(ratio.worst), ratio.wavenumber)
    })
}

/// A ratio in few characters.
fn short(ratio: f64) -> String {
    if (0.01..100.0).contains(&ratio) {
        format!("{ratio:.2}")
    } else {
        format!("{ratio:.0e}")
    }
}
