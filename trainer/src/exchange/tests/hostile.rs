//! Files that are damaged, or something else.

use std::fs;
use std::path::Path;

use pno::checkpoint::Precision;
use pno::spec::{Method, ModelSpec};

use super::super::{File, Kind, assemble, safetensors, sizes};
use super::{case, fixture, own};

/// Whatever the bytes, there is an answer and no panic.
fn survives(bytes: &[u8], scratch: &Path, spec: &ModelSpec) {
    fs::write(scratch, bytes).expect("writes");
    let Ok(file) = File::read(scratch) else {
        return;
    };
    let _ = file.metadata();
    if let Ok(found) = file.tensors() {
        let _ = sizes::operator(&found);
        let (_, found) = assemble::without_prefix(spec, found);
        let read = sizes::read_off(spec, &found);
        if read.validate().is_ok() {
            let _ = assemble::assemble(&read, &found);
        }
    }
}

#[test]
fn damaged_files_are_refused_without_a_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let scratch = folder.path().join("damaged");
    let (spec, _) = case("fno2d");
    let own = safetensors::write(&own(Method::PnoD), Precision::F16).expect("writes");
    let read = |name: &str| fs::read(fixture(name)).expect("a file");
    for (stream, whole) in [
        own,
        read("fno2d.safetensors"),
        read("fno2d.pt"),
        read("fno2d.legacy.pt"),
    ]
    .into_iter()
    .enumerate()
    {
        for length in (0..whole.len()).step_by(97) {
            survives(&whole[..length], &scratch, &spec);
        }
        let uniforms = pno::noise::uniforms(5, stream as u64, 3 * 400);
        for [place, bit, reach] in uniforms.as_chunks::<3>().0 {
            let mut bytes = whole.clone();
            // Headers are at the beginning or, of an archive, at the end.
            let span = if *reach < 0.5 {
                bytes.len()
            } else {
                bytes.len().min(4096)
            };
            let mut at = (place * span as f64) as usize;
            if *reach > 0.75 {
                at = bytes.len() - 1 - at;
            }
            bytes[at] ^= 1 << ((bit * 8.0) as u32);
            survives(&bytes, &scratch, &spec);
        }
    }
}

#[test]
fn what_is_no_model_gets_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    let said = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("writes");
        let message = match File::read(&path) {
            Ok(file) => file.tensors().err(),
            Err(error) => Some(error),
        };
        format!("{:#}", message.expect("refused"))
    };
    for (bytes, word) in [
        (&b""[..], "empty"),
        (b"<!DOCTYPE html>", "neither"),
        (b"\x89pno\r\n\x1a\n", "a .pno file already"),
        (b"PK\x03\x04 and so on", "torch.save"),
        (b"\x80\x02}.", "no tensors"),
        (
            b"\xff\xff\xff\xff\xff\xff\xff\xff{",
            "no usable safetensors file",
        ),
        (
            b"\x02\0\0\0\0\0\0\0{}and more",
            "no usable safetensors file",
        ),
    ] {
        let message = said(bytes);
        assert!(
            message.contains(word) && message.contains("file"),
            "{message}"
        );
    }
    let missing = File::read(&folder.path().join("none"));
    assert!(missing.is_err_and(|e| format!("{e:#}").contains("no such file")));
    let folder = File::read(folder.path());
    assert!(folder.is_err_and(|e| format!("{e:#}").contains("is a folder")));
    assert!(matches!(
        Kind::of(b"\x10\0\0\0\0\0\0\0{"),
        Ok(Kind::Safetensors)
    ));
}
