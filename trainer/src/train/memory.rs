//! How much memory a training needs, and how many cases of a batch fit into a budget.

use std::fmt;
use std::str::FromStr;

use anyhow::{Result, bail};
use pno::spec::{ModelSpec, Operator, Rollout};
use pno::task::Task;

use super::settings::Settings;

/// Bytes of a number.
const NUMBER: u64 = 4;
/// Numbers held for every weight: itself, its gradient, two moments of Adam, and the sum or the old value in passing.
const PER_WEIGHT: u64 = 6;
/// Fields that a block holds for its way back, per channel: what came in, what its activation took, and one in passing.
const PER_CHANNEL: u64 = 3;
/// Fields that the loss holds per member, per channel of the output.
const PER_OUTPUT: u64 = 6;

/// Where a training runs: its way back does not hold the same everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Pointwise maps and Fourier blocks are operations of their own here, which hold what came in and nothing else.
    Cpu,
    /// Every operation holds what its gradient needs.
    Gpu,
}

impl Way {
    /// That of devices as they are asked for. What `auto` will find is not known beforehand: the larger need is told.
    pub fn of(devices: &str) -> Self {
        let gpu = cfg!(any(feature = "wgpu", feature = "cuda"));
        let cpu = |name: &str| name.trim() == "cpu" || name.trim() == "auto" && !gpu;
        if devices.split(',').all(cpu) {
            Self::Cpu
        } else {
            Self::Gpu
        }
    }
}

/// Bytes that training holds at once for one case of a batch, with gradients: all its members, all its steps.
///
/// Counted from what the way back needs. For the published networks of KS and Darcy that is 0 to 20 % more than the growth of
/// the resident set, on the CPU and, measured there before the fused operations, on the way of a GPU.
pub fn bytes_per_case(
    spec: &ModelSpec,
    task: &Task,
    members: usize,
    steps: usize,
    way: Way,
) -> u64 {
    let sizes = task.input_shape();
    let points = |sizes: &[usize]| sizes.iter().product::<usize>() as u64;
    let here = points(&sizes);
    let heads = if spec.method.has_spread_head() { 2 } else { 1 };
    let (lifting, projection) = (spec.lifting as u64, spec.projection as u64);
    let width = spec.width as u64;
    let (mut pass, once, per_channel) = match way {
        // What comes into the projection, what goes back through it, and one field in passing.
        Way::Cpu if spec.operator == Operator::Fno => (3 * here * width, 0, 1),
        Way::Cpu => (3 * here * width, 0, PER_CHANNEL),
        // Of a pointwise map: what its activation took and gave, and both once more while the way back passes there.
        // The first map of the lifting is done once for all members.
        Way::Gpu => {
            let hidden = lifting + 2 * heads * projection + 2 * lifting.max(projection);
            (here * hidden, here * lifting, PER_CHANNEL)
        }
    };
    let mut before = here;
    for (block, grid) in spec.blocks().iter().zip(&spec.grids(&sizes)) {
        let after = points(grid);
        let channels = block.outputs.max(block.inputs) as u64;
        pass += per_channel * after.max(before) * channels;
        let modes = match spec.operator {
            Operator::Sfno => block.modes[0] * block.modes[1] / 2,
            Operator::Fno | Operator::Uno => spec.weight_matrices(&block.modes),
        };
        // What the MLP of a residual block took, and the sum that goes on.
        if block.is_residual() {
            pass += 2 * after * channels;
        }
        if per_channel > 1 {
            pass += 4 * modes as u64 * channels;
        }
        before = after;
    }
    // Members are passes of their own where each has its own masks or its own function.
    let passes = if spec.method.passes_per_member() {
        members as u64
    } else {
        1
    };
    let fields = PER_OUTPUT * (task.output_values() * members) as u64;
    NUMBER * steps as u64 * (passes * pass + once + fields)
}

/// Bytes that training holds whatever the batch: weights, gradients, moments.
pub fn bytes_of_weights(spec: &ModelSpec) -> u64 {
    NUMBER * PER_WEIGHT * spec.parameter_count() as u64
}

/// Bytes that a whole training holds at once: those of its largest stage.
pub fn bytes(settings: &Settings, task: &Task, way: Way) -> u64 {
    let stages = settings.train.each_stage();
    let all = stages.map(|stage| bytes_of_stage(settings, task, stage, way));
    all.max().unwrap_or_default()
}

/// Bytes that a stage of a training, from 0, holds at once.
pub fn bytes_of_stage(settings: &Settings, task: &Task, stage: usize, way: Way) -> u64 {
    let (spec, train) = (&settings.model, &settings.train);
    let batch = train.batch_of(stage);
    let cases = match train.micro_batch {
        0 => batch,
        chunk => chunk.min(batch),
    };
    let (members, steps) = (train.most_members_of(stage), train.steps_of(stage));
    let case = match train.micro_members {
        0 => bytes_per_case(spec, task, members, steps, way),
        group => bytes_of_group(spec, task, (members, group), steps, way),
    };
    let spectra = bytes_of_spectra(settings, task, members, steps);
    bytes_of_weights(spec) + cases as u64 * (case + spectra)
}

