//! Cutting a case out of rows of frames: `[frame, space]` per quantity to `[frame, space, channel]`, thinned out if wanted.

use super::description::Frames;
use super::{Description, Split};

/// One case in physical units.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// What the model sees, `[points, channel]` on `task.input`.
    pub input: Vec<f32>,
    /// What really happened, `[points, channel]` on `task.output`.
    pub truth: Vec<f32>,
}

/// Where the values of a case are.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    input: Side,
    output: Side,
    /// Frames that one stored row has.
    pub frames_per_row: usize,
    /// Values of a stored frame.
    frame_len: usize,
    /// Positions of the wanted points inside a frame.
    points: Vec<usize>,
    /// Rows that a case needs.
    pub rows: usize,
}

/// One side of a case.
#[derive(Debug, Clone, PartialEq)]
struct Side {
    frames: Frames,
    /// Number of the array of each channel.
    channels: Vec<usize>,
}

impl Cut {
    /// How to cut cases of a split.
    pub fn new(description: &Description, split: Split, frames_per_row: usize) -> Self {
        let names = description.arrays();
        let side = |frames, quantities: &[pno::task::Quantity]| Side {
            frames,
            channels: quantities
                .iter()
                .filter_map(|q| names.iter().position(|name| *name == q.name))
                .collect(),
        };
        let sizes: Vec<usize> = description.space().iter().map(|axis| axis.size).collect();
        Self {
            input: side(description.input, &description.task.inputs),
            output: side(description.output, &description.task.outputs),
            frames_per_row,
            frame_len: description.frame_len(),
            points: every(&sizes, description.strides[split as usize]),
            rows: description.span().div_ceil(frames_per_row),
        }
    }

    /// Frames from the input of a step to its truth; 0 where a case is no step of a trajectory.
    pub fn lag(&self) -> usize {
        let (input, output) = (self.input.frames.first, self.output.frames.first);
        output.saturating_sub(input)
    }

    /// At how many frames of a row a forecast of so many steps can begin.
    pub fn beginnings(&self, steps: usize) -> usize {
        let frames = self.input.frames.number + steps * self.lag();
        (self.frames_per_row + 1).saturating_sub(frames)
    }

    /// The same cut where the input begins at another frame.
    #[must_use]
    pub fn beginning_at(&self, frame: usize) -> Self {
        let lag = self.lag();
        let mut cut = self.clone();
        cut.input.frames.first = frame;
        cut.output.frames.first = frame + lag;
        cut
    }

    /// The case whose rows stand one after the other in each array.
    pub fn case(&self, rows: &[&[f32]]) -> Case {
        Case {
            input: self.side(&self.input, rows),
            truth: self.truth(1, rows),
        }
    }

    /// The truth after some steps, each as long as the first.
    pub fn truth(&self, steps: usize, rows: &[&[f32]]) -> Vec<f32> {
        let (input, output) = (self.input.frames, self.output.frames);
        let later = (steps - 1) * output.first.saturating_sub(input.first);
        let frames = Frames {
            first: output.first + later,
            ..output
        };
        let channels = self.output.channels.clone();
        self.side(&Side { frames, channels }, rows)
    }

    /// How many states of a case forecasts may be about: every frame of a trajectory from the first truth on, or the one
    /// truth where a case is no step of a trajectory.
    pub fn states(&self) -> usize {
        if self.lag() > 0 && self.rows == 1 && self.output.frames.number == 1 {
            self.frames_per_row - self.output.frames.first
        } else {
            1
        }
    }

    /// One of those states, counted from 0.
    pub fn state(&self, state: usize, rows: &[&[f32]]) -> Vec<f32> {
        let frames = Frames {
            first: self.output.frames.first + state,
            ..self.output.frames
        };
        let channels = self.output.channels.clone();
        self.side(&Side { frames, channels }, rows)
    }

    fn side(&self, side: &Side, rows: &[&[f32]]) -> Vec<f32> {
        let mut values =
            Vec::with_capacity(side.frames.number * self.points.len() * side.channels.len());
        for frame in side.frames.first..side.frames.end() {
            let frame = frame * self.frame_len..(frame + 1) * self.frame_len;
            for &point in &self.points {
                for &channel in &side.channels {
                    values.push(rows[channel][frame.start + point]);
                }
            }
        }
        values
    }
}

