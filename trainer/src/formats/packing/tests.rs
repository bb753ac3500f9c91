use serde_json::json;

use super::*;

fn packing(attributes: &Value, kind: Kind) -> Packing {
    let attributes = attributes.as_object().expect("an object").clone();
    Packing::of(&attributes, kind)
}

#[test]
fn values_are_scaled_and_moved_and_missing_ones_are_not_numbers() {
    let packing = packing(
        &json!({"scale_factor": 0.5, "add_offset": 10.0, "_FillValue": -32767, "missing_value": [-1, -2]}),
        Kind::Signed(16),
    );
    assert_eq!(packing.value(4.0), 12.0);
    for missing in [-32767.0, -1.0, -2.0] {
        assert!(packing.value(missing).is_nan(), "{missing}");
    }
    assert_eq!(packing.value(-3.0), 8.5);
}

#[test]
fn a_fill_value_with_more_digits_than_a_float_is_still_found() {
    let packing = packing(&json!({"missing_value": 1e20}), Kind::Float(32));
    assert!(packing.value(f64::from(1e20_f32)).is_nan());
    assert_ne!(f64::from(1e20_f32), 1e20);
}

#[test]
fn floats_that_were_never_written_are_missing() {
    let plain = json!({});
    for (kind, unwritten) in [
        (Kind::Float(32), f64::from(9.969_21e36_f32)),
        (Kind::Float(64), UNWRITTEN),
    ] {
        assert!(packing(&plain, kind).value(unwritten).is_nan());
        let named = packing(&json!({"_FillValue": -1.0}), kind);
        assert_eq!(named.value(unwritten), unwritten);
    }
}

#[test]
fn integers_without_a_sign_in_a_type_that_has_one_are_recovered() {
    let bytes = packing(
        &json!({"_Unsigned": "true", "_FillValue": -1, "scale_factor": 2.0}),
        Kind::Signed(8),
    );
    assert_eq!(bytes.value(-2.0), 508.0);
    assert_eq!(bytes.value(3.0), 6.0);
    assert!(bytes.value(-1.0).is_nan());
    let signed = packing(&json!({"_Unsigned": "false"}), Kind::Unsigned(16));
    assert_eq!(signed.value(65535.0), -1.0);
    let agreed = packing(&json!({"_Unsigned": "true"}), Kind::Unsigned(16));
    assert_eq!(agreed.value(65535.0), 65535.0);
}

#[test]
fn only_attributes_of_the_storage_are_left_out() {
    let all = json!({"units": "K", "scale_factor": 0.1, "_FillValue": 0, "valid_range": [0, 1], "long_name": "air"});
    let kept = described(all.as_object().expect("an object").clone());
    assert_eq!(
        Value::Object(kept),
        json!({"units": "K", "long_name": "air"})
    );
}
