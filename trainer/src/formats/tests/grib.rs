use serde_json::json;

use super::*;
use crate::formats::cf;

/// The first of March 2019, 0 h.
const MARCH: i64 = 1_551_398_400;

/// The formula of `make.py`; fields have seven rows of five.
fn field(hour: usize, number: usize, row: usize, column: usize) -> f64 {
    250.0 + (number * 8 + hour) as f64 + row as f64 / 4.0 + column as f64 / 64.0
}

fn with_holes(hour: usize, row: usize, column: usize) -> f64 {
    if (row * 5 + column + hour).is_multiple_of(4) {
        f64::NAN
    } else {
        field(hour, 0, row, column)
    }
}

#[test]
fn simple_packing_of_both_editions_gives_every_parameter_by_its_name() {
    let hours = [0, 6, 12, 30];
    for (file, numbers) in [("simple1.grib", "128.167"), ("simple2.grib", "0.0.0")] {
        let archive = archive(file);
        for (number, (name, units)) in [("t2m", "K"), ("u10", "m s**-1"), ("msl", "Pa")]
            .iter()
            .enumerate()
        {
            let one = variable(archive.as_ref(), name);
            assert_eq!(one.dimensions, ["time", "latitude", "longitude"]);
            assert_eq!(one.shape, [4, 7, 5]);
            assert_eq!(one.units(), Some(*units));
            assert_blocks(archive.as_ref(), name, |i| {
                field(hours[i[0]], number, i[1], i[2])
            });
        }
        assert_eq!(
            attribute(&variable(archive.as_ref(), "t2m"), "parameter"),
            numbers
        );
        assert_blocks(archive.as_ref(), "time", |i| {
            (MARCH + 3600 * hours[i[0]] as i64) as f64
        });
        assert_eq!(
            variable(archive.as_ref(), "time").units(),
            Some("seconds since 1970-01-01")
        );
        assert_blocks(archive.as_ref(), "latitude", |i| 58.0 - 0.25 * i[0] as f64);
        assert_blocks(archive.as_ref(), "longitude", |i| -1.0 + 0.25 * i[0] as f64);
    }
}

#[test]
fn zeros_between_messages_are_skipped() {
    for file in ["padded1.grib", "padded2.grib"] {
        assert_blocks(archive(file).as_ref(), "t2m", |i| {
            field(i[0], 0, i[1], i[2])
        });
    }
}

#[test]
fn points_outside_the_bitmap_are_not_numbers() {
    for file in ["bitmap1.grib", "bitmap2.grib", "ccsds-bitmap.grib"] {
        assert_blocks(archive(file).as_ref(), "t2m", |i| {
            with_holes(i[0], i[1], i[2])
        });
    }
}

#[test]
fn ccsds_of_every_width_is_decoded() {
    assert_blocks(archive("ccsds.grib").as_ref(), "t2m", |i| {
        field(i[0], 0, i[1], i[2])
    });
    let large = archive("ccsds-large.grib");
    assert_blocks(large.as_ref(), "t2m", |i| {
        let at = i[1] * 50 + i[2];
        200.0 + (at * at % 1009) as f64 / 4.0
    });
}

#[test]
fn levels_of_one_parameter_are_told_apart() {
    for file in ["levels1.grib", "levels2.grib"] {
        let archive = archive(file);
        assert_blocks(archive.as_ref(), "t_850", |i| {
            field(i[0] * 6, 0, i[1], i[2])
        });
        assert_blocks(archive.as_ref(), "t_500", |i| {
            field(i[0] * 6, 1, i[1], i[2])
        });
        assert_eq!(
            attribute(&variable(archive.as_ref(), "t_500"), "level"),
            json!(500.0)
        );
    }
}

#[test]
fn a_field_of_one_value_takes_no_data() {
    for file in ["constant1.grib", "constant2.grib"] {
        assert_blocks(archive(file).as_ref(), "t2m", |_| 280.5);
    }
}

#[test]
fn decimal_scales_are_undone_to_the_last_but_one_bit() {
    for file in ["decimal1.grib", "decimal2.grib"] {
        let archive = archive(file);
        let values = all(archive.as_ref(), "t2m");
        let wanted = wanted(&[0..7, 0..5], |i| {
            (field(0, 0, i[0], i[1]) * 100.0).round_ties_even() / 100.0
        });
        for (found, wanted) in values.iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-12 * wanted, "{found} {wanted}");
        }
    }
}

#[test]
fn fields_are_valid_at_the_end_of_their_step() {
    for (file, name, steps) in [
        ("forecast1.grib", "t2m", vec![0, 3, 48]),
        ("forecast2.grib", "t2m", vec![0, 3, 48]),
        ("accumulated1.grib", "tp", vec![1, 2]),
        ("accumulated2.grib", "tp", vec![1, 2]),
    ] {
        let archive = archive(file);
        assert_blocks(archive.as_ref(), name, |i| {
            field(steps[i[0]], 0, i[1], i[2])
        });
        let times: Vec<String> = all(archive.as_ref(), "time")
            .iter()
            .map(|&time| cf::format_date(time as i64))
            .collect();
        let wanted: Vec<String> = steps
            .iter()
            .map(|&step| cf::format_date(MARCH + 3600 * (6 + step as i64)))
            .collect();
        assert_eq!(times, wanted, "{file}");
    }
}

