//! Forecasts of several steps: what the model gave is what it takes next.
//!
//! | rollout | what is carried on | members |
//! |---|---|---|
//! | `member` | every member's own field | trajectories from the same start |
//! | `mean` | one field: the mean of a few members ([`Procedure::carried`](crate::spec::Procedure::carried)) | draws of each step alone |
//!
//! `mean` is what the published tables show; it leaves out the uncertainty of all steps but the last.
//!
//! A member of a Laplace approximation keeps its weights for the whole trajectory, and a member of an ensemble its
//! network. Observation noise is added to what is given, never to what is carried on.

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
    /// The input in physical units.
    fields: Vec<f32>,
    steps: usize,
    seed: u64,
}

/// Which steps are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    Last,
    All,
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
        let feedback = Feedback::new(self.spec(), &self.task, &self.device);
        let feedback = feedback.ok_or(ForecastError::NoFeedback)?;
        Ok(Stepped {
            input: self.network_input(input)?,
            fields: input.to_vec(),
            forecaster: self.clone(),
            feedback,
            rollout,
            steps: steps.max(1),
            seed,
        })
    }
}

/// Members on their way: what they go on from, and how far they are.
#[derive(Debug, Clone)]
pub struct Trajectories {
    range: Range<u32>,
    input: Tensor<3>,
    step: usize,
}

impl Trajectories {
    /// Which members.
    pub fn range(&self) -> Range<u32> {
        self.range.clone()
    }

    /// Steps so far.
    pub fn step(&self) -> usize {
        self.step
    }
}

impl Stepped {
    /// Members at the start, to be stepped on one by one with [`advance`](Self::advance). Not more than
    /// [`chunk`](Self::chunk) of them stay under [`MEMORY_BUDGET`].
    pub fn begin(&self, range: Range<u32>) -> Trajectories {
        Trajectories {
            range,
            input: self.input.clone(),
            step: 0,
        }
    }

    /// The members after their next step in physical units, `[member, points, channel]`: for whom every step counts, and
    /// who does not know beforehand how many it will be. The fields are those of [`members`](Self::members) of a forecast
    /// of as many steps, where every member goes on from its own.
    pub async fn advance(&self, members: &mut Trajectories) -> Result<Vec<f32>, ForecastError> {
        let (range, step) = (members.range(), members.step);
        self.forecaster.check_members(&range)?;
        let outputs = self.members_of(members.input.clone(), step, range.clone());
        members.input = self.feedback.next(&members.input, outputs.clone());
        members.step += 1;
        let rows = self.observed(outputs, step, range.clone());
        let broken = |member, _| ForecastError::StepNotFinite {
            member,
            step: step + 1,
        };
        self.forecaster.restored(rows, range.start, broken).await
    }

    /// Members per pass that stay under [`MEMORY_BUDGET`].
    pub fn chunk(&self) -> u32 {
        self.chunk_of(Keep::Last)
    }

    fn chunk_of(&self, keep: Keep) -> u32 {
        let inside = self.forecaster.plan.row_values();
        let values = match keep {
            Keep::Last => inside,
            Keep::All => inside.max(self.steps * self.forecaster.task.output_values()),
        };
        (MEMORY_BUDGET / (values * size_of::<f32>()).max(1)).clamp(1, 256) as u32
    }

    /// Members after the last step in physical units, `[member, points, channel]`.
    pub async fn members(&self, range: Range<u32>) -> Result<Vec<f32>, ForecastError> {
        self.kept(Keep::Last, range).await
    }

    /// Members after every step in physical units, `[member, step, points, channel]`.
    pub async fn trajectories(&self, range: Range<u32>) -> Result<Vec<f32>, ForecastError> {
        self.kept(Keep::All, range).await
    }

    async fn kept(&self, keep: Keep, range: Range<u32>) -> Result<Vec<f32>, ForecastError> {
        self.forecaster.check_members(&range)?;
        let mut fields = vec![];
        let mut next = range.start;
        while next < range.end {
            let end = range.end.min(next.saturating_add(self.chunk_of(keep)));
            fields.extend(self.pass(keep, next..end).await?);
            next = end;
        }
        Ok(fields)
    }

