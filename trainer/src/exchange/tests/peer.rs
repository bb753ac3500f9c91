//! Models of PyTorch become ours and answer the same; ours go there and come back.

use pno::checkpoint::{Checkpoint, Precision};
use pno::spec::{Method, ModelSpec};

use super::super::found::Tensors;
use super::super::{File, assemble, safetensors, sizes};
use super::{Loose, case, error, fixture, forward, loose, own, weights, written};
use crate::npy;

const CASES: [&str; 8] = [
    "fno2d",
    "fno2d-two-heads",
    "fno3d",
    "fno1d",
    "uno-darcy",
    "uno-ks",
    "sfno",
    "sfno-two-heads",
];

#[test]
fn our_networks_answer_what_pytorch_answers() {
    for name in CASES {
        let (spec, grid) = case(name);
        let weights = weights(&spec, &format!("{name}.safetensors"));
        let read = |end: &str| npy::read(&fixture(&format!("{name}.{end}.npy"))).expect("an array");
        let ours = forward(&spec, &grid, &weights, &read("input"));
        let error = error(&ours, &read("output"));
        eprintln!("{name}: {error:.1e} of the standard deviation");
        assert!(error < 1e-4, "{name}: {error:.1e}");
    }
}

#[test]
fn both_files_of_a_model_give_the_same_weights() {
    for name in CASES {
        let (spec, _) = case(name);
        let of = |end: &str| weights(&spec, &format!("{name}.{end}"));
        assert_eq!(of("pt"), of("safetensors"), "{name}");
    }
}

#[test]
fn the_same_model_saved_otherwise_gives_the_same_weights() {
    let (spec, _) = case("fno2d");
    let plain = weights(&spec, "fno2d.safetensors");
    for file in [
        "fno2d.complex.safetensors",
        "fno2d.module.pt",
        "fno2d.legacy.pt",
    ] {
        assert_eq!(weights(&spec, file), plain, "{file}");
    }
    // burn's reader knows no complex numbers.
    let complex = File::read(&fixture("fno2d.complex.pt")).expect("a file");
    let message = format!("{:#}", complex.tensors().expect_err("complex"));
    assert!(message.contains("torch.view_as_real"), "{message}");
}

#[test]
fn sizes_are_read_off_the_shapes() {
    for name in CASES {
        let (wanted, _) = case(name);
        let file = File::read(&fixture(&format!("{name}.pt"))).expect("a file");
        let tensors = file.tensors().expect("tensors");
        assert_eq!(sizes::operator(&tensors), Some(wanted.operator), "{name}");
        let published = ModelSpec::paper(
            wanted.experiment,
            wanted.operator,
            wanted.method,
            wanted.profile,
        );
        let published = published.expect("published");
        let (_, tensors) = assemble::without_prefix(&published, tensors);
        let mut read = sizes::read_off(&published, &tensors);
        (read.dropout, read.fourier_dropout) = (0.0, 0.0);
        // Orders are in no shape.
        if let ([_, found @ 32], [_, told]) = (&mut read.modes[..], &wanted.modes[..]) {
            *found = *told;
        }
        assert_eq!(read, wanted, "{name}");
    }
}

#[test]
fn a_model_goes_there_and_comes_back_to_the_last_bit() {
    for method in [Method::PnoD, Method::PnoR] {
        for precision in [Precision::F32, Precision::F16] {
            let model = own(method);
            let bytes = safetensors::write(&model, precision).expect("writes");
            assert_eq!(
                bytes,
                safetensors::write(&model, precision).expect("writes")
            );
            let metadata = safetensors::metadata(&bytes).expect("reads").expect("ours");
            let tensors = safetensors::tensors(&bytes).expect("reads");
            let tensors = assemble::assemble(&metadata.header.spec, &tensors).expect("fits");
            assert_eq!(safetensors::weights_hash(&tensors), metadata.weights);
            let back = Checkpoint {
                header: metadata.header,
                tensors,
            };
            let file = |c: &Checkpoint| c.encode(precision).expect("encodes");
            assert_eq!(file(&back), file(&model));
        }
    }
}

#[test]
fn convolutions_of_one_point_are_matrices() {
    // neuraloperator's own lifting: trailing ones.
    let (spec, _) = case("fno3d");
    let mut tensors = loose("fno3d.safetensors");
    for (name, (_, shape, _)) in &mut tensors {
        if name.contains("fcs") && name.ends_with("weight") {
            shape.extend([1, 1, 1]);
        }
    }
    let bytes = written(&tensors);
    let found = safetensors::tensors(&bytes).expect("reads");
    let ours = assemble::assemble(&spec, &found).expect("fits");
    assert_eq!(ours, weights(&spec, "fno3d.safetensors"));
}

#[test]
fn a_prefix_is_taken_away_where_most_names_have_it() {
    let (spec, _) = case("fno3d");
    let under = |prefix: &str, more: &[&str]| -> (String, Vec<String>) {
        let plain = loose("fno3d.safetensors");
        let mut tensors: Loose = plain
            .iter()
            .map(|(name, t)| (format!("{prefix}{name}"), t.clone()))
            .collect();
        for name in more {
            tensors.insert((*name).into(), plain["lifting.fcs.0.bias"].clone());
        }
        let bytes = written(&tensors);
        let found: Tensors<'_> = safetensors::tensors(&bytes).expect("reads");
        let (prefix, found) = assemble::without_prefix(&spec, found);
        (prefix, found.into_keys().collect())
    };
    for prefix in ["", "module.", "_orig_mod.module.", "state_dict.model."] {
        let (found, names) = under(prefix, &[]);
        assert_eq!(found, prefix);
        assert!(
            names.contains(&"fno_blocks.convs.bias".to_owned()),
            "{prefix}: {names:?}"
        );
    }
    // Two tensors never become one.
    let (_, names) = under("module.", &["lifting.fcs.0.bias", "n_averaged"]);
    for name in [
        "module.lifting.fcs.0.bias",
        "lifting.fcs.0.bias",
        "n_averaged",
    ] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }
}
