//! Training: the backward pass recomputes the mask from its key.

mod pointwise;
mod spectral;

use burn::backend::{
    Autodiff, AutodiffBackend, Backend,
    tensor::{FloatTensor, IntTensor},
};
use burn_autodiff::{
    checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
    grads::Gradients,
    ops::{Backward, Ops, OpsKind},
};

use super::{Mask, NoiseOps};

#[derive(Debug)]
struct BiasDropoutGelu;

impl<B: Backend + NoiseOps> Backward<B, 2> for BiasDropoutGelu {
    type State = (FloatTensor<B>, FloatTensor<B>, IntTensor<B>, Mask);

    fn backward(
        self,
        ops: Ops<Self::State, 2>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let (x, bias, keys, mask) = ops.state;
        let [node_x, node_bias] = ops.parents;
        let grad = grads.consume::<B>(&ops.node);
        let (grad_x, grad_bias) = B::bias_dropout_gelu_backward(x, bias, keys, grad, mask);
        if let Some(node) = node_x {
            grads.register::<B>(node.id, grad_x);
        }
        if let Some(node) = node_bias {
            grads.register::<B>(node.id, grad_bias);
        }
    }
}

impl<B: Backend + NoiseOps, C: CheckpointStrategy> NoiseOps for Autodiff<B, C> {
    fn bias_dropout_gelu(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        mask: Mask,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), bias.node()];
        let (x, bias) = (x.into_primitive(), bias.into_primitive());
        match BiasDropoutGelu
            .prepare::<C>(nodes)
            .compute_bound()
            .stateful()
        {
            OpsKind::Tracked(prep) => {
                let state = (x.clone(), bias.clone(), keys.clone(), mask);
                prep.finish(state, B::bias_dropout_gelu(x, bias, keys, mask))
            }
            OpsKind::UnTracked(prep) => prep.finish(B::bias_dropout_gelu(x, bias, keys, mask)),
        }
    }

    fn bias_dropout_gelu_backward(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        grad: FloatTensor<Self>,
        mask: Mask,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        // Second derivatives are not needed anywhere: the result is a constant.
        let (grad_x, grad_bias) = B::bias_dropout_gelu_backward(
            x.into_primitive(),
            bias.into_primitive(),
            keys,
            grad.into_primitive(),
            mask,
        );
        (Self::from_inner(grad_x), Self::from_inner(grad_bias))
    }

    fn dropout_factors(keys: IntTensor<Self>, count: usize, threshold: u32) -> FloatTensor<Self> {
        Self::from_inner(B::dropout_factors(keys, count, threshold))
    }

    fn normals(keys: IntTensor<Self>, count: usize) -> FloatTensor<Self> {
        Self::from_inner(B::normals(keys, count))
    }
}
