use super::*;
use crate::formats::cf::parse_date;

const HOUR: i64 = 3600;

fn date(text: &str) -> i64 {
    parse_date(text).expect("a date")
}

fn six_hourly(first: &str, last: &str) -> Vec<i64> {
    (date(first)..=date(last))
        .step_by(6 * HOUR as usize)
        .collect()
}

/// The twelve years of the paper.
fn published() -> Vec<i64> {
    six_hourly("2011-01-01", "2022-12-31T18")
}

/// No window of one part has a step in common with, or next to, one of another part: by looking at every pair of steps.
fn assert_apart(windows: &Windows, steps: usize, window: usize, unused: usize) {
    let mut owner = vec![None; steps];
    for (&start, &share) in windows.starts.iter().zip(&windows.shares) {
        for step in &mut owner[start as usize..start as usize + window] {
            assert!(
                step.is_none_or(|other| other == share),
                "a step in two parts"
            );
            *step = Some(share);
        }
    }
    for (i, part) in owner.iter().enumerate() {
        let near = &owner[i..(i + unused + 1).min(steps)];
        let clash = near
            .iter()
            .flatten()
            .find(|&other| part.is_some_and(|part| part != *other));
        assert!(
            clash.is_none(),
            "step {i} of part {part:?} is near part {clash:?}"
        );
    }
}

#[test]
fn the_published_counts_come_out() {
    let times = published();
    let cutting = Cutting {
        profile: Profile::Paper,
        ..Cutting::default()
    };
    let windows = Windows::cut(&times, &cutting).expect("cuts");
    let periods = Periods::published(Profile::Paper).expect("periods");
    assert_eq!(steps_in(&times, &periods.train).len(), 14_609);
    assert_eq!(steps_in(&times, &periods.test).len(), 1457);
    assert_eq!(windows.counts(), [11_671, 2918, 1437]);
    // The first windows that torch 2.3.1 gives to training and to validation: random_split of 14589, seed 42.
    for (start, share) in [
        (10_635, 0),
        (6660, 0),
        (6316, 0),
        (12_799, 0),
        (2402, 1),
        (10_509, 1),
        (9437, 1),
        (8139, 1),
    ] {
        let at = windows
            .starts
            .iter()
            .position(|&s| s == start)
            .expect("is there");
        assert_eq!(windows.shares[at], share, "window {start}");
    }
    let test = windows.starts[windows.starts.len() - 1437] as usize;
    assert_eq!(times[test], date("2022-01-01"));
    assert!(windows.starts.iter().all(|&s| {
        let year = date("2021-01-01")..date("2022-01-01");
        !year.contains(&times[s as usize]) && !year.contains(&times[s as usize + 19])
    }));
    assert!(windows.periods[1].contains("2011-01-01T00:00 to 2020-12-31T00:00, the other 20 %"));
}

#[test]
fn the_published_years_are_kept_apart_in_fixed() {
    let times = published();
    let windows = Windows::cut(&times, &Cutting::default()).expect("cuts");
    assert_apart(&windows, times.len(), 20, 20);
    // Ten years less the five days before 2021, one year less those before 2022, and one whole year.
    assert_eq!(
        windows.counts(),
        [14_612 - 20 - 19, 1460 - 20 - 19, 1460 - 19]
    );
    assert_eq!(windows.periods[0], "2011-01-01T00:00 to 2020-12-26T18:00");
    assert_eq!(windows.periods[2], "2022-01-01T00:00 to 2022-12-31T18:00");
}

#[test]
fn other_data_are_cut_into_blocks_that_keep_apart() {
    for (steps, gap_hours, stride) in [
        (124, None, 1),
        (500, None, 3),
        (2920, Some(0), 1),
        (2920, Some(7), 1),
        (100, None, 1),
    ] {
        let times: Vec<i64> = (0..steps)
            .map(|i| date("2013-01-01") + 6 * HOUR * i)
            .collect();
        let cutting = Cutting {
            stride,
            gap_hours,
            ..Cutting::default()
        };
        let windows = Windows::cut(&times, &cutting).expect("cuts");
        let unused = gap_hours.map_or(20, |hours| hours.div_ceil(6).max(1) as usize);
        assert_apart(&windows, times.len(), 20, unused);
        assert!(
            windows.counts().iter().all(|&n| n > 0),
            "{steps}: {:?}",
            windows.counts()
        );
    }
    let times: Vec<i64> = (0..2000).map(|i| 6 * HOUR * i).collect();
    let windows = Windows::cut(&times, &Cutting::default()).expect("cuts");
    assert_eq!(windows.counts(), [2000 - 600 - 40 - 19, 300 - 19, 300 - 19]);
}

