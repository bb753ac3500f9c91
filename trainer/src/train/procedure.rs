//! What a step needs besides the weights: the method, the loss, how many members, and the constants of both grids.

use burn::tensor::{Device, Tensor};
use pno::nn::loss::{Norm, Objective};
use pno::nn::{Feedback, Plan};
use pno::spec::{Masks, ModelSpec, Rollout};
use pno::task::Task;

use super::settings::TrainSettings;

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
            return objective.of(members, truth, &self.norm);
        };
        let [cases, values] = truth.dims();
        let truth = increments.in_units(truth.clone().reshape([cases, 1, values]));
        let members = increments.in_units(members.clone());
        objective.of(&members, &truth.reshape([cases, values]), &self.norm)
    }
}

impl Procedure {
    /// The procedure of some settings, for the tasks of training and of validation.
    pub fn new(
        spec: &ModelSpec,
        train: &TrainSettings,
        [training, validation]: [&Task; 2],
        training_device: &Device,
        device: &Device,
    ) -> Self {
        let row = spec.method.procedure();
        let stage = |task: &Task, masks, device| Stage {
            plan: Plan::of_task(spec, task, device),
            norm: Norm::new(task, device),
            feedback: Feedback::new(spec, task, device),
            masks,
            passes: spec.method.passes_per_member(),
        };
        let stage_with_gradients = stage(training, row.training, training_device);
        Self {
            objective: objective(train),
            members: Members::new(train.members, &train.members_schedule),
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
}

impl Members {
    /// `first` members until the schedule, pairs of (epochs done, members), says otherwise.
    pub fn new(first: usize, schedule: &[(usize, usize)]) -> Self {
        Self {
            first,
            later: schedule.to_vec(),
        }
    }

    /// Members of a training step after so many epochs.
    pub fn at(&self, epoch: usize) -> usize {
        let begun = self.later.iter().rev().find(|(from, _)| *from <= epoch);
        begun.map_or(self.first, |(_, members)| *members)
    }

    /// Members in validation: the same in all epochs, so that only the weights change its result.
    pub fn in_validation(&self) -> usize {
        self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_raises_the_members_when_its_epoch_comes() {
        let members = Members::new(3, &[(2, 5), (20, 8)]);
        let found: Vec<usize> = [0, 1, 2, 19, 20, 900].map(|e| members.at(e)).to_vec();
        assert_eq!(found, [3, 3, 5, 5, 8, 8]);
        assert_eq!(members.in_validation(), 3);
        assert_eq!(Members::new(3, &[]).at(7), 3);
        assert_eq!(Members::new(3, &[(0, 4)]).at(0), 4);
    }
}