/// Bytes that one case holds for the CRPS of spectra, where the loss has that: about as many numbers as there are values.
fn bytes_of_spectra(settings: &Settings, task: &Task, members: usize, steps: usize) -> u64 {
    match settings.train.spectral {
        0.0 => 0,
        _ => NUMBER * PER_OUTPUT * (task.output_values() * members * steps) as u64,
    }
}

/// Bytes that one case holds whose members are carried through in groups: those of a group, and the fields of all.
fn bytes_of_group(
    spec: &ModelSpec,
    task: &Task,
    (members, group): (usize, usize),
    steps: usize,
    way: Way,
) -> u64 {
    let group = group.min(members);
    let others = (task.output_values() * (members - group) * steps) as u64;
    bytes_per_case(spec, task, group, steps, way) + NUMBER * PER_OUTPUT * others
}

/// Refuses a training on the CPU that the machine has no memory for: the system would end it without a word.
pub fn check(settings: &Settings, task: &Task) -> Result<()> {
    match installed() {
        Some(installed) => check_against(settings, task, installed),
        None => Ok(()),
    }
}

fn check_against(settings: &Settings, task: &Task, installed: u64) -> Result<()> {
    let needed = bytes(settings, task, Way::Cpu);
    if needed > installed {
        bail!(
            "this training needs about {} of memory, but the machine has {}: begin it with --memory-budget {:.0}MB, which works on a batch in chunks",
            spoken(needed),
            spoken(installed),
            0.7 * installed as f64 / 1e6
        );
    }
    Ok(())
}

/// Bytes of memory of this machine, where the system tells.
fn installed() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// An amount of memory that training may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget(u64);

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("`{text}` is not an amount of memory such as 8GB, 800MB or 6GiB");
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let factor = match text[digits.len()..].to_ascii_lowercase().as_str() {
            "gb" | "g" => 1e9,
            "mb" | "m" => 1e6,
            "gib" => f64::from(1 << 30),
            "mib" => f64::from(1 << 20),
            _ => return Err(refused()),
        };
        let number: f64 = digits.trim().parse().map_err(|_| refused())?;
        if !(number.is_finite() && number > 0.0) {
            return Err(refused());
        }
        Ok(Self((number * factor) as u64))
    }
}

/// Bytes as people say them.
pub fn spoken(bytes: u64) -> String {
    match bytes as f64 {
        b if b < 0.95e9 => format!("{:.0} MB", (b / 1e6).max(1.0)),
        b => format!("{:.1} GB", b / 1e9),
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&spoken(self.0))
    }
}

