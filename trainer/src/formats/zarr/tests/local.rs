//! From a disk.

use super::*;

#[test]
fn a_folder_like_weatherbench2_has_its_variables_axes_and_units() {
    let zarr = open_fixture("wb2.zarr");
    let names: Vec<&str> = zarr.variables().iter().map(|v| v.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "2m_temperature",
            "land_sea_mask",
            "latitude",
            "longitude",
            "time"
        ]
    );
    let temperature = variable(&*zarr, "2m_temperature");
    assert_eq!(temperature.dimensions, ["time", "latitude", "longitude"]);
    assert_eq!(temperature.shape, SHAPE);
    assert_eq!(temperature.units(), Some("K"));
    assert_eq!(zarr.rows_together(temperature), 4);
    assert!(!temperature.attributes.contains_key("_ARRAY_DIMENSIONS"));
    assert_eq!(
        variable(&*zarr, "time").units(),
        Some("hours since 1959-01-01")
    );
}

#[test]
fn blocks_of_blosc_chunks_are_what_xarray_wrote() {
    let zarr = open_fixture("wb2.zarr");
    for block in [
        [0..10, 0..9, 0..16],
        [3..5, 2..7, 14..16],
        [9..10, 8..9, 0..1],
        [4..4, 0..9, 0..16],
    ] {
        assert_same(&read(&*zarr, "2m_temperature", &block), &wave(&block));
    }
    let hours: Vec<f64> = (0..10).map(|t| 6.0 * t as f64).collect();
    assert_eq!(read(&*zarr, "time", &[0..10]), hours);
    assert_eq!(read(&*zarr, "latitude", &[0..2]), [90.0, 67.5]);
    assert_eq!(read(&*zarr, "longitude", &[15..16]), [337.5]);
}

#[test]
fn packed_numbers_are_scaled_and_the_missing_one_is_nan() {
    let zarr = open_fixture("packed.zarr");
    let all = [0..10, 0..9, 0..16];
    let mut wanted = wave(&all);
    wanted[(3 * 9 + 2) * 16 + 5] = f64::NAN;
    assert_same(&read(&*zarr, "t2m", &all), &wanted);
    assert!(
        !variable(&*zarr, "t2m")
            .attributes
            .contains_key("scale_factor")
    );
    // Big-endian, not compressed; the fill value is the 0 that nobody chose, so a 0 is a value.
    assert_eq!(
        read(&*zarr, "plain", &[0..3, 0..2]),
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    );
}

#[test]
fn version_3_is_read_with_every_codec() {
    let zarr = open_fixture("v3.zarr");
    let all = [0..10, 0..9, 0..16];
    let mut wanted = wave(&all);
    wanted[9 * 16] = f64::NAN;
    assert_same(&read(&*zarr, "t2m", &all), &wanted);
    for codec in ["gzip", "blosc", "zstd", "none"] {
        let name = format!("count_{codec}");
        assert_eq!(variable(&*zarr, &name).dimensions, ["row", "column"]);
        assert_eq!(
            read(&*zarr, &name, &[1..4, 1..3]),
            [4.0, 5.0, 7.0, 8.0, 10.0, 11.0]
        );
    }
}

