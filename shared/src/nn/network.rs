//! The network: lifting, blocks, one or two heads. FNO, UNO and SFNO differ in their blocks' plans alone.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor, TensorData, activation};

use super::ops::Dropout;
use super::{Block, BlockOptions, Plan, PointwiseMlp, Rows, SpectralConv, init};
use crate::noise::{Place, mask::Rate};
use crate::spec::{BlockSpec, ModelSpec};

/// Smallest spread of `PNO_R`.
pub const SPREAD_FLOOR: f32 = 1e-6;

/// Lifting, blocks, projection; `PNO_R` has a second head for the spread.
#[derive(Module, Debug)]
pub struct Network {
    lifting: PointwiseMlp,
    blocks: Vec<Block>,
    projection: PointwiseMlp,
    spread: Option<PointwiseMlp>,
    #[module(skip)]
    rates: Rates,
}

/// Dropout rates as the kernels take them.
#[derive(Debug, Clone, Copy)]
struct Rates {
    hidden: Rate,
    spectral: Rate,
}

/// What the network says about each point.
#[derive(Debug, Clone)]
pub struct Heads {
    /// The forecast, or the mean of `PNO_R`: `[rows, points, out]`.
    pub mean: Tensor<3>,
    /// The standard deviation of `PNO_R`.
    pub spread: Option<Tensor<3>>,
}

impl Network {
    /// Fresh weights from a seed.
    pub fn init(spec: &ModelSpec, seed: u64, device: &Device) -> Self {
        Self::from_tensors(spec, &init::tensors(spec, seed), device)
    }

    /// A network with given weights, one vector per entry of [`ModelSpec::tensors`], which fixes the shapes.
    pub fn from_tensors(spec: &ModelSpec, tensors: &[Vec<f32>], device: &Device) -> Self {
        let shapes = spec.tensors();
        let mut weights = Weights {
            next: shapes.iter().map(|t| t.shape.as_slice()).zip(tensors),
            device,
        };
        Self {
            lifting: weights.mlp(),
            blocks: spec.blocks().iter().map(|b| weights.block(b)).collect(),
            projection: weights.mlp(),
            spread: spec.method.has_spread_head().then(|| weights.mlp()),
            rates: Rates {
                hidden: Rate::new(spec.dropout),
                spectral: Rate::new(spec.fourier_dropout),
            },
        }
    }

    /// Every tensor in the order of [`ModelSpec::tensors`], which is the order of the fields.
    pub fn tensors(&self) -> Vec<TensorData> {
        let mut collect = Collect(vec![]);
        self.visit(&mut collect);
        collect.0
    }

    /// The gradient of every tensor, in the same order.
    #[cfg(feature = "autodiff")]
    pub fn gradients(&self, gradients: &burn::tensor::Gradients) -> Vec<Option<TensorData>> {
        let mut collect = CollectGradients(gradients, vec![]);
        self.visit(&mut collect);
        collect.1
    }

    /// One of the blocks.
    pub fn block(&self, index: usize) -> &Block {
        &self.blocks[index]
    }

    /// One pass. With `rows` dropout is on, and there may be several rows per case: the first map of the lifting,
    /// which comes before any noise, is then done once per case.
    ///
    /// # Shapes
    /// - input: `[cases, points, in]`
    /// - output: `[rows, points, out]` for each head
    pub fn forward(&self, input: Tensor<3>, plan: &Plan, rows: Option<&Rows>) -> Heads {
        let increments = plan.increments().map(|known| (known, input.clone()));
        let v = self.trunk(input, plan, rows);
        let spread = self.spread.as_ref().map(|head| {
            let raw = self.through(head, v.clone(), plan, rows, Place::SpreadHidden);
            activation::softplus(raw, 1.0) + SPREAD_FLOOR
        });
        let mean = self.through(&self.projection, v, plan, rows, Place::Projection);
        match increments {
            None => Heads { mean, spread },
            Some((increments, input)) => Heads {
                mean: increments.added(&input, mean),
                spread: spread.map(|spread| increments.scaled(spread)),
            },
        }
    }

