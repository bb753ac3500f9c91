//! A new operator from the parts of the network: an FNO whose blocks share their weights.

use std::f64::consts::TAU;

use burn::tensor::{Device, TensorData};
use pno::nn::init;
use pno::spec::{Experiment, Method};

// ANCHOR: operator
use burn::module::{Module, Param};
use burn::tensor::Tensor;
use pno::nn::{Block, BlockOptions, Plan, PointwiseMlp, SpectralConv};
use pno::spec::ModelSpec;
use pno::task::Grid;

/// An FNO of any depth with the weights of one block, which every pass goes through again.
#[derive(Module, Debug)]
pub struct TiedFno {
    lifting: PointwiseMlp,
    block: Block,
    projection: PointwiseMlp,
    #[module(skip)]
    passes: usize,
}

impl TiedFno {
    /// # Shapes
    /// - input: `[rows, points, in]`
    /// - output: `[rows, points, out]`
    pub fn forward(&self, input: Tensor<3>, plan: &Plan) -> Tensor<3> {
        let whole = usize::MAX;
        let mut v = self.lifting.forward(input, None, whole);
        for pass in 0..self.passes {
            // The plan knows grid, modes and that no GELU follows the last block.
            v = self
                .block
                .forward(v, plan.block(pass), BlockOptions::default());
        }
        self.projection.forward(v, None, whole)
    }
}
// ANCHOR_END: operator

// ANCHOR: weights
/// Fresh weights: those of an FNO with one block, in the order of `ModelSpec::tensors`.
fn fresh(spec: &ModelSpec, seed: u64, device: &Device) -> TiedFno {
    let one = ModelSpec {
        layers: 1,
        ..spec.clone()
    };
    let shapes = one.tensors();
    let mut weights = shapes
        .iter()
        .zip(init::tensors(&one, seed))
        .map(|(t, values)| TensorData::new(values, t.shape.clone()));
    let mut next = || weights.next().expect("one for each tensor");
    TiedFno {
        lifting: mlp(&mut next, device),
        block: Block {
            spectral: SpectralConv {
                real: Param::from_data(next(), device),
                imag: Param::from_data(next(), device),
                bias: Param::from_data(next(), device),
            },
            skip: Param::from_data(next(), device),
            horizontal: None,
            mlp: None,
        },
        projection: mlp(&mut next, device),
        passes: spec.layers,
    }
}
// ANCHOR_END: weights

fn mlp(next: &mut impl FnMut() -> TensorData, device: &Device) -> PointwiseMlp {
    PointwiseMlp {
        hidden_weight: Param::from_data(next(), device),
        hidden_bias: Param::from_data(next(), device),
        output_weight: Param::from_data(next(), device),
        output_bias: Param::from_data(next(), device),
    }
}

fn spec() -> ModelSpec {
    ModelSpec {
        in_channels: 1,
        width: 6,
        lifting: 12,
        projection: 12,
        modes: vec![8],
        ..ModelSpec::paper_fno(Experiment::Ks, Method::Det).expect("an FNO")
    }
}

/// What the operator makes of one smooth function, sampled on a ring of so many points.
fn sampled(points: usize) -> Vec<f32> {
    let (spec, device) = (spec(), Device::flex());
    let wave = |i: usize| {
        let x = TAU * i as f64 / points as f64;
        (x.sin() + 0.5 * (2.0 * x + 1.0).cos()) as f32
    };
    let input = TensorData::new((0..points).map(wave).collect::<Vec<_>>(), [1, points, 1]);
    let plan = Plan::new(&spec, &Grid::flat(&[points]), &device);
    let output = fresh(&spec, 5, &device).forward(Tensor::from_data(input, &device), &plan);
    output.into_data().try_to_vec::<f32>().expect("a field")
}

// ANCHOR: test
#[test]
fn it_maps_functions_and_not_arrays() {
    // The same function on two grids gives the same function: every third point of the finer one is on the coarser.
    let (coarse, fine) = (sampled(128), sampled(384));
    let size = coarse.iter().map(|v| v.abs()).fold(0.0, f32::max);
    for (at, value) in coarse.iter().enumerate() {
        let gap = (value - fine[3 * at]).abs();
        assert!(
            gap < 1e-3 * size,
            "point {at}: {value} and {}",
            fine[3 * at]
        );
    }
    let middle = coarse.iter().sum::<f32>() / 128.0;
    assert!(
        coarse.iter().any(|v| (v - middle).abs() > 0.01 * size),
        "a constant proves nothing"
    );
}

#[test]
fn depth_costs_no_parameters() {
    let (shallow, deep) = (
        spec(),
        ModelSpec {
            layers: 16,
            ..spec()
        },
    );
    let count = |spec: &ModelSpec| fresh(spec, 1, &Device::flex()).num_params();
    assert_eq!(count(&shallow), count(&deep));
    let one = ModelSpec {
        layers: 1,
        ..spec()
    };
    assert_eq!(count(&shallow), one.parameter_count());
}
// ANCHOR_END: test
