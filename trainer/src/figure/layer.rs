//! A field as a flat picture: what runs to the right and what runs upwards.

use pno::task::{Axis, Task};

/// Axes that run upwards even where they come first.
const UPWARDS: [&str; 6] = ["latitude", "lat", "y", "z", "row", "height"];

/// One channel of a field at one time, or of a line over all times.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// `[across, up]`, both coordinates increasing.
    pub values: Vec<f32>,
    /// To the right.
    pub across: Axis,
    /// Upwards.
    pub up: Axis,
}

impl Layer {
    /// Channel `channel` of `channels` of a field `[points, channel]`; of three axes the first is fixed at `frame`.
    ///
    /// Latitudes run upwards and longitudes to the right; otherwise the first axis runs to the right, as time does in the
    /// paper.
    pub fn of(
        axes: &[Axis],
        values: &[f32],
        channel: usize,
        channels: usize,
        frame: usize,
    ) -> Self {
        let plane: Vec<f32> = values
            .iter()
            .skip(channel)
            .step_by(channels)
            .copied()
            .collect();
        match axes {
            [_, rows, columns] => {
                let len = rows.size * columns.size;
                Self::flat(rows, columns, &plane[frame * len..(frame + 1) * len])
            }
            [rows, columns] => Self::flat(rows, columns, &plane),
            [line] => Self::flat(line, &Axis::new("", 1, 0.0, 1.0, ""), &plane),
            _ => Self::flat(
                &Axis::new("", plane.len(), 0.0, 1.0, ""),
                &Axis::new("", 1, 0.0, 1.0, ""),
                &plane,
            ),
        }
    }

    fn flat(rows: &Axis, columns: &Axis, values: &[f32]) -> Self {
        let turned = UPWARDS.contains(&rows.name.as_str());
        let (across, up) = if turned {
            (columns, rows)
        } else {
            (rows, columns)
        };
        let increasing = |axis: &Axis, i: usize| {
            if axis.step < 0.0 {
                axis.size - 1 - i
            } else {
                i
            }
        };
        let mut flat = Vec::with_capacity(values.len());
        for i in 0..across.size {
            for j in 0..up.size {
                let (i, j) = (increasing(across, i), increasing(up, j));
                flat.push(
                    values[if turned {
                        j * columns.size + i
                    } else {
                        i * columns.size + j
                    }],
                );
            }
        }
        Self {
            values: flat,
            across: upright(across),
            up: upright(up),
        }
    }

    /// This one with another to the right of it, which goes on where this ends.
    #[must_use]
    pub fn followed_by(mut self, other: &Self) -> Self {
        self.values.extend(&other.values);
        self.across.size += other.across.size;
        self
    }

    /// Whether time runs to the right.
    pub fn is_history(&self) -> bool {
        self.across.name == "time"
    }
}

/// The step that is shown of a field in time and two directions: this one, or the last where there are fewer.
pub fn frame(task: &Task, lead: usize) -> usize {
    lead.min(task.output[0].size - 1)
}

/// A title with the lead time of the step that is shown, where it is one of several.
pub fn at_lead(task: &Task, title: &str, frame: usize) -> String {
    match &task.output[..] {
        [time, _, _] => {
            let lead = time.start + time.step * frame as f64;
            format!("{title}, lead time {lead} {}", time.unit)
        }
        _ => title.to_owned(),
    }
}

/// The axis with its coordinate increasing.
fn upright(axis: &Axis) -> Axis {
    let mut axis = axis.clone();
    if axis.step < 0.0 {
        axis.start += axis.step * (axis.size as f64 - 1.0);
        axis.step = -axis.step;
    }
    axis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_and_east_is_right() {
        let axes = [
            Axis::new("latitude", 2, 90.0, -180.0, ""),
            Axis::new("longitude", 3, 0.0, 120.0, ""),
        ];
        // Two channels; the second is wanted. North: 1 2 3, south: 4 5 6.
        let values = [0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 5.0, 0.0, 6.0];
        let layer = Layer::of(&axes, &values, 1, 2, 0);
        assert_eq!(layer.values, [4.0, 1.0, 5.0, 2.0, 6.0, 3.0]);
        assert_eq!((layer.across.size, layer.up.size), (3, 2));
        assert_eq!((layer.up.start, layer.up.step), (-90.0, 180.0));
    }

    #[test]
    fn time_runs_right_and_a_frame_is_taken_out_of_three_axes() {
        let (time, x) = (
            Axis::new("time", 2, 0.0, 2.0, ""),
            Axis::new("x", 2, 0.0, 1.0, ""),
        );
        let values = [1.0, 2.0, 3.0, 4.0];
        let layer = Layer::of(&[time.clone(), x.clone()], &values, 0, 1, 0);
        assert_eq!(layer.values, values);
        let both = layer.clone().followed_by(&layer);
        assert_eq!((both.across.size, both.values.len()), (4, 8));
        let y = Axis::new("y", 1, 0.0, 1.0, "");
        let frame = Layer::of(&[time, y, x], &values, 0, 1, 1);
        assert_eq!(frame.values, [3.0, 4.0]);
        assert_eq!(frame.across.name, "x");
    }
}
