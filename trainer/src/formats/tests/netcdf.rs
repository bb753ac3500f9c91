use super::*;
use crate::formats::cf;

const SCALE: f64 = 0.0125;
const OFFSET: f64 = 273.15;

fn stored(index: &[usize]) -> f64 {
    (index[0] * 1000 + index[1] * 37 + index[2] * 3) as f64 - 5000.0
}

fn packed(index: &[usize]) -> f64 {
    if (5 * index[0] + 3 * index[1] + index[2]).is_multiple_of(17) {
        f64::NAN
    } else {
        stored(index) * SCALE + OFFSET
    }
}

#[test]
fn packed_chunks_of_xarray_are_scaled_and_masked_in_every_block() {
    let archive = archive("xarray.nc");
    let t2m = variable(archive.as_ref(), "t2m");
    assert_eq!(t2m.dimensions, ["time", "latitude", "longitude"]);
    assert_eq!(t2m.shape, SHAPE);
    assert_eq!(t2m.units(), Some("K"));
    assert_eq!(attribute(&t2m, "long_name"), "2 metre temperature");
    assert!(!t2m.attributes.contains_key("scale_factor"));
    assert!(!t2m.attributes.contains_key("_FillValue"));
    assert_eq!(archive.rows_together(&t2m), 5);
    assert_blocks(archive.as_ref(), "t2m", packed);
    assert_blocks(archive.as_ref(), "plain", |i| (i[0] * 10 + i[1]) as f64);
    assert_blocks(archive.as_ref(), "count", |i| (i[0] * 28) as f64);
    assert_blocks(archive.as_ref(), "latitude", |i| 58.0 - 0.25 * i[0] as f64);
    assert_blocks(archive.as_ref(), "longitude", |i| -1.0 + 0.25 * i[0] as f64);
}

#[test]
fn times_of_xarray_are_the_dates_that_were_written() {
    let archive = archive("xarray.nc");
    let time = variable(archive.as_ref(), "time");
    let calendar = attribute(&time, "calendar");
    let unit =
        cf::seconds_from(time.units().expect("a unit"), calendar.as_str()).expect("usual units");
    let dates: Vec<String> = all(archive.as_ref(), "time")
        .into_iter()
        .map(|value| cf::format_date(unit.seconds(value)))
        .collect();
    assert_eq!(dates.len(), 12);
    assert_eq!(dates[0], "2019-03-01T00:00");
    assert_eq!(dates[1], "2019-03-01T06:00");
    assert_eq!(dates[11], "2019-03-03T18:00");
}

#[test]
fn classic_files_of_scipy_with_records_are_read() {
    let archive = archive("scipy.nc");
    let air = variable(archive.as_ref(), "air");
    assert_eq!(air.dimensions, ["time", "lat", "lon"]);
    assert_eq!(air.shape, SHAPE);
    assert_eq!(air.units(), Some("degK"));
    assert_eq!(archive.rows_together(&air), 1);
    assert_blocks(archive.as_ref(), "air", packed);
    assert_blocks(archive.as_ref(), "flag", |i| i[0] as f64 - i[1] as f64);
    assert_blocks(archive.as_ref(), "time", |i| {
        1_867_128.0 + 6.0 * i[0] as f64
    });
}

#[test]
fn classic_files_with_64_bit_offsets_and_data_are_read() {
    for name in ["offset64.nc", "data64.nc"] {
        let archive = archive(name);
        assert_blocks(archive.as_ref(), "a", |i| (i[0] * 100 + i[1]) as f64);
        // Bytes without a sign, in a type that has one.
        assert_blocks(archive.as_ref(), "b", |i| (i[0] * 25) as f64);
        assert!(
            !variable(archive.as_ref(), "b")
                .attributes
                .contains_key("_Unsigned")
        );
    }
    let archive = archive("data64.nc");
    assert_blocks(archive.as_ref(), "u", |i| {
        ((1_u64 << 50) + i[0] as u64) as f64
    });
}

#[test]
fn groups_and_numbers_of_every_kind_are_read_and_words_are_left_out() {
    let archive = archive("groups.nc");
    assert_blocks(archive.as_ref(), "long", |i| {
        ((1_i64 << 40) + i[0] as i64) as f64
    });
    assert_eq!(
        attribute(&variable(archive.as_ref(), "long"), "note"),
        "größer"
    );
    assert_blocks(archive.as_ref(), "inner/deep", |i| {
        (i[0] * 4 + i[1]) as f64 * 0.5
    });
    let deep = variable(archive.as_ref(), "inner/deep");
    assert_eq!(deep.dimensions, ["n", "m"]);
    assert_eq!(archive.rows_together(&deep), 2);
    assert_same(&all(archive.as_ref(), "single"), &[2.75], "single");
    assert_eq!(variable(archive.as_ref(), "nothing").shape, [0]);
    assert!(all(archive.as_ref(), "nothing").is_empty());
    assert!(
        archive
            .variables()
            .iter()
            .all(|variable| variable.name != "words")
    );
}

#[test]
fn values_never_written_and_each_of_several_missing_values_are_not_numbers() {
    let archive = archive("groups.nc");
    let nan = f64::NAN;
    assert_same(
        &all(archive.as_ref(), "holes"),
        &[nan, 1.5, nan, nan, -2.5, nan],
        "holes",
    );
    assert_same(
        &all(archive.as_ref(), "several"),
        &[0.0, 1.0, 2.0, nan, 4.0, nan],
        "several",
    );
}

#[test]
fn a_block_outside_and_a_variable_of_another_file_get_a_sentence() {
    let archive = archive("xarray.nc");
    let t2m = variable(archive.as_ref(), "t2m");
    let error = archive
        .read(&t2m, &[0..13, 0..9, 0..10])
        .expect_err("outside");
    let text = format!("{error:#}");
    assert!(
        text.contains("xarray.nc") && text.contains("from 0 to 13 on axis 0, which has 12"),
        "{text}"
    );
    let other = Variable {
        name: "u10".into(),
        ..t2m
    };
    let error = archive
        .read(&other, &[0..1, 0..1, 0..1])
        .expect_err("not there");
    assert!(format!("{error:#}").contains("`u10`"), "{error:#}");
}
