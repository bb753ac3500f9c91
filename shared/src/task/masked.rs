//! What a task does with the points at which its fields have no value.

use super::{Quantity, Task};
use crate::spec::SpecError;

impl Task {
    /// Whether a field of the input or the output has a mask.
    pub fn has_masks(&self) -> bool {
        let mut fields = self.inputs.iter().chain(&self.outputs);
        fields.any(|quantity| quantity.mask.is_some())
    }

    /// Whether a field of the output has a mask.
    pub fn masks_outputs(&self) -> bool {
        self.outputs.iter().any(|quantity| quantity.mask.is_some())
    }

    /// Whether a value of the input, `[points, channel]`, is masked.
    pub fn masks_input(&self, value: usize) -> bool {
        is_masked(&self.inputs, value)
    }

    /// Whether a value of the output, `[points, channel]`, is masked.
    pub fn masks_output(&self, value: usize) -> bool {
        is_masked(&self.outputs, value)
    }

    /// Makes the masked values of output fields, of one or more cases or members, NaN.
    pub fn blank(&self, fields: &mut [f32]) {
        set(&self.outputs, fields, f32::NAN);
    }

    /// Makes the masked values of an input, of one or more cases, NaN.
    pub fn blank_input(&self, fields: &mut [f32]) {
        set(&self.inputs, fields, f32::NAN);
    }

    /// What a training step compares with, in network units, from output fields of one or more cases in physical units:
    /// [`network_output`](Self::network_output) with zero at masked points, where it weighs nothing.
    pub fn network_target(&self, fields: &[f32]) -> Vec<f32> {
        let mut values = self.network_output(fields);
        set(&self.outputs, &mut values, 0.0);
        values
    }

    /// Masks for the sizes that the axes have now: `from(axis, size, size before)` gives the index before of an index.
    pub fn resize_masks<F: Fn(usize) -> usize>(&mut self, from: impl Fn(usize, usize, usize) -> F) {
        let sizes = self.input_shape();
        for quantity in self.inputs.iter_mut().chain(&mut self.outputs) {
            let Some(mask) = quantity.mask.take() else {
                continue;
            };
            let outer = sizes.len() - mask.sizes().len();
            let inner = &sizes[outer..];
            quantity.mask = mask.taken(inner, |axis, index| {
                from(outer + axis, inner[axis], mask.sizes()[axis])(index)
            });
        }
    }

    /// Masks what the fields of a task on the same grid mask, too.
    pub fn add_masks(&mut self, other: &Self) {
        let inputs = self.inputs.iter_mut().zip(&other.inputs);
        let outputs = self.outputs.iter_mut().zip(&other.outputs);
        for (field, other) in inputs.chain(outputs) {
            field.mask = match (field.mask.take(), &other.mask) {
                (Some(own), Some(other)) => Some(own.or(other)),
                (own, other) => own.or_else(|| other.clone()),
            };
        }
    }

    pub(super) fn validate_masks(&self) -> Result<(), SpecError> {
        let grid = self.input_shape();
        for quantity in self.inputs.iter().chain(&self.outputs) {
            let problem = quantity.mask.as_ref().and_then(|mask| mask.problem(&grid));
            if let Some((found, wanted)) = problem {
                return Err(SpecError::Range {
                    field: "the mask of a field",
                    found: format!("{found} (`{}`)", quantity.name),
                    wanted,
                });
            }
        }
        Ok(())
    }
}

fn is_masked(quantities: &[Quantity], value: usize) -> bool {
    quantities[value % quantities.len()].is_masked(value / quantities.len())
}