    /// What the last affine map takes, without dropout: hidden features of the projection, in pieces of the points.
    ///
    /// # Shapes
    /// - input: `[cases, points, in]`
    /// - output: `[cases, points of the piece, hidden]` each
    pub fn features(&self, input: Tensor<3>, plan: &Plan) -> Vec<Tensor<3>> {
        let piece = plan.piece(input.dims()[0], self.projection.hidden());
        let trunk = self.trunk(input, plan, None);
        self.projection.features(&trunk, piece)
    }

    /// Lifting and blocks.
    fn trunk(&self, input: Tensor<3>, plan: &Plan, rows: Option<&Rows>) -> Tensor<3> {
        let (device, whole) = (input.device(), plan);
        let keys = |place| rows.map(|rows| rows.keys(place, &device));
        let mut v = self.through(&self.lifting, input, plan, rows, Place::Lifting);
        let mut earlier: Vec<Option<Tensor<3>>> = vec![None; self.blocks.len()];
        for (i, block) in self.blocks.iter().enumerate() {
            let plan = plan.block(i);
            if let Some(skip) = plan.horizontal().and_then(|from| earlier[from].take()) {
                v = block.join(v, skip, plan);
            }
            let spectral = keys(Place::Spectral(i as u16));
            let hidden = block.mlp.as_ref();
            let hidden = hidden.and_then(|_| keys(Place::BlockHidden(i as u16)));
            let options = BlockOptions {
                spectral: spectral
                    .as_ref()
                    .map(|k| Dropout::new(k, self.rates.spectral)),
                hidden: hidden.as_ref().map(|k| Dropout::new(k, self.rates.hidden)),
                piece: block
                    .mlp
                    .as_ref()
                    .map_or(usize::MAX, |mlp| whole.piece(v.dims()[0], mlp.hidden())),
            };
            v = block.forward(v, plan, options);
            if plan.is_source() {
                earlier[i] = Some(v.clone());
            }
        }
        v
    }

    /// One of the pointwise MLPs, with the masks of its place.
    fn through(
        &self,
        mlp: &PointwiseMlp,
        x: Tensor<3>,
        plan: &Plan,
        rows: Option<&Rows>,
        place: Place,
    ) -> Tensor<3> {
        let count = rows.map_or(x.dims()[0], Rows::len);
        let keys = rows.map(|rows| rows.keys(place, &x.device()));
        let dropout = keys.as_ref().map(|k| Dropout::new(k, self.rates.hidden));
        mlp.forward(x, dropout, plan.piece(count, mlp.hidden()))
    }
}

struct Collect(Vec<TensorData>);

impl ModuleVisitor for Collect {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.push(param.val().into_data());
    }
}

#[cfg(feature = "autodiff")]
struct CollectGradients<'a>(&'a burn::tensor::Gradients, Vec<Option<TensorData>>);

#[cfg(feature = "autodiff")]
impl ModuleVisitor for CollectGradients<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.1.push(param.val().grad(self.0).map(Tensor::into_data));
    }
}

/// Hands out weights in file order.
struct Weights<'a, I> {
    next: I,
    device: &'a Device,
}

impl<'a, I: Iterator<Item = (&'a [usize], &'a Vec<f32>)>> Weights<'_, I> {
    fn take<const D: usize>(&mut self) -> Param<Tensor<D>> {
        let (shape, values) = self
            .next
            .next()
            .expect("one vector per tensor of the specification");
        let data = TensorData::new(values.clone(), shape.to_vec());
        Param::from_data(data, self.device)
    }

    fn mlp(&mut self) -> PointwiseMlp {
        PointwiseMlp {
            hidden_weight: self.take(),
            hidden_bias: self.take(),
            output_weight: self.take(),
            output_bias: self.take(),
        }
    }

    fn block(&mut self, spec: &BlockSpec) -> Block {
        Block {
            spectral: SpectralConv {
                real: self.take(),
                imag: self.take(),
                bias: self.take(),
            },
            skip: self.take(),
            horizontal: spec.horizontal.map(|_| self.take()),
            mlp: spec.is_residual().then(|| self.mlp()),
        }
    }
}
