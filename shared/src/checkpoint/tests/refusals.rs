//! One lie at a time, told with true lengths and a true hash.

use super::layout::{Entry, Wire};
use super::*;
use crate::checkpoint::limits::{MAX_HEADER_BYTES, MAX_SETTINGS, MAX_TEXT_BYTES};

/// The message for a file whose header or table was changed before it was sealed.
fn refused(change: impl FnOnce(&mut Wire)) -> String {
    let model = sample();
    let mut wire = Wire {
        table: layout::table(&model.header.spec, Precision::F32),
        header: model.header,
    };
    let data = vec![0; layout::data_bytes(&wire.table) as usize];
    let honest = sealed(&postcard::to_stdvec(&wire).expect("encodes"), &data);
    Checkpoint::decode(&honest).expect("the unchanged file is good");
    change(&mut wire);
    let header = postcard::to_stdvec(&wire).expect("encodes");
    let error = Checkpoint::decode(&sealed(&header, &data)).expect_err("a lie");
    error.to_string()
}

fn calibration(wire: &mut Wire) -> &mut Calibration {
    wire.header.calibration.as_mut().expect("the sample's")
}

fn table_lie(index: usize, change: impl FnOnce(&mut Entry)) -> String {
    refused(|wire| change(&mut wire.table[index]))
}