fn set(quantities: &[Quantity], fields: &mut [f32], to: f32) {
    for (channel, quantity) in quantities.iter().enumerate() {
        // Cases and members are further outside than any axis of a mask.
        let Some(mask) = &quantity.mask else { continue };
        let values = fields.iter_mut().skip(channel).step_by(quantities.len());
        for (_, value) in values.enumerate().filter(|(i, _)| mask.is_masked(*i)) {
            *value = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Coordinate, Domain, Mask, Normalisation};
    use super::*;

    /// Two times of three points; two fields, the second without a value at the last point.
    fn task() -> Task {
        let field = |name, mask| Quantity {
            mask,
            ..Quantity::new(
                name,
                "",
                Normalisation {
                    mean: 5.0,
                    std: 2.0,
                },
            )
        };
        let mask = || Mask::new(&[3], |i| i == 2);
        let axes = vec![
            Axis::new("time", 2, 0.0, 1.0, ""),
            Axis::new("x", 3, 0.0, 1.0, ""),
        ];
        Task {
            input: axes.clone(),
            output: axes,
            inputs: vec![field("a", None), field("b", mask())],
            outputs: vec![field("a", None), field("b", mask())],
            coordinates: vec![Coordinate::unit(1)],
            domain: Domain::Flat,
        }
    }

    #[test]
    fn masked_points_are_the_mean_for_the_network_and_blank_for_people() {
        let task = task();
        task.validate().expect("valid");
        let mut fields = vec![7.0; 12];
        (fields[5], fields[11]) = (f32::NAN, f32::INFINITY);
        let input = task.network_input(&fields);
        let second: Vec<f32> = input.chunks_exact(3).map(|point| point[1]).collect();
        assert_eq!(second, [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
        assert!(input.iter().all(|v| v.is_finite()));
        let target = task.network_target(&fields);
        assert_eq!((target[4], target[5], target[11]), (1.0, 0.0, 0.0));
        // Two members.
        let mut given = vec![0.0; 24];
        task.restore(&mut given);
        let blank: Vec<usize> = (0..24).filter(|&i| given[i].is_nan()).collect();
        assert_eq!(blank, [5, 11, 17, 23]);
        assert_eq!(
            blank,
            (0..24)
                .filter(|&i| task.masks_output(i))
                .collect::<Vec<_>>()
        );
        assert_eq!(given[0], 5.0);
    }

    #[test]
    fn another_grid_is_masked_where_the_nearest_point_is() {
        let fine = task().on_grid(&[2, 6]);
        fine.validate().expect("valid");
        let masked: Vec<usize> = (0..6).filter(|&i| fine.outputs[1].is_masked(i)).collect();
        assert_eq!(masked, [3, 4, 5], "old indices 0, 0.5, 1, 1.5, 2, 2.5");
        assert_eq!(fine.outputs[0].mask, None);
        assert_eq!(fine.on_grid(&[2, 3]), task());
    }

    #[test]
    fn the_masks_of_another_task_are_added_field_by_field() {
        let (mut task, mut other) = (task(), task());
        other.inputs[0].mask = Mask::new(&[3], |i| i == 0);
        other.outputs[1].mask = Mask::new(&[3], |i| i == 1);
        task.add_masks(&other);
        let masked =
            |field: &Quantity| -> Vec<usize> { (0..3).filter(|&i| field.is_masked(i)).collect() };
        assert_eq!(masked(&task.inputs[0]), [0]);
        assert_eq!(masked(&task.inputs[1]), [2]);
        assert!(masked(&task.outputs[0]).is_empty());
        assert_eq!(masked(&task.outputs[1]), [1, 2]);
    }

    #[test]
    fn the_nearest_longitude_may_be_the_first_one() {
        let masked = |task: &Task| -> Vec<usize> {
            let columns = 0..task.input[1].size;
            columns.filter(|&x| task.outputs[0].is_masked(x)).collect()
        };
        let mut sphere = Task::sswe().on_grid(&[5, 4]);
        sphere.outputs[0].mask = Mask::new(&[5, 4], |i| i % 4 == 0);
        // Eleven longitudes are 32.7 degrees apart: the last one is as far from 0 as the second, and nearer than from 270.
        assert_eq!(masked(&sphere.on_grid(&[5, 11])), [0, 1, 10]);
        sphere.outputs[0].mask = Mask::new(&[5, 4], |i| i % 4 == 3);
        assert_eq!(masked(&sphere.on_grid(&[5, 11])), [7, 8, 9]);
        // A box has two ends.
        let mut flat = Task::ks().on_grid(&[5, 4]);
        flat.outputs[0].mask = Mask::new(&[4], |x| x == 3);
        assert_eq!(masked(&flat.on_grid(&[5, 11])), [7, 8, 9, 10]);
    }

    #[test]
    fn a_mask_of_another_grid_is_refused() {
        let mut task = task();
        task.outputs[1].mask = Mask::new(&[4], |i| i == 2);
        let message = task.validate().expect_err("refused").to_string();
        assert!(
            message.contains("(`b`)") && message.contains("[2, 3]"),
            "{message}"
        );
    }
}
