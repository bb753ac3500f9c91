//! The tensors of a model: names and shapes in file order, and their number in closed form.

use serde::{Deserialize, Serialize};

use super::{ModelSpec, Operator};

/// Name and shape of one tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorSpec {
    /// Dotted name, for example `blocks.2.skip.weight`.
    pub name: String,
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
}

impl TensorSpec {
    fn new(name: impl Into<String>, shape: &[usize]) -> Self {
        Self {
            name: name.into(),
            shape: shape.to_vec(),
        }
    }

    /// Number of scalars.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no scalars (never, for a validated specification).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl ModelSpec {
    /// Weight matrices of a spectral convolution with `modes` in the paper's counting.
    ///
    /// Fourier: the kept frequencies, `n` on each axis and `n/2 + 1` on the last (real) one.
    /// Sphere: the degrees, which all orders share.
    pub fn weight_matrices(&self, modes: &[usize]) -> usize {
        match (self.operator, modes) {
            (Operator::Sfno, _) => modes.first().copied().unwrap_or(0),
            (_, []) => 0,
            (_, [others @ .., last]) => others.iter().product::<usize>() * (last / 2 + 1),
        }
    }

    /// Every tensor of the model, in file order. The spectral weight of a block is two real tensors `[mode, in, out]`:
    /// modes in ascending signed frequency with the last axis fastest, or degrees on the sphere.
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let mut out = mlp("lifting", self.in_channels, self.lifting, self.width);
        let blocks = self.blocks();
        for (i, block) in blocks.iter().enumerate() {
            let (modes, from, to) = (
                self.weight_matrices(&block.modes),
                block.inputs,
                block.outputs,
            );
            let mut push = |name: &str, shape: &[usize]| {
                out.push(TensorSpec::new(format!("blocks.{i}.{name}"), shape));
            };
            push("spectral.real", &[modes, from, to]);
            push("spectral.imag", &[modes, from, to]);
            push("spectral.bias", &[to]);
            push("skip.weight", &[from, to]);
            if let Some(skip) = block.horizontal {
                push("horizontal.weight", &[skip.channels, skip.channels]);
            }
        }
        let trunk = blocks.last().map_or(self.width, |block| block.outputs);
        out.extend(mlp("projection", trunk, self.projection, self.out_channels));
        if self.method.has_spread_head() {
            out.extend(mlp("spread", trunk, self.projection, self.out_channels));
        }
        out
    }

    /// Number of real scalars, in closed form: lifting, blocks (complex weights count twice), heads.
    pub fn parameter_count(&self) -> usize {
        usize::try_from(self.wide_parameter_count()).unwrap_or(usize::MAX)
    }

    /// The same for a specification of any size: every factor is at most 2^13 and few of them meet.
    pub(super) fn wide_parameter_count(&self) -> u128 {
        let [inputs, outputs, width, lifting, projection] = [
            self.in_channels,
            self.out_channels,
            self.width,
            self.lifting,
            self.projection,
        ]
        .map(|n| n as u128);
        let blocks = self.blocks();
        let trunk = blocks.last().map_or(width, |block| block.outputs as u128);
        let in_blocks: u128 = blocks
            .iter()
            .map(|block| {
                let modes = self.weight_matrices(&block.modes) as u128;
                let (from, to) = (block.inputs as u128, block.outputs as u128);
                let horizontal = block.horizontal.map_or(0, |skip| skip.channels as u128);
                2 * from * to * modes + to + from * to + horizontal * horizontal
            })
            .sum();
        let head = (trunk + 1) * projection + (projection + 1) * outputs;
        let heads = if self.method.has_spread_head() { 2 } else { 1 };
        (inputs + 1) * lifting + (lifting + 1) * width + in_blocks + heads * head
    }
}

fn mlp(name: &str, input: usize, hidden: usize, output: usize) -> Vec<TensorSpec> {
    vec![
        TensorSpec::new(format!("{name}.hidden.weight"), &[input, hidden]),
        TensorSpec::new(format!("{name}.hidden.bias"), &[hidden]),
        TensorSpec::new(format!("{name}.output.weight"), &[hidden, output]),
        TensorSpec::new(format!("{name}.output.bias"), &[output]),
    ]
}
