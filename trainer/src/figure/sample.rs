//! One case of a data set as a picture: what goes in and what really happened.

use pno::task::{Quantity, Task};

use super::Figure;
use super::layer::Layer;
use super::panel::Panel;
use super::shades::Shades;
use crate::data::Case;

/// A layer of a case, and what it shows.
pub struct Part {
    /// What it is.
    pub title: String,
    /// The field.
    pub layer: Layer,
    /// Where the truth begins, if input and truth are in one field.
    pub rule: Option<f64>,
    /// Which quantity, so that the same one has the same colours.
    quantity: String,
}

/// The layers of a case: a line over time in one field; otherwise the input (its last time) and the truth (first and last).
pub fn parts(task: &Task, case: &Case) -> Vec<Part> {
    let input =
        |channel, frame| Layer::of(&task.input, &case.input, channel, task.inputs.len(), frame);
    let output = |channel, frame| {
        Layer::of(
            &task.output,
            &case.truth,
            channel,
            task.outputs.len(),
            frame,
        )
    };
    let same = task
        .inputs
        .iter()
        .map(|q| &q.name)
        .eq(task.outputs.iter().map(|q| &q.name));
    if same && task.input.len() == 2 && task.input[0].name == "time" {
        let start = task.output[0].start - task.output[0].step / 2.0;
        return task
            .outputs
            .iter()
            .enumerate()
            .map(|(channel, quantity)| Part {
                title: format!("{}: input | truth", quantity.name),
                layer: input(channel, 0).followed_by(&output(channel, 0)),
                rule: Some(start),
                quantity: quantity.name.clone(),
            })
            .collect();
    }
    let frames = if task.input.len() == 3 {
        task.input[0].size
    } else {
        1
    };
    let part = |quantity: &Quantity, what: &str, layer| Part {
        title: format!("{}: {what}", quantity.name),
        layer,
        rule: None,
        quantity: quantity.name.clone(),
    };
    let mut all = Vec::new();
    for (channel, quantity) in task.inputs.iter().enumerate() {
        let what = if frames > 1 { "last input" } else { "input" };
        all.push(part(quantity, what, input(channel, frames - 1)));
    }
    for (channel, quantity) in task.outputs.iter().enumerate() {
        if frames > 1 {
            all.push(part(quantity, "first truth", output(channel, 0)));
            all.push(part(quantity, "last truth", output(channel, frames - 1)));
        } else {
            all.push(part(quantity, "truth", output(channel, 0)));
        }
    }
    all
}

/// The picture of a case.
pub fn sample(task: &Task, case: &Case, title: &str) -> Figure {
    let parts = parts(task, case);
    let panels = parts.iter().map(|part| {
        let of_quantity = parts.iter().filter(|other| other.quantity == part.quantity);
        let values: Vec<f32> = of_quantity
            .flat_map(|other| other.layer.values.iter().copied())
            .collect();
        let mut panel = Panel::scaled(&part.title, &part.layer, Shades::of(&values));
        panel.rule = part.rule;
        panel
    });
    let mut first: Vec<Panel> = panels.collect();
    // Many quantities: what goes in above, what comes out below.
    let rest = if first.len() > 3 && parts.len() > task.inputs.len() {
        first.split_off(task.inputs.len())
    } else {
        Vec::new()
    };
    let rows = [first, rest];
    Figure {
        title: title.to_owned(),
        rows: rows.into_iter().filter(|row| !row.is_empty()).collect(),
    }
}
