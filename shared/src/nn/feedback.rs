//! What the network gave becomes what it takes next.
//!
//! At points that the input masks it takes zero, as it does at the start. It does so where the output alone is masked, too:
//! what the network gives there means nothing. No gradient goes back through either.

use burn::tensor::{Device, Tensor, TensorData};

use crate::spec::ModelSpec;
use crate::task::Task;

/// How outputs become inputs: from the scale of the one to that of the other, with the coordinates as before.
#[derive(Debug, Clone)]
pub struct Feedback {
    fields: usize,
    /// Channels of the input behind the coordinates: how far it may be off, which is nothing for a member's own field.
    levels: usize,
    /// Factor and offset per field, `[1, 1, fields]`; `None` where the scales are the same.
    scale: Option<(Tensor<3>, Tensor<3>)>,
    /// Zero where the field that is given or the one that is taken is masked and one elsewhere, `[1, points, fields]`; `None`
    /// where no field has a mask.
    kept: Option<Tensor<3>>,
}

impl Feedback {
    /// For a network and a task whose outputs can be fed back ([`Task::feeds_back`]).
    pub fn new(spec: &ModelSpec, task: &Task, device: &Device) -> Option<Self> {
        if !task.feeds_back() {
            return None;
        }
        let fields = task.outputs.len();
        let pairs = || {
            let scale = |q: &crate::task::Quantity| q.normalisation;
            task.inputs
                .iter()
                .map(scale)
                .zip(task.outputs.iter().map(scale))
        };
        let tensor = |values: Vec<f64>| {
            let values: Vec<f32> = values.into_iter().map(|v| v as f32).collect();
            Tensor::from_data(TensorData::new(values, [1, 1, fields]), device)
        };
        let scale = pairs().any(|(input, output)| input != output).then(|| {
            let factors = pairs().map(|(input, output)| output.std / input.std);
            let offsets = pairs().map(|(input, output)| (output.mean - input.mean) / input.std);
            (tensor(factors.collect()), tensor(offsets.collect()))
        });
        let kept = task.has_masks().then(|| {
            let masked = |value| task.masks_input(value) || task.masks_output(value);
            let kept = |value| if masked(value) { 0.0 } else { 1.0 };
            let values: Vec<f32> = (0..task.input_values()).map(kept).collect();
            let shape = [1, values.len() / fields, fields];
            Tensor::from_data(TensorData::new(values, shape), device)
        });
        Some(Self {
            fields,
            levels: spec.input_channels() - spec.in_channels,
            scale,
            kept,
        })
    }

