//! Whole networks: lifting, blocks, heads.

use std::collections::HashMap;

use pno::noise::Place;
use pno::spec::{BlockSpec, ModelSpec, Operator, Profile};
use pno::task::{Domain, Grid};

use super::fourier::{Resizing, SpectralConv};
use super::mlp::{gelu, map, mlp};
use super::noise::{RowNoise, factors};
use super::resize::resize;
use super::sphere::SphereConv;

/// What a network says about each point, `[points, out]`.
#[derive(Debug, Clone)]
pub struct Heads {
    /// The forecast, or the mean of `PNO_R`.
    pub mean: Vec<f64>,
    /// The spread of `PNO_R`; empty for the others.
    pub spread: Vec<f64>,
}

/// A network with its tensors by name.
struct Network<'a> {
    spec: &'a ModelSpec,
    grid: &'a Grid,
    tensors: HashMap<String, &'a [f64]>,
    noise: Option<RowNoise>,
}

/// Heads of one row; `tensors` in the order of the specification, `input` is `[points, in]`.
pub fn heads(
    spec: &ModelSpec,
    tensors: &[Vec<f64>],
    grid: &Grid,
    input: &[f64],
    noise: Option<RowNoise>,
) -> Heads {
    let names = spec.tensors().into_iter().map(|t| t.name);
    let network = Network {
        spec,
        grid,
        tensors: names.zip(tensors.iter().map(Vec::as_slice)).collect(),
        noise,
    };
    let trunk = network.trunk(input);
    let softplus = |x: f64| x.exp().ln_1p();
    Heads {
        mean: network.mlp("projection", Place::Projection, &trunk),
        spread: if spec.method.has_spread_head() {
            let raw = network.mlp("spread", Place::SpreadHidden, &trunk);
            raw.into_iter().map(|x| softplus(x) + 1e-6).collect()
        } else {
            vec![]
        },
    }
}

impl Network<'_> {
    fn tensor(&self, name: &str) -> &[f64] {
        self.tensors
            .get(name)
            .unwrap_or_else(|| panic!("no tensor {name}"))
    }

    fn mlp(&self, name: &str, place: Place, x: &[f64]) -> Vec<f64> {
        let part = |part: &str| self.tensor(&format!("{name}.{part}"));
        let tensors = [
            part("hidden.weight"),
            part("hidden.bias"),
            part("output.weight"),
            part("output.bias"),
        ];
        // As many hidden values as the first map gives: the points times its width.
        let inputs = tensors[0].len() / tensors[1].len();
        let hidden = x.len() / inputs * tensors[1].len();
        let mask = factors(self.noise, place, self.spec.dropout, hidden);
        mlp(x, tensors, &mask)
    }

    /// What the heads see.
    fn trunk(&self, input: &[f64]) -> Vec<f64> {
        let grids = self.spec.grids(&self.grid.sizes);
        let mut v = self.mlp("lifting", Place::Lifting, input);
        let mut outputs: Vec<Vec<f64>> = vec![];
        for (i, block) in self.spec.blocks().iter().enumerate() {
            let from = if i == 0 {
                &self.grid.sizes
            } else {
                &grids[i - 1]
            };
            if let Some(skip) = block.horizontal {
                let weight = self.tensor(&format!("blocks.{i}.horizontal.weight"));
                let mapped = map(&outputs[skip.from], weight, skip.channels);
                let source = &grids[skip.from];
                let skipped = resize(&mapped, skip.channels, source, from, self.resizing());
                v = beside(&v, block.inputs - skip.channels, &skipped, skip.channels);
            }
            v = self.block(i, block, &v, from, &grids[i]);
            outputs.push(v.clone());
        }
        v
    }

    fn resizing(&self) -> Resizing {
        match self.spec.profile {
            Profile::Fixed => Resizing::Signed,
            Profile::Paper => Resizing::Residues,
        }
    }

    /// `spectral(v) + S v`, with a GELU where there is one; of a residual block `v + MLP(GELU(spectral(v) + S v))`, with
    /// `S v` for `v` where the channels change.
    fn block(
        &self,
        i: usize,
        block: &BlockSpec,
        v: &[f64],
        from: &[usize],
        to: &[usize],
    ) -> Vec<f64> {
        let skip = map(
            v,
            self.tensor(&format!("blocks.{i}.skip.weight")),
            block.inputs,
        );
        let skip = resize(&skip, block.outputs, from, to, self.resizing());
        let spectral = self.spectral(i, block, v, from, to);
        let sum = spectral.iter().zip(&skip).map(|(a, b)| a + b);
        if !block.activate {
            return sum.collect();
        }
        let active: Vec<f64> = sum.map(gelu).collect();
        if block.mlp == 0 {
            return active;
        }
        let kept = if block.inputs == block.outputs {
            resize(v, block.inputs, from, to, self.resizing())
        } else {
            skip
        };
        let place = Place::BlockHidden(i as u16);
        let added = self.mlp(&format!("blocks.{i}.mlp"), place, &active);
        kept.iter().zip(added).map(|(a, b)| a + b).collect()
    }

    fn spectral(
        &self,
        i: usize,
        block: &BlockSpec,
        v: &[f64],
        from: &[usize],
        to: &[usize],
    ) -> Vec<f64> {
        let part = |part: &str| self.tensor(&format!("blocks.{i}.spectral.{part}"));
        let (real, imag, bias) = (part("real"), part("imag"), part("bias"));
        let mask = |coefficients: usize| {
            let (place, rate) = (Place::Spectral(i as u16), self.spec.fourier_dropout);
            factors(self.noise, place, rate, coefficients * block.outputs)
        };
        let modes = &block.modes;
        if self.spec.operator == Operator::Sfno {
            let Domain::Sphere(latitudes) = self.grid.domain else {
                panic!("an SFNO on a sphere");
            };
            let conv = SphereConv {
                latitudes,
                sizes: [from[0], from[1]],
                modes: [modes[0], modes[1]],
                real,
                imag,
                bias,
            };
            return conv.forward(v, &mask(modes[0] * (modes[1] / 2)));
        }
        let conv = SpectralConv {
            from,
            to,
            modes,
            resizing: self.resizing(),
            real,
            imag,
            bias,
        };
        conv.forward(v, &mask(super::fourier::kept(modes).len()))
    }
}

/// Channels of `a`, then those of `b`, at every point.
fn beside(a: &[f64], of_a: usize, b: &[f64], of_b: usize) -> Vec<f64> {
    a.chunks(of_a)
        .zip(b.chunks(of_b))
        .flat_map(|(a, b)| a.iter().chain(b).copied())
        .collect()
}