#[test]
fn a_folder_without_a_list_of_its_arrays_is_searched() {
    let folder = copied("v3.zarr");
    let file = folder.path().join("zarr.json");
    fs::write(&file, r#"{"zarr_format": 3, "node_type": "group"}"#).expect("writes");
    let zarr = open_folder(folder.path());
    assert_eq!(zarr.variables(), open_fixture("v3.zarr").variables());
    let folder = copied("wb2.zarr");
    fs::remove_file(folder.path().join(".zmetadata")).expect("removes");
    let zarr = open_folder(folder.path());
    assert_eq!(zarr.variables(), open_fixture("wb2.zarr").variables());
    let single = fixture("v3.zarr/count_none");
    let zarr = open_folder(&single);
    assert_eq!(read(&*zarr, "count_none", &[3..4, 0..3]), [9.0, 10.0, 11.0]);
}

#[test]
fn an_absent_chunk_is_missing_and_whole_numbers_without_packing_are_filled() {
    for (name, array, chunk, block) in [
        (
            "wb2.zarr",
            "2m_temperature",
            "1.0.0",
            &[3..5, 0..1, 0..1][..],
        ),
        ("packed.zarr", "plain", "1.0", &[1..3, 0..1]),
    ] {
        let folder = copied(name);
        fs::remove_file(folder.path().join(array).join(chunk)).expect("removes");
        let zarr = open_folder(folder.path());
        let values = read(&*zarr, array, block);
        assert!(values[0].is_finite() && values[1].is_nan(), "{values:?}");
    }
    let folder = copied("v3.zarr");
    fs::remove_file(folder.path().join("count_none/c/1/0")).expect("removes");
    let zarr = open_folder(folder.path());
    assert_eq!(
        read(&*zarr, "count_none", &[1..3, 0..3]),
        [3.0, 4.0, 5.0, 0.0, 0.0, 8.0]
    );
}

#[test]
fn a_damaged_chunk_is_named() {
    let folder = copied("wb2.zarr");
    let file = folder.path().join("2m_temperature/1.0.0");
    let bytes = fs::read(&file).expect("reads");
    fs::write(&file, &bytes[..bytes.len() / 2]).expect("writes");
    let zarr = open_folder(folder.path());
    let temperature = variable(&*zarr, "2m_temperature");
    assert!(zarr.read(temperature, &[0..4, 0..9, 0..16]).is_ok());
    let error = zarr
        .read(temperature, &[0..5, 0..9, 0..16])
        .expect_err("cut");
    let message = format!("{error:#}");
    assert!(
        message.contains("chunk 1.0.0 of `2m_temperature` is damaged"),
        "{message}"
    );
}

#[test]
fn what_cannot_be_read_is_told_in_a_sentence() {
    let said = |source: &str| {
        format!(
            "{:#}",
            open(source, &Options::default()).err().expect("cannot")
        )
    };
    let empty = tempfile::tempdir().expect("a folder");
    assert!(said(&empty.path().to_string_lossy()).contains("there is no Zarr folder here"));
    assert!(said("/nowhere/at/all").contains("there is no such folder"));
    assert!(said("s3://bucket/path").contains("`s3://` cannot be read"));
    fs::write(empty.path().join("zarr.json"), "{").expect("writes");
    assert!(said(&empty.path().to_string_lossy()).contains("the description zarr.json is damaged"));
    fs::write(
        empty.path().join("zarr.json"),
        r#"{"zarr_format": 3, "node_type": "array"}"#,
    )
    .expect("writes");
    let message = said(&empty.path().to_string_lossy());
    assert!(message.ends_with("has no shape"), "{message}");
    let zarr = open_fixture("wb2.zarr");
    let error = zarr
        .read(variable(&*zarr, "time"), &[5..11])
        .expect_err("too long");
    assert!(format!("{error:#}").contains("[5..11] of `time`"));
}

#[test]
fn an_array_that_cannot_be_read_does_not_hide_the_others() {
    let folder = copied("wb2.zarr");
    let file = folder.path().join(".zmetadata");
    let text = fs::read_to_string(&file).expect("reads");
    for (from, to, wanted) in [
        ("\"id\": \"blosc\"", "\"id\": \"lzma\"", "lzma"),
        ("\"<f4\"", "\"|S4\"", "|S4 is not supported"),
        ("[4, 9, 16]", "[400000000000, 9, 16]", "more than"),
        (
            "\"units\": \"K\"",
            "\"units\": \"K\", \"valid_min\": NaN",
            "",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&file, text.replacen(from, to, 1)).expect("writes");
        let zarr = open_folder(folder.path());
        assert_eq!(read(&*zarr, "longitude", &[1..2]), [22.5]);
        let found = zarr.read(variable(&*zarr, "2m_temperature"), &[0..1, 0..1, 0..1]);
        match found {
            Ok(values) => assert!(wanted.is_empty() && values == [250.0]),
            Err(error) => {
                let message = format!("{error:#}");
                assert!(!wanted.is_empty() && message.contains(wanted), "{message}");
                assert!(
                    message.contains("`2m_temperature` cannot be read"),
                    "{message}"
                );
            }
        }
    }
}