    /// The next input. There may be several outputs for every input, member fastest: each goes on by itself.
    ///
    /// # Shapes
    /// - input: `[inputs, points, in]`
    /// - output: `[inputs, members, points * out]`
    /// - next: `[inputs * members, points, in]`
    pub fn next(&self, input: &Tensor<3>, output: Tensor<3>) -> Tensor<3> {
        let [inputs, points, channels] = input.dims();
        let members = output.dims()[1];
        let mut fields = output.reshape([inputs * members, points, self.fields]);
        if let Some((factor, offset)) = &self.scale {
            fields = fields * factor.clone() + offset.clone();
        }
        if let Some(kept) = &self.kept {
            fields = fields * kept.clone();
        }
        let mut next = vec![fields];
        let coordinates = channels - self.fields - self.levels;
        if coordinates > 0 {
            // The coordinates are the same for every input.
            let shared = input.clone().narrow(0, 0, 1);
            let shared = shared.narrow(2, self.fields, coordinates);
            next.push(shared.repeat_dim(0, inputs * members));
        }
        if self.levels > 0 {
            let shape = [inputs * members, points, self.levels];
            next.push(Tensor::zeros(shape, &input.device()));
        }
        Tensor::cat(next, 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Experiment, Method};
    use crate::task::{Axis, Coordinate, Domain, Normalisation, Quantity};

    fn task() -> Task {
        let axes = vec![Axis::new("x", 3, 0.0, 1.0, "")];
        let field = |name, mean, std| Quantity::new(name, "", Normalisation { mean, std });
        Task {
            input: axes.clone(),
            output: axes,
            inputs: vec![field("a", 1.0, 2.0), field("b", -3.0, 0.5)],
            outputs: vec![field("a", 0.0, 1.0), field("b", 5.0, 4.0)],
            coordinates: vec![Coordinate::unit(0)],
            domain: Domain::Flat,
        }
    }

    fn spec(task: &Task) -> ModelSpec {
        ModelSpec::for_task(Experiment::Arrays, Method::PnoD, task)
    }

    /// Two inputs of different uncertainty: what comes next is a member's own field and as certain as that.
    #[test]
    fn how_far_an_input_may_be_off_is_not_carried_on() {
        let (task, device) = (task(), Device::flex());
        let mut spec = spec(&task);
        spec.observed = Some(crate::observation::Observation::noisy(0.3));
        let channels = |level: f32| -> Vec<f32> {
            let plain = task.network_input(&[1.0; 6]);
            crate::observation::Observation::noisy(level).beside(&plain, &[3])
        };
        let input = [channels(0.3), channels(0.1)].concat();
        let input = Tensor::from_data(TensorData::new(input, [2, 3, 4]), &device);
        let output = Tensor::from_data(TensorData::new(vec![0.5_f32; 24], [2, 2, 6]), &device);
        let feedback = Feedback::new(&spec, &task, &device).expect("feeds back");
        let next: Vec<f32> = feedback
            .next(&input, output)
            .into_data()
            .try_to_vec()
            .expect("f32");
        let coordinates = task.network_input(&[1.0; 6]);
        assert_eq!(next.len(), 4 * 3 * 4);
        for (row, values) in next.chunks(4).enumerate() {
            assert_eq!(values[2], coordinates[row % 3 * 3 + 2], "the coordinate");
            assert_eq!(values[3], 0.0, "the level");
        }
    }

    /// Against the way over physical units on the host.
    #[test]
    fn outputs_become_inputs_as_if_they_had_been_measured() {
        let (task, device) = (task(), Device::flex());
        let start: Vec<f32> = (0..6).map(|i| i as f32).collect();
        let outputs: Vec<f32> = (0..12).map(|i| (0.7 * i as f32).sin()).collect();
        let input = Tensor::from_data(
            TensorData::new(task.network_input(&start), [1, 3, 3]),
            &device,
        );
        let output = Tensor::from_data(TensorData::new(outputs.clone(), [1, 2, 6]), &device);
        let next = Feedback::new(&spec(&task), &task, &device)
            .expect("feeds back")
            .next(&input, output);
        assert_eq!(next.dims(), [2, 3, 3]);
        let found: Vec<f32> = next.into_data().try_to_vec().expect("f32");
        let mut physical = outputs;
        task.restore(&mut physical);
        let wanted = physical
            .chunks(6)
            .flat_map(|fields| task.network_input(fields));
        for (found, wanted) in found.into_iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-5, "{found} instead of {wanted}");
        }
    }

    #[test]
    fn masked_points_go_on_as_they_began_whichever_side_masks_them() {
        let mask = || crate::task::Mask::new(&[3], |i| i == 1);
        for (input, output) in [(mask(), mask()), (mask(), None), (None, mask())] {
            let mut task = task();
            task.inputs[1].mask = input;
            task.outputs[1].mask = output;
            check_masked(&task);
        }
    }

    /// The second field of the second point is masked.
    fn check_masked(task: &Task) {
        let device = Device::flex();
        let mut start = task.network_input(&[9.0; 6]);
        start[4] = 0.0;
        let input = Tensor::from_data(TensorData::new(start.clone(), [1, 3, 3]), &device);
        let output = Tensor::from_data(TensorData::new(vec![7.0_f32; 12], [1, 2, 6]), &device);
        let feedback = Feedback::new(&spec(task), task, &device).expect("feeds back");
        let next: Vec<f32> = feedback
            .next(&input, output)
            .into_data()
            .try_to_vec()
            .expect("f32");
        // Second field of the second point, of either member.
        for (at, value) in next.iter().enumerate() {
            assert_eq!(
                *value == 0.0,
                at % 9 == 4 || start[at % 9] == 0.0,
                "{at}: {value}"
            );
        }
    }

    #[test]
    fn what_cannot_go_on_has_no_feedback() {
        let task = Task::ks();
        assert!(Feedback::new(&spec(&task), &task, &Device::flex()).is_none());
    }
}
