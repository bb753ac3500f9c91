//! What a header may say. The writer and the reader ask the same questions, so what is written can be read.

use super::limits::{
    MAX_MASKS_BYTES, MAX_NAME_BYTES, MAX_SETTING_BYTES, MAX_SETTINGS, MAX_TEXT_BYTES,
};
use super::{CheckpointError, Header, Provenance};
use crate::ensemble::conformal::MAX_DATA_BYTES;
use crate::task::{MAX_QUANTITIES, Mask, Task};

/// Refuses a task that no file takes, whatever the model is.
pub(super) fn task(task: &Task) -> Result<(), CheckpointError> {
    // Texts first: the message of any other fault may quote them.
    for axis in task.input.iter().chain(&task.output) {
        text("the name of an axis", &axis.name, MAX_NAME_BYTES)?;
        text("the unit of an axis", &axis.unit, MAX_NAME_BYTES)?;
    }
    for quantity in task.inputs.iter().chain(&task.outputs) {
        text("the name of a quantity", &quantity.name, MAX_NAME_BYTES)?;
        text("the unit of a quantity", &quantity.unit, MAX_NAME_BYTES)?;
    }
    task.validate().map_err(CheckpointError::Task)?;
    let masks = (task.inputs.iter().chain(&task.outputs)).filter_map(|field| field.mask.as_ref());
    let bytes: usize = masks.map(Mask::bytes).sum();
    if bytes > MAX_MASKS_BYTES {
        return Err(CheckpointError::Count {
            list: "bytes of all masks",
            found: bytes,
            most: MAX_MASKS_BYTES,
        });
    }
    if task.coordinates.len() > MAX_QUANTITIES {
        return Err(CheckpointError::Count {
            list: "coordinates",
            found: task.coordinates.len(),
            most: MAX_QUANTITIES,
        });
    }
    Ok(())
}

/// Refuses a header with a value out of range.
pub(super) fn header(header: &Header) -> Result<(), CheckpointError> {
    let Header { spec, task, .. } = header;
    spec.validate().map_err(CheckpointError::Spec)?;
    // Before the task's own check, whose message lists the axes.
    for (grid, axes) in [("input", &task.input), ("output", &task.output)] {
        if axes.len() != spec.dimensions() {
            return Err(CheckpointError::Axes {
                grid,
                found: axes.len(),
                wanted: spec.dimensions(),
            });
        }
    }
    self::task(task)?;
    spec.fits(task).map_err(CheckpointError::Task)?;
    if let Some(calibration) = &header.calibration {
        let channels = spec.out_channels;
        calibration
            .validate(channels)
            .map_err(CheckpointError::Calibration)?;
        text(
            "the data of the calibration",
            &calibration.data,
            MAX_DATA_BYTES,
        )?;
    }
    provenance(&header.provenance)
}

fn provenance(provenance: &Provenance) -> Result<(), CheckpointError> {
    for (field, value) in [
        ("the command", &provenance.command),
        ("the date", &provenance.created),
        ("the program's version", &provenance.version),
        ("the description of the data", &provenance.data),
        ("the note", &provenance.note),
    ] {
        text(field, value, MAX_TEXT_BYTES)?;
    }
    if provenance.settings.len() > MAX_SETTINGS {
        return Err(CheckpointError::Count {
            list: "settings",
            found: provenance.settings.len(),
            most: MAX_SETTINGS,
        });
    }
    for (key, value) in &provenance.settings {
        text("the key of a setting", key, MAX_SETTING_BYTES)?;
        text("the value of a setting", value, MAX_SETTING_BYTES)?;
    }
    Ok(())
}

fn text(field: &'static str, text: &str, most: usize) -> Result<(), CheckpointError> {
    if text.len() > most {
        return Err(CheckpointError::TextLength {
            field,
            found: text.len(),
            most,
        });
    }
    match text.chars().find(|&c| is_refused(c)) {
        Some(c) => Err(CheckpointError::ControlCharacter {
            field,
            found: c.into(),
        }),
        None => Ok(()),
    }
}

/// A file from elsewhere must not steer the terminal it is shown in.
fn is_refused(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

impl Provenance {
    /// The same with texts that any file takes: control characters become `?`, what is too long is cut.
    ///
    /// For whoever records what a user typed and must not fail at the end of a long training.
    #[must_use]
    pub fn tidied(mut self) -> Self {
        for text in [
            &mut self.command,
            &mut self.created,
            &mut self.version,
            &mut self.data,
            &mut self.note,
        ] {
            tidy(text, MAX_TEXT_BYTES);
        }
        self.settings.truncate(MAX_SETTINGS);
        for (key, value) in &mut self.settings {
            tidy(key, MAX_SETTING_BYTES);
            tidy(value, MAX_SETTING_BYTES);
        }
        self
    }
}

fn tidy(text: &mut String, most: usize) {
    if text.contains(is_refused) {
        *text = text.replace(is_refused, "?");
    }
    text.truncate(text.floor_char_boundary(most));
}