    async fn pass(&self, keep: Keep, range: Range<u32>) -> Result<Vec<f32>, ForecastError> {
        let mut input = self.input.clone();
        let mut given = vec![];
        for step in 0..self.steps {
            let last = step + 1 == self.steps;
            let shown = last || keep == Keep::All;
            // Members that are neither shown nor carried on need not be drawn.
            let members = (shown || self.rollout == Rollout::Member)
                .then(|| self.members_of(input.clone(), step, range.clone()));
            if let Some(members) = members.as_ref().filter(|_| shown) {
                given.push(self.observed(members.clone(), step, range.clone()));
            }
            if !last {
                let outputs = match members {
                    Some(members) if self.rollout == Rollout::Member => members,
                    _ => self.carried(input.clone(), step),
                };
                input = self.feedback.next(&input, outputs);
            }
        }
        let kept = given.len();
        let rows = Tensor::cat(given, 1);
        let (values, steps) = (self.forecaster.task.output_values(), self.steps);
        let broken = |member, place| ForecastError::StepNotFinite {
            member,
            step: steps - kept + place / values + 1,
        };
        self.forecaster.restored(rows, range.start, broken).await
    }

    /// One step of some members, from one input for all or from one for each: `[inputs, members, values]`. Where nothing
    /// is random there is one for each input.
    fn members_of(&self, input: Tensor<3>, step: usize, range: Range<u32>) -> Tensor<3> {
        let Forecaster {
            networks,
            plan,
            device,
            last_layer,
            task,
            ..
        } = &self.forecaster;
        let (inputs, values) = (input.dims()[0], task.output_values());
        let each = range.len() / inputs;
        if step == 0 && self.forecaster.perturbs() {
            let own = self.forecaster.perturbed(&self.fields, self.seed, range);
            return networks[0]
                .forward(own, plan, None)
                .mean
                .reshape([inputs, each, values]);
        }
        if self.forecaster.most_members().is_some() {
            let passes = range.enumerate().map(|(place, member)| {
                let own = input.clone().narrow(0, place % inputs, 1);
                networks[member as usize].forward(own, plan, None).mean
            });
            return Tensor::cat(passes.collect(), 0).reshape([inputs, each, values]);
        }
        if let Some(layer) = last_layer {
            let features = networks[0].features(input.clone(), plan);
            let members = if inputs == 1 {
                layer.members(&features, self.seed, range, device)
            } else {
                layer.of_each(&features, self.seed, range, device)
            };
            let members = self.forecaster.completed(&input, members);
            return members.reshape([inputs, each, values]);
        }
        let rows = Rows::members(self.step_seed(step), range);
        let masks = self.forecaster.spec().method.drops_at_inference();
        networks[0].draw(input, plan, masks.then_some(&rows), &rows)
    }

    /// The field that a mean rollout carries on, `[inputs, 1, values]`.
    fn carried(&self, input: Tensor<3>, step: usize) -> Tensor<3> {
        let (masks, count) = self.forecaster.spec().method.procedure().carried;
        if let Some(networks) = self.forecaster.most_members() {
            let all = self.members_of(input, step, 0..count.min(networks));
            return all.mean_dim(1);
        }
        let rows = Rows::members(self.step_seed(step), 0..count);
        let masks = (masks != Masks::Off).then_some(&rows);
        let Forecaster { networks, plan, .. } = &self.forecaster;
        networks[0].draw(input, plan, masks, &rows).mean_dim(1)
    }

    /// What is given of the members of a step, `[member, values]`: as many as were asked for, with observation noise.
    fn observed(&self, members: Tensor<3>, step: usize, range: Range<u32>) -> Tensor<2> {
        let ([inputs, each, values], count) = (members.dims(), range.len());
        let members = members.reshape([inputs * each, values]);
        // Where nothing is random there is one trajectory, and members are copies of it.
        let members = if inputs * each < count {
            members.repeat_dim(0, count)
        } else {
            members
        };
        let rows = Rows::members(self.step_seed(step), range);
        match self.forecaster.measured(&rows) {
            Some(noise) => noise + members,
            None => members,
        }
    }

    /// The first step has the seed itself: a forecast of one step is one without steps.
    fn step_seed(&self, step: usize) -> u64 {
        match step {
            0 => self.seed,
            _ => case_seed(self.seed, step as u64),
        }
    }
}
