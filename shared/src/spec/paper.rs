//! The networks of the paper, one for every experiment and operator it combines.

use super::{Experiment, Level, Method, ModelSpec, Operator, Output, Profile};

impl ModelSpec {
    /// The published network of an experiment, with the dropout rate the authors tuned for the method.
    ///
    /// `None` for combinations that were not published. The profile makes a difference for a UNO only.
    pub fn paper(
        experiment: Experiment,
        operator: Operator,
        method: Method,
        profile: Profile,
    ) -> Option<Self> {
        let dropout = tuned_dropout(experiment, operator, method)?;
        let base = Self {
            experiment,
            method,
            operator,
            profile,
            in_channels: 3,
            out_channels: 1,
            width: 32,
            lifting: 256,
            projection: 256,
            layers: 4,
            modes: vec![12, 12],
            levels: vec![],
            dropout,
            fourier_dropout: dropout,
            networks: method.networks(),
            output: Output::Field,
            mlp: 0,
            noise: vec![],
            observed: None,
        };
        let mut spec = match (experiment, operator) {
            (Experiment::Darcy, Operator::Fno) => base,
            (Experiment::Ks, Operator::Fno) => Self {
                width: 20,
                lifting: 128,
                projection: 128,
                modes: vec![10, 12],
                ..base
            },
            (Experiment::Era5, Operator::Fno) => Self {
                in_channels: 4,
                width: 20,
                lifting: 128,
                projection: 128,
                modes: vec![10, 12, 12],
                ..base
            },
            (Experiment::Sswe, Operator::Sfno) => Self {
                out_channels: 3,
                modes: vec![32, 32],
                ..base
            },
            (Experiment::Darcy, Operator::Uno) => Self {
                width: 32,
                lifting: 32,
                projection: 32,
                layers: 0,
                modes: vec![],
                levels: darcy_levels(),
                ..base
            },
            (Experiment::Ks, Operator::Uno) => Self {
                width: 16,
                lifting: 32,
                projection: 32,
                layers: 0,
                modes: vec![],
                levels: ks_levels(),
                ..base
            },
            _ => return None,
        };
        spec.noise = spec.usual_noise();
        Some(spec)
    }

    /// The published FNO of an experiment.
    pub fn paper_fno(experiment: Experiment, method: Method) -> Option<Self> {
        Self::paper(experiment, Operator::Fno, method, Profile::Fixed)
    }
}

/// The rate that the authors found best on validation data; `None` for what they did not train.
fn tuned_dropout(experiment: Experiment, operator: Operator, method: Method) -> Option<f32> {
    let [pno_d, pno_r, mcd, others] = match (experiment, operator) {
        (Experiment::Darcy, Operator::Fno) => [0.2, 0.01, 0.02, 0.02],
        (Experiment::Darcy, Operator::Uno) => [0.15, 0.001, 0.05, 0.001],
        (Experiment::Ks | Experiment::Era5, Operator::Fno) => [0.2, 0.1, 0.05, 0.01],
        (Experiment::Ks, Operator::Uno) => [0.02, 0.005, 0.15, 0.001],
        (Experiment::Sswe, Operator::Sfno) => [0.01, 0.005, 0.01, 0.001],
        _ => return None,
    };
    Some(match method {
        Method::PnoD => pno_d,
        Method::PnoR => pno_r,
        Method::Mcd => mcd,
        Method::Det | Method::Laplace | Method::Ensemble | Method::Perturbed => others,
        // Not of the paper, and nothing is dropped.
        Method::PnoF => 0.0,
    })
}

fn darcy_levels() -> Vec<Level> {
    [
        (64, 18, 0.5),
        (128, 8, 0.5),
        (128, 8, 1.0),
        (64, 8, 2.0),
        (32, 18, 2.0),
    ]
    .map(|(width, modes, scale)| Level {
        width,
        modes: vec![modes; 2],
        scale: vec![scale; 2],
    })
    .to_vec()
}

fn ks_levels() -> Vec<Level> {
    [
        (16, [4, 20], 0.75),
        (32, [4, 14], 0.667),
        (64, [4, 6], 0.5),
        (128, [7, 6], 1.0),
        (64, [7, 6], 2.0),
        (32, [10, 14], 1.5),
        (16, [10, 20], 1.334),
    ]
    .map(|(width, modes, scale)| Level {
        width,
        modes: modes.to_vec(),
        scale: vec![1.0, scale],
    })
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::TensorSpec;

    #[test]
    fn parameter_counts_are_the_published_ones() {
        use {Experiment as E, Operator as O};
        for (experiment, operator, one_head, two_heads) in [
            (E::Darcy, O::Fno, 710_305, 719_010),
            (E::Ks, O::Fno, 231_589, 234_406),
            (E::Era5, O::Fno, 2_695_717, 2_698_534),
            (E::Sswe, O::Sfno, 284_835, 294_054),
            (E::Darcy, O::Uno, 5_814_913, 5_816_002),
            (E::Ks, O::Uno, 1_687_601, 1_688_178),
        ] {
            for (method, count) in [(Method::PnoD, one_head), (Method::PnoR, two_heads)] {
                let spec = ModelSpec::paper(experiment, operator, method, Profile::Paper);
                let spec = spec.expect("published");
                spec.validate().expect("valid");
                let what = format!("{experiment} {operator} {method}");
                assert_eq!(spec.parameter_count(), count, "{what}");
                let by_tensor: usize = spec.tensors().iter().map(TensorSpec::len).sum();
                assert_eq!(by_tensor, count, "{what}: tensor table");
            }
        }
    }

    #[test]
    fn what_was_not_published_is_none() {
        let paper = |e, o| ModelSpec::paper(e, o, Method::Det, Profile::Fixed);
        assert!(paper(Experiment::Sswe, Operator::Fno).is_none());
        assert!(paper(Experiment::Era5, Operator::Uno).is_none());
        assert!(paper(Experiment::Ks, Operator::Sfno).is_none());
    }
}
