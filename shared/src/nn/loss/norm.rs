//! The norm of a field on its domain, and means over the domain.

use burn::tensor::{Device, Tensor, TensorData};

use crate::task::{Domain, Task};

/// Under the root, so that a field of zeros has a finite slope.
const TINY: f32 = 1e-12;

/// Weights of a domain on a device.
///
/// With point weights `w` of mean 1, extents `L_j` of the axes and `C` channels,
/// `‖v‖² = Π L_j / N Σ_points Σ_channels w v²`: channels are summed. On a sphere `w` are the areas, in a box they are 1.
/// The extent of an axis is that of the coordinate which the network sees; 1 without a coordinate. So the norm of one
/// channel in a box is the root mean square, except for ERA5, whose time runs to 9/19 only: there it is 0.6882 of it.
#[derive(Debug, Clone)]
pub struct Norm {
    /// `[1, values]`, mean 1; `None` where all are 1.
    weights: Option<Tensor<2>>,
    /// `C Π L_j`.
    factor: f32,
}

impl Norm {
    /// The norm of a task's outputs.
    pub fn new(task: &Task, device: &Device) -> Self {
        let channels = task.outputs.len();
        let weights = matches!(task.domain, Domain::Sphere(_)).then(|| {
            let points = task.grid().weights().into_iter();
            let values: Vec<f32> = points
                .flat_map(|w| std::iter::repeat_n(w as f32, channels))
                .collect();
            let shape = [1, values.len()];
            Tensor::from_data(TensorData::new(values, shape), device)
        });
        Self {
            weights,
            factor: (channels as f64 * extent(task)) as f32,
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
        (self.squared(field) + TINY).sqrt()
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

/// Product of the extents of the axes. An axis of a single point has none of its own, and counts as 1.
fn extent(task: &Task) -> f64 {
    let along = |axis: usize| {
        let seen = task.coordinates.iter().find(|c| c.axis == axis);
        let extent = seen.map_or(1.0, |c| (c.last - c.first).abs());
        if extent > 0.0 { extent } else { 1.0 }
    };
    match task.domain {
        Domain::Flat => (0..task.output.len()).map(along).product(),
        Domain::Sphere(_) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_those_of_the_paper() {
        assert_eq!(extent(&Task::ks()), 1.0);
        assert_eq!(extent(&Task::darcy()), 1.0);
        assert_eq!(extent(&Task::sswe()), 1.0);
        assert_eq!(extent(&Task::era5()), 9.0 / 19.0);
        let mut still = Task::ks();
        still.coordinates[0].last = still.coordinates[0].first;
        assert_eq!(extent(&still), 1.0);
    }
}
