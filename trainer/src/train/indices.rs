//! Whether the kernels of a GPU can number what a step works on at once: their indices have 32 bits.

use anyhow::{Result, bail};
use pno::spec::Rollout;
use pno::task::Task;

use super::settings::Settings;

/// Values that 32 bits can number.
const VALUES: u64 = 1 << 32;

/// The widest hidden field of a step, as a kernel sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Widest {
    /// Cases that are carried through at once on one device.
    cases: u64,
    /// Passes of each.
    passes: u64,
    /// Whether fewer passes at once are possible.
    in_groups: bool,
    /// Values of one pass.
    values: u64,
}

impl Widest {
    /// That of the stage that has most of them at once.
    fn of(settings: &Settings, task: &Task, devices: usize) -> Self {
        let stages = settings.train.each_stage();
        let all = stages.map(|stage| Self::of_stage(settings, task, stage, devices));
        all.max_by_key(|widest| widest.cases.saturating_mul(widest.passes))
            .expect("there is a first stage")
    }

    fn of_stage(settings: &Settings, task: &Task, stage: usize, devices: usize) -> Self {
        let Settings {
            model: spec, train, ..
        } = settings;
        let sizes = task.input_shape();
        let points = |sizes: &[usize]| sizes.iter().product::<usize>() as u64;
        let hidden = points(&sizes) * spec.lifting.max(spec.projection) as u64;
        let (blocks, grids) = (spec.blocks(), spec.grids(&sizes));
        let inside = blocks.iter().zip(&grids);
        let inside = inside.map(|(block, grid)| points(grid) * block.outputs.max(block.mlp) as u64);
        let in_groups = spec.method.passes_per_member();
        // From the second step on every member has an input of its own.
        let several = train.steps_of(stage) > 1 && train.rollout == Rollout::Member;
        let members = if in_groups || several {
            train.most_members_of(stage)
        } else {
            1
        };
        let at_once = |limit: usize, all: usize| match limit {
            0 => all,
            limit => limit.min(all),
        };
        let group = if in_groups { train.micro_members } else { 0 };
        let cases = at_once(
            train.micro_batch,
            train.batch_of(stage).div_ceil(devices.max(1)),
        );
        Self {
            cases: cases as u64,
            passes: at_once(group, members) as u64,
            in_groups,
            values: inside.fold(hidden, u64::max),
        }
    }

    /// What to begin the run with instead.
    fn advice(self) -> String {
        // The last rows are not for use: a launch is rounded up.
        let rows = (VALUES / self.values.max(1)).saturating_sub(2);
        match rows / self.passes.max(1) {
            0 if rows == 0 => "take fewer hidden channels or a coarser grid".to_owned(),
            0 if self.in_groups => {
                format!("begin it with --set train.micro_batch=1 --set train.micro_members={rows}")
            }
            0 => "take fewer train.members".to_owned(),
            cases => format!("begin it with --set train.micro_batch={cases}"),
        }
    }
}

/// Refuses a training on a GPU that would not come through its first step.
pub fn check(settings: &Settings, task: &Task, devices: usize) -> Result<()> {
    let widest = Widest::of(settings, task, devices);
    let rows = widest.cases.saturating_mul(widest.passes);
    if rows.saturating_mul(widest.values) < VALUES {
        return Ok(());
    }
    bail!(
        "a step of this run works on {rows} hidden fields of {} values at once, more than the 2^32 values that the kernels of a GPU can number: {}",
        widest.values,
        widest.advice()
    );
}

/// What to change where a kernel has refused.
pub fn advice(settings: &Settings, task: &Task) -> String {
    Widest::of(settings, task, 1).advice()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use pno::spec::{Experiment, Method, Operator, Profile};

    fn settings(method: Method) -> Settings {
        let (experiment, operator) = (Experiment::Ks, Operator::Fno);
        let profile = Profile::Fixed;
        Settings::preset(experiment, operator, method, profile, Size::Paper, None)
            .expect("a preset")
    }

    #[test]
    fn a_batch_that_no_kernel_can_number_is_refused_with_a_chunk_that_one_can() {
        let task = Task::ks();
        let mut settings = settings(Method::PnoD);
        check(&settings, &task, 1).expect("the published batch");
        let Widest { passes, values, .. } = Widest::of(&settings, &task, 1);
        assert_eq!(passes, 3);
        settings.train.batch = (VALUES / (passes * values) + 1) as usize;
        let said = check(&settings, &task, 1)
            .expect_err("too many")
            .to_string();
        let fits = (VALUES / values - 2) / passes;
        let wanted = format!("--set train.micro_batch={fits}");
        assert!(said.ends_with(&wanted), "{said}");
        check(&settings, &task, 2).expect("half of it on each device");
        settings.train.micro_batch = fits as usize;
        check(&settings, &task, 1).expect("in chunks");
    }

    #[test]
    fn members_of_one_case_are_counted_where_each_is_a_pass() {
        let task = Task::ks();
        let mut dropout = settings(Method::PnoD);
        let values = Widest::of(&dropout, &task, 1).values;
        let members = (VALUES / values + 1) as usize;
        dropout.train.members_schedule = vec![(5, members)];
        let said = check(&dropout, &task, 1).expect_err("later on").to_string();
        assert!(
            said.contains("micro_batch=1 --set train.micro_members="),
            "{said}"
        );
        (dropout.train.micro_batch, dropout.train.micro_members) = (1, 8);
        check(&dropout, &task, 1).expect("in groups");

        let mut heads = settings(Method::PnoR);
        heads.train.members = members;
        check(&heads, &task, 1).expect("one pass for all");
        (heads.train.steps, heads.train.rollout) = (2, Rollout::Member);
        let said = check(&heads, &task, 1).expect_err("a pass for each");
        assert!(said.to_string().contains("fewer train.members"), "{said}");
    }
}
