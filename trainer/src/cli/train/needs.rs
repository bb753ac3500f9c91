//! What a run will need, told before it begins.

use std::fmt::Write;

use anyhow::Result;
use pno::task::Task;

use crate::data::{Dataset, Split};
use crate::files::Model;
use crate::train::memory::{Way, bytes_of_stage, spoken};
use crate::train::portion::Portion;
use crate::train::settings::{Settings, TrainSettings};
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
    let members = train.most_members_of(0);
    let memory = |stage| spoken(bytes_of_stage(settings, task, stage, way));
    let grid: Vec<String> = task.input_shape().iter().map(ToString::to_string).collect();
    let grid = grid.join(" x ");
    let parameters = model.parameter_count();
    let new = if train.fresh {
        ", new ones in every epoch,"
    } else {
        ""
    };
    let (on, steps) = match counts {
        Some([train_cases, valid]) => (
            format!("{train_cases} training cases{new} on {grid}, {valid} validation cases"),
            steps_of(train, 0, *train_cases),
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
        memory(0),
        train.epochs,
    );
    for (number, stage) in (1..).zip(&train.stages) {
        let own = match (stage.batch, stage.entries, stage.members) {
            (None, None, None) => String::new(),
            _ => format!(
                " {} cases with {} members in a step, {}",
                train.batch_of(number),
                train.most_members_of(number),
                counts.map_or(String::new(), |[cases, _]| steps_of(train, number, cases))
            )
            .trim_end()
            .to_owned(),
        };
        let _ = write!(
            text,
            "\nthen at most {} epochs with {} forecast steps in the loss,{own} about {} of memory",
            stage.epochs,
            stage.steps,
            memory(number)
        );
    }
    if let Some((path, _)) = train.from.rsplit_once('#').filter(|_| begins) {
        let start = Model::read(path.as_ref())?;
        let taken = start::taken(model, train.seed, &start.checkpoint)?;
        let _ = write!(text, "\nbegins with {path}: {}", taken.said);
    }
    Ok(text)
}

/// Steps of an epoch of a stage, and a comma.
fn steps_of(train: &TrainSettings, stage: usize, cases: usize) -> String {
    let portion = Portion::of_stages(train, usize::MAX)[stage];
    format!("{} steps an epoch, ", portion.batches(cases))
}
