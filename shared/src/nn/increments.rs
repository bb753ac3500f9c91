//! Networks that give the change of their input instead of a field: `u(t + step) = u(t) + s N(u(t))`.

use burn::tensor::{Device, Tensor, TensorData};

use crate::task::{Normalisation, Quantity, Task};

/// How what a network gives becomes the field it stands for, in network units.
///
/// With `u = mean + std v` on either side and `s` the standard deviation of the changes over one step
/// ([`Quantity::increment`]), `v_out = (std_in v_in + mean_in - mean_out) / std_out + s / std_out N`.
#[derive(Debug, Clone)]
pub struct Increments {
    fields: usize,
    /// Factor and offset of the input, `[1, 1, fields]`; `None` where the scales of both sides are the same.
    input: Option<(Tensor<3>, Tensor<3>)>,
    /// Factor of what the network gives, `[1, 1, fields]`.
    scale: Tensor<3>,
}

impl Increments {
    /// For a task whose outputs are changes of its inputs, each of a known size; `None` for others.
    pub fn new(task: &Task, device: &Device) -> Option<Self> {
        let sizes = || task.outputs.iter().map(|output| output.increment);
        if !task.feeds_back() || sizes().any(|size| size.is_none()) {
            return None;
        }
        let fields = task.outputs.len();
        let tensor = |values: Vec<f64>| {
            let values: Vec<f32> = values.into_iter().map(|v| v as f32).collect();
            Tensor::from_data(TensorData::new(values, [1, 1, fields]), device)
        };
        let scale_of = |quantity: &Quantity| quantity.normalisation;
        let pairs = || {
            let outputs = task.outputs.iter().map(scale_of);
            task.inputs.iter().map(scale_of).zip(outputs)
        };
        let differ = pairs().any(|(input, output)| input != output);
        let input = differ.then(|| {
            let factor = |(input, output): (Normalisation, Normalisation)| input.std / output.std;
            let offset = |(input, output): (Normalisation, Normalisation)| {
                (input.mean - output.mean) / output.std
            };
            (
                tensor(pairs().map(factor).collect()),
                tensor(pairs().map(offset).collect()),
            )
        });
        let stds = task.outputs.iter().map(|output| output.normalisation.std);
        let scales = sizes().flatten().zip(stds).map(|(size, std)| size / std);
        Some(Self {
            fields,
            input,
            scale: tensor(scales.collect()),
        })
    }

    /// The fields after the changes that a network gave. There may be several changes for each input, one after the other.
    ///
    /// # Shapes
    /// - input: `[inputs, points, in]`, of which the fields come first
    /// - changes: `[rows, points, fields]`
    /// - output: `[rows, points, fields]`
    pub fn added(&self, input: &Tensor<3>, changes: Tensor<3>) -> Tensor<3> {
        let ([inputs, points, _], [rows, _, fields]) = (input.dims(), changes.dims());
        let values = points * fields;
        let before = self.before(input).reshape([inputs, 1, values]);
        let changes = self
            .scaled(changes)
            .reshape([inputs, rows / inputs, values]);
        (changes + before).reshape([rows, points, fields])
    }

    /// What a network should have given: the changes that lead to these fields, one for each input.
    ///
    /// # Shapes
    /// - input: `[inputs, points, in]`
    /// - fields: `[inputs, points, fields]`
    /// - output: `[inputs, points, fields]`
    pub fn between(&self, input: &Tensor<3>, fields: Tensor<3>) -> Tensor<3> {
        (fields - self.before(input)) / self.scale.clone()
    }

    /// Something of the network, a spread for instance, in network units of the field.
    pub fn scaled(&self, changes: Tensor<3>) -> Tensor<3> {
        changes * self.scale.clone()
    }

    /// Fields in units of the changes: what a loss compares, so that a step that is a small change of its input counts.
    ///
    /// # Shapes
    /// - input: `[cases, members, points * fields]`
    /// - output: `[cases, members, points * fields]`
    pub fn in_units(&self, fields: Tensor<3>) -> Tensor<3> {
        let [cases, members, values] = fields.dims();
        let by_field = fields.reshape([cases * members, values / self.fields, self.fields]);
        (by_field / self.scale.clone()).reshape([cases, members, values])
    }

    /// The fields of the input in network units of the output.
    fn before(&self, input: &Tensor<3>) -> Tensor<3> {
        let fields = input.clone().narrow(2, 0, self.fields);
        match &self.input {
            Some((factor, offset)) => fields * factor.clone() + offset.clone(),
            None => fields,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Axis, Coordinate, Domain};

    fn task() -> Task {
        let axes = vec![Axis::new("x", 2, 0.0, 1.0, "")];
        let field = |name, mean, std| Quantity::new(name, "", Normalisation { mean, std });
        let mut outputs = vec![field("a", 0.0, 1.0), field("b", 5.0, 4.0)];
        outputs[0].increment = Some(0.5);
        outputs[1].increment = Some(3.0);
        Task {
            input: axes.clone(),
            output: axes,
            inputs: vec![field("a", 1.0, 2.0), field("b", -3.0, 0.5)],
            outputs,
            coordinates: vec![Coordinate::unit(0)],
            domain: Domain::Flat,
        }
    }

    fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> Tensor<D> {
        Tensor::from_data(TensorData::new(values, shape), &Device::flex())
    }

    fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().try_to_vec().expect("f32")
    }

    /// Against the way over physical units on the host, and back.
    #[test]
    fn a_change_in_units_of_its_size_is_added_to_the_input() {
        let task = task();
        let start = [1.5_f32, -2.0, 0.25, 4.0];
        let changes = [0.5_f32, -1.0, 2.0, 0.25, -0.5, 1.0, 0.0, 3.0];
        let increments = Increments::new(&task, &Device::flex()).expect("sizes are known");
        let input = tensor(task.network_input(&start), [1, 2, 3]);
        let found = increments.added(&input, tensor(changes.to_vec(), [2, 2, 2]));
        let mut physical = values(found);
        task.restore(&mut physical);
        for (i, found) in physical.iter().enumerate() {
            let wanted = start[i % 4] + [0.5, 3.0][i % 2] * changes[i];
            assert!((found - wanted).abs() < 1e-5, "{i}: {found}, not {wanted}");
        }
        let fields = tensor(task.network_output(&physical[..4]), [1, 2, 2]);
        for (found, wanted) in values(increments.between(&input, fields))
            .iter()
            .zip(changes)
        {
            assert!((found - wanted).abs() < 1e-5, "{found}, not {wanted}");
        }
    }

    #[test]
    fn fields_in_units_of_the_changes_differ_by_what_the_network_should_give() {
        let task = task();
        let increments = Increments::new(&task, &Device::flex()).expect("sizes are known");
        let one_change_more = [0.5_f32, 3.0, 0.5, 3.0];
        let zero = task.network_output(&[0.0; 4]);
        let more = task.network_output(&one_change_more);
        let units = |fields: Vec<f32>| values(increments.in_units(tensor(fields, [1, 1, 4])));
        for (a, b) in units(more).iter().zip(units(zero)) {
            assert!((a - b - 1.0).abs() < 1e-5, "{a} less {b}");
        }
    }

    #[test]
    fn sizes_that_are_not_known_make_no_increments() {
        let mut task = task();
        task.outputs[1].increment = None;
        assert!(Increments::new(&task, &Device::flex()).is_none());
        assert!(Increments::new(&Task::ks(), &Device::flex()).is_none());
    }
}