#[test]
fn a_table_that_is_not_the_models_is_refused() {
    for (message, wanted) in [
        (
            table_lie(1, |e| e.name = "x".into()),
            r#"name "x", but the model's `lifting.hidden.bias`"#,
        ),
        (
            table_lie(1, |e| e.name = "\u{1b}[2J".into()),
            r#"name "\u{1b}[2J""#,
        ),
        (
            table_lie(0, |e| e.shape = vec![3, 4]),
            "shape [3, 4], but the model's `lifting.hidden.weight` has [3, 3]",
        ),
        (
            table_lie(0, |e| e.shape = vec![1; 1000]),
            "list `the shape of a tensor` has 1000 elements, but at most 8",
        ),
        (
            table_lie(0, |e| e.shape = vec![usize::MAX; 3]),
            "but the model's",
        ),
        (
            table_lie(2, |e| e.offset -= 64),
            "tensor 2 of the table has offset 64",
        ), // overlap
        (
            table_lie(11, |e| e.offset += 64),
            "tensor 11 of the table has offset",
        ), // hole
        (
            table_lie(3, |e| e.offset = u64::MAX),
            "has offset 18446744073709551615",
        ),
        (
            table_lie(3, |e| e.length = 1 << 60),
            "has length 1152921504606846976",
        ),
        (
            refused(|w| w.table.truncate(5)),
            "there are 5 tensors, but the model has 12",
        ),
        (
            refused(|w| w.table.push(w.table[0].clone())),
            "there are 13 tensors",
        ),
    ] {
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn a_header_out_of_range_is_refused() {
    for (message, wanted) in [
        (
            refused(|w| w.header.spec.width = 0),
            "model in the header is refused: width is 0",
        ),
        (
            refused(|w| w.header.spec.layers = usize::MAX),
            "refused: layers is",
        ),
        (
            refused(|w| w.header.spec.modes = vec![4096; 3]),
            "the number of parameters would be 275012124711, but this program takes at most 67108864",
        ),
        (
            refused(|w| w.header.spec.dropout = f32::NAN),
            "dropout is NaN",
        ),
        (
            refused(|w| w.header.task.outputs[0].normalisation.std = 0.0),
            "task in the header is refused",
        ),
        (
            refused(|w| w.header.spec.in_channels = 4),
            "in_channels is 4, but must be 3, the fields and coordinates of the task",
        ),
        (
            refused(|w| w.header.task.input[0].size = usize::MAX),
            "task in the header is refused",
        ),
        (
            refused(|w| w.header.task.output.clear()),
            "output grid has 0 axes, but the model works on 2",
        ),
        (
            refused(|w| w.header.task.outputs[0].unit = "\u{7}".into()),
            "the unit of a quantity holds the control character U+0007",
        ),
        (
            refused(|w| w.header.spec.networks = 2),
            "networks is 2, but must be 1",
        ),
        (
            refused(|w| w.header.spec.networks = usize::MAX),
            "model in the header is refused: networks is",
        ),
        (
            refused(|w| calibration(w).factors[1] = f32::NAN),
            "calibration in the header is refused: a factor is NaN",
        ),
        (
            refused(|w| calibration(w).factors = vec![1.0; 1025]),
            "list `factors` has 1025 elements, but at most 1024",
        ),
        (
            refused(|w| calibration(w).channels = 0),
            "the channels of the calibration is 0, but must be 1",
        ),
        (
            refused(|w| calibration(w).data = "x".repeat(129)),
            "the data of the calibration has 129 bytes",
        ),
        (
            // Longer than the window of a name.
            refused(|w| {
                let quantity = Quantity::new(&"x".repeat(500), "", Normalisation::NONE);
                w.header.task.inputs = vec![quantity; 16];
            }),
            "task",
        ),
        (
            refused(|w| w.header.provenance.note = "x".repeat(MAX_TEXT_BYTES + 1)),
            "the note has 2049 bytes",
        ),
        (
            refused(|w| w.header.provenance.settings = vec![<_>::default(); MAX_SETTINGS + 1]),
            "list `settings` has 129 elements, but at most 128",
        ),
    ] {
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn a_header_for_other_data_is_refused() {
    // A wider model than the file has weights for, with the table such a model would have.
    let message = refused(|w| {
        w.header.spec.width = 64;
        w.table = layout::table(&w.header.spec, Precision::F32);
    });
    assert!(message.contains("the file ends after"), "{message}");
    // A narrower one.
    let message = refused(|w| {
        w.header.precision = Precision::F16;
        w.table = layout::table(&w.header.spec, Precision::F16);
    });
    assert!(message.contains("should end after"), "{message}");
}

#[test]
fn a_header_with_bytes_left_is_refused() {
    let model = sample();
    let wire = Wire {
        table: layout::table(&model.header.spec, Precision::F32),
        header: model.header,
    };
    let mut header = postcard::to_stdvec(&wire).expect("encodes");
    header.push(0);
    let file = sealed(&header, &vec![0; layout::data_bytes(&wire.table) as usize]);
    assert_eq!(
        Checkpoint::decode(&file),
        Err(CheckpointError::HeaderTrailing { unused: 1 })
    );
}

#[test]
fn the_first_bytes_are_told_apart() {
    let file = sample().encode(Precision::F32).expect("encodes");
    let message = |bytes: &[u8]| Checkpoint::decode(bytes).expect_err("refused").to_string();
    let with = |at: usize, bytes: &[u8]| {
        let mut file = file.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        resealed(file)
    };
    for (message, wanted) in [
        (message(b""), "ends after 0 bytes"),
        (message(b"404"), r#"begins with "404""#),
        (
            message(b"<!DOCTYPE html>"),
            r#"begins with "<!DOCTYP", but must begin with "\x89pno\r\n\x1a\n""#,
        ),
        (message(&file[..20]), "ends after 20 bytes"),
        (
            message(&file[..file.len() - 1]),
            "the copy or download is incomplete",
        ),
        (message(&[&file[..], b"\n"].concat()), "should end after"),
        (
            message(&with(8, &1_u32.to_le_bytes())),
            "has format version 1, but this program reads versions 2 to 6",
        ),
        (
            message(&with(12, &(MAX_HEADER_BYTES as u32 + 1).to_le_bytes())),
            "claims 633857 bytes, but at most 633856",
        ),
        (
            message(&with(12, &(file.len() as u32).to_le_bytes())),
            "bytes, but at most",
        ),
        (
            message(&with(16, &u64::MAX.to_le_bytes())),
            "but 18446744073709551615 were expected",
        ),
        (
            message(&with(16, &60_u64.to_le_bytes())),
            "should end after 60",
        ),
    ] {
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn damage_is_found_by_the_hash_before_anything_is_believed() {
    let mut file = sample().encode(Precision::F32).expect("encodes");
    let at = file.len() - limits::HASH_BYTES - 1;
    file[at] ^= 1;
    let message = Checkpoint::decode(&file).expect_err("refused").to_string();
    assert!(message.starts_with("the file is damaged"), "{message}");
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    for (precision, bad) in [
        (Precision::F32, f32::NAN.to_le_bytes().to_vec()),
        (Precision::F32, f32::NEG_INFINITY.to_le_bytes().to_vec()),
        (Precision::F16, half::f16::NAN.to_le_bytes().to_vec()),
        (Precision::F16, half::f16::INFINITY.to_le_bytes().to_vec()),
    ] {
        let mut file = sample().encode(precision).expect("encodes");
        let at = file.len() - limits::HASH_BYTES - bad.len();
        file[at..at + bad.len()].copy_from_slice(&bad);
        let message = Checkpoint::decode(&resealed(file))
            .expect_err("refused")
            .to_string();
        assert!(
            message.contains("value 0 of tensor `projection.output.bias` is"),
            "{message}"
        );
    }
}

#[test]
fn padding_hides_nothing() {
    let model = sample();
    let file = model.encode(Precision::F32).expect("encodes");
    let header = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
    let start = layout::data_start(header);
    let table = layout::table(&model.header.spec, Precision::F32);
    let after_first = start + table[0].length as usize;
    assert_ne!(
        start,
        limits::PREFIX_BYTES + header,
        "the sample has padding"
    );
    for at in [
        limits::PREFIX_BYTES + header,
        start - 1,
        after_first,
        after_first + 1,
    ] {
        let mut file = file.clone();
        file[at] = 7;
        assert_eq!(
            Checkpoint::decode(&resealed(file)),
            Err(CheckpointError::Padding {
                offset: at,
                found: 7
            })
        );
    }
}
