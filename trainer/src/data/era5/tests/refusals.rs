//! What cannot be used is told in one sentence.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use serde_json::json;

use super::files::{Memory, Recipe, boxed, steps};
use crate::data::era5::{Period, Request, Selection};
use crate::formats::{Archive, Variable};
use pno::spec::Profile;

fn short() -> Recipe {
    Recipe {
        hours: steps(0.0, 6.0, 12),
        ..Recipe::default()
    }
}

fn refused(archives: Vec<Box<dyn Archive>>, request: &Request) -> String {
    let error = match Selection::open(archives, request) {
        Err(error) => error,
        Ok(selection) => selection
            .read(0..selection.times.len())
            .expect_err("refused"),
    };
    let message = format!("{error:#}");
    assert!(!message.contains('\n'), "{message}");
    message
}

fn said(recipe: &Recipe) -> String {
    refused(vec![recipe.open()], &boxed("35..70,-10..40"))
}

#[test]
fn a_gap_a_repeated_time_and_a_backward_one_are_found() {
    let mut recipe = short();
    recipe.hours.remove(5);
    assert_eq!(
        said(&recipe),
        "a.nc has a gap in time: after 2019-03-02T00:00 (entry 4) comes 2019-03-02T12:00 (entry 5 of a.nc), but 2019-03-02T06:00 is wanted"
    );
    let mut recipe = short();
    recipe.hours[5] = recipe.hours[4];
    assert_eq!(
        said(&recipe),
        "a.nc: the axis `time` has 2019-03-02T00:00 twice, as entries 4 and 5"
    );
    let mut recipe = short();
    recipe.hours.swap(4, 5);
    assert!(said(&recipe).contains("runs backwards: entry 4 is 2019-03-02T06:00, and entry 5 is"));
    let mut recipe = short();
    recipe.hours[3] = f64::NAN;
    assert!(said(&recipe).contains("`time` is NaN at entry 3"));
}

#[test]
fn files_that_overlap_or_leave_a_gap_are_named() {
    let second = |first| Recipe {
        place: "b.nc",
        first,
        ..short()
    };
    let both = |first| {
        refused(
            vec![short().open(), second(first).open()],
            &boxed("35..70,-10..40"),
        )
    };
    assert_eq!(
        both("2019-03-03"),
        "b.nc begins at 2019-03-03T00:00, but a.nc ends at 2019-03-03T18:00: no time may be in two files"
    );
    let message = both("2019-03-05");
    assert!(
        message
            .contains("after 2019-03-03T18:00 (entry 11) comes 2019-03-05T00:00 (entry 0 of b.nc)"),
        "{message}"
    );
    let mut other = second("2019-03-04");
    other.latitudes = steps(90.0, -2.5, 73);
    let message = refused(vec![short().open(), other.open()], &boxed("35..70,-10..40"));
    assert!(message.contains("b.nc has 15 latitudes"), "{message}");
}

#[test]
fn steps_and_periods_that_a_file_does_not_have_are_told() {
    let mut recipe = short();
    recipe.hours = steps(0.0, 4.0, 12);
    assert_eq!(
        said(&recipe),
        "a.nc has a value every 4 hours, from which every 6 hours cannot be taken"
    );
    recipe.hours = steps(0.0, 24.0, 12);
    assert!(said(&recipe).contains("every 24 hours"));
    for period in [
        "2018-01-01..2018-02-01",
        "2019-02-28..2019-03-02",
        "2019-03-02..2019-03-04",
    ] {
        let request = Request {
            period: Some(Period::parse(period, Profile::Fixed).expect("a period")),
            ..boxed("35..70,-10..40")
        };
        let message = refused(vec![short().open()], &request);
        assert!(
            message.contains("is not in a.nc, which has 2019-03-01T00:00 to 2019-03-03T18:00"),
            "{message}"
        );
    }
}

#[test]
fn a_missing_value_is_told_with_its_place() {
    let mut file = short().make();
    // Entry 7, 50 degrees north, 355 degrees east.
    file.values("t2m")[(7 * 37 + 8) * 72 + 71] = f64::NAN;
    assert_eq!(
        refused(vec![Box::new(file)], &boxed("35..70,-10..40")),
        "a.nc: `t2m` is missing at 2019-03-02T18:00 (entry 7), latitude 50, longitude -5, but every value is wanted"
    );
    let mut file = short().make();
    file.values("t2m")[0] = f64::NAN;
    let selection = Selection::open(vec![Box::new(file)], &boxed("35..70,-10..40")).expect("opens");
    assert!(
        selection.read(0..12).is_ok(),
        "what is outside the box does not matter"
    );
}

