//! Observed inputs in training: every case begins with an observation of its own, as noisy as any the network is to know.

use pno::noise;
use pno::observation::Observation;
use pno::spec::ModelSpec;

/// Numbers drawn for each case: exact or not, noise, distance of the points.
const DRAWS: usize = 3;

/// How the inputs of an epoch are observed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observing {
    /// The noisiest and sparsest.
    worst: Observation,
    /// Share of the cases whose input is exact.
    exact: f64,
    /// A loss is divided by this and the level of its input; 0 leaves it as it is.
    scale: f64,
    /// Names the draws of the epoch.
    seed: u64,
}

impl Observing {
    /// For a network that takes observed inputs; `None` for others.
    pub fn new(spec: &ModelSpec, exact: f64, scale: f64) -> Option<Self> {
        let worst = spec.observed?;
        Some(Self {
            worst,
            exact,
            scale,
            seed: 0,
        })
    }

    /// The same with the draws of a seed.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// How an entry of the epoch is observed, and the seed of its noise: exactly, or with noise of any level up to the
    /// worst, at points whose distance is any power of two up to the worst.
    pub fn of(&self, entry: usize) -> (Observation, u64) {
        let draws = noise::uniforms(self.seed, entry as u64, DRAWS);
        let seed = noise::case_seed(self.seed, entry as u64);
        if draws[0] < self.exact {
            return (Observation::EXACT, seed);
        }
        let choices = self.worst.every.max(1).ilog2() + 1;
        let power = ((draws[2] * f64::from(choices)) as u32).min(choices - 1);
        let observation = Observation {
            noise: self.worst.noise * draws[1] as f32,
            every: 1 << power,
        };
        (observation, seed)
    }

    /// The factor of a case in the loss: errors grow with what is not known of the input, and cases of which much is known
    /// are to count, too.
    pub fn weight(&self, observation: &Observation, sizes: &[usize]) -> f32 {
        if self.scale == 0.0 {
            return 1.0;
        }
        (self.scale / (self.scale + f64::from(observation.mean_level(sizes)))) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::spec::{Experiment, Method};
    use pno::task::Task;

    fn observing() -> Observing {
        let mut spec = ModelSpec::for_task(Experiment::KsStep, Method::PnoF, &Task::ks_step());
        assert_eq!(Observing::new(&spec, 0.25, 0.0), None);
        spec.observed = Some(Observation {
            noise: 0.3,
            every: 5,
        });
        Observing::new(&spec, 0.25, 0.1)
            .expect("observed")
            .seeded(7)
    }

    #[test]
    fn a_quarter_is_exact_and_the_rest_has_any_noise_and_every_distance() {
        let observing = observing();
        let all: Vec<Observation> = (0..4000).map(|entry| observing.of(entry).0).collect();
        let exact = all.iter().filter(|o| o.is_exact()).count();
        assert!((900..1100).contains(&exact), "{exact}");
        let noisy: Vec<&Observation> = all.iter().filter(|o| !o.is_exact()).collect();
        let mean = noisy.iter().map(|o| f64::from(o.noise)).sum::<f64>() / noisy.len() as f64;
        assert!((mean - 0.15).abs() < 0.01, "{mean}");
        for every in [1, 2, 4] {
            let share = noisy.iter().filter(|o| o.every == every).count() * 3;
            assert!((2700..3300).contains(&share), "{every}: {share}");
        }
        assert_eq!(observing.of(11), observing.of(11));
        assert_ne!(observing.of(11).1, observing.of(12).1);
    }

    #[test]
    fn a_case_of_which_more_is_known_weighs_more() {
        let observing = observing();
        let weight = |observation| observing.weight(&observation, &[8]);
        assert_eq!(weight(Observation::EXACT), 1.0);
        assert_eq!(weight(Observation::noisy(0.1)), 0.5);
        // Three of four points are not known at all: 0.1 of 0.1 + 3/4.
        let sparse: Observation = "every=4".parse().expect("an observation");
        assert!((weight(sparse) - 0.1 / 0.85).abs() < 1e-6);
    }
}
