//! A block in training: the backward pass makes each row again.

use burn::backend::{
    Autodiff, AutodiffBackend, Backend,
    tensor::{FloatTensor, IntTensor},
};
use burn_autodiff::{
    checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
    grads::Gradients,
    ops::{Backward, Ops, OpsKind},
};

use crate::nn::ops::{BlockTables, SpectralOps};

#[derive(Debug)]
struct SpectralBlock;

impl<B: Backend + SpectralOps> Backward<B, 5> for SpectralBlock {
    /// Input, both parts of the weights, skip and bias; keys.
    type State = ([FloatTensor<B>; 5], IntTensor<B>, BlockTables);

    fn backward(
        self,
        ops: Ops<Self::State, 5>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let ([v, real, imag, skip, bias], keys, tables) = ops.state;
        let grad = grads.consume::<B>(&ops.node);
        let (of_v, of_real, of_imag, of_skip, of_bias) =
            B::spectral_block_backward(v, real, imag, skip, bias, keys, grad, tables);
        let found = [of_v, of_real, of_imag, of_skip, of_bias];
        for (node, grad) in ops.parents.into_iter().zip(found) {
            if let Some(node) = node {
                grads.register::<B>(node.id, grad);
            }
        }
    }
}

impl<B: Backend + SpectralOps, C: CheckpointStrategy> SpectralOps for Autodiff<B, C> {
    fn spectral_block(
        v: FloatTensor<Self>,
        real: FloatTensor<Self>,
        imag: FloatTensor<Self>,
        skip: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        tables: BlockTables,
    ) -> FloatTensor<Self> {
        let tensors = [v, real, imag, skip, bias];
        let nodes = tensors.each_ref().map(<FloatTensor<Self>>::node);
        let state = tensors.map(<FloatTensor<Self>>::into_primitive);
        let [v, real, imag, skip, bias] = state.clone();
        let out = B::spectral_block(v, real, imag, skip, bias, keys.clone(), tables.clone());
        match SpectralBlock.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((state, keys, tables), out),
            OpsKind::UnTracked(prep) => prep.finish(out),
        }
    }

    fn spectral_block_backward(
        v: FloatTensor<Self>,
        real: FloatTensor<Self>,
        imag: FloatTensor<Self>,
        skip: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        grad: FloatTensor<Self>,
        tables: BlockTables,
    ) -> (
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
    ) {
        // Second derivatives are not needed anywhere: the results are constants.
        let [v, real, imag, skip, bias, grad] =
            [v, real, imag, skip, bias, grad].map(<FloatTensor<Self>>::into_primitive);
        let found = B::spectral_block_backward(v, real, imag, skip, bias, keys, grad, tables);
        (
            Self::from_inner(found.0),
            Self::from_inner(found.1),
            Self::from_inner(found.2),
            Self::from_inner(found.3),
            Self::from_inner(found.4),
        )
    }
}
