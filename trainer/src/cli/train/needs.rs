//! What a run will need, told before it begins.

use std::fmt::Write;

use anyhow::Result;

use crate::data::{Dataset, Split};
use crate::files::Model;
use crate::train::memory::{Way, bytes_of_steps, spoken};
use crate::train::settings::Settings;
use crate::train::start;

/// Parameters, memory of a step, steps and epochs, and for a run that is to begin what its weights begin as.
pub fn text(settings: &Settings, data: &Dataset, begins: bool, way: Way) -> Result<String> {
    let Settings { model, train, .. } = settings;
    let task = data.task_of(Split::Train);
    let cases = data.split(Split::Train).len();
    let steps = cases.div_ceil(train.batch);
    let scheduled = train.members_schedule.iter().map(|(_, members)| *members);
    let members = scheduled.fold(train.members, usize::max);
    let memory = |forecast_steps| spoken(bytes_of_steps(settings, &task, forecast_steps, way));
    let grid: Vec<String> = task.input_shape().iter().map(ToString::to_string).collect();
    let mut text = format!(
        "{} parameters, {} training cases on {}, {} validation cases\n\
         a step takes {} cases with {members} {} and needs about {} of memory; {steps} steps an epoch, at most {} epochs",
        model.parameter_count(),
        cases,
        grid.join(" x "),
        data.split(Split::Valid).len(),
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
