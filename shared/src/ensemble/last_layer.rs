//! Members of a Laplace approximation: drawn last layers on features that all members share.

use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};

use super::forecast::ForecastError;
use crate::checkpoint::Checkpoint;
use crate::laplace::Posterior;
use crate::spec::Method;

/// The trained last affine map and its posterior, on the host: a draw is a few thousand numbers.
#[derive(Debug, Clone)]
pub(super) struct LastLayer {
    /// `[hidden, out]`.
    weight: Vec<f32>,
    /// `[out]`.
    bias: Vec<f32>,
    posterior: Posterior,
}

impl LastLayer {
    /// The last layer of a Laplace model; other methods have none.
    pub fn of(checkpoint: &Checkpoint) -> Result<Option<Self>, ForecastError> {
        let spec = &checkpoint.header.spec;
        if spec.method != Method::Laplace {
            return Ok(None);
        }
        let missing = || ForecastError::Posterior {
            found: checkpoint.tensors.len(),
            wanted: spec.stored_tensors().len(),
        };
        let posterior = checkpoint.posterior().ok_or_else(missing)?;
        let network = spec.tensors().len();
        let (weight, bias) = match checkpoint.tensors.get(..network) {
            Some([.., weight, bias]) => (weight.clone(), bias.clone()),
            _ => return Err(missing()),
        };
        if posterior.size() != spec.projection + 1 {
            return Err(missing());
        }
        Ok(Some(Self {
            weight,
            bias,
            posterior,
        }))
    }

    /// The same without observation noise.
    pub fn without_noise(self) -> Self {
        Self {
            posterior: self.posterior.without_noise(),
            ..self
        }
    }

    /// Standard deviation of the observation noise; 0 for none.
    pub fn noise(&self) -> f32 {
        self.posterior.noise()
    }

    /// Members without observation noise.
    ///
    /// # Shapes
    /// - features: `[1, points of the piece, hidden]` each
    /// - output: `[member, points * out]`
    pub fn members(
        &self,
        features: &[Tensor<3>],
        seed: u64,
        members: Range<u32>,
        device: &Device,
    ) -> Tensor<2> {
        let (count, out) = (members.len(), self.bias.len());
        let hidden = self.weight.len() / out;
        let draws = self.posterior.draw(&self.weight, &self.bias, seed, members);
        let data = TensorData::new(draws.weight, [count * out, hidden]);
        let weight = Tensor::<2>::from_data(data, device);
        let data = TensorData::new(draws.bias, [count * out, 1]);
        let bias = Tensor::<2>::from_data(data, device);
        // Members outermost, as they are wanted, so that nothing but the channels of a point must change places.
        let parts = features.iter().map(|piece| {
            let [_, points, _] = piece.dims();
            let piece = piece.clone().reshape([points, hidden]).transpose();
            weight.clone().matmul(piece) + bias.clone()
        });
        let fields = Tensor::cat(parts.collect(), 1);
        let points = fields.dims()[1];
        if out == 1 {
            return fields;
        }
        fields
            .reshape([count, out, points])
            .swap_dims(1, 2)
            .reshape([count, points * out])
    }

    /// The same with features of its own for every member, as in the later steps of a forecast.
    ///
    /// # Shapes
    /// - features: `[member, points of the piece, hidden]` each
    /// - output: `[member, points * out]`
    pub fn of_each(
        &self,
        features: &[Tensor<3>],
        seed: u64,
        members: Range<u32>,
        device: &Device,
    ) -> Tensor<2> {
        let (count, out) = (members.len(), self.bias.len());
        let hidden = self.weight.len() / out;
        let draws = self.posterior.draw(&self.weight, &self.bias, seed, members);
        let data = TensorData::new(draws.weight, [count, out, hidden]);
        let weight = Tensor::<3>::from_data(data, device).swap_dims(1, 2);
        let data = TensorData::new(draws.bias, [count, 1, out]);
        let bias = Tensor::<3>::from_data(data, device);
        let parts = features
            .iter()
            .map(|piece| piece.clone().matmul(weight.clone()) + bias.clone());
        let fields = Tensor::cat(parts.collect(), 1);
        let [_, points, _] = fields.dims();
        fields.reshape([count, points * out])
    }
}
