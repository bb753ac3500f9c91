//! Box meteogram: one box and whisker per time, as forecasters read them.
//!
//! The box is the central half, its waist the median, the broader whisker the central 80 %, the thin one lowest to
//! highest.

use super::course::Course;
use super::{NO_VALUE, quantile};
use crate::figure::{Axis, Figure, Role, Table};
use crate::verify::{Names, axis};

/// Most boxes; of more frames every n-th is drawn.
const MOST: usize = 20;

/// The meteogram; `range` is the axis of values where scales are locked.
pub fn boxes(names: &Names, course: &Course, range: Option<(f64, f64)>) -> Figure {
    let frames: Vec<usize> = (0..course.times.len())
        .step_by(course.times.len().div_ceil(MOST).max(1))
        .collect();
    let step = match frames[..] {
        [first, second, ..] => course.times[second] - course.times[first],
        _ => 1.0,
    };
    let (first, last) = (
        course.times.first(),
        frames.last().map(|frame| course.times[*frame]),
    );
    let (first, last) = (first.copied().unwrap_or(0.0), last.unwrap_or(1.0));
    let x = Axis::new(
        axis("time", &names.time_unit),
        first - 0.6 * step,
        last + 0.6 * step,
    )
    .in_unit(&names.time_unit);
    let (lo, hi) = range.unwrap_or_else(|| course.reach());
    let y = Axis::around(names.value_axis(&names.quantity), lo, hi);
    let mut figure = Figure::new("meteogram", "Box meteogram", x, y);
    let at = |frame: usize, q: f64| quantile(course.frame(frame), q);
    let part = |half: f64, low: f64, high: f64| -> Vec<[f64; 4]> {
        let all = frames.iter().map(|&frame| {
            let time = course.times[frame];
            [
                time - half * step,
                time + half * step,
                at(frame, low),
                at(frame, high),
            ]
        });
        all.filter(|corners| !corners[2].is_nan()).collect()
    };
    let strokes = |pick: &dyn Fn(usize, f64) -> [(f64, f64); 2]| -> Vec<_> {
        let all = frames.iter().map(|&frame| pick(frame, course.times[frame]));
        all.filter(|stroke| !stroke[0].1.is_nan()).collect()
    };
    let whiskers = strokes(&|frame, time| [(time, at(frame, 0.0)), (time, at(frame, 1.0))]);
    let medians = strokes(&|frame, time| {
        let median = at(frame, 0.5);
        [(time - 0.3 * step, median), (time + 0.3 * step, median)]
    });
    figure.strokes(Role::History, Some("lowest to highest"), &whiskers);
    figure.boxes(Role::Middle, Some("80 %"), &part(0.15, 0.1, 0.9));
    figure.boxes(Role::Inner, Some("50 %"), &part(0.3, 0.25, 0.75));
    figure.strokes(Role::Median, Some("median"), &medians);
    if !course.truth.is_empty() {
        let truth = frames
            .iter()
            .filter_map(|&frame| Some((course.times[frame], f64::from(*course.truth.get(frame)?))));
        figure.dots(Role::Truth, Some("truth"), truth);
    }
    let time = axis("time", &names.time_unit);
    let mut table = Table::new([
        time.as_str(),
        "lowest",
        "10 %",
        "25 %",
        "median",
        "75 %",
        "90 %",
        "highest",
        "truth",
    ]);
    for &frame in &frames {
        let truth = course.truth.get(frame).map_or(f64::NAN, |v| f64::from(*v));
        let qs = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0].map(|q| at(frame, q));
        table.push([&[course.times[frame]], &qs[..], &[truth]].concat());
    }
    figure
        .told(
            reading(names, course, &frames),
            label(names, course, &frames),
        )
        .with_table(table)
}

fn reading(names: &Names, course: &Course, frames: &[usize]) -> String {
    let height =
        |&frame: &usize| quantile(course.frame(frame), 0.75) - quantile(course.frame(frame), 0.25);
    let known = frames.iter().filter(|frame| !height(frame).is_nan());
    let Some(&tallest) = known.max_by(|a, b| height(a).total_cmp(&height(b))) else {
        return match frames {
            [] => "There is no forecast yet.",
            _ => NO_VALUE,
        }
        .to_owned();
    };
    let at = names.lead(course.times[tallest]);
    format!(
        "Members disagree most at {at}, where half of them lie within {}.",
        names.value(height(&tallest))
    )
}

fn label(names: &Names, course: &Course, frames: &[usize]) -> String {
    let (Some(&first), Some(&last)) = (frames.first(), frames.last()) else {
        return "Box meteogram: no forecast yet.".to_owned();
    };
    let words = |frame: usize| {
        let of = |q: f64| names.value(quantile(course.frame(frame), q));
        format!(
            "at {} median {}, box {} to {}",
            names.lead(course.times[frame]),
            of(0.5),
            of(0.25),
            of(0.75)
        )
    };
    format!(
        "Box meteogram of {} members: {}; {}.",
        course.count(),
        words(first),
        words(last)
    )
}

#[cfg(test)]
mod tests {
    use super::super::course::tests::course;
    use super::*;

    #[test]
    fn a_box_is_the_central_half_and_the_whiskers_reach_the_ends() {
        let figure = boxes(&Names::default(), &course(), Some((-2.0, 2.0)));
        let found = Table::words(&figure.table.rows[1]);
        assert_eq!(
            found,
            ["2", "−1", "−0.8", "−0.5", "0", "0.5", "0.8", "1", "0.6"]
        );
        for layer in &figure.layers {
            let parts = layer.path.matches('M').count();
            assert_eq!(parts, 3, "{layer:?}");
        }
        assert_eq!(
            figure.reading,
            "Members disagree most at time 3, where half of them lie within 1.5."
        );
        assert!(
            figure
                .label
                .contains("at time 1 median 0, box −0.25 to 0.25"),
            "{}",
            figure.label
        );
    }

    #[test]
    fn many_frames_are_thinned_and_none_are_no_panic() {
        let times: Vec<f64> = (0..120).map(f64::from).collect();
        let many = Course {
            sorted: times.iter().flat_map(|_| [0.0, 1.0]).collect(),
            times,
            ..Course::default()
        };
        assert!(boxes(&Names::default(), &many, None).table.rows.len() <= MOST);
        assert_eq!(
            boxes(&Names::default(), &Course::default(), None)
                .table
                .rows
                .len(),
            0
        );
    }
}
