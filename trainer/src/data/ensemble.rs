//! Writing an ensemble as Zarr.

use std::path::Path;

use anyhow::Result;
use pno::task::Task;
use serde_json::{Value, json};

use super::partial::Partial;
use super::zarr::{Layout, Store, attributes, write_coordinate};

/// Members per chunk.
const ROWS: usize = 16;

/// Writes members `[member, points]` on the task's output grid, with a few words about them. An older one is replaced.
pub fn write_ensemble(path: &Path, task: &Task, members: &[f32], about: Value) -> Result<()> {
    let partial = Partial::start(path, &about.to_string(), true)?;
    let store = Store::at(partial.folder())?;
    let number = members.len() / task.points();
    let mut shape = vec![number];
    shape.extend(task.output_shape());
    let dimensions: Vec<&str> = std::iter::once("member")
        .chain(task.output.iter().map(|axis| axis.name.as_str()))
        .collect();
    let array = store.create::<f32>(Layout {
        name: &task.quantity,
        dimensions: &dimensions,
        shape,
        rows: ROWS.min(number),
        attributes: attributes(
            json!({ "long_name": "members of the forecast", "units": units(&task.unit) }),
        ),
    })?;
    for (index, rows) in members.chunks(ROWS.min(number) * task.points()).enumerate() {
        array.write_chunk(index, rows.to_vec())?;
    }
    let axes: Vec<_> = task
        .output
        .iter()
        .map(|axis| {
            write_coordinate(
                &store,
                &axis.name,
                &axis.name,
                units(&axis.unit),
                axis.coordinates(),
            )
        })
        .collect::<Result<_>>()?;
    let mut arrays = vec![&array];
    arrays.extend(&axes);
    store.write_group(attributes(about), &arrays)?;
    partial.finish()
}

/// Model units are written as `1`, the CF convention for a number without a unit.
pub fn units(unit: &str) -> &str {
    if unit.is_empty() { "1" } else { unit }
}
