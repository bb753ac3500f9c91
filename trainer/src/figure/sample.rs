//! One case of a data set as a picture: input and truth in one field, with a rule between them.

use pno::colour;
use pno::task::Task;

use super::Figure;
use super::panel::Panel;
use crate::data::Case;

/// The picture of a case.
pub fn sample(task: &Task, case: &Case, title: &str) -> Figure {
    let values: Vec<f32> = case.input.iter().chain(&case.truth).copied().collect();
    let bound = super::forecast::limit(&values);
    let time = [&task.input[0], &task.output[0]];
    let mut panel = Panel::scaled(
        &format!("{}: input | truth", task.quantity().name),
        &values,
        (&time, &task.input[1]),
        &colour::VIK,
        (-bound, bound),
    );
    panel.rule = Some(task.output[0].start - task.output[0].step / 2.0);
    Figure {
        title: title.to_owned(),
        panels: vec![panel],
    }
}
