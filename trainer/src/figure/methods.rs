//! Several methods below or beside each other, on common colour scales.

use pno::colour;
use pno::task::Task;

use super::Figure;
use super::forecast::{HIT, LEAD, MISS};
use super::layer::{Layer, at_lead, frame};
use super::panel::{Key, Panel};
use super::shades::{Shades, limit};

/// Height of a panel that its width follows from, and the width that a row of them may have.
const HEIGHT: f64 = 300.0;
const MOST_WIDE: f64 = 1900.0;
/// Step whose scores are shown of a field in time and two directions: the fourth, as in the paper (24 h).
const MAP_LEAD: usize = 3;

/// One case of one method, in physical units.
pub struct Prediction {
    /// Name of the method.
    pub label: String,
    /// What happened.
    pub truth: Vec<f32>,
    /// Mean of the members.
    pub mean: Vec<f32>,
    /// Standard deviation of the members.
    pub std: Vec<f32>,
    /// 1 where the truth lies inside the interval.
    pub hits: Vec<f32>,
}

/// Truth, mean, absolute error, standard deviation and coverage of every method, a row each, of the first quantity.
pub fn predictions(task: &Task, methods: &[Prediction], title: &str) -> Figure {
    let frame = frame(task, LEAD);
    let layer = |values: &[f32]| Layer::of(&task.output, values, 0, task.outputs.len(), frame);
    let truth: Vec<f32> = methods.first().map_or(vec![], |m| layer(&m.truth).values);
    let shades = Shades::of(&truth);
    let errors: Vec<(Layer, Layer)> = methods
        .iter()
        .map(|m| {
            let error = m.mean.iter().zip(&m.truth).map(|(a, b)| (a - b).abs());
            (layer(&error.collect::<Vec<f32>>()), layer(&m.std))
        })
        .collect();
    // One scale for all, but a method that blew up or spread far too wide must not darken the others.
    let most = errors
        .iter()
        .flat_map(|(error, std)| [limit(&error.values), limit(&std.values)]);
    let usual = middle(errors.iter().map(|(error, _)| limit(&error.values)));
    let spread = Shades {
        table: &colour::LAJOLLA,
        lo: 0.0,
        hi: most.fold(0.0, f32::max).min(1.5 * usual),
    };
    let rows = methods.iter().zip(&errors).map(|(method, (error, std))| {
        let hits = layer(&method.hits);
        let share = hits.values.iter().sum::<f32>() / hits.values.len().max(1) as f32;
        let label = &method.label;
        let names = Key::Names(vec![
            (HIT, "inside the 95 % interval".into()),
            (MISS, "outside".into()),
        ]);
        vec![
            Panel::scaled("truth", &layer(&method.truth), shades),
            Panel::scaled(&format!("{label}: mean"), &layer(&method.mean), shades),
            Panel::scaled("absolute error", error, spread),
            Panel::scaled("standard deviation", std, spread),
            Panel::coloured(
                &format!("coverage {:.1} %", 100.0 * share),
                &hits,
                |hit| if hit > 0.5 { HIT } else { MISS },
                names,
            ),
        ]
    });
    Figure {
        title: at_lead(task, title, frame),
        rows: rows.collect(),
    }
}

/// The value in the middle; 1 of none.
fn middle(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(1.0)
}

/// Scores of every point of one method, averaged over cases; of the first quantity.
pub struct ScoreMaps {
    /// Name of the method.
    pub label: String,
    /// CRPS in network units.
    pub crps: Vec<f32>,
    /// Share of cases inside the interval; none for a single output.
    pub coverage: Option<Vec<f32>>,
}

/// CRPS of all methods on one scale, and below it their coverage on one from 0 to 1.
pub fn score_maps(task: &Task, methods: &[ScoreMaps], title: &str) -> Figure {
    let frame = frame(task, MAP_LEAD);
    let one = |values: &[f32]| Layer::of(&task.output, values, 0, 1, frame);
    let layers: Vec<Layer> = methods.iter().map(|m| one(&m.crps)).collect();
    // As in the figure of predictions: one that blew up must not bleach the others.
    let most = || layers.iter().map(|layer| limit(&layer.values));
    let crps = Shades {
        table: &colour::LAJOLLA,
        lo: 0.0,
        hi: most().fold(0.0, f32::max).min(3.0 * middle(most())),
    };
    let mean = |layer: &Layer| layer.values.iter().sum::<f32>() / layer.values.len().max(1) as f32;
    let panel = |(method, layer): (&ScoreMaps, &Layer)| {
        Panel::scaled(
            &format!("{}: CRPS {:.3}", method.label, mean(layer)),
            layer,
            crps,
        )
    };
    let coverage = Shades {
        table: &colour::BATLOW,
        lo: 0.0,
        hi: 1.0,
    };
    let covered = methods.iter().filter_map(|method| {
        let layer = one(method.coverage.as_ref()?);
        let share = 100.0 * mean(&layer);
        let words = format!("{}: coverage {share:.1} %", method.label);
        Some(Panel::scaled(&words, &layer, coverage))
    });
    let mut rows = vec![];
    for mut panels in [
        methods.iter().zip(&layers).map(panel).collect::<Vec<_>>(),
        covered.collect(),
    ] {
        while !panels.is_empty() {
            let rest = panels.split_off(fitting(&panels));
            rows.push(std::mem::replace(&mut panels, rest));
        }
    }
    Figure {
        title: at_lead(task, title, frame),
        rows,
    }
}

/// How many of the first panels fit beside each other; at least one.
fn fitting(panels: &[Panel]) -> usize {
    let mut width = 0.0;
    let fits = |panel: &&Panel| {
        width += panel.width(HEIGHT);
        width <= MOST_WIDE
    };
    panels.iter().take_while(fits).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_shown_at_sixty_hours_and_scores_at_twenty_four_as_in_the_paper() {
        let task = Task::era5().on_grid(&[10, 2, 2]);
        // The value says which step it is of.
        let steps: Vec<f32> = (0..40_u8).map(|i| f32::from(i / 4)).collect();
        let prediction = Prediction {
            label: "PNO_D".into(),
            truth: steps.clone(),
            mean: vec![0.0; 40],
            std: vec![0.0; 40],
            hits: vec![1.0; 40],
        };
        let figure = predictions(&task, &[prediction], "ERA5");
        assert_eq!(figure.title, "ERA5, lead time 60 hours");
        let maps = ScoreMaps {
            label: "PNO_D".into(),
            crps: steps,
            coverage: None,
        };
        let figure = score_maps(&task, &[maps], "ERA5");
        assert_eq!(figure.title, "ERA5, lead time 24 hours");
        // The mean over the map of the fourth step, counted from 0.
        assert_eq!(figure.rows[0][0].title, "PNO_D: CRPS 3.000");
    }

    #[test]
    fn a_field_without_several_steps_has_no_lead_time_in_its_title() {
        let task = Task::darcy().on_grid(&[2, 2]);
        let maps = ScoreMaps {
            label: "DET".into(),
            crps: vec![1.0; 4],
            coverage: None,
        };
        assert_eq!(score_maps(&task, &[maps], "Darcy").title, "Darcy");
    }
}
