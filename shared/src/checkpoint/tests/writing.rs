use super::*;
use crate::checkpoint::limits::{
    ALIGNMENT, MAX_HEADER_BYTES, MAX_MASK_BYTES, MAX_MASKS_BYTES, MAX_NAME_BYTES,
    MAX_SETTING_BYTES, MAX_SETTINGS, MAX_TEXT_BYTES,
};
use crate::ensemble::conformal::{MAX_DATA_BYTES, MAX_FACTORS};
use crate::spec::MAX_LAYERS;
use crate::task::{MAX_MASK_POINTS, MAX_QUANTITIES};

#[test]
fn an_f32_file_gives_back_every_bit() {
    let mut model = sample();
    model.tensors[0][..4].copy_from_slice(&[-0.0, f32::MIN_POSITIVE / 8.0, f32::MAX, 1e-30]);
    let file = model.encode(Precision::F32).expect("encodes");
    let back = Checkpoint::decode(&file).expect("decodes");
    assert_eq!(back.header, model.header);
    let bits =
        |c: &Checkpoint| -> Vec<u32> { c.tensors.iter().flatten().map(|v| v.to_bits()).collect() };
    assert_eq!(bits(&back), bits(&model));
    assert_eq!(back.encode(Precision::F32).expect("encodes"), file);
}

#[test]
fn an_f16_file_is_within_half_a_unit_in_the_last_place() {
    let mut model = sample();
    model.tensors[0][..4].copy_from_slice(&[65504.0, -65519.0, 1e-7, 2.0_f32.powi(-24)]);
    let file = model.encode(Precision::F16).expect("encodes");
    let back = Checkpoint::decode(&file).expect("decodes");
    assert_eq!(back.header.precision, Precision::F16);
    for (a, b) in model
        .tensors
        .iter()
        .flatten()
        .zip(back.tensors.iter().flatten())
    {
        // Ten stored bits; below 2^-14 the spacing stays at 2^-24.
        let ulp = 2.0_f32.powi((a.abs().log2().floor() as i32).max(-14) - 10);
        assert!((a - b).abs() <= ulp / 2.0, "{a} became {b}");
    }
    // What is f16 already stays as it is.
    assert_eq!(back.encode(Precision::F16).expect("encodes"), file);
}

#[test]
fn the_bytes_of_version_6_do_not_change() {
    // If this fails, a type in the header has changed: raise VERSION, correct the format page, then this line.
    let file = sample().encode(Precision::F16).expect("encodes");
    assert_eq!(
        Checkpoint::fingerprint(&file),
        "1aad8824344682cd9f7c74e062f32c0d060f5ca19a122330cea148153d8cfaa4"
    );
}

#[test]
fn every_published_model_survives_its_file() {
    use {Experiment as E, Operator as O};
    for (experiment, operator) in [
        (E::Darcy, O::Fno),
        (E::Darcy, O::Uno),
        (E::Ks, O::Uno),
        (E::Sswe, O::Sfno),
        (E::Era5, O::Fno),
    ] {
        let spec = ModelSpec::paper(experiment, operator, Method::PnoR, Profile::Paper);
        let spec = spec.expect("published");
        let weights = spec.tensors().iter().map(|t| vec![0.25; t.len()]).collect();
        let model = Checkpoint::new(
            spec,
            Task::published(experiment).expect("published"),
            weights,
        );
        let file = model.encode(Precision::F32).expect("encodes");
        let back = Checkpoint::decode(&file).expect("decodes");
        assert_eq!(back.header, model.header, "{experiment} {operator}");
        let same = back.tensors == model.tensors;
        assert!(same, "{experiment} {operator}: weights");
    }
}

#[test]
fn the_fingerprint_is_the_hash_at_the_end_of_the_file() {
    let file = sample().encode(Precision::F32).expect("encodes");
    let digits = Checkpoint::fingerprint(&file);
    let bytes: Vec<u8> = (0..32)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hexadecimal"))
        .collect();
    assert_eq!(bytes, file[file.len() - 32..]);
    assert_eq!(Checkpoint::fingerprint(b"short").len(), 64);
}

#[test]
fn the_header_can_be_read_from_the_beginning_of_a_file() {
    let model = sample();
    let file = model.encode(Precision::F32).expect("encodes");
    let data =
        layout::data_start(u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize);
    assert_eq!(Checkpoint::decode_header(&file[..data]), Ok(model.header));
    let message = Checkpoint::decode_header(&file[..100])
        .expect_err("refused")
        .to_string();
    assert!(message.contains("ends after 100 bytes"), "{message}");
}

#[test]
fn tensors_are_aligned_and_do_not_overlap() {
    for precision in Precision::ALL {
        let table = layout::table(&sample().header.spec, *precision);
        let mut end = 0;
        for entry in &table {
            assert_eq!(entry.offset % ALIGNMENT as u64, 0, "{}", entry.name);
            assert!(
                (end..end + ALIGNMENT as u64).contains(&entry.offset),
                "{}",
                entry.name
            );
            end = entry.offset + entry.length;
        }
        assert_eq!(end, layout::data_bytes(&table));
    }
}

