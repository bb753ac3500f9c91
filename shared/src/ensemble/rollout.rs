//! Forecasts of several steps: what the model gave is what it takes next.
//!
//! | rollout | what is carried on | members |
//! |---|---|---|
//! | `member` | every member's own field | trajectories from the same start |
//! | `mean` | one field: the mean of a few members ([`Procedure::carried`](crate::spec::Procedure::carried)) | draws of the last step alone |
//!
//! `mean` is what the published tables show; it leaves out the uncertainty of all steps but the last.

use std::ops::Range;

use burn::tensor::Tensor;

use super::forecast::{ForecastError, Forecaster, MEMORY_BUDGET};
use crate::nn::{Feedback, Rows};
use crate::noise::case_seed;
use crate::spec::{Masks, Rollout};

/// A forecast of several steps: any member can be asked for, in any order, always the same fields.
#[derive(Debug, Clone)]
pub struct Stepped {
    forecaster: Forecaster,
    feedback: Feedback,
    rollout: Rollout,
    input: Tensor<3>,
    steps: usize,
    seed: u64,
}

impl Forecaster {
    /// Begins a forecast of `steps` steps from fields `[points, channel]` in physical units. The members of a single step
    /// are those of [`start`](Self::start) with the same seed.
    pub fn start_steps(
        &self,
        input: &[f32],
        seed: u64,
        steps: usize,
        rollout: Rollout,
    ) -> Result<Stepped, ForecastError> {
        let feedback = Feedback::new(&self.task, &self.device).ok_or(ForecastError::NoFeedback)?;
        Ok(Stepped {
            input: self.network_input(input)?,
            forecaster: self.clone(),
            feedback,
            rollout,
            steps: steps.max(1),
            seed,
        })
    }
}

impl Stepped {
    /// Members per pass that stay under [`MEMORY_BUDGET`].
    pub fn chunk(&self) -> u32 {
        let bytes = self.forecaster.plan.row_values() * size_of::<f32>();
        (MEMORY_BUDGET / bytes.max(1)).clamp(1, 256) as u32
    }

    /// Members after the last step in physical units, `[member, points, channel]`.
    pub async fn members(&self, range: Range<u32>) -> Result<Vec<f32>, ForecastError> {
        let mut fields = vec![];
        let mut next = range.start;
        while next < range.end {
            let end = range.end.min(next.saturating_add(self.chunk()));
            fields.extend(self.pass(next..end).await?);
            next = end;
        }
        Ok(fields)
    }

    async fn pass(&self, range: Range<u32>) -> Result<Vec<f32>, ForecastError> {
        let mut input = self.input.clone();
        for step in 0..self.steps - 1 {
            let outputs = match self.rollout {
                Rollout::Member => self.step(input.clone(), step, self.test_masks(), range.clone()),
                Rollout::Mean => {
                    let (masks, count) = self.forecaster.spec().method.procedure().carried;
                    self.step(input.clone(), step, masks, 0..count).mean_dim(1)
                }
            };
            input = self.feedback.next(&input, outputs);
        }
        let (first, count) = (range.start, range.len());
        let members = self.step(input, self.steps - 1, self.test_masks(), range);
        let [inputs, each, values] = members.dims();
        let members = members.reshape([inputs * each, values]);
        // Where nothing is random there is one trajectory, and members are copies of it.
        let members = if inputs * each < count {
            members.repeat_dim(0, count)
        } else {
            members
        };
        let step = self.steps;
        let broken = |member| ForecastError::StepNotFinite { member, step };
        self.forecaster.restored(members, first, broken).await
    }

    /// One step of some members, from one input for all or from one for each.
    fn step(&self, input: Tensor<3>, step: usize, masks: Masks, range: Range<u32>) -> Tensor<3> {
        // The first step has the seed itself: a forecast of one step is one without steps.
        let seed = match step {
            0 => self.seed,
            _ => case_seed(self.seed, step as u64),
        };
        let rows = Rows::members(seed, range);
        let Forecaster { network, plan, .. } = &self.forecaster;
        let masks = (masks != Masks::Off).then_some(&rows);
        network.draw(input, plan, masks, &rows)
    }

    fn test_masks(&self) -> Masks {
        self.forecaster.spec().method.procedure().test
    }
}
