//! What versions 5 and 6 added: increments, residual blocks, functional noise; observed inputs.

use super::*;

/// The sample as a network with residual blocks and functional noise.
fn noisy() -> Checkpoint {
    let mut model = sample();
    let spec = &mut model.header.spec;
    (spec.method, spec.mlp, spec.noise) = (Method::PnoF, 4, vec![1.5, 3.0]);
    let tensors = spec.tensors();
    model.tensors = tensors.iter().map(|t| vec![0.5; t.len()]).collect();
    model
}

#[test]
fn residual_blocks_noise_and_increments_come_back_from_the_file() {
    let model = noisy();
    let names: Vec<String> = (model.header.spec.tensors().into_iter())
        .map(|tensor| tensor.name)
        .filter(|name| name.contains("mlp"))
        .collect();
    assert_eq!(
        names,
        [
            "blocks.0.mlp.hidden.weight",
            "blocks.0.mlp.hidden.bias",
            "blocks.0.mlp.output.weight",
            "blocks.0.mlp.output.bias"
        ]
    );
    let file = model.encode(Precision::F32).expect("encodes");
    let back = Checkpoint::decode(&file).expect("decodes");
    assert_eq!(back, model);
    assert_eq!(back.header.spec.tensors()[0].shape, [5, 3]);
    let scalars: usize = back.tensors.iter().map(Vec::len).sum();
    assert_eq!(back.header.spec.parameter_count(), scalars);
}

#[test]
fn increments_without_a_size_or_of_another_quantity_are_refused() {
    let refused = |change: fn(&mut Checkpoint)| {
        let mut model = sample();
        change(&mut model);
        model
            .encode(Precision::F32)
            .expect_err("refused")
            .to_string()
    };
    let message = refused(|m| m.header.task.outputs[0].increment = None);
    assert!(
        message.contains("the size of the changes of `u` is not known"),
        "{message}"
    );
    let message = refused(|m| m.header.task.outputs[0].name = "v".into());
    assert!(
        message.contains("field, because the task's output is not of"),
        "{message}"
    );
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut model = sample();
        model.header.task.outputs[0].increment = Some(size);
        let message = model
            .encode(Precision::F32)
            .expect_err("refused")
            .to_string();
        assert!(message.contains("finite and positive"), "{message}");
    }
}

#[test]
fn noise_is_for_networks_that_take_it() {
    let refused = |change: fn(&mut ModelSpec)| {
        let mut model = noisy();
        change(&mut model.header.spec);
        model
            .encode(Precision::F32)
            .expect_err("refused")
            .to_string()
    };
    let message = refused(|spec| spec.method = Method::PnoD);
    assert!(
        message.contains("channels of functional noise is 2, but must be 0"),
        "{message}"
    );
    let message = refused(|spec| spec.noise.clear());
    assert!(message.contains("must be 1 to 16"), "{message}");
    for scale in [0.0, -3.0, f32::NAN, 1e9] {
        let mut model = noisy();
        model.header.spec.noise[1] = scale;
        let message = model
            .encode(Precision::F32)
            .expect_err("refused")
            .to_string();
        assert!(message.contains("a wavenumber of the noise"), "{message}");
    }
}

/// A file as version 4 or 5 wrote it says the same as one of version 6.
#[test]
fn files_of_versions_4_and_5_are_read_and_say_the_same_in_version_6() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/checkpoint");
    let files = std::fs::read_dir(folder).expect("the corpus");
    let mut read = [0, 0];
    for file in files {
        let path = file.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a file");
        // Whole files begin with a letter that says so.
        let Some(bytes) = bytes.strip_prefix(b"f") else {
            continue;
        };
        let Ok(model) = Checkpoint::decode(bytes) else {
            continue;
        };
        let version = Checkpoint::version(bytes);
        let spec = &model.header.spec;
        match version {
            4 => assert_eq!(
                (spec.output, spec.mlp, spec.noise.len()),
                (Output::Field, 0, 0)
            ),
            5 => {}
            _ => continue,
        }
        assert_eq!(spec.observed, None);
        read[version as usize - 4] += 1;
        let newer = model.encode(model.header.precision).expect("encodes");
        assert_eq!(Checkpoint::version(&newer), 6);
        assert_eq!(Checkpoint::decode(&newer), Ok(model), "{}", path.display());
    }
    assert!(
        read.iter().all(|&files| files >= 2),
        "the corpus has {read:?} whole files of versions 4 and 5"
    );
}
