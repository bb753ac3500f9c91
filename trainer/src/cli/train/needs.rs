//! What a run will need, told before it begins.

use std::fmt::Write;

use anyhow::Result;
use pno::task::Task;

use crate::data::{Dataset, Split};
use crate::files::Model;
use crate::train::memory::{Way, bytes_of_steps, spoken};
use crate::train::settings::Settings;
use crate::train::start;

/// What there is to train on.
pub struct Cases {
    /// Input and output on the grid of training.
    pub task: Task,
    /// Numbers of training and validation cases, where they are known.
    pub counts: Option<[usize; 2]>,
}

impl Cases {
    /// Those of a data set.
    pub fn of(data: &Dataset) -> Self {
        let counts = [Split::Train, Split::Valid].map(|split| data.split(split).len());
        Self {
            task: data.task_of(Split::Train),
            counts: Some(counts),
        }
    }
}

/// Parameters, memory of a step, steps and epochs, and for a run that is to begin what its weights begin as.
pub fn text(settings: &Settings, cases: &Cases, begins: bool, way: Way) -> Result<String> {
    let Settings { model, train, .. } = settings;
    let Cases { task, counts } = cases;
    let scheduled = train.members_schedule.iter().map(|(_, members)| *members);
    let members = scheduled.fold(train.members, usize::max);
    let memory = |forecast_steps| spoken(bytes_of_steps(settings, task, forecast_steps, way));
    let grid: Vec<String> = task.input_shape().iter().map(ToString::to_string).collect();
    let grid = grid.join(" x ");
    let parameters = model.parameter_count();
    let (on, steps) = match counts {
        Some([train_cases, valid]) => (
            format!("{train_cases} training cases on {grid}, {valid} validation cases"),
            format!(
                "{} steps an epoch, ",
                (train_cases * train.entries.max(1)).div_ceil(train.batch)
            ),
        ),
        None => (format!("on {grid}"), String::new()),
    };
    let mut text = format!(
        "{parameters} parameters, {on}\n\
         a step takes {} cases with {members} {} and needs about {} of memory; {steps}at most {} epochs",
        train.batch,
        if members == 1 {
            "member"
        } else {
            "members each"
        },
        memory(train.steps),
        train.epochs,
    );
    for stage in &train.stages {
        let _ = write!(
            text,
            "\nthen at most {} epochs with {} forecast steps in the loss, about {} of memory",
            stage.epochs,
            stage.steps,
            memory(stage.steps)
        );
    }
    if let Some((path, _)) = train.from.rsplit_once('#').filter(|_| begins) {
        let start = Model::read(path.as_ref())?;
        let taken = start::taken(model, train.seed, &start.checkpoint)?;
        let _ = write!(text, "\nbegins with {path}: {}", taken.said);
    }
    Ok(text)
}
