//! What the worker tells of one side, and the figures that the page makes of it.

use serde::{Deserialize, Serialize};

use super::chance::Chance;
use super::{Names, Reliability, Verified};
use crate::field::{Scene, Unit};
use crate::figure::Figure;

/// What is known of one side of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Which side.
    pub side: u8,
    /// Which quantity.
    pub channel: u32,
    /// Frames that were looked at.
    pub frames: u32,
    /// Every n-th point was looked at.
    pub every: u32,
    /// All but the reliability, in physical units; none where no number was sound.
    pub verified: Option<Verified>,
    /// The reliability of exceeding a threshold.
    pub reliability: Option<Reliability>,
}

impl Report {
    /// The figures, in the units that are shown; none where no number was sound.
    pub fn figures(&self, scene: &Scene) -> Option<Vec<Figure>> {
        let unit = scene.units.get(self.channel as usize)?;
        let verified = self.verified.as_ref()?.in_unit(unit);
        let reliability = self.reliability.clone().map(|found| Reliability {
            threshold: unit.shown(f64::from(found.threshold)) as f32,
            ..found
        });
        let mut figures = verified.figures(&Names::of(scene, unit), reliability.as_ref());
        let after = scene
            .lead_words(self.frames as usize)
            .filter(|_| scene.rollout);
        if let (Some(after), Some(spectrum)) =
            (after, figures.iter_mut().find(|f| f.name == "spectrum"))
        {
            spectrum.title = format!("{} {after}", spectrum.title);
        }
        Some(figures)
    }

    /// What was compared, in a sentence.
    pub fn words(&self, scene: &Scene) -> String {
        let Some(verified) = &self.verified else {
            return "No point of this forecast has sound numbers, so there is nothing to verify."
                .to_owned();
        };
        let title = scene
            .units
            .get(self.channel as usize)
            .map(|unit| &unit.title);
        let of = title
            .filter(|title| title.len() > 2)
            .map(|title| format!(" of {}", title.to_lowercase()))
            .unwrap_or_default();
        let values = if self.every > 1 {
            format!(", one point in {}", self.every)
        } else {
            String::new()
        };
        let stacked = scene.is_stacked();
        let times = match (self.frames, scene.rollout) {
            (0 | 1, false) => String::new(),
            (1, true) => format!(", of the first {}", if stacked { "step" } else { "hour" }),
            (steps, true) => format!(", of {steps} {}", if stacked { "steps" } else { "hours" }),
            (times, false) => format!(", at {times} lead times"),
        };
        let skipped = match verified.skipped {
            0 => String::new(),
            count => format!("; {count} points without a value are left out"),
        };
        format!(
            "{} members against the truth{of}: {} values{values}{times}{skipped}.",
            verified.members, verified.values
        )
    }
}

impl Names {
    /// The words of a quantity of a scene.
    pub fn of(scene: &Scene, unit: &Unit) -> Self {
        let time = match scene.lead {
            crate::field::Lead::Row => &scene.row,
            _ => &scene.frame,
        };
        Self {
            quantity: unit.title.clone(),
            unit: unit.unit.clone(),
            time_unit: time.unit.clone(),
        }
    }
}