#[test]
fn the_largest_header_within_the_limits_fits_and_is_read_back() {
    let full = |n| "x".repeat(n);
    let mut model = sample();
    let Header {
        spec,
        task,
        provenance,
        ..
    } = &mut model.header;
    spec.method = Method::PnoR;
    spec.layers = MAX_LAYERS;
    spec.modes = vec![2, 2, 2];
    spec.mlp = 1;
    let sizes = [64, 128, 128];
    assert_eq!(sizes.iter().product::<usize>(), MAX_MASK_POINTS);
    let axis = |size| Axis {
        name: full(MAX_NAME_BYTES),
        unit: full(MAX_NAME_BYTES),
        size,
        ..task.input[0].clone()
    };
    let axes: Vec<Axis> = sizes.map(axis).to_vec();
    (task.input, task.output) = (axes.clone(), axes);
    let quantity = Quantity {
        name: full(MAX_NAME_BYTES),
        unit: full(MAX_NAME_BYTES),
        increment: Some(0.5),
        ..task.inputs[0].clone()
    };
    task.inputs = vec![quantity.clone(); MAX_QUANTITIES];
    task.outputs = vec![quantity; MAX_QUANTITIES];
    // As many masks of the largest size as there may be, on both sides.
    let fields = task.inputs.iter_mut().zip(&mut task.outputs);
    let fields = fields.flat_map(|(input, output)| [input, output]);
    for (i, field) in fields.take(MAX_MASKS_BYTES / MAX_MASK_BYTES).enumerate() {
        field.mask = Mask::new(&sizes, |point| point % (i + 3) == 1);
    }
    task.coordinates = vec![Coordinate::unit(2); MAX_QUANTITIES];
    (spec.in_channels, spec.out_channels) = (2 * MAX_QUANTITIES, MAX_QUANTITIES);
    let setting = full(MAX_SETTING_BYTES);
    *provenance = Provenance {
        command: full(MAX_TEXT_BYTES),
        created: full(MAX_TEXT_BYTES),
        version: full(MAX_TEXT_BYTES),
        data: full(MAX_TEXT_BYTES),
        seed: u64::MAX,
        epochs: u32::MAX,
        settings: vec![(setting.clone(), setting); MAX_SETTINGS],
        note: full(MAX_TEXT_BYTES),
    };
    model.header.calibration = Some(Calibration {
        data: full(MAX_DATA_BYTES),
        channels: MAX_QUANTITIES as u32,
        factors: vec![1.5; MAX_FACTORS],
        ..model.header.calibration.expect("the sample's")
    });
    model.tensors = model
        .header
        .spec
        .tensors()
        .iter()
        .map(|t| vec![1.0; t.len()])
        .collect();
    assert_eq!(model.tensors.len(), 524);

    let file = model.encode(Precision::F32).expect("encodes");
    let header = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
    // Room for larger numbers: at most 20 of ten bytes, and six in each row of the table.
    assert!(header + 200 + 524 * 20 < MAX_HEADER_BYTES, "{header}");
    assert!(header > MAX_MASKS_BYTES, "{header}");
    assert_eq!(Checkpoint::decode(&file), Ok(model));
}

#[test]
fn weights_that_no_reader_takes_are_not_written() {
    let message = |value: f32, precision| {
        let mut model = sample();
        model.tensors[1][2] = value;
        model.encode(precision).expect_err("refused").to_string()
    };
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for precision in Precision::ALL {
            let said = message(value, *precision);
            assert!(
                said.contains("value 2 of tensor `lifting.hidden.bias`"),
                "{said}"
            );
        }
    }
    // 65520 is the first number that rounds to infinity.
    assert!(message(65520.0, Precision::F16).contains("too large for f16"));
    assert!(message(-1e30, Precision::F16).contains("too large for f16"));
}

#[test]
fn tensors_of_another_model_are_not_written() {
    let mut model = sample();
    model.tensors[3].push(0.0);
    let message = model
        .encode(Precision::F32)
        .expect_err("refused")
        .to_string();
    assert!(
        message.contains("`lifting.output.bias` has 3 values"),
        "{message}"
    );
    model.tensors.pop();
    let message = model
        .encode(Precision::F32)
        .expect_err("refused")
        .to_string();
    assert!(message.contains("there are 11 tensors"), "{message}");
}

#[test]
fn tidied_provenance_can_always_be_written() {
    let long = "é".repeat(MAX_TEXT_BYTES);
    let mut model = sample();
    model.header.provenance.command = format!("pno \u{1b}[31m {long}");
    model.header.provenance.note = "two\nlines\tand a tab".into();
    model.header.provenance.settings = vec![("key".into(), long); MAX_SETTINGS + 1];
    assert!(model.encode(Precision::F32).is_err());
    let tidy = model.header.provenance.clone().tidied();
    assert!(tidy.command.starts_with("pno ?[31m é"));
    assert_eq!(tidy.note, model.header.provenance.note);
    assert_eq!(tidy.settings.len(), MAX_SETTINGS);
    model.header.provenance = tidy;
    model.encode(Precision::F32).expect("encodes");
}

#[test]
fn names_of_precisions_round_trip() {
    for precision in Precision::ALL {
        assert_eq!(precision.name().parse(), Ok(*precision));
    }
    let message = "f64".parse::<Precision>().expect_err("refused").to_string();
    assert!(
        message.contains("`f64`") && message.contains("f32, f16"),
        "{message}"
    );
}
