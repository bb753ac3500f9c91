//! A member of every published network: time, operations per second, share of the matrix-product peak.

use std::time::Duration;

use anyhow::Result;
use burn::tensor::{Device, Tensor, TensorData};
use pno::ensemble::forecast::MEMORY_BUDGET;
use pno::nn::{Network, Plan, Rows};
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile};
use pno::task::Task;
use serde::Serialize;

use super::timing;

/// The networks of the paper.
const PUBLISHED: [(Experiment, Operator); 6] = [
    (Experiment::Darcy, Operator::Fno),
    (Experiment::Ks, Operator::Fno),
    (Experiment::Era5, Operator::Fno),
    (Experiment::Darcy, Operator::Uno),
    (Experiment::Ks, Operator::Uno),
    (Experiment::Sswe, Operator::Sfno),
];

/// What to measure.
pub struct Operators {
    /// Experiments to take part; empty for all.
    pub experiments: Vec<Experiment>,
    /// Members of one pass; a pass that does not fit into the budget of memory takes fewer.
    pub members: u32,
    /// Time to spend on one measurement.
    pub budget: Duration,
}

/// One network on one device.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// What it was published for.
    pub experiment: Experiment,
    /// Which network.
    pub operator: Operator,
    /// Points along each axis.
    pub grid: Vec<usize>,
    /// Number of real scalars.
    pub parameters: usize,
    /// Members of one pass.
    pub members: u32,
    /// Milliseconds per member.
    pub ms_per_member: f64,
    /// Matrix-product operations per member, in units of 10^9.
    pub gflop_per_member: f64,
    /// Operations per second, in units of 10^9.
    pub gflops: f64,
    /// The same over the peak of this device in this run.
    pub share_of_peak: f64,
}

/// Measures one device: the peak (10^9 operations per second; the better of one before and one after), and every network.
pub fn measure(
    what: &Operators,
    device: &Device,
    mut progress: impl FnMut(&str),
) -> Result<(f64, Vec<Row>)> {
    progress("matrix product");
    let before = timing::peak(device, what.budget)?;
    let mut rows = vec![];
    for (experiment, operator) in PUBLISHED {
        if !what.experiments.is_empty() && !what.experiments.contains(&experiment) {
            continue;
        }
        progress(&format!("{experiment} {operator}"));
        rows.push(network(what, experiment, operator, device)?);
    }
    progress("matrix product");
    let peak = before.max(timing::peak(device, what.budget)?) / 1e9;
    for row in &mut rows {
        row.share_of_peak = row.gflops / peak;
    }
    Ok((peak, rows))
}

fn network(
    what: &Operators,
    experiment: Experiment,
    operator: Operator,
    device: &Device,
) -> Result<Row> {
    let spec = ModelSpec::paper(experiment, operator, Method::PnoD, Profile::Fixed)
        .ok_or_else(|| anyhow::anyhow!("the paper has no `{operator}` for `{experiment}`"))?;
    let task = Task::published(experiment)
        .ok_or_else(|| anyhow::anyhow!("`{experiment}` has no published task"))?;
    let network = Network::init(&spec, 1, device);
    let plan = Plan::new(&spec, &task.grid(), device);
    let fits = MEMORY_BUDGET / (plan.row_values() * size_of::<f32>());
    let members = what.members.min(fits.max(1) as u32);
    let fields: Vec<f32> = (0..task.input_values())
        .map(|i| (0.1 * i as f32).sin())
        .collect();
    let shape = [1, plan.points(), spec.in_channels];
    let input = TensorData::new(task.network_input(&fields), shape);
    let input = Tensor::<3>::from_data(input, device);
    let rows = Rows::members(7, 0..members);
    let time = timing::median(device, what.budget, || {
        network.forward(input.clone(), &plan, Some(&rows)).mean
    })?;
    let seconds = time.as_secs_f64() / f64::from(members);
    let grid = task.input_shape();
    let gflop = spec.flops(&grid) as f64 / 1e9;
    Ok(Row {
        experiment,
        operator,
        parameters: spec.parameter_count(),
        grid,
        members,
        ms_per_member: seconds * 1e3,
        gflop_per_member: gflop,
        gflops: gflop / seconds,
        share_of_peak: f64::NAN,
    })
}