/// Positions of every `stride`-th point along each axis, in order.
fn every(sizes: &[usize], stride: usize) -> Vec<usize> {
    let mut positions = vec![0];
    for &size in sizes {
        positions = positions
            .iter()
            .flat_map(|&outer| (0..size).step_by(stride).map(move |i| outer * size + i))
            .collect();
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::task::Task;

    #[test]
    fn every_second_point_of_a_small_field() {
        assert_eq!(every(&[4, 3], 1), (0..12).collect::<Vec<_>>());
        assert_eq!(every(&[4, 3], 2), [0, 2, 6, 8]);
        assert_eq!(every(&[], 2), [0], "a single point");
    }

    #[test]
    fn channels_stand_beside_each_other_and_frames_after_each_other() {
        let task = Task::sswe().on_grid(&[2, 2]);
        let description = Description::of_frames(task, Frames::one(0), Frames::one(2));
        let cut = Cut::new(&description, Split::Test, 3);
        // Value: 100 for the array, 10 for the frame, 1 for the point.
        let array = |a: usize| -> Vec<f32> {
            (0..12)
                .map(|i| (100 * a + 10 * (i / 4) + i % 4) as f32)
                .collect()
        };
        let rows: Vec<Vec<f32>> = (0..3).map(array).collect();
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let case = cut.case(&rows);
        assert_eq!(case.input[..6], [0.0, 100.0, 200.0, 1.0, 101.0, 201.0]);
        assert_eq!(case.truth[9..], [23.0, 123.0, 223.0]);
        assert_eq!(cut.rows, 1);
    }

    #[test]
    fn every_step_goes_on_where_the_one_before_ended() {
        let task = Task::sswe().on_grid(&[1, 2]);
        let description = Description::of_frames(task, Frames::one(1), Frames::one(3));
        let cut = Cut::new(&description, Split::Test, 8);
        let rows: Vec<f32> = (0..16).map(|i| (i / 2) as f32).collect();
        let rows = [rows.as_slice(); 3];
        assert_eq!(cut.case(&rows).input, [1.0; 6]);
        for (steps, frame) in [(1, 3.0), (2, 5.0), (3, 7.0)] {
            assert_eq!(cut.truth(steps, &rows), [frame; 6]);
        }
    }

    #[test]
    fn the_states_of_a_trajectory_are_its_frames_from_the_first_truth_on() {
        let task = Task::sswe().on_grid(&[1, 2]);
        let description = Description::of_frames(task, Frames::one(1), Frames::one(3));
        let cut = Cut::new(&description, Split::Test, 8);
        let rows: Vec<f32> = (0..16).map(|i| (i / 2) as f32).collect();
        let rows = [rows.as_slice(); 3];
        assert_eq!(cut.states(), 5, "frames 3 to 7");
        assert_eq!(cut.state(0, &rows), cut.truth(1, &rows));
        assert_eq!(cut.state(4, &rows), [7.0; 6]);
        let frames = |first| Frames { first, number: 10 };
        let window =
            Description::of_frames(Task::era5().on_grid(&[10, 1, 2]), frames(0), frames(10));
        let whole = Description::whole(Task::darcy().on_grid(&[2, 2]));
        for (description, frames_per_row) in [(window, 1), (whole, 1)] {
            let cut = Cut::new(&description, Split::Train, frames_per_row);
            assert_eq!(cut.states(), 1);
        }
    }

    #[test]
    fn a_window_of_a_series_has_as_many_rows_as_frames() {
        let frames = |first| Frames { first, number: 10 };
        let task = Task::era5().on_grid(&[10, 1, 2]);
        let description = Description::of_frames(task, frames(0), frames(10));
        let cut = Cut::new(&description, Split::Train, 1);
        assert_eq!(cut.rows, 20);
        let series: Vec<f32> = (0..40).map(|i| i as f32).collect();
        let case = cut.case(&[&series]);
        assert_eq!(case.input, series[..20]);
        assert_eq!(case.truth, series[20..]);
    }
}
