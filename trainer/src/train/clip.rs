//! Global-norm clipping: burn clips each tensor by itself, the paper clips all of them together.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

/// Squared Euclidean norm of the gradient of every tensor, in the order of the module. Stays on the device.
pub fn squared_norms<M: Module>(module: &M, grads: &GradientsParams) -> Option<Tensor<1>> {
    let mut squares = Squares {
        grads,
        each: vec![],
    };
    module.visit(&mut squares);
    (!squares.each.is_empty()).then(|| Tensor::cat(squares.each, 0))
}

/// Scales all gradients so that their common Euclidean norm is at most `limit`; `squares` are their [`squared_norms`].
/// Stays on the device.
pub fn clip_global_norm<M: Module>(
    module: &M,
    grads: GradientsParams,
    squares: Tensor<1>,
    limit: f64,
) -> GradientsParams {
    let norm = squares.sum().sqrt();
    let factor = (norm + 1e-6).recip().mul_scalar(limit).clamp_max(1.0);
    let mut scale = Scale { grads, factor };
    module.visit(&mut scale);
    scale.grads
}

struct Squares<'a> {
    grads: &'a GradientsParams,
    each: Vec<Tensor<1>>,
}

impl ModuleVisitor for Squares<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(grad) = self.grads.get::<D>(param.id) {
            self.each.push(grad.powi_scalar(2).sum());
        }
    }
}

struct Scale {
    grads: GradientsParams,
    factor: Tensor<1>,
}

impl ModuleVisitor for Scale {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(grad) = self.grads.remove::<D>(param.id) {
            let factor = self.factor.clone().reshape([1; D]);
            self.grads.register(param.id, grad * factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};

    #[derive(Module, Debug)]
    struct Two {
        a: Param<Tensor<1>>,
        b: Param<Tensor<2>>,
    }

    /// Gradients of `3 a + 4 b` are 3 and 4: global norm 5, although each tensor's norm is below 5.
    fn clipped(limit: f64) -> (f32, f32) {
        let device = Device::flex().autodiff();
        let two = Two {
            a: Param::from_data(TensorData::from([1.0_f32]), &device),
            b: Param::from_data(TensorData::from([[1.0_f32]]), &device),
        };
        let loss = two.a.val() * 3.0 + two.b.val().reshape([1]) * 4.0;
        let grads = GradientsParams::from_grads(loss.backward(), &two);
        let squares = squared_norms(&two, &grads).expect("two gradients");
        let found: Vec<f32> = squares.clone().into_data().try_to_vec().expect("f32");
        assert_eq!(found, [9.0, 16.0]);
        let grads = clip_global_norm(&two, grads, squares, limit);
        let a = grads.get::<1>(two.a.id).expect("a gradient").into_scalar();
        let b = grads.get::<2>(two.b.id).expect("a gradient").into_scalar();
        (a, b)
    }

    #[test]
    fn all_tensors_are_scaled_by_the_common_norm() {
        let (a, b) = clipped(1.0);
        assert!((a - 0.6).abs() < 1e-5 && (b - 0.8).abs() < 1e-5, "{a} {b}");
    }

    #[test]
    fn short_gradients_stay_as_they_are() {
        assert_eq!(clipped(10.0), (3.0, 4.0));
    }
}
