//! What was published of each experiment: a row for each, in a file of its own.

use super::{Experiment, Level, Method, ModelSpec, Operator, Output, Profile};
use crate::task::Task;

mod arrays;
mod darcy;
mod era5;
mod ks;
mod ks_step;
mod sswe;

/// One row of the table.
pub(crate) struct Row {
    /// What its networks map to what; `None` where the data say it.
    pub task: Option<fn() -> Task>,
    /// Its networks, one for each operator.
    pub networks: &'static [Network],
}

/// One published network.
pub(crate) struct Network {
    operator: Operator,
    /// The dropout rates that the authors found best on validation data: of `PNO_D`, `PNO_R`, MCD, and all others.
    dropout: [f32; 4],
    /// Its sizes, where they differ from those of an FNO in two dimensions.
    sizes: fn(ModelSpec) -> ModelSpec,
}

impl Experiment {
    /// What was published of it.
    pub(crate) fn row(self) -> &'static Row {
        match self {
            Self::Darcy => &darcy::ROW,
            Self::Ks => &ks::ROW,
            Self::Sswe => &sswe::ROW,
            Self::Era5 => &era5::ROW,
            Self::Arrays => &arrays::ROW,
            Self::KsStep => &ks_step::ROW,
        }
    }
}

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
        let networks = experiment.row().networks;
        let network = networks.iter().find(|n| n.operator == operator)?;
        let dropout = network.rate(method);
        let mut spec = (network.sizes)(Self {
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
        });
        spec.noise = spec.usual_noise();
        Some(spec)
    }

    /// The published FNO of an experiment.
    pub fn paper_fno(experiment: Experiment, method: Method) -> Option<Self> {
        Self::paper(experiment, Operator::Fno, method, Profile::Fixed)
    }
}

impl Network {
    /// The rate of a method.
    fn rate(&self, method: Method) -> f32 {
        let [pno_d, pno_r, mcd, others] = self.dropout;
        match method {
            Method::PnoD => pno_d,
            Method::PnoR => pno_r,
            Method::Mcd => mcd,
            Method::Det | Method::Laplace | Method::Ensemble | Method::Perturbed => others,
            // Not of the paper, and nothing is dropped.
            Method::PnoF => 0.0,
        }
    }
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
