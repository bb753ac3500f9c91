//! Several networks in one file: each tensor holds those of all networks, one after the other.

use super::Checkpoint;
use crate::spec::{Method, SpecError};

impl Checkpoint {
    /// An ensemble of deterministic networks of the same specification and task.
    ///
    /// The provenance is that of the first; there are no scores and no calibration, since those were of one network.
    pub fn of_networks(models: &[Self]) -> Result<Self, SpecError> {
        let wrong = |found: String, wanted: &str| {
            Err(SpecError::Range {
                field: "the network of an ensemble",
                found,
                wanted: wanted.to_owned(),
            })
        };
        let Some(first) = models.first() else {
            return wrong("missing".into(), "at least one");
        };
        for (index, model) in models.iter().enumerate() {
            let (number, header) = (index + 1, &model.header);
            if header.spec.method != Method::Det {
                let found = format!("number {number} of method `{}`", header.spec.method);
                return wrong(found, "of method `det`");
            }
            if header.spec != first.header.spec || header.task != first.header.task {
                let found = format!("number {number} of another specification or task");
                return wrong(found, "like the first");
            }
            let lengths = |model: &Self| model.tensors.iter().map(Vec::len).collect::<Vec<_>>();
            if lengths(model) != lengths(first) {
                let found = format!("number {number} with other tensors");
                return wrong(found, "like the first");
            }
        }
        let mut header = first.header.clone();
        header.spec.method = Method::Ensemble;
        header.spec.networks = models.len();
        (header.scores, header.calibration) = (None, None);
        header.spec.validate()?;
        let all = |index: usize| models.iter().flat_map(move |m| m.tensors[index].clone());
        let tensors = (0..first.tensors.len()).map(|t| all(t).collect()).collect();
        Ok(Self { header, tensors })
    }

    /// The tensors of one of the networks, counted from 0, in the order of [`ModelSpec::tensors`].
    ///
    /// [`ModelSpec::tensors`]: crate::spec::ModelSpec::tensors
    pub fn network(&self, index: usize) -> Vec<Vec<f32>> {
        let shapes = self.header.spec.tensors();
        let parts = shapes.iter().zip(&self.tensors).map(|(shape, tensor)| {
            let length = shape.len();
            let part = tensor.get(index * length..(index + 1) * length);
            part.unwrap_or_default().to_vec()
        });
        parts.collect()
    }
}
