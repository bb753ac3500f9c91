//! Training losses on the device, one value per case: an ensemble `[cases, members, values]` against the truth
//! `[cases, values]`, in the norm of the domain.
//!
//! | loss | distance in the fair estimator | file |
//! |---|---|---|
//! | `energy` | norm of the difference of fields | `energy` |
//! | `crps` | mean absolute difference over points | `crps` |
//! | `energy+crps` | the first plus `weight` times the second | here |
//! | `kernel` | one minus a Gaussian of the norm of the difference | `kernel` |
//! | `l2` | no pairs: mean norm of the members' errors | `l2` |
//!
//! To those that score ensembles a CRPS of the coefficients of their spectra can be added: [`spectral`].

mod crps;
mod energy;
mod fair;
mod kernel;
mod l2;
mod norm;
pub mod spectral;

pub use crps::crps;
pub use energy::energy_score;
pub use kernel::kernel_score;
pub use l2::l2;
pub use norm::Norm;

use burn::tensor::Tensor;

use crate::spec::Loss;

/// What a step minimises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objective {
    /// Which loss.
    pub loss: Loss,
    /// Factor of the CRPS in `energy+crps`.
    pub weight: f32,
    /// Width of the kernel in `kernel`, in norms of a field that is one everywhere.
    pub bandwidth: f32,
}

impl Objective {
    /// A loss with weight and bandwidth 1.
    pub fn new(loss: Loss) -> Self {
        Self {
            loss,
            weight: 1.0,
            bandwidth: 1.0,
        }
    }

    /// The loss of each case.
    ///
    /// # Shapes
    /// - members: `[cases, members, values]`
    /// - truth: `[cases, values]`
    /// - output: `[cases]`
    pub fn of(&self, members: &Tensor<3>, truth: &Tensor<2>, norm: &Norm) -> Tensor<1> {
        match self.loss {
            Loss::Energy => energy_score(members, truth, norm),
            Loss::Crps => crps(members, truth, norm),
            Loss::EnergyCrps => {
                energy_score(members, truth, norm) + crps(members, truth, norm) * self.weight
            }
            Loss::Kernel => kernel_score(members, truth, norm, self.bandwidth),
            Loss::L2 => l2(members, truth, norm),
        }
    }
}
