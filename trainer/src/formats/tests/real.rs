//! Real files, where they are: `shared/data` is not part of the project.

use super::*;
use crate::formats::cf;
use crate::skip::skip;

#[track_caller]
fn real(name: &str) -> Option<Box<dyn Archive>> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")).join(name);
    if path.exists() {
        let archive = open(&path.to_string_lossy(), &Options::default());
        return Some(archive.unwrap_or_else(|e| panic!("{name}: {e:#}")));
    }
    skip(&format!("{} is not here", path.display()));
    None
}

/// Seconds since 1970 of every time of a file.
fn times(archive: &dyn Archive) -> Vec<i64> {
    let time = variable(archive, "time");
    let calendar = attribute(&time, "calendar");
    let unit =
        cf::seconds_from(time.units().expect("a unit"), calendar.as_str()).expect("usual units");
    all(archive, "time")
        .into_iter()
        .map(|value| unit.seconds(value))
        .collect()
}

#[test]
fn twenty_steps_of_the_reanalysis_are_bit_equal_in_both_files() {
    let Some(long) = real("ncep_air995_northamerica_2013-2014_6h.nc") else {
        return;
    };
    let Some(short) = real("air_temperature_small.nc") else {
        return;
    };
    let (long, short) = (long.as_ref(), short.as_ref());
    let air = variable(long, "t2m");
    assert_eq!(air.shape, [2920, 25, 53]);
    assert_eq!(air.dimensions, ["time", "latitude", "longitude"]);
    let (long_times, short_times) = (times(long), times(short));
    assert_eq!(cf::format_date(long_times[0]), "2013-01-01T00:00");
    assert_eq!(cf::format_date(long_times[2919]), "2014-12-31T18:00");
    assert!(
        long_times
            .windows(2)
            .all(|pair| pair[1] - pair[0] == 6 * 3600)
    );
    let first = long_times
        .iter()
        .position(|time| *time == short_times[0])
        .expect("the same time");
    assert_eq!(long_times[first..first + 20], short_times);
    let part = long
        .read(&air, &[first..first + 20, 0..25, 0..53])
        .expect("a block");
    let name = short
        .variables()
        .iter()
        .find(|one| one.shape == [20, 25, 53])
        .expect("the field")
        .name
        .clone();
    // One file adds an offset to its packed numbers and the other does not: equal as what they were measured in.
    let singles = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<_>>();
    assert_eq!(singles(&part), singles(&all(short, &name)));
    assert!(part.iter().all(|value| (200.0..320.0).contains(value)));
}

#[test]
fn a_month_of_era5_has_its_published_statistics() {
    let Some(archive) = real("era5-2mt-2019-03-uk.grib") else {
        return;
    };
    let archive = archive.as_ref();
    let t2m = variable(archive, "t2m");
    assert_eq!(t2m.shape, [744, 33, 49]);
    let times = times(archive);
    assert_eq!(cf::format_date(times[0]), "2019-03-01T00:00");
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 3600));
    let (latitudes, longitudes) = (all(archive, "latitude"), all(archive, "longitude"));
    assert_eq!(
        (latitudes[0], latitudes[1], latitudes[32]),
        (58.0, 57.75, 50.0)
    );
    assert_eq!(
        (longitudes[0], longitudes[1], longitudes[48]),
        (-10.0, -9.75, 2.0)
    );
    let values: Vec<f64> = (0..744)
        .step_by(6)
        .flat_map(|hour| {
            archive
                .read(&t2m, &[hour..hour + 1, 0..33, 0..49])
                .expect("a field")
        })
        .collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / count)
        .sqrt();
    assert!((mean - 280.782_254_633_898_84).abs() < 1e-9, "{mean}");
    assert!(
        (deviation - 2.294_910_768_146_933_4).abs() < 1e-9,
        "{deviation}"
    );
    assert_eq!(
        values.iter().copied().fold(f64::INFINITY, f64::min),
        267.697_021_484_375
    );
    assert_eq!(
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        290.994_873_046_875
    );
}
