//! The pointwise MLP in training: the backward pass makes the hidden field again, tile by tile.

use burn::backend::{
    Autodiff, AutodiffBackend, Backend,
    tensor::{FloatTensor, IntTensor},
};
use burn_autodiff::{
    checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
    grads::Gradients,
    ops::{Backward, Ops, OpsKind},
};

use crate::nn::ops::{Mask, PointwiseOps};

#[derive(Debug)]
struct PointwiseMlp;

impl<B: Backend + PointwiseOps> Backward<B, 5> for PointwiseMlp {
    /// Input, first weight and bias, second weight, keys.
    type State = ([FloatTensor<B>; 4], IntTensor<B>, Mask);

    fn backward(
        self,
        ops: Ops<Self::State, 5>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let ([x, hidden, bias, output], keys, mask) = ops.state;
        let grad = grads.consume::<B>(&ops.node);
        let wants_input = ops.parents[0].is_some();
        let (of_x, of_hidden, of_hidden_bias, of_output, of_output_bias) =
            B::pointwise_mlp_backward(x, hidden, bias, output, keys, grad, mask, wants_input);
        let found = [of_x, of_hidden, of_hidden_bias, of_output, of_output_bias];
        for (node, grad) in ops.parents.into_iter().zip(found) {
            if let Some(node) = node {
                grads.register::<B>(node.id, grad);
            }
        }
    }
}

impl<B: Backend + PointwiseOps, C: CheckpointStrategy> PointwiseOps for Autodiff<B, C> {
    fn pointwise_mlp(
        x: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        hidden_bias: FloatTensor<Self>,
        output: FloatTensor<Self>,
        output_bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        mask: Mask,
    ) -> FloatTensor<Self> {
        let nodes = [
            x.node(),
            hidden.node(),
            hidden_bias.node(),
            output.node(),
            output_bias.node(),
        ];
        let [x, hidden, hidden_bias, output, output_bias] =
            [x, hidden, hidden_bias, output, output_bias].map(<FloatTensor<Self>>::into_primitive);
        let state = [&x, &hidden, &hidden_bias, &output].map(Clone::clone);
        let forward =
            |keys| B::pointwise_mlp(x, hidden, hidden_bias, output, output_bias, keys, mask);
        match PointwiseMlp.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((state, keys.clone(), mask), forward(keys)),
            OpsKind::UnTracked(prep) => prep.finish(forward(keys)),
        }
    }

    fn pointwise_mlp_backward(
        x: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        hidden_bias: FloatTensor<Self>,
        output: FloatTensor<Self>,
        keys: IntTensor<Self>,
        grad: FloatTensor<Self>,
        mask: Mask,
        wants_input: bool,
    ) -> (
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
    ) {
        // Second derivatives are not needed anywhere: the results are constants.
        let [x, hidden, hidden_bias, output, grad] =
            [x, hidden, hidden_bias, output, grad].map(<FloatTensor<Self>>::into_primitive);
        let found = B::pointwise_mlp_backward(
            x,
            hidden,
            hidden_bias,
            output,
            keys,
            grad,
            mask,
            wants_input,
        );
        (
            Self::from_inner(found.0),
            Self::from_inner(found.1),
            Self::from_inner(found.2),
            Self::from_inner(found.3),
            Self::from_inner(found.4),
        )
    }
}
