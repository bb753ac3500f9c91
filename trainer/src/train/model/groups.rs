//! A case whose members do not fit at once.
//!
//! The energy score compares each member with each, so its gradient cannot be added up from groups of them as it can from
//! cases. But it depends on the weights only through the members' fields: a first way through the network, group by group,
//! gives all fields and with them the gradient with respect to the fields; a second way carries that back, group by group.
//! That costs one way forward more, and holds one group at a time.

use std::ops::Range;

use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::Tensor;
use pno::nn::Rows;
use pno::noise;
use pno::spec::{Masks, Rollout};

use super::{Stage, Trainee, weighted};
use crate::train::batches::Batch;

impl Trainee {
    /// How many members are carried through at once where a case is to be worked on in groups.
    pub(super) fn group(&self, batch: &Batch, stage: &Stage, members: usize) -> Option<usize> {
        let most = self.execution.members;
        let apart = batch.truths.len() == 1 || self.procedure.rollout == Rollout::Member;
        let of_one = batch.cases() == 1 && stage.passes && apart;
        (most > 0 && most < members && of_one).then_some(most)
    }

    /// Adds the gradient of one case to a sum, its members in groups of at most `most`; the loss of the case.
    pub(super) fn add_in_groups(
        &self,
        sum: &mut GradientsAccumulator<Self>,
        batch: &Batch,
        stage: &Stage,
        (members, most): (usize, usize),
    ) -> Tensor<1> {
        let groups = || {
            let starts = (0..members).step_by(most);
            starts.map(|start| start..members.min(start + most))
        };
        let mut fields: Vec<Vec<Tensor<3>>> = vec![vec![]; batch.truths.len()];
        for group in groups() {
            let steps = self.trajectory(batch, stage, members, group);
            for (all, step) in fields.iter_mut().zip(steps) {
                all.push(step.detach());
            }
        }
        let fields: Vec<Tensor<3>> = fields
            .into_iter()
            .map(|groups| Tensor::cat(groups, 1).detach().require_grad())
            .collect();
        let loss = self.mean_loss(&fields, batch, stage);
        let grads = (loss.clone().sum() / batch.whole as f32).backward();
        let pulls: Vec<Tensor<3>> = fields
            .iter()
            .map(|field| {
                let pull = field.grad(&grads).expect("the loss depends on every field");
                Tensor::from_inner(pull)
            })
            .collect();
        for group in groups() {
            let steps = self.trajectory(batch, stage, members, group.clone());
            let products = steps.into_iter().zip(&pulls).map(|(step, pull)| {
                let pull = pull.clone().narrow(1, group.start, group.len());
                (step * pull).sum()
            });
            let product = products.reduce(|a, b| a + b).expect("a batch has a truth");
            sum.accumulate(self, GradientsParams::from_grads(product.backward(), self));
        }
        loss.without_autodiff()
    }

    fn mean_loss(&self, fields: &[Tensor<3>], batch: &Batch, stage: &Stage) -> Tensor<1> {
        let losses = fields.iter().zip(&batch.truths);
        let losses =
            losses.map(|(fields, truth)| stage.loss(&self.procedure.objective, fields, truth));
        let total = losses.reduce(|a, b| a + b).expect("a batch has a truth");
        weighted(total / batch.truths.len() as f32, batch.weights.clone())
    }

    /// Some members of one case, `[1, group, values]` for every step: with the noise that they have among all.
    fn trajectory(
        &self,
        batch: &Batch,
        stage: &Stage,
        members: usize,
        group: Range<usize>,
    ) -> Vec<Tensor<3>> {
        let first = batch.first * members;
        let numbers = (first + group.start) as u32..(first + group.end) as u32;
        let mut input = batch.input.clone();
        let mut steps = vec![];
        for step in 0..batch.truths.len() {
            let seed = match step {
                0 => batch.seed,
                _ => noise::case_seed(batch.seed, step as u64),
            };
            let rows = Rows::members(seed, numbers.clone());
            let masks = (stage.masks == Masks::PerMember).then_some(&rows);
            let drawn = self.network.draw(input, &stage.plan, masks, &rows);
            let values = drawn.dims()[2];
            let fields = drawn.reshape([1, group.len(), values]);
            steps.push(fields.clone());
            if step + 1 == batch.truths.len() {
                break;
            }
            let feedback = stage.feedback.as_ref();
            let feedback = feedback.expect("several steps were checked to be possible");
            input = feedback.next(&batch.input, fields);
        }
        steps
    }
}
