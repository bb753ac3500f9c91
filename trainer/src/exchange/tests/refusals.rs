//! What does not fit is named.

use pno::spec::Method;

use super::super::{assemble, safetensors};
use super::{Loose, case, loose, written};

/// What is said about the tensors of `fno3d` (no prefix, one head) after a change.
fn said(change: impl Fn(&mut Loose)) -> String {
    let (spec, _) = case("fno3d");
    let mut tensors = loose("fno3d.safetensors");
    change(&mut tensors);
    let bytes = written(&tensors);
    let found = safetensors::tensors(&bytes).expect("reads");
    let (_, found) = assemble::without_prefix(&spec, found);
    assemble::assemble(&spec, &found)
        .expect_err("does not fit")
        .to_string()
}

#[test]
fn a_missing_extra_or_misshapen_tensor_is_named() {
    let message = said(|t| drop(t.remove("lifting.fcs.0.bias")));
    assert_eq!(
        message,
        "the tensors are not those of a det fno of era5: `lifting.fcs.0.bias` is missing (wanted [8])"
    );
    let message = said(|t| {
        let twin = t["projection.fcs.0.bias"].clone();
        t.insert("projection.fcs.2.bias".into(), twin);
    });
    assert!(
        message.contains("`projection.fcs.2.bias` is not part of it (found [6])"),
        "{message}"
    );
    let message = said(|t| t.get_mut("lifting.fcs.0.weight").expect("there").1 = vec![4, 8]);
    assert!(
        message.contains("`lifting.fcs.0.weight` is [4, 8], but must be [8, 4]"),
        "{message}"
    );
    let message = said(|t| {
        t.retain(|name, _| !name.contains("fno_blocks"));
        t.insert(
            "\u{1b}[31mred".into(),
            (::safetensors::Dtype::I64, vec![1], vec![0; 8]),
        );
    });
    assert!(
        message.contains("`fno_blocks.convs.weight.0.tensor` is missing"),
        "{message}"
    );
    assert!(
        message.contains("`?[31mred` is not part of it"),
        "{message}"
    );
    // Of many the first are named.
    let message = said(Loose::clear);
    assert!(message.contains("; and 3 more"), "{message}");
}

#[test]
fn values_that_are_no_weights_are_named() {
    let message = said(|t| {
        let bias = t.get_mut("lifting.fcs.0.bias").expect("there");
        bias.2[3] = 0x7F;
        bias.2[2] = 0x80;
    });
    assert!(
        message.contains("`lifting.fcs.0.bias`: its value at position 0 is not a finite"),
        "{message}"
    );
    let message = said(|t| {
        t.insert(
            "lifting.fcs.0.bias".into(),
            (::safetensors::Dtype::I32, vec![8], vec![0; 32]),
        );
    });
    assert!(
        message.contains("`lifting.fcs.0.bias`: it is an integer"),
        "{message}"
    );
}

#[test]
fn heads_of_another_method_get_a_hint() {
    let tensors = loose("fno2d-two-heads.safetensors");
    let bytes = written(&tensors);
    let (mut spec, _) = case("fno2d-two-heads");
    spec.method = Method::PnoD;
    let found = safetensors::tensors(&bytes).expect("reads");
    let message = assemble::assemble(&spec, &found)
        .expect_err("two heads")
        .to_string();
    assert!(
        message.contains("`projection.fcs.0.weight` is missing"),
        "{message}"
    );
    assert!(message.contains("--method pno-r"), "{message}");
}
