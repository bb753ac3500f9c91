//! What a step needs besides the weights: the method, the loss, how many members, and the constants of both grids.

use burn::tensor::{Device, Tensor};
use pno::nn::loss::spectral::Spectral;
use pno::nn::loss::{Norm, Objective};
use pno::nn::{Feedback, Plan};
use pno::spec::{Masks, ModelSpec, Rollout};
use pno::task::Task;

use super::settings::TrainSettings;
use super::spectral::Units;

/// How steps draw members and what they minimise.
#[derive(Debug, Clone)]
pub struct Procedure {
    /// What is minimised.
    pub objective: Objective,
    /// Members per case, epoch by epoch.
    pub members: Members,
    /// What the second step of a forecast begins with.
    pub rollout: Rollout,
    /// Largest global norm of the gradient.
    pub clip: f64,
    /// Decay of the running average of the weights; 0 for none.
    pub average: f64,
    /// Constants of the training grid, on the training device.
    pub training: Stage,
    /// Constants of the validation grid, on the device without gradients.
    pub validation: Stage,
}

/// What does not change between the steps of one stage.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Transforms of the grid.
    pub plan: Plan,
    /// The norm of the domain.
    pub norm: Norm,
    /// The CRPS of spectra, where it is part of the loss.
    pub spectral: Option<Spectral>,
    /// How a further step begins, where that is possible.
    pub feedback: Option<Feedback>,
    /// What shares a dropout mask.
    pub masks: Masks,
    /// Whether every member is a pass of its own.
    pub passes: bool,
}

impl Stage {
    /// The loss of each case. Where the network gives increments it is counted in units of their size, so that a step
    /// which changes little is learnt as well as one that changes much.
    ///
    /// # Shapes
    /// - members: `[cases, members, values]`
    /// - truth: `[cases, values]`
    /// - output: `[cases]`
    pub fn loss(&self, objective: &Objective, members: &Tensor<3>, truth: &Tensor<2>) -> Tensor<1> {
        let Some(increments) = self.plan.increments() else {
            return self.in_units(objective, members, truth);
        };
        let [cases, values] = truth.dims();
        let truth = increments.in_units(truth.clone().reshape([cases, 1, values]));
        let members = increments.in_units(members.clone());
        self.in_units(objective, &members, &truth.reshape([cases, values]))
    }

    /// The loss of fields in the units in which it is counted, with its spectral term.
    fn in_units(&self, objective: &Objective, members: &Tensor<3>, truth: &Tensor<2>) -> Tensor<1> {
        let loss = objective.of(members, truth, &self.norm);
        match &self.spectral {
            Some(spectral) => loss + spectral.of(members, truth),
            None => loss,
        }
    }
}

impl Procedure {
    /// The procedure of some settings, for the tasks of training and of validation, with the units of the spectral term
    /// where the loss has one.
    pub fn new(
        spec: &ModelSpec,
        train: &TrainSettings,
        [training, validation]: [&Task; 2],
        units: Option<&Units>,
        training_device: &Device,
        device: &Device,
    ) -> Self {
        let row = spec.method.procedure();
        let stage = |task: &Task, masks, device| Stage {
            plan: Plan::of_task(spec, task, device),
            norm: Norm::new(task, device),
            spectral: units.map(|units| units.term(task, device)),
            feedback: Feedback::new(spec, task, device),
            masks,
            passes: spec.method.passes_per_member(),
        };
        let stage_with_gradients = stage(training, row.training, training_device);
        Self {
            objective: objective(train),
            members: Members::new(train),
            rollout: train.rollout,
            clip: train.clip,
            average: train.average,
            training: Stage {
                plan: stage_with_gradients.plan.whole(),
                ..stage_with_gradients
            },
            validation: stage(validation, row.validation, device),
        }
    }
}

/// The loss with its numbers.
fn objective(train: &TrainSettings) -> Objective {
    Objective {
        loss: train.loss,
        weight: train.loss_weight as f32,
        bandwidth: train.bandwidth as f32,
    }
}

/// Members per case as training goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    first: usize,
    /// From which epoch on, and how many.
    later: Vec<(usize, usize)>,
    /// Those that stages have of their own.
    stages: Vec<Option<usize>>,
}

impl Members {
    /// Those of the settings until their schedule, pairs of (epochs done, members), or a stage says otherwise.
    pub fn new(train: &TrainSettings) -> Self {
        Self {
            first: train.members,
            later: train.members_schedule.clone(),
            stages: train.each_stage().map(|s| train.members_of(s)).collect(),
        }
    }

    fn of_stage(&self, stage: usize) -> Option<usize> {
        self.stages.get(stage).copied().flatten()
    }

    /// Members of a training step of a stage, from 0, after so many epochs.
    pub fn at(&self, epoch: usize, stage: usize) -> usize {
        if let Some(own) = self.of_stage(stage) {
            return own;
        }
        let begun = self.later.iter().rev().find(|(from, _)| *from <= epoch);
        begun.map_or(self.first, |(_, members)| *members)
    }

    /// Members in validation: the same in all epochs of a stage, so that only the weights change its result.
    pub fn in_validation(&self, stage: usize) -> usize {
        self.of_stage(stage).unwrap_or(self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use crate::train::settings;
    use pno::spec::{Method, Profile};

    fn members(schedule: &[(usize, usize)], stages: &[Option<usize>]) -> Members {
        let train = TrainSettings::general(Method::PnoD, Profile::Fixed, Size::Demo);
        let stage = |(i, members): (usize, &Option<usize>)| settings::Stage {
            steps: 2 + i,
            epochs: 1,
            rate: 0.5,
            batch: None,
            entries: None,
            members: *members,
        };
        Members::new(&TrainSettings {
            members: 3,
            members_schedule: schedule.to_vec(),
            stages: stages.iter().enumerate().map(stage).collect(),
            ..train.expect("a preset")
        })
    }

    #[test]
    fn the_schedule_raises_the_members_when_its_epoch_comes() {
        let rising = members(&[(2, 5), (20, 8)], &[]);
        let found: Vec<usize> = [0, 1, 2, 19, 20, 900].map(|e| rising.at(e, 0)).to_vec();
        assert_eq!(found, [3, 3, 5, 5, 8, 8]);
        assert_eq!(rising.in_validation(0), 3);
        assert_eq!(members(&[], &[]).at(7, 0), 3);
        assert_eq!(members(&[(0, 4)], &[]).at(0, 0), 4);
    }

    #[test]
    fn a_stage_may_have_its_own_members_and_the_next_goes_on_with_them() {
        let members = members(&[(2, 5)], &[None, Some(8), None, Some(2)]);
        let found: Vec<usize> = (0..5).map(|stage| members.at(9, stage)).collect();
        assert_eq!(found, [5, 5, 8, 8, 2]);
        let validated: Vec<usize> = (0..5).map(|s| members.in_validation(s)).collect();
        assert_eq!(validated, [3, 3, 8, 8, 2]);
    }
}
