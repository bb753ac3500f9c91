//! Writing an ensemble as Zarr.

use std::path::Path;

use anyhow::Result;
use pno::score::MeanMaps;
use pno::task::Task;
use serde_json::{Value, json};

use super::partial::Partial;
use super::zarr::{Array, Layout, Store, attributes, write_coordinate};
use crate::logger;

/// Members per chunk.
const ROWS: usize = 16;

/// Writes members `[member, points, channel]`, or `[member, step, points, channel]` after several steps, on the task's
/// output grid, one array per quantity, with a few words about them. An older one is replaced by force alone.
pub fn write_ensemble(
    path: &Path,
    task: &Task,
    members: &[f32],
    steps: Option<usize>,
    about: Value,
    force: bool,
) -> Result<()> {
    logger::check()?;
    let partial = Partial::start(path, &about.to_string(), force)?;
    let store = Store::at(partial.folder())?;
    let member = steps.unwrap_or(1) * task.output_values();
    let number = members.len() / member;
    let mut shape = vec![number];
    shape.extend(steps);
    shape.extend(task.output_shape());
    let dimensions: Vec<&str> = std::iter::once("member")
        .chain(steps.map(|_| "step"))
        .chain(task.output.iter().map(|axis| axis.name.as_str()))
        .collect();
    let mut fields = Vec::with_capacity(task.outputs.len());
    for (channel, quantity) in task.outputs.iter().enumerate() {
        let array = store.create::<f32>(Layout {
            name: &quantity.name,
            dimensions: &dimensions,
            shape: shape.clone(),
            rows: ROWS.min(number),
            attributes: attributes(
                json!({ "long_name": "members of the forecast", "units": units(&quantity.unit) }),
            ),
        })?;
        let rows = ROWS.min(number) * member;
        for (index, members) in members.chunks(rows).enumerate() {
            let of_channel = members.iter().skip(channel).step_by(task.outputs.len());
            array.write_chunk(index, of_channel.copied().collect())?;
        }
        fields.push(array);
    }
    let mut axes = write_axes(&store, task)?;
    if let Some(steps) = steps {
        let numbers = (1..=steps).map(|step| step as f64).collect();
        axes.push(write_coordinate(
            &store,
            "step",
            "step of the model",
            "1",
            numbers,
        )?);
    }
    let arrays: Vec<_> = fields.iter().chain(&axes).collect();
    store.write_group(attributes(about), &arrays)?;
    partial.finish()
}

/// Writes maps of scores `[points, channel]` on the task's output grid: one array per score and quantity. An older one is
/// replaced.
pub fn write_maps(path: &Path, task: &Task, maps: &MeanMaps, about: Value) -> Result<()> {
    logger::check()?;
    let partial = Partial::start(path, &about.to_string(), true)?;
    let store = Store::at(partial.folder())?;
    let dimensions: Vec<&str> = task.output.iter().map(|axis| axis.name.as_str()).collect();
    let shape = task.output_shape();
    let mut arrays = Vec::new();
    for (score, values) in maps.named() {
        for (channel, quantity) in task.outputs.iter().enumerate() {
            let of_channel = values.iter().skip(channel).step_by(task.outputs.len());
            let about =
                json!({ "long_name": format!("{score} of {}, mean over cases", quantity.name) });
            let layout = Layout {
                name: &format!("{score}_{}", quantity.name),
                dimensions: &dimensions,
                rows: shape[0],
                shape: shape.clone(),
                attributes: attributes(about),
            };
            arrays.push(store.write(layout, of_channel.copied().collect())?);
        }
    }
    arrays.extend(write_axes(&store, task)?);
    store.write_group(attributes(about), &arrays.iter().collect::<Vec<_>>())?;
    partial.finish()
}

/// The coordinates of the output grid.
fn write_axes(store: &Store, task: &Task) -> Result<Vec<Array>> {
    let axes = task.output.iter().zip(task.output_coordinates());
    axes.map(|(axis, coordinates)| {
        let unit = units(&axis.unit);
        write_coordinate(store, &axis.name, &axis.name, unit, coordinates)
    })
    .collect()
}

/// Model units are written as `1`, the CF convention for a number without a unit.
pub fn units(unit: &str) -> &str {
    if unit.is_empty() { "1" } else { unit }
}

/// Reads one map that [`write_maps`] wrote: a score of a quantity, `[points]`.
pub fn read_map(path: &Path, score: &str, quantity: &str) -> Result<Vec<f32>> {
    let store = Store::at(path)?;
    store.open::<f32>(&format!("{score}_{quantity}"))?.read()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_failed_computation_leave_no_trace() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("members.zarr");
        let task = Task::darcy().on_grid(&[2, 2]);
        let write = || write_ensemble(&path, &task, &[0.0; 8], None, json!({}), false);
        let refused = logger::play_failure(write).expect_err("refused");
        assert!(
            refused.to_string().contains("not to be trusted"),
            "{refused}"
        );
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 0);
        write().expect("written");
        assert!(path.join("zarr.json").exists());
    }
}
