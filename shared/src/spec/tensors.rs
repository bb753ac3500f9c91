//! The tensors of a model: names and shapes in file order, and their number in closed form.

use serde::{Deserialize, Serialize};

use super::{Method, ModelSpec, Operator};

/// Name of the factor of a Laplace posterior, `[hidden + 1, hidden + 1]`.
const POSTERIOR_FACTOR: &str = "laplace.factor";
/// Name of the scale of its observation noise, `[1]`.
const POSTERIOR_NOISE: &str = "laplace.noise";

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

    /// Whether a file holds it in f32 whatever its precision.
    ///
    /// The posterior of a Laplace approximation is narrow along most directions and wide along few; rounding the wide
    /// ones to eleven bits would drown the narrow ones.
    pub fn is_exact(&self) -> bool {
        [POSTERIOR_FACTOR, POSTERIOR_NOISE].contains(&self.name.as_str())
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
    /// Sphere: the degrees, which all orders share. The specification must be valid.
    pub fn weight_matrices(&self, modes: &[usize]) -> usize {
        match (self.operator, modes) {
            (Operator::Sfno, _) => modes.first().copied().unwrap_or(0),
            (_, []) => 0,
            (_, [others @ .., last]) => others.iter().product::<usize>() * (last / 2 + 1),
        }
    }

    /// The same for modes of any size, on a machine of any word length.
    fn wide_weight_matrices(&self, modes: &[usize]) -> u128 {
        let wide = |n: &usize| *n as u128;
        match (self.operator, modes) {
            (Operator::Sfno, _) => modes.first().map_or(0, wide),
            (_, []) => 0,
            (_, [others @ .., last]) => {
                others.iter().map(wide).product::<u128>() * (wide(last) / 2 + 1)
            }
        }
    }

    /// Modes of the functional noise along each axis: those that the first block keeps, since finer waves would be seen by
    /// no block.
    pub fn noise_modes(&self) -> &[usize] {
        match self.levels.first() {
            Some(level) if self.operator == Operator::Uno => &level.modes,
            _ => &self.modes,
        }
    }

    /// Channels of the input as the network takes it: those of the task, then how far it may be off where that is told.
    pub fn input_channels(&self) -> usize {
        self.in_channels + usize::from(self.observed.is_some())
    }

    /// Channels that the lifting takes: those of the input, then those of the noise.
    pub fn lifted_channels(&self) -> usize {
        self.input_channels() + self.noise.len()
    }

    /// Every tensor of one network, in file order. The spectral weight of a block is two real tensors `[mode, in, out]`:
    /// modes in ascending signed frequency with the last axis fastest, or degrees on the sphere.
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let mut out = mlp("lifting", self.lifted_channels(), self.lifting, self.width);
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
            if block.is_residual() {
                out.extend(mlp(&format!("blocks.{i}.mlp"), to, block.mlp, to));
            }
        }
        let trunk = blocks.last().map_or(self.width, |block| block.outputs);
        out.extend(mlp("projection", trunk, self.projection, self.out_channels));
        if self.method.has_spread_head() {
            out.extend(mlp("spread", trunk, self.projection, self.out_channels));
        }
        out
    }

    /// Every tensor of a file, in order: those of the network, and after them what the method needs besides.
    ///
    /// Several networks have the same names and one more axis in front, `[network, …]`, so that a file of many networks
    /// has no longer a table than one of one.
    ///
    /// A Laplace approximation has the factor of its posterior and the scale of its observation noise. They are no
    /// parameters: [`parameter_count`](Self::parameter_count) leaves them out.
    pub fn stored_tensors(&self) -> Vec<TensorSpec> {
        let mut out = self.tensors();
        if self.networks > 1 {
            for tensor in &mut out {
                tensor.shape.insert(0, self.networks);
            }
        }
        if self.method == Method::Laplace {
            let size = self.projection + 1;
            out.push(TensorSpec::new(POSTERIOR_FACTOR, &[size, size]));
            out.push(TensorSpec::new(POSTERIOR_NOISE, &[1]));
        }
        out
    }

    /// Number of real scalars of all networks, in closed form: lifting, blocks (complex weights count twice), heads.
    /// The specification must be valid.
    pub fn parameter_count(&self) -> usize {
        usize::try_from(self.wide_parameter_count()).unwrap_or(usize::MAX)
    }

    /// The same for a specification whose numbers are each in range: every factor is at most 2^13 and few of them meet.
    fn wide_parameter_count(&self) -> u128 {
        let [inputs, outputs, width, lifting, projection] = [
            self.lifted_channels(),
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
                let modes = self.wide_weight_matrices(&block.modes);
                let (from, to) = (block.inputs as u128, block.outputs as u128);
                let horizontal = block.horizontal.map_or(0, |skip| skip.channels as u128);
                let residual = match block.mlp as u128 {
                    0 => 0,
                    hidden => (to + 1) * hidden + (hidden + 1) * to,
                };
                2 * from * to * modes + to + from * to + horizontal * horizontal + residual
            })
            .sum();
        let head = (trunk + 1) * projection + (projection + 1) * outputs;
        let heads = if self.method.has_spread_head() { 2 } else { 1 };
        let one = (inputs + 1) * lifting + (lifting + 1) * width + in_blocks + heads * head;
        self.networks as u128 * one
    }

    /// Scalars of [`stored_tensors`](Self::stored_tensors), for a specification whose numbers are each in range.
    pub(super) fn stored_count(&self) -> u64 {
        let size = self.projection as u128 + 1;
        let posterior = match self.method {
            Method::Laplace => size * size + 1,
            _ => 0,
        };
        u64::try_from(self.wide_parameter_count() + posterior).unwrap_or(u64::MAX)
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
