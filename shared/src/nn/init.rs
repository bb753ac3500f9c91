//! Fresh weights, made on the host from our own noise: the same seed gives the same network on every device.

use crate::noise::{self, normal, uniforms};
use crate::spec::ModelSpec;

/// Key stream of initial weights: far from any training step or member.
const STREAM: u64 = 0x1417_0000_0000_0000;

/// Initial values of every tensor of a specification, in the order of [`ModelSpec::tensors`].
///
/// Affine maps: `U(-1/sqrt(fan_in), 1/sqrt(fan_in))`, weight and bias alike, fan_in of that layer.
/// Spectral weights: real and imaginary part `N(0, 1/(c_in + c_out))` each; spectral bias `N(0, 2/(c_in + c_out))`.
pub fn tensors(spec: &ModelSpec, seed: u64) -> Vec<Vec<f32>> {
    // A bias has the spread of the weight before it.
    let mut weight: Vec<usize> = vec![];
    spec.tensors()
        .into_iter()
        .enumerate()
        .map(|(index, tensor)| {
            let (stream, len) = (STREAM + index as u64, tensor.len());
            let is_bias = tensor.shape.len() == 1;
            if !is_bias {
                weight = tensor.shape;
            }
            match weight[..] {
                [_, from, to] => {
                    let parts = if is_bias { 2.0 } else { 1.0 };
                    gaussian(seed, stream, len, (parts / (from + to) as f32).sqrt())
                }
                _ => uniform(seed, stream, len, weight[0]),
            }
        })
        .collect()
}

fn uniform(seed: u64, stream: u64, len: usize, fan_in: usize) -> Vec<f32> {
    let bound = 1.0 / (fan_in as f64).sqrt();
    uniforms(seed, stream, len)
        .into_iter()
        .map(|u| ((2.0 * u - 1.0) * bound) as f32)
        .collect()
}

fn gaussian(seed: u64, stream: u64, len: usize, std: f32) -> Vec<f32> {
    let mut values = vec![0.0; len];
    normal::fill(
        noise::key(noise::case_seed(seed, stream), 0, 0),
        &mut values,
    );
    for value in &mut values {
        *value *= std;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Experiment, Method};

    #[test]
    fn initial_weights_have_the_published_spread() {
        let spec = ModelSpec::paper_fno(Experiment::Ks, Method::PnoR).expect("an FNO");
        let values = tensors(&spec, 1);
        let rms = |name: &str| {
            let index = spec
                .tensors()
                .iter()
                .position(|t| t.name == name)
                .expect("known");
            let v = &values[index];
            (v.iter().map(|x| f64::from(x * x)).sum::<f64>() / v.len() as f64).sqrt()
        };
        // N(0, 1/40) for each part, U(+-1/sqrt(20)) for the skip: rms = bound / sqrt 3.
        assert!((rms("blocks.0.spectral.real") - (1.0_f64 / 40.0).sqrt()).abs() < 2e-3);
        assert!((rms("blocks.3.spectral.imag") - (1.0_f64 / 40.0).sqrt()).abs() < 2e-3);
        assert!((rms("blocks.1.skip.weight") - (1.0_f64 / 60.0).sqrt()).abs() < 1.5e-2);
        assert!((rms("lifting.hidden.weight") - 1.0 / 3.0).abs() < 3e-2);
        assert!((rms("spread.output.weight") - (1.0_f64 / 384.0).sqrt()).abs() < 1e-2);
        assert_ne!(values[0], tensors(&spec, 2)[0]);
    }
}