/// Counts the blocks of fields that are read of a file.
struct Counted(Memory, Arc<AtomicUsize>);

impl Archive for Counted {
    fn place(&self) -> &str {
        self.0.place()
    }

    fn variables(&self) -> &[Variable] {
        self.0.variables()
    }

    fn read(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>> {
        let is_field = usize::from(block.len() > 1);
        self.1.fetch_add(is_field, Ordering::Relaxed);
        self.0.read(variable, block)
    }
}

#[test]
fn reading_stops_at_the_first_row_that_misses_a_value() {
    // Of hourly values every sixth is wanted, so every row is read by itself.
    let mut file = Recipe::default().make();
    file.values("t2m").fill(f64::NAN);
    let blocks = Arc::new(AtomicUsize::new(0));
    let archive = Box::new(Counted(file, blocks.clone()));
    let selection = Selection::open(vec![archive], &boxed("35..70,-10..40")).expect("opens");
    assert_eq!(selection.times.len(), 40);
    selection.read(0..40).expect_err("nothing is there");
    // The box crosses Greenwich, so a row is two blocks; the first and the last row are read again to say what to do.
    assert_eq!(blocks.load(Ordering::Relaxed), 6);
}

#[test]
fn the_variable_has_to_be_clear() {
    let mut file = short().make();
    let values = file.values("t2m").clone();
    let shape = vec![12, 37, 72];
    file.add(
        "skt",
        &["time", "latitude", "longitude"],
        shape.clone(),
        &json!({ "units": "K" }),
        values.clone(),
    );
    let known =
        Selection::open(vec![Box::new(file)], &boxed("35..70,-10..40")).expect("the known one");
    assert_eq!(known.variable, "t2m");
    let two = || {
        let mut file = Recipe {
            name: "msl",
            units: Some("Pa"),
            ..short()
        }
        .make();
        file.add(
            "skt",
            &["time", "latitude", "longitude"],
            shape.clone(),
            &json!({ "units": "K" }),
            values.clone(),
        );
        file.add(
            "mask",
            &["latitude", "longitude"],
            vec![37, 72],
            &json!({}),
            vec![0.0; 37 * 72],
        );
        Box::new(file) as Box<dyn Archive>
    };
    let message = refused(vec![two()], &boxed("35..70,-10..40"));
    assert!(
        message.contains(
            "which variable is meant? over time, latitude and longitude it has `msl`, `skt`"
        ),
        "{message}"
    );
    let named = |name: &str| Request {
        variable: Some(name.to_owned()),
        ..boxed("35..70,-10..40")
    };
    assert!(refused(vec![two()], &named("t2m")).contains("there is no variable `t2m`; over time"));
    assert!(refused(vec![two()], &named("mask")).contains("none of which is time"));
    let chosen = Selection::open(vec![two()], &named("msl")).expect("named");
    assert_eq!(chosen.units, "Pa");
}

#[test]
fn a_level_axis_a_missing_unit_and_another_box_are_told() {
    let mut file = short().make();
    file.add(
        "t",
        &["time", "level", "latitude", "longitude"],
        vec![1, 2, 1, 1],
        &json!({ "units": "K" }),
        vec![0.0; 2],
    );
    let request = Request {
        variable: Some("t".to_owned()),
        ..boxed("35..70,-10..40")
    };
    assert_eq!(
        refused(vec![Box::new(file)], &request),
        "a.nc: `t` has 2 entries along `level`, but one is wanted"
    );
    let recipe = Recipe {
        units: None,
        ..short()
    };
    assert!(said(&recipe).contains("`t2m` has no unit; say what it is with --unit"));
    let recipe = Recipe {
        latitudes: steps(60.0, -5.0, 13),
        ..short()
    };
    assert_eq!(
        said(&recipe),
        "a.nc: the axis `latitude` has 0..60, but the box wants 35..70"
    );
    assert!(refused(Vec::new(), &Request::default()).contains("no file"));
}
