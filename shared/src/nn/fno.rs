//! The Fourier neural operator in any number of dimensions, with one or two heads.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor, TensorData, activation};

use super::mlp::PointwiseMlp;
use super::ops::Keys;
use super::{Block, Rows, SpectralConv, init};
use crate::noise::{Place, mask::Rate};
use crate::spec::ModelSpec;
use crate::spectral::Plan;

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
            blocks: (0..spec.layers).map(|_| weights.block()).collect(),
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

    /// What is the same for every member of a case: everything before the first noise.
    ///
    /// # Shapes
    /// - input: `[cases, points, in]`
    /// - output: `[cases, points, lifting]`
    pub fn shared(&self, input: Tensor<3>) -> Tensor<3> {
        self.lifting.hidden(input)
    }

    /// Everything after [`shared`](Self::shared). With `rows` dropout is on, and there may be several rows per case.
    pub fn heads(&self, shared: Tensor<3>, plan: &Plan, rows: Option<&Rows>) -> Heads {
        let device = shared.device();
        let keys = |place| rows.map(|rows| rows.keys(place, &device));
        let lifting = keys(Place::Lifting);
        let mut v = self
            .lifting
            .output(shared, self.hidden_noise(lifting.as_ref()));
        let last = self.blocks.len() - 1;
        for (i, block) in self.blocks.iter().enumerate() {
            let keys = keys(Place::Spectral(i as u16));
            let noise = keys.as_ref().map(|keys| (keys, self.rates.spectral));
            v = block.forward(v, plan, noise, i < last);
        }
        let projection = keys(Place::Projection);
        let spread = self.spread.as_ref().map(|head| {
            let keys = keys(Place::SpreadHidden);
            let raw = head.output(head.hidden(v.clone()), self.hidden_noise(keys.as_ref()));
            activation::softplus(raw, 1.0) + SPREAD_FLOOR
        });
        let mean = self.projection.output(
            self.projection.hidden(v),
            self.hidden_noise(projection.as_ref()),
        );
        Heads { mean, spread }
    }

    fn hidden_noise<'k>(&self, keys: Option<&'k Keys>) -> Option<(&'k Keys, Rate)> {
        keys.map(|keys| (keys, self.rates.hidden))
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

    fn block(&mut self) -> Block {
        Block {
            spectral: SpectralConv {
                real: self.take(),
                imag: self.take(),
                bias: self.take(),
            },
            skip: self.take(),
        }
    }
}
