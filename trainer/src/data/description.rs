//! What a data set says of itself: the task, and how a case is cut out of its arrays. One JSON value in its attributes.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use pno::task::{Axis, Domain, Mask, Task};
use serde::{Deserialize, Serialize};

use super::Split;
use super::zarr::Attributes;

/// Name of the attribute.
pub const ATTRIBUTE: &str = "pno";
/// Version of the layout.
const FORMAT: u32 = 2;

/// Frames of a case, counted from its first: `first` to `first + number - 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frames {
    /// The first frame.
    pub first: usize,
    /// How many.
    pub number: usize,
}

impl Frames {
    /// One frame.
    pub fn one(first: usize) -> Self {
        Self { first, number: 1 }
    }

    /// The first frame after these.
    pub fn end(self) -> usize {
        self.first.saturating_add(self.number)
    }
}

/// How cases are cut out of arrays whose rows are made of frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    format: u32,
    /// Input and output of a model, on the stored grid.
    pub task: Task,
    /// Frames that are the input.
    pub input: Frames,
    /// Frames that are the truth.
    pub output: Frames,
    /// Every how many points of space a case of train, valid, test has; time is never thinned out.
    pub strides: [usize; 3],
}

impl Description {
    /// A case is one row, one frame: the fields of the task as they are.
    pub fn whole(task: Task) -> Self {
        Self::of_frames(task, Frames::one(0), Frames::one(0))
    }

    /// A case is some frames of the same arrays for the input and some for the truth.
    pub fn of_frames(task: Task, input: Frames, output: Frames) -> Self {
        Self {
            format: FORMAT,
            task,
            input,
            output,
            strides: [1; 3],
        }
    }

    /// Reads it from the attributes of a data set, and checks it.
    pub fn read(attributes: &Attributes, path: &Path) -> Result<Self> {
        let place = path.display();
        let value = attributes.get(ATTRIBUTE).with_context(|| {
            format!("{place}: the attribute `{ATTRIBUTE}` is missing, so this is not a data set of this version of pno; make it again, or bring it in with `pno data import arrays`")
        })?;
        let found = value.get("format").and_then(serde_json::Value::as_u64);
        ensure!(
            found == Some(u64::from(FORMAT)),
            "{place}: the attribute `{ATTRIBUTE}` has format {}, but {FORMAT} is wanted; make the data set again",
            found.map_or_else(|| "nothing".to_owned(), |n| n.to_string())
        );
        let description: Self = serde_path_to_error::deserialize(value)
            .with_context(|| format!("{place}: the attribute `{ATTRIBUTE}`"))?;
        description
            .check()
            .with_context(|| format!("{place}: the attribute `{ATTRIBUTE}`"))?;
        Ok(description)
    }

    fn check(&self) -> Result<()> {
        self.task.validate()?;
        ensure!(
            self.input.number >= 1 && self.output.number == self.input.number,
            "it has {} frames of input and {} of truth, but as many of each are wanted",
            self.input.number,
            self.output.number
        );
        ensure!(
            self.input.end() < 1 << 20 && self.output.end() < 1 << 20,
            "its frames reach to {}, which is beyond any use",
            self.input.end().max(self.output.end())
        );
        let frames = self.input.number;
        ensure!(
            frames == 1 || self.task.input[0].size == frames,
            "it has {frames} frames, but the first axis of the task has {} points",
            self.task.input[0].size
        );
        let thinned = self.strides != [1; 3];
        ensure!(
            !self.strides.contains(&0) && (!thinned || self.task.domain == Domain::Flat),
            "its strides are {:?}, but they must be positive, and 1 on a sphere",
            self.strides
        );
        Ok(())
    }

    /// Number of frames from the first to the last that a case has.
    pub fn span(&self) -> usize {
        self.input.end().max(self.output.end())
    }

    /// Whether the first axis of the task is made of frames; otherwise all its axes are inside one.
    pub fn has_time_axis(&self) -> bool {
        self.input.number > 1
    }

