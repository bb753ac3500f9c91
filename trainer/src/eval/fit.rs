//! Whether a model and a data set speak of the same thing.

use anyhow::{Result, ensure};
use pno::task::{Axis, Quantity, Task};

/// Whether a model of one task can be used on data of another: the same quantities on the same coordinates.
///
/// The scales may differ: a model has its own. Where the data have no value, the model must have none either.
pub fn same_task(model: &Task, data: &Task) -> Result<()> {
    for (side, wanted, found) in [
        ("input", &model.inputs, &data.inputs),
        ("output", &model.outputs, &data.outputs),
    ] {
        let names = |quantities: &[Quantity]| -> String {
            let named = quantities.iter().map(|q| match q.unit.as_str() {
                "" => q.name.clone(),
                unit => format!("{} in {unit}", q.name),
            });
            named.collect::<Vec<_>>().join(", ")
        };
        let (wanted, found) = (names(wanted), names(found));
        ensure!(
            wanted == found,
            "its {side} is {found}, but the model's is {wanted}"
        );
    }
    for (wanted, found) in [(&model.input, &data.input), (&model.output, &data.output)] {
        ensure!(
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(a, b)| same_axis(a, b)),
            "a grid of {}, but the model takes {}",
            axes(found),
            axes(wanted)
        );
    }
    for (wanted, found) in [
        (&model.inputs, &data.inputs),
        (&model.outputs, &data.outputs),
    ] {
        for (wanted, found) in wanted.iter().zip(found) {
            let only = (0..model.points()).filter(|&i| found.is_masked(i) && !wanted.is_masked(i));
            let points = only.count();
            ensure!(
                points == 0,
                "`{}` has no value at {points} of {} points at which the model has one",
                found.name,
                model.points()
            );
        }
    }
    Ok(())
}

/// The same points up to rounding.
fn same_axis(a: &Axis, b: &Axis) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1e-3);
    let last = |axis: &Axis| axis.start + axis.step * (axis.size as f64 - 1.0);
    a.name == b.name && a.size == b.size && close(a.start, b.start) && close(last(a), last(b))
}

fn axes(axes: &[Axis]) -> String {
    let named = axes.iter().map(|axis| {
        let last = axis.start + axis.step * (axis.size as f64 - 1.0);
        format!(
            "{} {} from {} to {last:.6}",
            axis.size, axis.name, axis.start
        )
    });
    named.collect::<Vec<_>>().join(" x ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_itself_on_another_grid_and_not_another_one() {
        let coarse = Task::darcy();
        let fine = coarse.on_grid(&[128, 128]);
        same_task(&fine, &fine).expect("the same");
        let message = |a: &Task, b: &Task| same_task(a, b).expect_err("differ").to_string();
        assert!(
            message(&coarse, &fine).contains("128 x from"),
            "{}",
            message(&coarse, &fine)
        );
        let mut masked = coarse.clone();
        masked.inputs[0].mask = pno::task::Mask::new(&[64, 64], |i| i < 3);
        same_task(&masked, &masked).expect("the same mask");
        same_task(&masked, &coarse).expect("the data have more");
        let said = message(&coarse, &masked);
        assert!(said.contains("no value at 3 of 4096 points"), "{said}");
        let mut later = Task::ks();
        later.input[0].start = 100.0;
        assert!(message(&Task::ks(), &later).contains("20 time from 100"));
        assert!(message(&Task::ks(), &Task::sswe()).contains("vorticity in s-1"));
        let mut scaled = Task::ks();
        scaled.inputs[0].normalisation.std = 7.0;
        same_task(&Task::ks(), &scaled).expect("scales do not matter");
    }
}
