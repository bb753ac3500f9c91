use super::*;

fn quarter(first: f64, count: usize, step: f64) -> Vec<f64> {
    (0..count)
        .map(|i| f64::from((first + step * i as f64) as f32))
        .collect()
}

fn region(text: &str) -> Region {
    text.parse().expect("a box")
}

#[test]
fn the_published_box_has_160_by_220_points_from_either_direction() {
    let wanted: Vec<f64> = (0..160).map(|i| 35.0 + 0.25 * f64::from(i)).collect();
    let south_first = latitudes("a", &quarter(-90.0, 721, 0.25), Some(&Region::PUBLISHED));
    let north_first = latitudes("a", &quarter(90.0, 721, -0.25), Some(&Region::PUBLISHED));
    let (south_first, north_first) = (south_first.expect("fits"), north_first.expect("fits"));
    assert_eq!(south_first.degrees, wanted);
    assert_eq!(north_first.degrees, wanted);
    assert_eq!(
        (south_first.ranges, south_first.reversed),
        (vec![500..660], false)
    );
    assert_eq!(
        (north_first.ranges, north_first.reversed),
        (vec![61..221], true)
    );
}

#[test]
fn a_box_across_greenwich_is_two_ranges_of_a_globe_from_0_and_one_of_a_globe_from_180() {
    let wanted: Vec<f64> = (0..220).map(|i| -12.5 + 0.25 * f64::from(i)).collect();
    let from_0 =
        longitudes("a", &quarter(0.0, 1440, 0.25), Some(&Region::PUBLISHED)).expect("fits");
    assert_eq!(from_0.ranges, [1390..1440, 0..170]);
    assert_eq!(from_0.degrees, wanted);
    let from_180 =
        longitudes("a", &quarter(-180.0, 1440, 0.25), Some(&Region::PUBLISHED)).expect("fits");
    assert_eq!(from_180.ranges, [670..890]);
    assert_eq!(from_180.degrees, wanted);
    // The box as the authors stored it: 347.5..359.75, 0..42.25.
    let stored: Vec<f64> = wanted.iter().map(|d| d.rem_euclid(360.0)).collect();
    let cut = longitudes("a", &stored, Some(&Region::PUBLISHED)).expect("fits");
    assert_eq!((cut.ranges, cut.degrees), (vec![0..220], wanted));
}

#[test]
fn every_box_has_the_columns_that_a_search_finds() {
    for first in [0.0, -180.0] {
        let axis = quarter(first, 72, 5.0);
        for west in -36..72_i32 {
            for width in 0..=72_i32 {
                let (west, east) = (f64::from(5 * west), f64::from(5 * (west + width)));
                let Ok(region) = Region::new(-10.0, 10.0, west, east) else {
                    continue;
                };
                let part = longitudes("a", &axis, Some(&region)).expect("fits");
                assert!(part.ranges.len() <= 2);
                let columns: Vec<usize> = part.ranges.iter().cloned().flatten().collect();
                assert_eq!(columns.len(), (width as usize + 1).min(72));
                for (j, (&column, &degrees)) in columns.iter().zip(&part.degrees).enumerate() {
                    assert_eq!(degrees, region.west + 5.0 * j as f64);
                    assert_eq!(axis[column].rem_euclid(360.0), degrees.rem_euclid(360.0));
                }
            }
        }
    }
}

#[test]
fn a_box_across_the_date_line_is_one_range_of_a_globe_from_0() {
    let pacific = region("0..10,170..-170");
    let part = longitudes("a", &quarter(0.0, 144, 2.5), Some(&pacific)).expect("fits");
    assert_eq!(part.ranges, [68..77]);
    assert_eq!(part.degrees[8], 190.0);
    let part = longitudes("a", &quarter(-180.0, 144, 2.5), Some(&pacific)).expect("fits");
    assert_eq!(part.ranges, [140..144, 0..5]);
}

#[test]
fn a_part_of_the_globe_is_found_in_either_way_of_counting() {
    // 200..330 as in NCEP files, asked for as -160..-30.
    let axis = quarter(200.0, 53, 2.5);
    let part = longitudes("a", &axis, Some(&region("0..10,-160..-150"))).expect("fits");
    assert_eq!((part.ranges, part.degrees[0]), (vec![0..5], -160.0));
    let message =
        longitudes("f.nc: the axis `lon`", &axis, Some(&Region::PUBLISHED)).expect_err("elsewhere");
    assert_eq!(
        message.to_string(),
        "f.nc: the axis `lon` has 200..330, but the box wants -12.5..42.25"
    );
    let message = latitudes(
        "f.nc: the axis `lat`",
        &quarter(75.0, 25, -2.5),
        Some(&Region::PUBLISHED),
    );
    assert!(
        message.is_ok(),
        "points of the box, not its edges, have to be there"
    );
    let message = latitudes(
        "f.nc: the axis `lat`",
        &quarter(60.0, 25, -2.5),
        Some(&Region::PUBLISHED),
    );
    assert_eq!(
        message.expect_err("too far north").to_string(),
        "f.nc: the axis `lat` has 0..60, but the box wants 35..74.75"
    );
    let narrow = longitudes("a", &axis, Some(&region("0..10,201..202")));
    assert!(
        narrow
            .expect_err("between two")
            .to_string()
            .contains("no entry between 201 and 202")
    );
}

#[test]
fn unequal_steps_and_eastward_order_are_told() {
    let mut axis = quarter(90.0, 19, -10.0);
    axis[4] += 0.5;
    let message = latitudes("f.nc: the axis `lat`", &axis, None).expect_err("uneven");
    assert_eq!(
        message.to_string(),
        "f.nc: the axis `lat` has unequal steps: entry 4 is 50.5, but 50 is wanted between 90 and -90"
    );
    let message = longitudes("a", &quarter(350.0, 36, -10.0), None).expect_err("westward");
    assert!(
        message
            .to_string()
            .contains("runs from east to west (350, 340"),
        "{message}"
    );
    let message = latitudes("a", &[45.0, f64::NAN, 44.0], None).expect_err("no number");
    assert!(message.to_string().contains("is NaN"), "{message}");
    assert!(latitudes("a", &[5.0, 5.0], None).is_err());
    assert!(latitudes("a", &[], None).is_err());
}
