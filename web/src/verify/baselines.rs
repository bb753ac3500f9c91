//! What any forecast is shown beside: baselines, which need no model.

use pno::score::persistence::{persistence, same_hour};
use pno::task::Task;
use serde::{Deserialize, Serialize};

use super::{Fields, Tally};
use crate::figure::Role;

/// A forecast that needs no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Baseline {
    /// Random states of the same problem, as an ensemble.
    Climatology,
    /// What the network saw last, for ever.
    Persistence,
    /// What it saw last of the same hour of the day.
    SameHour,
}

impl Baseline {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Climatology => "climatology",
            Self::Persistence => "persistence",
            Self::SameHour => "same-hour persistence",
        }
    }

    /// Its energy score, in a legend.
    pub fn words(self) -> &'static str {
        match self {
            Self::Climatology => "energy score of climatology",
            Self::Persistence => "energy score of persistence",
            Self::SameHour => "energy score of same-hour persistence",
        }
    }

    /// Its CRPS, in a table.
    pub fn crps_words(self) -> &'static str {
        match self {
            Self::Climatology => "CRPS of climatology",
            Self::Persistence => "CRPS of persistence",
            Self::SameHour => "CRPS of same-hour persistence",
        }
    }

    /// How its line looks.
    pub fn role(self) -> Role {
        match self {
            Self::Climatology => Role::Climatology,
            Self::Persistence => Role::Persistence,
            Self::SameHour => Role::SameHour,
        }
    }
}

/// The members of a baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    baseline: Baseline,
    /// `[member, frame, point, channel]`.
    members: Vec<f32>,
    count: usize,
}

impl Reference {
    /// Those that repeat what the network saw last; none where it gives other quantities than it takes.
    pub fn repeated(task: &Task, input: &[f32]) -> Vec<Self> {
        let found = [
            (Baseline::Persistence, persistence(task, input)),
            (Baseline::SameHour, same_hour(task, input)),
        ];
        let found = found.into_iter();
        let found = found.filter_map(|(baseline, field)| Some((baseline, field?)));
        // Two equal members: the fair estimators then give the absolute error and the norm of the error.
        let twice = found.map(|(baseline, field)| Self {
            baseline,
            members: field.repeat(2),
            count: 2,
        });
        twice.collect()
    }

    /// Random states `[state, point, channel]`, the same at every lead time.
    pub fn climatology(states: &[f32], count: usize) -> Self {
        Self {
            baseline: Baseline::Climatology,
            members: states.to_vec(),
            count,
        }
    }

    /// Its members at a frame, of one channel, `[member, point]`. It may have one frame for all.
    fn frame(&self, frame: usize, points: usize, [channel, channels]: [usize; 2]) -> Vec<f32> {
        let size = points * channels;
        let stride = self.members.len() / self.count;
        let at = if stride > size { frame * size } else { 0 };
        let of_member = |member: &[f32]| -> Vec<f32> {
            let of_frame = member.get(at..at + size).unwrap_or_default();
            let values = of_frame.iter().skip(channel).step_by(channels);
            values.copied().collect()
        };
        let members = self.members.chunks_exact(stride.max(1));
        members.flat_map(of_member).collect()
    }
}

/// Scores of a baseline by lead time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// Which one.
    pub baseline: Baseline,
    /// CRPS.
    pub crps: Vec<f64>,
    /// Energy score.
    pub energy_score: Vec<f64>,
}

impl Beside {
    /// Nothing yet.
    pub fn new(reference: &Reference) -> Self {
        Self {
            baseline: reference.baseline,
            crps: vec![],
            energy_score: vec![],
        }
    }

    /// Frames that were scored.
    pub fn frames(&self) -> usize {
        self.crps.len()
    }

    /// Scores a frame, the next one, against the truth of these fields and at the same points.
    pub fn push(&mut self, reference: &Reference, fields: &Fields, frame: usize, every: usize) {
        let points = fields.points();
        let truth: Vec<f32> = (0..points).map(|at| fields.value(0, frame, at)).collect();
        let members = reference.frame(frame, points, fields.channel());
        let scored = Fields::new(&members, &truth, points, [0, 1], fields.weights());
        let lead = scored.ok().and_then(|fields| {
            let mut tally = Tally::new(fields.count());
            tally.push(&fields, 0, 0.0, every);
            tally.leads.pop()
        });
        let found = lead.map(|lead| (lead.crps.found, lead.energy_score.found));
        let (crps, energy_score) = found.unwrap_or((f64::NAN, f64::NAN));
        self.crps.push(crps);
        self.energy_score.push(energy_score);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of two points that is stepped on: what it was, and two steps of what came.
    fn line() -> (Task, [f32; 2], [f32; 4]) {
        (
            Task::ks_step().on_grid(&[2]),
            [1.0, -1.0],
            [2.0, -1.0, 4.0, 3.0],
        )
    }

    fn scores(reference: &Reference, truth: &[f32]) -> Beside {
        // What is scored beside it does not matter.
        let members = [truth, truth].concat();
        let fields = Fields::new(&members, truth, 2, [0, 1], &[]).expect("sizes fit");
        let mut found = Beside::new(reference);
        for frame in 0..2 {
            found.push(reference, &fields, frame, 1);
        }
        found
    }

    #[test]
    fn persistence_has_the_error_of_what_was_seen_last() {
        let (task, input, truth) = line();
        let references = Reference::repeated(&task, &input);
        assert_eq!(references.len(), 1, "nobody says what hour it is");
        let found = scores(&references[0], &truth);
        assert_eq!(found.baseline, Baseline::Persistence);
        assert_eq!(found.crps, [0.5, 3.5]);
        let norms = [0.5_f64.sqrt(), 12.5_f64.sqrt()];
        for (found, wanted) in found.energy_score.iter().zip(norms) {
            assert!((found - wanted).abs() < 1e-6, "{found} for {wanted}");
        }
    }

    #[test]
    fn climatology_is_an_ensemble_that_is_the_same_at_every_lead_time() {
        let (_, _, truth) = line();
        let found = scores(&Reference::climatology(&[0.0, 0.0, 4.0, 2.0], 2), &truth);
        // At the first point 2 is in the middle of 0 and 4: (2 + 2) / 2 - 4 / 2 = 0; at the second (1 + 3) / 2 - 2 / 2 = 1.
        // Then 4 of 0 and 4: 2 - 2 = 0, and 3 of 0 and 2: 2 - 1 = 1.
        assert_eq!(found.crps, [0.5, 0.5]);
    }

    #[test]
    fn frames_of_temperature_are_repeated_by_the_hour_of_the_day() {
        let task = Task::era5().on_grid(&[10, 1, 2]);
        let input: Vec<f32> = (0_u8..20).map(f32::from).collect();
        let references = Reference::repeated(&task, &input);
        let names: Vec<&str> = references.iter().map(|r| r.baseline.name()).collect();
        assert_eq!(names, ["persistence", "same-hour persistence"]);
        assert_eq!(references[0].frame(7, 2, [0, 1]), [18.0, 19.0, 18.0, 19.0]);
        assert_eq!(references[1].frame(0, 2, [0, 1]), [12.0, 13.0, 12.0, 13.0]);
        assert_eq!(Reference::repeated(&Task::darcy(), &input), []);
    }

    #[test]
    fn one_channel_of_several_is_taken() {
        let three = Reference::climatology(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 2);
        assert_eq!(three.frame(5, 2, [1, 2]), [2.0, 4.0, 6.0, 8.0]);
    }
}
