//! Members from inputs: the one place where masks, white noise and random functions become an ensemble.

use burn::tensor::Tensor;

use super::{Network, Plan, Rows, ops};
use crate::noise::Place;

impl Network {
    /// Members of every input.
    ///
    /// `masks` has one row per input (they share a mask) or one per member (they differ by it), or is left out.
    /// `members` has one row per member of every input, member fastest; a spread head takes its white noise from there, and
    /// a network with functional noise its functions.
    /// Without any of these and without a mask of their own members are alike, and only one is given.
    ///
    /// # Shapes
    /// - input: `[inputs, points, in]`
    /// - output: `[inputs, members, points * out]`
    pub fn draw(
        &self,
        input: Tensor<3>,
        plan: &Plan,
        masks: Option<&Rows>,
        members: &Rows,
    ) -> Tensor<3> {
        let (inputs, device) = (input.dims()[0], input.device());
        let input = match plan.noise() {
            Some(noise) => noise.beside(input, members),
            None => input,
        };
        let heads = self.forward(input, plan, masks);
        let [passes, points, out] = heads.mean.dims();
        let values = points * out;
        let mean = heads.mean.reshape([inputs, passes / inputs, values]);
        match heads.spread {
            None => mean,
            Some(spread) => {
                let normals = ops::normals(&members.keys(Place::Normal, &device), values);
                let normals = normals.reshape([inputs, members.len() / inputs, values]);
                normals * spread.reshape([inputs, passes / inputs, values]) + mean
            }
        }
    }
}
