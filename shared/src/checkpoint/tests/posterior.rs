use super::*;
use crate::laplace::evidence::Scales;

/// The sample as a Laplace approximation with scales that f16 would spoil.
fn laplace() -> Checkpoint {
    let size = sample().header.spec.projection + 1;
    let curvature: Vec<f64> = (0..size * size)
        .map(|k| if k / size == k % size { 3e9 } else { 1e9 / 3.0 })
        .collect();
    let scales = Scales {
        delta: 3.1,
        noise: 0.1,
    };
    let posterior = Posterior::new(&curvature, size, scales, Profile::Fixed, true);
    let mut model = sample();
    model.header.spec.method = Method::Det;
    model.with_posterior(posterior.expect("definite"))
}

#[test]
fn a_posterior_keeps_every_bit_in_files_of_both_precisions() {
    let model = laplace();
    let network = sample().tensors.len();
    assert_eq!(model.tensors[..network], sample().tensors);
    let posterior = model.posterior().expect("a posterior");
    // Far below the smallest number of f16.
    assert!(posterior.variance(&[0.0; 3]).sqrt() < 1e-5);
    for precision in Precision::ALL {
        let file = model.encode(*precision).expect("encodes");
        let back = Checkpoint::decode(&file).expect("decodes");
        assert_eq!(back.posterior().as_ref(), Some(&posterior), "{precision}");
        assert_eq!(back.encode(*precision).expect("encodes"), file);
        let exact = back.tensors[0] == model.tensors[0];
        assert_eq!(exact, *precision == Precision::F32, "{precision}");
    }
}

#[test]
fn a_posterior_is_no_parameter_and_no_other_method_has_one() {
    let spec = laplace().header.spec;
    let det = ModelSpec {
        method: Method::Det,
        ..spec.clone()
    };
    assert_eq!(spec.parameter_count(), det.parameter_count());
    assert_eq!(spec.tensors(), det.tensors());
    assert_eq!(det.stored_tensors(), det.tensors());
    let more = &spec.stored_tensors()[det.tensors().len()..];
    let named: Vec<_> = more
        .iter()
        .map(|t| (t.name.as_str(), t.shape.clone()))
        .collect();
    assert_eq!(
        named,
        [("laplace.factor", vec![4, 4]), ("laplace.noise", vec![1])]
    );
    assert_eq!(sample().posterior(), None);
}

#[test]
fn a_laplace_model_without_its_posterior_is_not_written_and_a_new_one_is_certain() {
    let mut model = laplace();
    let message = |model: &Checkpoint| {
        model
            .encode(Precision::F32)
            .expect_err("refused")
            .to_string()
    };
    model.tensors.pop();
    assert!(message(&model).contains("tensors"), "{}", message(&model));
    model.tensors.pop();
    assert_eq!(model.posterior(), None);
    let Checkpoint { header, tensors } = model;
    let fresh = Checkpoint::new(header.spec, header.task, tensors);
    assert_eq!(fresh.posterior(), Some(Posterior::certain(4)));
    fresh.encode(Precision::F16).expect("encodes");
}

#[test]
fn scores_of_the_network_alone_do_not_stay_with_the_posterior() {
    assert!(sample().header.scores.is_some());
    assert_eq!(laplace().header.scores, None);
}