#[test]
fn given_periods_in_any_order_keep_apart() {
    let times = six_hourly("2013-01-01", "2014-12-31T18");
    let period = |text: &str| Period::parse(text, Profile::Fixed).expect("a period");
    let periods = Periods {
        test: period("2013-01-01..2013-03-31"),
        train: period("2013-04-01..2014-06-30"),
        valid: period("2014-09-01..2014-12-31"),
    };
    let cutting = Cutting {
        periods: Some(periods),
        ..Cutting::default()
    };
    let windows = Windows::cut(&times, &cutting).expect("cuts");
    assert_apart(&windows, times.len(), 20, 20);
    // Only where two periods come too close is anything cut.
    assert_eq!(windows.periods[2], "2013-01-01T00:00 to 2013-03-26T18:00");
    assert_eq!(windows.periods[0], "2013-04-01T00:00 to 2014-06-30T18:00");
    let overlapping = Cutting {
        periods: Some(Periods {
            valid: period("2014-06-30..2014-12-31"),
            ..periods
        }),
        ..Cutting::default()
    };
    let message = Windows::cut(&times, &overlapping)
        .expect_err("overlap")
        .to_string();
    assert!(
        message.starts_with(
            "the period for train (2013-04-01T00:00 to 2014-06-30T23:59:59) and that for valid"
        ),
        "{message}"
    );
    let outside = Cutting {
        periods: Some(Periods {
            valid: period("2015-01-01..2015-12-31"),
            ..periods
        }),
        ..Cutting::default()
    };
    let message = Windows::cut(&times, &outside)
        .expect_err("outside")
        .to_string();
    assert!(
        message.contains("the period for valid has 0 steps"),
        "{message}"
    );
}

#[test]
fn windows_that_touch_a_date_are_left_out() {
    let times = six_hourly("2013-01-01", "2014-12-31T18");
    let keep_out = (date("2013-06-10"), date("2013-06-14T18"));
    for profile in [Profile::Fixed, Profile::Paper] {
        let period = |text: &str| Period::parse(text, profile).expect("a period");
        let periods = Some(Periods {
            train: period("2013-01-01..2013-12-01"),
            valid: period("2014-01-01..2014-05-31"),
            test: period("2014-07-01..2014-12-31"),
        });
        let cutting = Cutting {
            profile,
            periods,
            ..Cutting::default()
        };
        let all = Windows::cut(&times, &cutting).expect("cuts");
        let cutting = Cutting {
            exclude: vec![keep_out],
            ..cutting
        };
        let windows = Windows::cut(&times, &cutting).expect("cuts");
        // Twenty steps: windows that end at the first of them to windows that begin at the last.
        assert_eq!(all.starts.len() - windows.starts.len(), 39);
        for &start in &windows.starts {
            for step in start as usize..start as usize + 20 {
                assert!(!(keep_out.0..=keep_out.1).contains(&times[step]));
            }
        }
        // The others stay where they were.
        for (start, share) in windows.starts.iter().zip(&windows.shares) {
            let at = all
                .starts
                .iter()
                .position(|s| s == start)
                .expect("was there");
            assert_eq!(all.shares[at], *share);
        }
    }
}

#[test]
fn too_few_steps_are_told() {
    let said = |steps: i64, cutting: &Cutting| {
        let times: Vec<i64> = (0..steps).map(|i| 6 * HOUR * i).collect();
        Windows::cut(&times, cutting)
            .expect_err("too few")
            .to_string()
    };
    assert!(said(20, &Cutting::default()).contains("there are 20 steps"));
    assert!(said(99, &Cutting::default()).contains("at least 100 are wanted"));
    let paper = Cutting {
        profile: Profile::Paper,
        ..Cutting::default()
    };
    let message = said(2000, &paper);
    assert!(
        message.contains(
            "the period for train (2011-01-01T00:00 to 2020-12-31T00:00) is not in the data"
        ),
        "{message}"
    );
}