impl Budget {
    /// Sets how many cases of a batch are carried through at once, and how many members of one case where not even that
    /// fits.
    pub fn applied(self, settings: &mut Settings, task: &Task, way: Way) -> Result<()> {
        let (spec, train) = (&settings.model, &settings.train);
        let of_stage = |stage| (train.most_members_of(stage), train.steps_of(stage));
        let case_of = |(members, steps)| {
            bytes_per_case(spec, task, members, steps, way)
                + bytes_of_spectra(settings, task, members, steps)
        };
        // The stage whose cases are the largest.
        let stages = train.each_stage().map(of_stage);
        let (members, steps) = stages.max_by_key(|s| case_of(*s)).unwrap_or(of_stage(0));
        let weights = bytes_of_weights(spec);
        let room = self.0.saturating_sub(weights);
        let case = case_of((members, steps));
        let fit = usize::try_from(room / case.max(1)).unwrap_or(usize::MAX);
        let whole = train.each_stage().all(|stage| {
            let batch = train.batch_of(stage) as u64;
            batch.saturating_mul(case_of(of_stage(stage))) <= room
        });
        // Members that share masks are one pass, and those of a mean go on together.
        let apart =
            spec.method.passes_per_member() && (steps == 1 || train.rollout == Rollout::Member);
        let group =
            |count: &usize| bytes_of_group(spec, task, (members, *count), steps, way) <= room;
        let (micro_batch, micro_members) = if whole {
            (0, 0)
        } else if fit > 0 {
            (fit, 0)
        } else if let Some(count) = (1..members).rev().find(group).filter(|_| apart) {
            (1, count)
        } else {
            let alone = if apart {
                let least = bytes_of_group(spec, task, (members, 1), steps, way);
                format!(" ({} with its members one at a time)", spoken(least))
            } else {
                String::new()
            };
            bail!(
                "--memory-budget {self} is too small: the weights need about {} and one case with {members} members about {} more{alone}; take fewer train.members, a smaller model.width, or a coarser grid",
                spoken(weights),
                spoken(case)
            );
        };
        settings.train.micro_batch = micro_batch;
        settings.train.micro_members = micro_members;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use pno::spec::{Experiment, Method, Profile};

    fn settings(experiment: Experiment, method: Method) -> (Settings, Task) {
        let task = Task::published(experiment).expect("published");
        let (operator, profile) = (Operator::Fno, Profile::Fixed);
        let settings = Settings::preset(experiment, operator, method, profile, Size::Paper, None);
        (settings.expect("a preset"), task)
    }

    #[test]
    fn amounts_of_memory_are_read_as_people_write_them() {
        let bytes = |text: &str| text.parse::<Budget>().expect("an amount").0;
        assert_eq!(bytes("8GB"), 8_000_000_000);
        assert_eq!(bytes("1.5g"), 1_500_000_000);
        assert_eq!(bytes("2GiB"), 2 << 30);
        assert_eq!(bytes("800 MB"), 800_000_000);
        for wrong in ["", "8", "GB", "-1GB", "8TBs", "NaNGB"] {
            let message = wrong.parse::<Budget>().expect_err("no amount");
            assert!(message.contains("such as 8GB"), "{message}");
        }
    }

    #[test]
    fn a_budget_gives_as_many_cases_as_fit() {
        let (settings, task) = settings(Experiment::Ks, Method::PnoD);
        let fit = |bytes| {
            let mut settings = settings.clone();
            Budget(bytes).applied(&mut settings, &task, Way::Gpu)?;
            anyhow::Ok((settings.train.micro_batch, settings.train.micro_members))
        };
        let weights = bytes_of_weights(&settings.model);
        let case = bytes_per_case(&settings.model, &task, 3, 1, Way::Gpu);
        assert_eq!(fit(weights + 5 * case).expect("fits"), (5, 0));
        assert_eq!(fit(weights + 6 * case - 1).expect("fits"), (5, 0));
        assert_eq!(
            fit(weights + 64 * case).expect("fits"),
            (0, 0),
            "the whole batch"
        );
        let of_two = bytes_of_group(&settings.model, &task, (3, 2), 1, Way::Gpu);
        let of_one = bytes_of_group(&settings.model, &task, (3, 1), 1, Way::Gpu);
        assert!(of_one < of_two && of_two < case);
        assert_eq!(fit(weights + case - 1).expect("fits"), (1, 2));
        assert_eq!(fit(weights + of_two - 1).expect("fits"), (1, 1));
        let message = fit(weights + of_one - 1)
            .expect_err("too small")
            .to_string();
        assert!(message.contains("one case with 3 members"), "{message}");
        assert!(message.contains("members one at a time"), "{message}");
    }

    #[test]
    fn a_training_that_the_machine_cannot_hold_is_refused_before_it_begins() {
        let (mut settings, task) = settings(Experiment::Ks, Method::PnoD);
        let needed = bytes(&settings, &task, Way::Cpu);
        assert!(check_against(&settings, &task, needed).is_ok());
        let message = check_against(&settings, &task, needed - 1).expect_err("too much");
        assert!(message.to_string().contains("--memory-budget"), "{message}");
        settings.train.micro_batch = 4;
        assert!(check_against(&settings, &task, needed / 8).is_ok());
        if cfg!(target_os = "linux") {
            assert!(installed().expect("told") > 1 << 28);
        }
    }

    #[test]
    fn the_estimate_is_near_what_was_measured() {
        // Growth of the resident set per case from a batch of 2 to one of 16, 3 members, in MB (`pno train --size paper`).
        for (experiment, method, way, measured) in MEASURED {
            let (settings, task) = settings(experiment, method);
            let found = bytes_per_case(&settings.model, &task, 3, 1, way) as f64 / 1e6;
            let ratio = found / measured;
            assert!(
                (0.8..1.25).contains(&ratio),
                "{experiment} {method} {way:?}: {found} for {measured}"
            );
        }
    }

    const MEASURED: [(Experiment, Method, Way, f64); 6] = [
        (Experiment::Ks, Method::PnoD, Way::Cpu, 10.0),
        (Experiment::Ks, Method::PnoR, Way::Cpu, 3.0),
        (Experiment::Darcy, Method::PnoD, Way::Cpu, 10.1),
        (Experiment::Ks, Method::PnoD, Way::Gpu, 48.6),
        (Experiment::Ks, Method::PnoR, Way::Gpu, 23.2),
        (Experiment::Darcy, Method::PnoD, Way::Gpu, 75.6),
    ];

    #[test]
    fn only_what_surely_runs_on_the_cpu_is_counted_so() {
        assert_eq!(Way::of("cpu"), Way::Cpu);
        assert_eq!(Way::of("cpu,cpu"), Way::Cpu);
        assert_eq!(Way::of("cuda:0,cuda:1"), Way::Gpu);
        assert_eq!(Way::of("cpu,wgpu"), Way::Gpu);
    }
}