impl Verified {
    /// The same in the unit that is shown: ranks stay, distances are scaled.
    #[must_use]
    pub fn in_unit(&self, unit: &Unit) -> Self {
        let mut shown = self.clone();
        let length = |value: &mut f64| *value = unit.shown_difference(*value);
        let chance = |chance: &mut Chance| {
            length(&mut chance.found);
            chance.band.iter_mut().for_each(length);
        };
        for lead in &mut shown.spread_skill.leads {
            length(&mut lead.spread);
            [&mut lead.error, &mut lead.crps, &mut lead.energy_score]
                .into_iter()
                .for_each(chance);
        }
        for beside in &mut shown.spread_skill.beside {
            let scores = beside.crps.iter_mut().chain(&mut beside.energy_score);
            scores.for_each(length);
        }
        for bin in &mut shown.spread_skill.by_spread {
            length(&mut bin.spread);
            length(&mut bin.error);
        }
        if let Some(spectrum) = &mut shown.spectrum {
            // Power is a square.
            for wave in &mut spectrum.waves {
                chance(wave);
                chance(wave);
            }
            for power in spectrum.members.iter_mut().chain(&mut spectrum.mean) {
                length(power);
                length(power);
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::{Kind, Synthetic};
    use super::super::{Held, Lie};
    use super::*;
    use pno::spec::Experiment;
    use pno::task::Task;

    fn report(scene: &Scene, frames: usize, channel: usize, scale: f32) -> Report {
        let values = scene.shape.values();
        let data = Synthetic::new(Kind::Calibrated, 5, 6, frames, values);
        let scaled = |all: &[f32]| all.iter().map(|v| scale * v).collect::<Vec<f32>>();
        let mut held = Held::new(Lie::of(scene, vec![]));
        for h in 0..frames {
            let part = |field: &[f32]| scaled(&field[h * values..(h + 1) * values]);
            let members: Vec<f32> = data
                .members
                .chunks(frames * values)
                .flat_map(part)
                .collect();
            held.push(h, &part(&data.truth), &members);
        }
        while held.step(channel) {}
        held.report(1, channel, 0.25 * scale).expect("members")
    }

    #[test]
    fn figures_are_in_the_units_of_the_page() {
        let scene = Scene::new(Experiment::Sswe, &Task::sswe().on_grid(&[8, 16]), 2);
        // Vorticity is shown in millionths.
        let (physical, shown) = (report(&scene, 2, 1, 1e-6), report(&scene, 2, 1, 1.0));
        let figures = physical.figures(&scene).expect("sound");
        let verified = shown.verified.as_ref().expect("sound");
        let spread = figures.iter().find(|f| f.name == "spread-skill");
        let row = &spread.expect("two hours").table.rows[1];
        let lead = &verified.spread_skill.leads[1];
        for (found, wanted) in row.iter().zip([2.0, lead.spread, lead.error.found]) {
            assert!(
                (found - wanted).abs() < 1e-4 * wanted,
                "{found} for {wanted}"
            );
        }
        let spectrum = figures.iter().find(|f| f.name == "spectrum").expect("rows");
        assert_eq!(spectrum.title, "Spectrum after 2 hours");
        let power = verified.spectrum.as_ref().expect("rows").members[0];
        assert!((spectrum.table.rows[0][2] / power - 1.0).abs() < 1e-3);
        let reliability = figures.iter().find(|f| f.name == "reliability");
        let reading = &reliability.expect("a threshold").reading;
        assert!(reading.contains("0.25 10⁻⁶ s⁻¹"), "{reading}");
        assert_eq!(
            physical.words(&scene),
            "6 members against the truth of vorticity: 256 values, of 2 hours."
        );
    }

    #[test]
    fn one_moment_has_no_figures_by_lead_time() {
        let scene = Scene::new(Experiment::Darcy, &Task::darcy().on_grid(&[16, 16]), 1);
        let report = report(&scene, 1, 0, 1.0);
        let figures = report.figures(&scene).expect("sound");
        let names: Vec<&str> = figures.iter().map(|figure| figure.name).collect();
        let wanted = [
            "rank-histogram",
            "coverage",
            "reliability",
            "spread-skill",
            "spectrum",
        ];
        assert_eq!(names, wanted);
        assert_eq!(figures[3].title, "Error by spread");
        assert!(
            !report.words(&scene).contains("lead"),
            "{}",
            report.words(&scene)
        );
    }

    #[test]
    fn broken_numbers_get_a_sentence() {
        let scene = Scene::new(Experiment::Darcy, &Task::darcy().on_grid(&[4, 4]), 1);
        let mut held = Held::new(Lie::of(&scene, vec![]));
        held.push(0, &[0.0; 16], &[f32::NAN; 32]);
        while held.step(0) {}
        let report = held.report(0, 0, 0.0).expect("members");
        assert_eq!(report.figures(&scene), None);
        assert!(report.words(&scene).contains("nothing to verify"));
    }
}