#[test]
fn every_scanning_order_puts_values_where_the_c_library_does() {
    let points = std::fs::read(path("points.json")).expect("the points");
    let points: Map<String, Value> = serde_json::from_slice(&points).expect("JSON");
    assert_eq!(points.len(), 8);
    for (file, points) in &points {
        let archive = archive(file);
        let latitudes = all(archive.as_ref(), "latitude");
        let longitudes = all(archive.as_ref(), "longitude");
        let values = all(archive.as_ref(), "t2m");
        let points = points.as_array().expect("a list");
        assert_eq!(points.len(), values.len());
        for point in points {
            let number = |at: usize| point[at].as_f64().expect("a number");
            let row = latitudes
                .iter()
                .position(|&latitude| latitude == number(0))
                .expect("a row");
            let column = longitudes
                .iter()
                .position(|longitude| longitude.rem_euclid(360.0) == number(1).rem_euclid(360.0))
                .expect("a column");
            assert_eq!(
                values[row * longitudes.len() + column],
                number(2),
                "{file} {point}"
            );
        }
    }
}

#[test]
fn rows_that_go_back_and_forth_are_put_in_order() {
    assert_blocks(archive("scan4-2.grib").as_ref(), "t2m", |i| {
        field(0, 0, i[1], i[2])
    });
}

#[test]
fn several_fields_in_one_message_are_found() {
    let archive = archive("multi.grib");
    assert_blocks(archive.as_ref(), "t2m", |i| field(0, 0, i[1], i[2]));
    assert_blocks(archive.as_ref(), "u10", |i| field(0, 1, i[1], i[2]));
}

#[test]
fn data_without_a_product_of_their_own_are_refused() {
    // Five bytes of an empty data section behind the field: many of them would be as many fields.
    let mut again = bytes("constant2.grib");
    let end = again.len() - 4;
    drop(again.splice(end..end, [0, 0, 0, 5, 7]));
    let length = again.len() as u64;
    again[8..16].copy_from_slice(&length.to_be_bytes());
    let text = refused(&again);
    assert!(
        text.contains("message 1 (at byte 0): its data come before its product section"),
        "{text}"
    );
}

/// What opening (and, if that works, reading) says of some bytes.
fn refused(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("made.grib");
    std::fs::write(&path, bytes).expect("a file");
    match open(&path.to_string_lossy(), &Options::default()) {
        Err(error) => format!("{error:#}"),
        Ok(_) => panic!("it was taken"),
    }
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).expect("a fixture")
}

#[test]
fn templates_that_are_not_known_are_refused_by_their_number() {
    // Section 5 of the first message: its length (21), its number, 35 values, then the template.
    let mut jpeg = bytes("simple2.grib");
    let head = [0, 0, 0, 21, 5, 0, 0, 0, 35, 0, 0];
    let at = jpeg
        .windows(head.len())
        .position(|window| window == head)
        .expect("section 5");
    jpeg[at + 10] = 40;
    let text = refused(&jpeg);
    assert!(
        text.contains("message 1 (at byte 0)") && text.contains("5.40 (JPEG 2000)"),
        "{text}"
    );
    // Edition 1: the type of the grid, after 8 octets of the message and 28 or more of the product.
    let mut gaussian = bytes("constant1.grib");
    let product = usize::from(gaussian[10]);
    gaussian[8 + product + 5] = 4;
    let text = refused(&gaussian);
    assert!(text.contains("grid is of type 4"), "{text}");
}

#[test]
fn times_twice_or_out_of_order_and_other_grids_are_refused_by_their_message() {
    let twice = [bytes("constant1.grib"), bytes("constant1.grib")].concat();
    let text = refused(&twice);
    assert!(text.contains("message 2 (at byte 108) of `t2m` is for 2019-03-01T00:00, but message 1 before it is for 2019-03-01T00:00"), "{text}");

    let steps = bytes("simple1.grib");
    let length = steps.len() / 12;
    let backwards = [&steps[length..], &steps[..length]].concat();
    let text = refused(&backwards);
    assert!(
        text.contains("message 12")
            && text.contains("`t2m` is for 2019-03-01T00:00, but message 9")
            && text.contains("2019-03-02T06:00"),
        "{text}"
    );

    let grids = [bytes("constant2.grib"), bytes("ccsds-large.grib")].concat();
    let text = refused(&grids);
    assert!(
        text.contains("message 2 (at byte 179) is on another grid than message 1"),
        "{text}"
    );

    let simple = bytes("simple1.grib");
    let shorter = &simple[..simple.len() - simple.len() / 12];
    let text = refused(shorter);
    assert!(
        text.contains("`msl` has 3 times, but `t2m` has 4"),
        "{text}"
    );
}

#[test]
fn a_file_cut_short_anywhere_is_refused_with_byte_and_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cut.grib");
    for file in ["simple1.grib", "simple2.grib"] {
        let whole = bytes(file);
        let length = whole.len() / 12;
        // A cut between messages leaves a file that is whole; another test has those.
        for keep in (4..3 * length).filter(|keep| keep % length != 0) {
            std::fs::write(&path, &whole[..keep]).expect("a file");
            let error = open(&path.to_string_lossy(), &Options::default()).err();
            let text = format!("{:#}", error.expect("cut short"));
            let (number, start) = (keep / length + 1, keep / length * length);
            assert!(
                text.contains(&format!("message {number} (at byte {start})")),
                "{keep}: {text}"
            );
            if keep - start >= 4 {
                assert!(
                    text.contains("cut short") && text.contains(&format!("at byte {keep}")),
                    "{keep}: {text}"
                );
            }
        }
    }
}