    /// The axes inside a frame.
    pub fn space(&self) -> &[Axis] {
        &self.task.input[usize::from(self.has_time_axis())..]
    }

    /// Values of one frame of one quantity.
    pub fn frame_len(&self) -> usize {
        self.space().iter().map(|axis| axis.size).product()
    }

    /// The task of the cases of a split: that of the data set, thinned out.
    pub fn task_of(&self, split: Split) -> Task {
        let stride = self.strides[split as usize];
        let mut task = self.task.clone();
        let first = usize::from(self.has_time_axis());
        for axes in [&mut task.input, &mut task.output] {
            for axis in &mut axes[first..] {
                axis.size = axis.size.div_ceil(stride);
                axis.step *= stride as f64;
            }
        }
        if stride > 1 {
            task.resize_masks(|_, _, _| move |index| index * stride);
        }
        task
    }

    /// The mask of the quantity of this name: the same whether it is taken or given.
    pub fn mask_of(&self, name: &str) -> Option<&Mask> {
        let mut all = self.task.inputs.iter().chain(&self.task.outputs);
        all.find(|quantity| quantity.name == name)?.mask.as_ref()
    }

    /// Names of the arrays: every quantity once, those of the input first.
    pub fn arrays(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for quantity in self.task.inputs.iter().chain(&self.task.outputs) {
            if !names.contains(&quantity.name.as_str()) {
                names.push(&quantity.name);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, to_value};

    fn read(description: &Description) -> Result<Description> {
        let mut attributes = Attributes::new();
        let value = to_value(description).expect("JSON");
        attributes.insert(ATTRIBUTE.into(), value);
        Description::read(&attributes, Path::new("d"))
    }

    fn ks() -> Description {
        let frames = |first| Frames { first, number: 20 };
        Description::of_frames(Task::ks(), frames(0), frames(20))
    }

    #[test]
    fn it_comes_back_from_its_attribute() {
        let darcy = Description {
            strides: [2, 1, 1],
            ..Description::whole(Task::darcy().on_grid(&[128, 128]))
        };
        for description in [ks(), darcy] {
            assert_eq!(read(&description).expect("readable"), description);
        }
    }

    #[test]
    fn a_thinned_split_has_the_task_of_every_second_point() {
        let whole = Description {
            strides: [2, 1, 1],
            ..Description::whole(Task::darcy().on_grid(&[128, 128]))
        };
        assert_eq!(whole.task_of(Split::Train), Task::darcy());
        assert_eq!(whole.task_of(Split::Test), whole.task);
        let ks = Description {
            strides: [4, 1, 1],
            ..ks()
        };
        let task = ks.task_of(Split::Train);
        assert_eq!(task.input_shape(), [20, 64], "time keeps its frames");
        assert_eq!(task.input[1].step, 4.0 * ks.task.input[1].step);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_numbers() {
        let refused = |change: fn(&mut Description)| {
            let mut description = ks();
            change(&mut description);
            format!("{:#}", read(&description).expect_err("refused"))
        };
        assert!(refused(|d| d.output.number = 3).contains("20 frames of input and 3 of truth"));
        assert!(refused(|d| d.strides[1] = 0).contains("[1, 0, 1]"));
        assert!(refused(|d| d.format = 7).contains("format 7, but 2 is wanted"));
        assert!(refused(|d| d.task.inputs.clear()).contains("number of input fields is 0"));
        let mut attributes = Attributes::new();
        let read = |attributes: &Attributes| {
            format!(
                "{:#}",
                Description::read(attributes, Path::new("d")).expect_err("refused")
            )
        };
        assert!(read(&attributes).contains("`pno` is missing"));
        attributes.insert(ATTRIBUTE.into(), json!({ "format": 2, "task": 3 }));
        assert!(read(&attributes).contains("task"), "{}", read(&attributes));
    }
}
