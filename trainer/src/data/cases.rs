//! Cases in memory: every stored value once, windows cut out when they are asked for.

use anyhow::Result;
use pno::task::Task;
use rayon::prelude::*;

use super::cut::{Case, Cut};
use super::zarr::Array;

/// Cases of one split.
pub struct Loaded {
    task: Task,
    cut: Cut,
    /// Per array: the rows that are needed, one after the other.
    values: Vec<Vec<f32>>,
    row_lens: Vec<usize>,
    /// Per case: the place of its first row among those.
    places: Vec<usize>,
}

impl Loaded {
    /// Reads the rows that the cases with these first rows need, each chunk once.
    pub fn read(
        task: Task,
        cut: Cut,
        arrays: &[Array],
        starts: &[usize],
        read: impl Fn(&Array, usize) -> Result<Vec<f32>> + Sync,
    ) -> Result<Self> {
        let mut sorted = starts.to_vec();
        sorted.sort_unstable();
        let mut rows: Vec<usize> = Vec::new();
        for start in sorted {
            // Windows overlap: each row once.
            let next = rows.last().map_or(start, |last| start.max(last + 1));
            rows.extend(next..start + cut.rows);
        }
        let place = |start: &usize| rows.partition_point(|row| row < start);
        let places = starts.iter().map(place).collect();
        let of_array = |array: &Array| -> Result<Vec<f32>> {
            let (per_chunk, len) = (array.rows_per_chunk(), array.row_len());
            let parts: Vec<Vec<f32>> = rows
                .chunk_by(|a, b| a / per_chunk == b / per_chunk)
                .collect::<Vec<_>>()
                .into_par_iter()
                .map(|rows| {
                    let chunk = read(array, rows[0] / per_chunk)?;
                    let rows = rows.iter().map(|row| row % per_chunk * len);
                    Ok(rows.flat_map(|at| &chunk[at..at + len]).copied().collect())
                })
                .collect::<Result<_>>()?;
            Ok(parts.concat())
        };
        Ok(Self {
            task,
            cut,
            values: arrays.iter().map(of_array).collect::<Result<_>>()?,
            row_lens: arrays.iter().map(Array::row_len).collect(),
            places,
        })
    }

    /// Rows that are in memory already, each of them a case; per array all rows and the length of one.
    pub fn of_rows(
        task: Task,
        cut: Cut,
        values: Vec<Vec<f32>>,
        row_lens: Vec<usize>,
        rows: usize,
    ) -> Self {
        Self {
            task,
            cut,
            values,
            row_lens,
            places: (0..rows).collect(),
        }
    }

    /// Cases with these inputs and truths, each `[case, points, channel]`.
    #[cfg(test)]
    pub fn of_fields(mut task: Task, inputs: &[f32], truths: &[f32]) -> Self {
        use super::{Description, Split};
        let names = |side: &str, quantities: &mut [pno::task::Quantity]| {
            for (i, quantity) in quantities.iter_mut().enumerate() {
                quantity.name = format!("{side}{i}");
            }
        };
        names("input", &mut task.inputs);
        names("output", &mut task.outputs);
        let planes = |values: &[f32], channels: usize| -> Vec<Vec<f32>> {
            let plane = |i| values.iter().skip(i).step_by(channels).copied().collect();
            (0..channels).map(plane).collect()
        };
        let mut values = planes(inputs, task.inputs.len());
        values.extend(planes(truths, task.outputs.len()));
        Self {
            cut: Cut::new(&Description::whole(task.clone()), Split::Train, 1),
            row_lens: vec![task.points(); values.len()],
            places: (0..truths.len() / task.output_values()).collect(),
            values,
            task,
        }
    }

    /// Cases of several frames of the same quantities, `[case, frame, points, channel]`: the first frame is the input, the
    /// others are the truths.
    #[cfg(test)]
    pub fn of_trajectories(task: Task, frames: usize, values: &[f32]) -> Self {
        use super::description::Frames;
        use super::{Description, Split};
        let channels = task.outputs.len();
        let plane = |i| values.iter().skip(i).step_by(channels).copied().collect();
        let row = frames * task.points();
        let description = Description::of_frames(task.clone(), Frames::one(0), Frames::one(1));
        Self {
            cut: Cut::new(&description, Split::Train, frames),
            row_lens: vec![row; channels],
            places: (0..values.len() / (row * channels)).collect(),
            values: (0..channels).map(plane).collect(),
            task,
        }
    }

    /// Input and output of these cases.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Number of cases.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// One case, in physical units.
    pub fn case(&self, index: usize) -> Case {
        self.cut.case(&self.rows(index))
    }

    /// The truth of a case after some steps, in physical units. The data must have that many frames
    /// ([`Dataset::check_steps`](super::Dataset::check_steps)).
    pub fn truth(&self, index: usize, steps: usize) -> Vec<f32> {
        self.cut.truth(steps, &self.rows(index))
    }

    /// One of the states of a case that forecasts may be about, in physical units.
    pub fn state(&self, index: usize, state: usize) -> Vec<f32> {
        self.cut.state(state, &self.rows(index))
    }

    /// At how many frames of every trajectory a forecast of so many steps can begin.
    pub fn beginnings(&self, steps: usize) -> usize {
        self.cut.beginnings(steps)
    }

    /// Input and truths of a forecast that begins at a frame of a trajectory, in physical units.
    pub fn forecast(&self, index: usize, frame: usize, steps: usize) -> (Vec<f32>, Vec<Vec<f32>>) {
        let (cut, rows) = (self.cut.beginning_at(frame), self.rows(index));
        let Case { input, truth } = cut.case(&rows);
        let later = (2..=steps).map(|step| cut.truth(step, &rows));
        (input, std::iter::once(truth).chain(later).collect())
    }

    /// Input and truths of a forecast that begins where the data set says, in physical units.
    pub fn described(&self, index: usize, steps: usize) -> (Vec<f32>, Vec<Vec<f32>>) {
        let Case { input, truth } = self.case(index);
        let later = (2..=steps).map(|step| self.truth(index, step));
        (input, std::iter::once(truth).chain(later).collect())
    }

    fn rows(&self, index: usize) -> Vec<&[f32]> {
        let first = self.places[index];
        self.values
            .iter()
            .zip(&self.row_lens)
            .map(|(values, &len)| &values[first * len..(first + self.cut.rows) * len])
            .collect()
    }
}
