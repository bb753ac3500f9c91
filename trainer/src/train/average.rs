//! A running average of the weights: what is validated and kept where `train.average` is above zero.
//!
//! After step `t` the average is `d a + (1 - d) w` with `d = min(decay, (1 + t) / (10 + t))`, so that the first weights,
//! which know nothing, are soon forgotten. Its weights and its count are part of the state of a run.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};
use pno::nn::Network;

/// How the decay begins: the average holds about a tenth of the steps there were.
const EARLY: f64 = 10.0;
/// Numbers of the average's parameters begin here, far from those of the network.
const NUMBERS: u64 = 1 << 32;

/// The average of the weights of a network.
#[derive(Module, Debug)]
pub struct Average {
    /// Weights that are the average.
    pub network: Network,
    /// Steps that have gone into it.
    steps: Param<Tensor<1>>,
}

impl Average {
    /// The weights as they are, before any step.
    pub fn new(network: &Network, device: &Device) -> Self {
        let steps = Tensor::<1>::from_data(TensorData::new(vec![0.0_f32], [1]), device);
        Self {
            network: network.clone().map(&mut Renumbered(NUMBERS)).no_grad(),
            steps: Param::initialized(ParamId::from(NUMBERS), steps),
        }
        .no_grad()
    }

    /// The average after one more step, which led to these weights.
    #[must_use]
    pub fn with(self, network: &Network, decay: f64) -> Self {
        let steps = self.steps.val().detach();
        let early = (steps.clone() + 1.0) / (steps.clone() + EARLY);
        let decay = early.clamp_max(decay);
        let mut weights = Weights {
            values: GradientsParams::new(),
            number: NUMBERS,
        };
        network.visit(&mut weights);
        let mut mixed = Mixed {
            values: weights.values,
            decay,
        };
        Self {
            network: self.network.map(&mut mixed),
            steps: self.steps.map(|_| steps + 1.0),
        }
    }
}

/// Gives the parameters of the average numbers of their own, in their order.
struct Renumbered(u64);

impl ModuleMapper for Renumbered {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (_, value, mapper) = param.consume();
        self.0 += 1;
        Param::from_mapped_value(ParamId::from(self.0), value.detach(), mapper)
    }
}

/// The weights of a network under the numbers that the average gives them.
struct Weights {
    values: GradientsParams,
    number: u64,
}

impl ModuleVisitor for Weights {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.number += 1;
        let value = param.val().detach();
        self.values.register(ParamId::from(self.number), value);
    }
}

/// Mixes the weights of a network into the average.
struct Mixed {
    values: GradientsParams,
    decay: Tensor<1>,
}

impl ModuleMapper for Mixed {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, value, mapper) = param.consume();
        let value = match self.values.remove::<D>(id) {
            Some(weight) => {
                let decay = self.decay.clone().reshape([1; D]);
                // The difference, so that equal weights stay as they are.
                weight.clone() + (value.detach() - weight) * decay
            }
            None => value,
        };
        Param::from_mapped_value(id, value, mapper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::spec::{Experiment, Method, ModelSpec};

    fn network(seed: u64) -> Network {
        let spec = ModelSpec {
            width: 2,
            lifting: 3,
            projection: 3,
            layers: 1,
            modes: vec![2, 2],
            ..ModelSpec::paper_fno(Experiment::Ks, Method::Det).expect("an FNO")
        };
        Network::init(&spec, seed, &Device::flex().autodiff())
    }

    fn weights(network: &Network) -> Vec<f32> {
        let tensors = network.tensors().into_iter();
        let values = tensors.map(|tensor| tensor.try_to_vec::<f32>().expect("f32"));
        values.flatten().collect()
    }

    #[test]
    fn it_follows_the_weights_by_the_formula() {
        let device = Device::flex().autodiff();
        let (first, second) = (network(1), network(2));
        let mut average = Average::new(&first, &device);
        assert_eq!(weights(&average.network), weights(&first));
        let mut wanted = weights(&first);
        for step in 0..40 {
            average = average.with(&second, 0.7);
            let decay = 0.7_f32.min((1 + step) as f32 / (10 + step) as f32);
            for (a, w) in wanted.iter_mut().zip(weights(&second)) {
                *a = w + (*a - w) * decay;
            }
        }
        for (found, wanted) in weights(&average.network).iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-6, "{found}, not {wanted}");
        }
    }

    #[test]
    fn weights_that_stay_are_their_own_average() {
        let device = Device::flex().autodiff();
        let network = network(1);
        let average = Average::new(&network, &device).with(&network, 0.9);
        assert_eq!(weights(&average.network), weights(&network));
    }
}
