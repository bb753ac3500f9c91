//! The classic ensemble: a deterministic network whose members begin with perturbed inputs.

use anyhow::{Result, ensure};
use pno::checkpoint::Checkpoint;
use pno::spec::Method;

/// The same network as another method; scores and calibration were of the one before.
pub fn used_as(mut checkpoint: Checkpoint, method: Method) -> Result<Checkpoint> {
    let found = checkpoint.header.spec.method;
    let same = [Method::Det, Method::Perturbed];
    ensure!(
        found == method || same.contains(&found) && same.contains(&method),
        "its method is `{found}`, which cannot be exported as `{method}`: only a `det` model can, as `perturbed`"
    );
    if found != method {
        let header = &mut checkpoint.header;
        header.spec.method = method;
        (header.scores, header.calibration) = (None, None);
    }
    Ok(checkpoint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::spec::{Experiment, ModelSpec};
    use pno::task::Task;

    #[test]
    fn a_deterministic_network_can_be_used_with_perturbed_inputs_and_no_other() {
        let of = |method| {
            let spec = ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO");
            let tensors = spec.tensors();
            let weights = tensors.iter().map(|t| vec![0.0; t.len()]).collect();
            Checkpoint::new(spec, Task::ks(), weights)
        };
        let perturbed = used_as(of(Method::Det), Method::Perturbed).expect("the same network");
        assert_eq!(perturbed.header.spec.method, Method::Perturbed);
        assert_eq!(
            used_as(perturbed, Method::Det).expect("and back"),
            of(Method::Det)
        );
        let message = used_as(of(Method::PnoD), Method::Perturbed).expect_err("another network");
        assert!(
            message.to_string().contains("its method is `pno-d`"),
            "{message}"
        );
    }
}
