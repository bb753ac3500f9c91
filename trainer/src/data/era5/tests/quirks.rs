//! What real files have.

use serde_json::json;

use super::files::{Recipe, assert_values, boxed, positions, steps};
use crate::data::era5::{Period, Request, Selection};
use crate::formats::Archive;
use crate::formats::cf::format_date;
use pno::spec::Profile;

fn select(recipe: &Recipe, request: &Request) -> Selection {
    Selection::open(vec![recipe.open()], request).expect("opens")
}

#[test]
fn hourly_values_north_first_become_six_hourly_ones_south_first_across_greenwich() {
    let selection = select(&Recipe::default(), &boxed("35..70,-10..40"));
    assert_eq!(selection.times.len(), 40);
    assert_eq!(format_date(selection.times[1]), "2019-03-01T06:00");
    assert_eq!(selection.latitudes, steps(35.0, 5.0, 8));
    assert_eq!(selection.longitudes, steps(-10.0, 5.0, 11));
    assert_values(&selection);
}

#[test]
fn every_order_of_axes_and_every_way_of_counting_gives_the_same() {
    for axes in [
        ["time", "latitude", "longitude"],
        ["time", "longitude", "latitude"],
        ["lat", "lon", "valid_time"],
    ] {
        for latitudes in [steps(90.0, -5.0, 37), steps(-90.0, 5.0, 37)] {
            for first in [0.0, -180.0] {
                let recipe = Recipe {
                    axes: axes.to_vec(),
                    latitudes: latitudes.clone(),
                    longitudes: steps(first, 5.0, 72),
                    hours: steps(0.0, 6.0, 5),
                    together: 3,
                    ..Recipe::default()
                };
                for region in [
                    "35..70,-10..40",
                    "-20..20,170..-170",
                    "-90..90,0..360",
                    "50..50,5..5",
                ] {
                    assert_values(&select(&recipe, &boxed(region)));
                }
                let whole = Request {
                    region: None,
                    ..Request::default()
                };
                let selection = select(&recipe, &whole);
                assert_eq!(
                    (selection.latitudes.len(), selection.longitudes.len()),
                    (37, 72)
                );
                assert_eq!(selection.longitudes[0], first);
                assert_values(&selection);
            }
        }
    }
}

#[test]
fn only_the_rows_that_are_wanted_are_read_unless_they_are_stored_together() {
    for (together, wanted) in [
        (1, vec![0..1, 6..7, 12..13]),
        (12, vec![0..7, 12..13]),
        (240, vec![0..13]),
    ] {
        let recipe = Recipe {
            together,
            ..Recipe::default()
        };
        let file = std::sync::Arc::new(recipe.make());
        let selection =
            Selection::open(vec![Box::new(Shared(file.clone()))], &boxed("35..70,5..40"))
                .expect("opens");
        assert_eq!(selection.rows_together(), (together / 6).max(1));
        selection.read(0..3).expect("reads");
        let blocks = file.blocks.lock().expect("a log");
        let times: Vec<_> = blocks.iter().map(|block| block[0].clone()).collect();
        assert_eq!(times, wanted);
        assert!(blocks.iter().all(|block| block[1..] == [4..12, 1..9]));
    }
}

/// A file that a test still looks into while it is read.
struct Shared(std::sync::Arc<super::files::Memory>);

impl Archive for Shared {
    fn place(&self) -> &str {
        self.0.place()
    }
    fn variables(&self) -> &[crate::formats::Variable] {
        self.0.variables()
    }
    fn read(
        &self,
        variable: &crate::formats::Variable,
        block: &[std::ops::Range<usize>],
    ) -> anyhow::Result<Vec<f64>> {
        self.0.read(variable, block)
    }
    fn rows_together(&self, variable: &crate::formats::Variable) -> usize {
        self.0.rows_together(variable)
    }
}

#[test]
fn files_are_joined_in_the_order_of_their_times() {
    let month = |place, first, days: usize| Recipe {
        place,
        first,
        hours: steps(0.0, 3.0, 8 * days),
        ..Recipe::default()
    };
    let files = [
        month("c.nc", "2019-05-01", 31),
        month("a.nc", "2019-03-01", 31),
        month("b.nc", "2019-04-01", 30),
    ];
    let archives = files.iter().map(Recipe::open).collect();
    let selection = Selection::open(archives, &boxed("40..45,350..5")).expect("opens");
    assert_eq!(selection.times.len(), 4 * 92);
    assert!(
        selection
            .times
            .windows(2)
            .all(|pair| pair[1] - pair[0] == 6 * 3600)
    );
    assert_values(&selection);
}

#[test]
fn a_period_is_cut_out() {
    let request = Request {
        period: Some(Period::parse("2019-03-03T03..2019-03-04", Profile::Fixed).expect("a period")),
        ..boxed("40..45,0..5")
    };
    let selection = select(&Recipe::default(), &request);
    let dates: Vec<String> = selection.times.iter().map(|&t| format_date(t)).collect();
    assert_eq!((dates.len(), dates[0].as_str()), (7, "2019-03-03T06:00"));
    assert_eq!(dates[6], "2019-03-04T18:00");
    assert_values(&selection);
}

#[test]
fn of_final_and_preliminary_data_each_time_has_one() {
    let mut file = Recipe {
        hours: steps(0.0, 6.0, 4),
        name: "all",
        ..Recipe::default()
    }
    .make();
    let all = file.values("all").clone();
    let shape = [4, 2, 37, 72];
    let values = positions(&shape).map(|p| {
        let final_until = 2;
        let here = (p[0] < final_until) == (p[1] == 0);
        if here {
            all[(p[0] * 37 + p[2]) * 72 + p[3]]
        } else {
            f64::NAN
        }
    });
    let values = values.collect();
    file.add(
        "t2m",
        &["time", "expver", "latitude", "longitude"],
        shape.to_vec(),
        &json!({ "units": "K" }),
        values,
    );
    file.add("number", &[], vec![], &json!({}), vec![0.0]);
    let request = Request {
        variable: Some("t2m".to_owned()),
        ..boxed("35..70,-10..40")
    };
    assert_values(&Selection::open(vec![Box::new(file)], &request).expect("opens"));
}

#[test]
fn celsius_becomes_kelvin_with_a_note() {
    let recipe = Recipe {
        units: Some("degC"),
        offset: -273.15,
        hours: steps(0.0, 6.0, 4),
        ..Recipe::default()
    };
    let selection = select(&recipe, &boxed("35..70,-10..40"));
    assert_eq!(selection.units, "K");
    assert_eq!(
        selection.notes,
        ["converted from degC to K by adding 273.15"]
    );
    assert_values(&selection);
}
