//! The members so far, in physical units for the eye and in network units for the scores.

use pno::score::{ALPHA, EnergyScore, Maps, Scores, score_stream};
use pno::task::Normalisation;

/// A growing ensemble beside its truth.
pub struct Gathered {
    members: Vec<f32>,
    truth: Vec<f32>,
    scale: Normalisation,
    scores: EnergyScore,
}

impl Gathered {
    /// No member yet.
    pub fn new(truth: Vec<f32>, scale: Normalisation) -> Self {
        let normalised = truth.iter().map(|&value| scale.normalise(value)).collect();
        Self {
            members: Vec::new(),
            truth,
            scale,
            scores: EnergyScore::new(normalised),
        }
    }

    /// Takes in members `[member, points]` in physical units.
    pub fn push(&mut self, members: &[f32]) {
        let normalised: Vec<f32> = members
            .iter()
            .map(|&value| self.scale.normalise(value))
            .collect();
        self.scores.push(&normalised);
        self.members.extend_from_slice(members);
    }

    /// Statistics per point, in physical units.
    pub fn maps(&self) -> Maps {
        Maps::new(&self.members, &self.truth, ALPHA)
    }

    /// Scores, in network units.
    pub fn scores(&self) -> Scores {
        score_stream(&self.scores)
    }
}
