//! Expected seconds are those of Python's `datetime` and of `cftime` 1.6; the one with a zone is of `datetime`.

use super::*;

/// 2013-01-01T06:00 UTC.
const JANUARY_2013: i64 = 1_357_020_000;

fn seconds(units: &str, calendar: Option<&str>, value: f64) -> i64 {
    seconds_from(units, calendar)
        .unwrap_or_else(|e| panic!("{units}: {e:#}"))
        .seconds(value)
}

#[test]
fn units_of_real_files_give_the_seconds_of_cftime() {
    for (units, value, wanted) in [
        ("hours since 1800-01-01", 1_867_134.0, JANUARY_2013),
        ("hours since 1900-01-01 00:00:0.0", 990_558.0, JANUARY_2013),
        ("hours since 1900-01-01 00:00:00.0", 990_558.0, JANUARY_2013),
        ("days since 1800-01-01", 77_797.25, JANUARY_2013),
        ("seconds since 1970-01-01", 1_357_020_000.0, JANUARY_2013),
        ("seconds since 1970-01-01T00:00:00Z", -1.0, -1),
        ("minutes since 2013-01-01 06:00", 90.0, JANUARY_2013 + 5400),
        (
            "Hours Since 2013-1-1T06:00:00.000 UTC",
            1.0,
            JANUARY_2013 + 3600,
        ),
        ("h since 2013-01-01 6:00 +00:00", 0.0, JANUARY_2013),
        ("nanoseconds since 1970-01-01", 1.357_020e18, JANUARY_2013),
        ("seconds since 1992-10-8 15:15:42.5 -6:00", 0.5, 718_578_943),
        ("days since 2000-01-01 UTC", 59.0, 951_782_400),
    ] {
        assert_eq!(seconds(units, None, value), wanted, "{units}");
    }
}

#[test]
fn a_day_in_thirds_of_an_hour_is_rounded_to_whole_seconds() {
    let unit = seconds_from("days since 2000-01-01", None).expect("usual units");
    for step in 0..72_i64 {
        assert_eq!(unit.seconds(step as f64 / 72.0), 946_684_800 + step * 1200);
    }
}

#[test]
fn the_standard_calendar_is_julian_before_october_1582() {
    let day = |calendar| seconds("hours since 1-1-1 00:00:0.0", Some(calendar), 17_628_096.0);
    assert_eq!(day("standard"), 1_325_376_000);
    assert_eq!(day("Gregorian"), 1_325_376_000);
    // The proleptic calendar puts the first day of the year 1 two days later.
    assert_eq!(day("proleptic_gregorian"), 1_325_376_000 + 2 * DAY_SECONDS);
    assert_eq!(seconds("days since 1582-10-04", None, 1.0), -12_219_292_800);
    assert_eq!(seconds("days since 1582-10-15", None, 0.0), -12_219_292_800);
    let error = seconds_from("days since 1582-10-10", None).expect_err("no such day");
    assert!(format!("{error:#}").contains("ten days"), "{error:#}");
}

#[test]
fn calendars_and_units_without_a_fixed_length_are_refused_by_name() {
    for (units, calendar, part) in [
        ("days since 2000-01-01", Some("noleap"), "`noleap`"),
        ("days since 2000-01-01", Some("360_day"), "`360_day`"),
        ("months since 2000-01-01", None, "no fixed length"),
        ("fortnights since 2000-01-01", None, "`fortnights`"),
        ("hours", None, "`hours`"),
        ("hours after 2000-01-01", None, "`hours after 2000-01-01`"),
        ("hours since yesterday", None, "`yesterday`"),
        ("K", None, "`K`"),
        ("", None, "``"),
    ] {
        let error = seconds_from(units, calendar).expect_err("not a usable unit");
        assert!(format!("{error:#}").contains(part), "{error:#}");
    }
}

#[test]
fn dates_are_read_in_every_usual_spelling() {
    for (text, wanted) in [
        ("1900-01-01", -2_208_988_800),
        ("2013-01-01T06", JANUARY_2013),
        ("2013-01-01T06:00", JANUARY_2013),
        (" 2013-01-01 06:00:00 ", JANUARY_2013),
        ("2013-01-01T06:00:00Z", JANUARY_2013),
        ("2013-01-01T07:00:00.0+01:00", JANUARY_2013),
        ("2013-01-01T0:30:00 -0530", JANUARY_2013),
        ("1969-12-31T23:59:59", -1),
        ("2000-02-29", 951_782_400),
        ("1600-03-01", -11_670_912_000),
    ] {
        assert_eq!(parse_date(text).expect("a date"), wanted, "{text}");
    }
}

#[test]
fn what_is_not_a_date_is_refused_with_its_text() {
    for text in [
        "",
        "2011",
        "2011-01",
        "2011-13-01",
        "2011-00-01",
        "2011-01-32",
        "2011-02-29",
        "1900-02-29",
        "2011-04-31",
        "2011-01-01T24",
        "2011-01-01T06:60",
        "2011-01-01T06:00:60",
        "2011-01-01T06:00:00.5",
        "2011-01-01T:",
        "2011-01-01T06:00:00:00",
        "2011-01-01-01",
        "+2011-01-01",
        "999999999999-01-01",
        "2011-01-01T06 XYZ",
        "2011-01-01T06+99",
        "2011-01-01T06:00:.",
        "٢٠١١-01-01",
        "2011-01-01Té",
    ] {
        let error = parse_date(text).expect_err(text);
        assert!(format!("{error:#}").contains(text), "{error:#}");
    }
}

#[test]
fn a_date_comes_back_from_its_seconds() {
    assert_eq!(format_date(1_293_861_600), "2011-01-01T06:00");
    assert_eq!(format_date(-1), "1969-12-31T23:59:59");
    assert_eq!(format_date(951_782_400), "2000-02-29T00:00");
    // Every day of nine centuries, so that each kind of leap year is there; the day after differs by one.
    let mut previous = (0, 0, 0);
    for day in days_from_civil(1500, 1, 1)..days_from_civil(2400, 1, 2) {
        let date = civil_from_days(day);
        assert!(date > previous);
        assert_eq!(days_from_civil(date.0, date.1, date.2), day);
        assert_eq!(
            parse_date(&format_date(day * DAY_SECONDS)).expect("a date"),
            day * DAY_SECONDS
        );
        previous = date;
    }
}

#[test]
fn times_that_are_no_numbers_are_times_of_no_file() {
    let unit = seconds_from("hours since 1900-01-01", None).expect("usual units");
    assert_eq!(unit.seconds(f64::NAN), i64::MIN);
    assert_eq!(unit.seconds(f64::INFINITY), i64::MAX);
    assert_eq!(unit.seconds(f64::NEG_INFINITY), i64::MIN);
    // They can still be put into a sentence.
    assert!(format_date(i64::MIN).starts_with('-'));
    assert!(!format_date(i64::MAX).is_empty());
}
