//! The norm of a field on its domain, and means over the domain.

use burn::tensor::{Device, Tensor, TensorData};

use crate::score::Measure;
use crate::task::Task;

/// Added to the mean square, so that a field of zeros has a finite slope. In network units a field is about 1, whatever the
/// extent of its domain, so it must not be added to the squared norm, which may be as small.
const TINY: f32 = 1e-12;

/// Weights of a domain on a device.
///
/// The norm and the means of [`Measure`], which says how points and channels count: with point weights `w` of mean 1,
/// extent `E` and `P` points, `‖v‖² = E / P Σ_points Σ_channels w v²`. A loss is therefore what the score of the same
/// name reports of the same fields.
#[derive(Debug, Clone)]
pub struct Norm {
    /// `[1, values]`, mean 1; `None` where all are 1.
    weights: Option<Tensor<2>>,
    /// Channels times extent.
    factor: f32,
}

impl Norm {
    /// The norm of a task's outputs.
    pub fn new(task: &Task, device: &Device) -> Self {
        Self::of_measure(&Measure::of(task), device)
    }

    /// The norm of a measure.
    pub fn of_measure(measure: &Measure, device: &Device) -> Self {
        let weights = measure.is_weighted().then(|| {
            let values = 0..measure.values();
            let values: Vec<f32> = values.map(|v| measure.weight(v) as f32).collect();
            let shape = [1, values.len()];
            Tensor::from_data(TensorData::new(values, shape), device)
        });
        Self {
            weights,
            factor: (measure.channels() as f64 * measure.extent()) as f32,
        }
    }

    /// Means with these weights, one for each value.
    pub(super) fn weighted(weights: Vec<f32>, device: &Device) -> Self {
        let shape = [1, weights.len()];
        Self {
            weights: Some(Tensor::from_data(TensorData::new(weights, shape), device)),
            factor: 1.0,
        }
    }

    /// Root of the plain mean square over all values.
    pub fn plain() -> Self {
        Self {
            weights: None,
            factor: 1.0,
        }
    }

    /// The square of the norm of each field.
    ///
    /// # Shapes
    /// - input: `[cases, values]`
    /// - output: `[cases]`
    pub fn squared(&self, field: Tensor<2>) -> Tensor<1> {
        self.mean(field.powi_scalar(2)) * self.factor
    }

    /// The norm of each field; its slope at zero is zero.
    ///
    /// # Shapes
    /// - input: `[cases, values]`
    /// - output: `[cases]`
    pub fn of(&self, field: Tensor<2>) -> Tensor<1> {
        let mean_square = self.mean(field.powi_scalar(2));
        ((mean_square + TINY) * self.factor).sqrt()
    }

    /// The mean over the domain and over channels.
    ///
    /// # Shapes
    /// - input: `[cases, values]`
    /// - output: `[cases]`
    pub fn mean(&self, field: Tensor<2>) -> Tensor<1> {
        let weighted = match &self.weights {
            Some(weights) => field * weights.clone(),
            None => field,
        };
        weighted.mean_dim(1).squeeze_dim::<1>(1)
    }

    /// The square of the norm of a field that is one everywhere: one standard deviation in network units.
    pub fn squared_unit(&self) -> f32 {
        self.factor
    }
}
