//! What the page holds of a run: the case that was solved and the ensemble so far.

use pno::pde::ks::{CELLS, WINDOW};
use pno::score::Scores;

use crate::message::Progress;

/// Points of a field.
pub const POINTS: usize = WINDOW * CELLS;

/// A solved trajectory, cut in two. Both fields are `[time, x]` in physical units.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Time of the first frame of the input.
    pub start: f64,
    /// What the network sees.
    pub input: Vec<f32>,
    /// What happens next.
    pub truth: Vec<f32>,
}

impl Case {
    /// Takes the worker's fields; `None` if they are not two fields of the right size.
    pub fn from_fields(start: f64, fields: Vec<Vec<f32>>) -> Option<Self> {
        let [input, truth] = <[_; 2]>::try_from(fields).ok()?;
        let whole = input.len() == POINTS && truth.len() == POINTS;
        whole.then_some(Self {
            start,
            input,
            truth,
        })
    }
}

/// The members so far and their statistics, all `[time, x]` in physical units.
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble {
    /// `[member, time, x]`.
    pub members: Vec<f32>,
    /// Mean.
    pub mean: Vec<f32>,
    /// Standard deviation.
    pub std: Vec<f32>,
    /// Lower bound of the 95 % interval.
    pub lower: Vec<f32>,
    /// Upper bound of the 95 % interval.
    pub upper: Vec<f32>,
    /// How far the run is.
    pub progress: Progress,
    /// Scores of the members so far, in network units.
    pub scores: Scores,
}

impl Ensemble {
    /// Joins the worker's fields to the members before them; `None` if the sizes or the count do not fit.
    pub fn extended(
        before: Option<Self>,
        progress: Progress,
        scores: Scores,
        fields: Vec<Vec<f32>>,
    ) -> Option<Self> {
        let [new, mean, std, lower, upper] = <[_; 5]>::try_from(fields).ok()?;
        let mut members = before.map(|ensemble| ensemble.members).unwrap_or_default();
        members.extend(new);
        let whole = members.len() == progress.drawn as usize * POINTS;
        let sized = [&mean, &std, &lower, &upper]
            .iter()
            .all(|f| f.len() == POINTS);
        (whole && sized).then_some(Self {
            members,
            mean,
            std,
            lower,
            upper,
            progress,
            scores,
        })
    }

    /// Number of members so far.
    pub fn count(&self) -> usize {
        self.members.len() / POINTS
    }

    /// The field of one member; the last one there is, if it has not been drawn yet.
    pub fn member(&self, index: u32) -> &[f32] {
        let index = (index as usize).min(self.count().saturating_sub(1));
        &self.members[index * POINTS..(index + 1) * POINTS]
    }

    /// All members at one cell over time: `[member, time]`.
    pub fn over_time(&self, cell: usize) -> Vec<f32> {
        self.members
            .iter()
            .skip(cell)
            .step_by(CELLS)
            .copied()
            .collect()
    }

    /// All members at one frame across space: `[member, x]`.
    pub fn across_space(&self, frame: usize) -> Vec<f32> {
        self.members
            .chunks_exact(POINTS)
            .flat_map(|member| &member[frame * CELLS..(frame + 1) * CELLS])
            .copied()
            .collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An ensemble whose member m is `m + point / 10000`.
    pub(crate) fn ramp(count: u32) -> Ensemble {
        let members: Vec<f32> = (0..count as usize * POINTS)
            .map(|i| (i / POINTS) as f32 + (i % POINTS) as f32 / 1e4)
            .collect();
        let scores = Scores {
            members: count as usize,
            cases: 1,
            l2: 0.0,
            energy_score: 0.0,
            crps: 0.0,
            nll: 0.0,
            coverage: 0.0,
            interval_width: 0.0,
        };
        let progress = Progress {
            drawn: count,
            wanted: count,
            ms_per_member: 1.0,
        };
        let field = vec![0.0; POINTS];
        let fields = vec![members, field.clone(), field.clone(), field.clone(), field];
        Ensemble::extended(None, progress, scores, fields).expect("whole fields")
    }

    #[test]
    fn slices_take_the_values_of_their_points() {
        let ensemble = ramp(3);
        let time = ensemble.over_time(5);
        assert_eq!(time.len(), 3 * WINDOW);
        assert_eq!(time[WINDOW + 2], 1.0 + (2 * CELLS + 5) as f32 / 1e4);
        let space = ensemble.across_space(4);
        assert_eq!(space.len(), 3 * CELLS);
        assert_eq!(space[2 * CELLS + 7], 2.0 + (4 * CELLS + 7) as f32 / 1e4);
        assert_eq!(ensemble.member(9), ensemble.member(2), "the last there is");
    }

    #[test]
    fn fields_of_the_wrong_size_are_refused() {
        let one = ramp(1);
        let scores = one.scores;
        let two = Progress {
            drawn: 3,
            ..one.progress
        };
        let field = vec![0.0; POINTS];
        let fields = vec![
            field.clone(),
            field.clone(),
            field.clone(),
            field.clone(),
            field,
        ];
        assert_eq!(
            Ensemble::extended(Some(one), two, scores, fields),
            None,
            "two members, three said"
        );
        assert_eq!(Case::from_fields(0.0, vec![vec![0.0; 3]; 2]), None);
    }
}
