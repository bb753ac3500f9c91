//! Fan chart: the ensemble along a line, over time or across space, as bands of 50, 80 and 95 % with members behind them.

use super::{NO_VALUE, quantile};
use crate::field::Span;
use crate::figure::{Axis, Figure, Role, Table};
use crate::verify::{Names, axis};

/// The ensemble at one point frame by frame, or from point to point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Course {
    /// The direction across space; none over time.
    pub across: Option<Span>,
    /// Times of the frames, or coordinates of the points.
    pub times: Vec<f64>,
    /// Members in rising order `[frame, member]`.
    pub sorted: Vec<f32>,
    /// What happened `[frame]`; empty where nobody knows.
    pub truth: Vec<f32>,
    /// Members one after the other `[member, frame]`, to be drawn as lines; may be fewer, or none.
    pub members: Vec<f32>,
    /// What was seen before, times and values; the fan opens from its last.
    pub history: Vec<(f64, f32)>,
    /// What was really there at the last of it, where something else was seen.
    pub start: Option<f32>,
}

impl Course {
    /// Members.
    pub fn count(&self) -> usize {
        self.sorted.len() / self.times.len().max(1)
    }

    /// Members of a frame in rising order.
    pub fn frame(&self, frame: usize) -> &[f32] {
        let count = self.count();
        self.sorted
            .get(frame * count..(frame + 1) * count)
            .unwrap_or(&[])
    }

    /// A quantile of every frame.
    pub fn quantiles(&self, q: f64) -> Vec<f64> {
        let frames = 0..self.times.len();
        frames.map(|frame| quantile(self.frame(frame), q)).collect()
    }

    /// Lowest and highest number in it.
    pub fn reach(&self) -> (f64, f64) {
        let history = self.history.iter().map(|(_, value)| value);
        let all = self.sorted.iter().chain(&self.truth).chain(history);
        let finite = all.map(|v| f64::from(*v)).filter(|v| v.is_finite());
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
            (lo.min(v), hi.max(v))
        })
    }

    /// Name of the numbers along it.
    fn axis(&self, names: &Names) -> String {
        self.across.as_ref().map_or_else(
            || axis("time", &names.time_unit),
            |span| match span.unit.as_str() {
                "degrees_east" => axis(&span.name, "° E"),
                "degrees_north" => axis(&span.name, "° N"),
                unit => axis(&span.name, unit),
            },
        )
    }

    /// Where a position is, in words.
    fn place(&self, names: &Names, index: usize) -> String {
        let time = || names.lead(self.times[index]);
        self.across
            .as_ref()
            .map_or_else(time, |span| span.place(index))
    }

    /// First and last time.
    pub fn span(&self) -> (f64, f64) {
        let first = self
            .history
            .first()
            .map(|(at, _)| *at)
            .or(self.times.first().copied());
        (
            first.unwrap_or(0.0),
            self.times.last().copied().unwrap_or(1.0),
        )
    }
}

/// The fan chart; `range` is the axis of values where scales are locked.
pub fn fan(names: &Names, course: &Course, range: Option<(f64, f64)>) -> Figure {
    let ((first, last), (lo, hi)) = (course.span(), range.unwrap_or_else(|| course.reach()));
    let x = match &course.across {
        // Their ticks tell the unit themselves.
        Some(span) if span.unit.starts_with("degrees") => {
            Axis::new(&span.name, first, last).in_unit(&span.unit)
        }
        Some(_) => Axis::new(course.axis(names), first, last),
        None => Axis::new(course.axis(names), first, last).in_unit(&names.time_unit),
    };
    let y = Axis::around(names.value_axis(&names.quantity), lo, hi);
    let title = course.across.as_ref().map_or_else(
        || "Over time".to_owned(),
        |span| format!("Along {}", span.name),
    );
    let name = if course.across.is_some() {
        "across"
    } else {
        "fan"
    };
    let mut figure = Figure::new(name, title, x, y);
    let now = course.history.last().copied();
    let from_now = |values: Vec<f64>| -> Vec<f64> {
        now.map(|(_, value)| f64::from(value))
            .into_iter()
            .chain(values)
            .collect()
    };
    let times: Vec<f64> = now
        .map(|(at, _)| at)
        .into_iter()
        .chain(course.times.iter().copied())
        .collect();
    if course.count() > 0 {
        draw_members(&mut figure, course, &times, &from_now);
    }
    if !course.history.is_empty() {
        let (at, values): (Vec<f64>, Vec<f64>) = course
            .history
            .iter()
            .map(|(at, v)| (*at, f64::from(*v)))
            .unzip();
        figure.line(Role::History, Some("seen"), &at, &values);
    }
    if !course.truth.is_empty() {
        let mut truth = from_now(course.truth.iter().map(|v| f64::from(*v)).collect());
        if let (Some(start), Some(first), true) = (course.start, truth.first_mut(), now.is_some()) {
            *first = f64::from(start);
        }
        figure.line(Role::Truth, Some("truth"), &times, &truth);
    }
    let (reading, label) = (reading(names, course), label(names, course));
    figure.told(reading, label).with_table(table(names, course))
}

fn table(names: &Names, course: &Course) -> Table {
    let along = course.axis(names);
    let mut table = Table::new([
        along.as_str(),
        "2.5 %",
        "10 %",
        "25 %",
        "median",
        "75 %",
        "90 %",
        "97.5 %",
        "truth",
    ]);
    for (frame, at) in course.times.iter().enumerate() {
        let of = |q: f64| quantile(course.frame(frame), q);
        let truth = course.truth.get(frame).map_or(f64::NAN, |v| f64::from(*v));
        table.push([
            *at,
            of(0.025),
            of(0.1),
            of(0.25),
            of(0.5),
            of(0.75),
            of(0.9),
            of(0.975),
            truth,
        ]);
    }
    table
}

fn draw_members(
    figure: &mut Figure,
    course: &Course,
    times: &[f64],
    from_now: &impl Fn(Vec<f64>) -> Vec<f64>,
) {
    for (role, words, half) in [
        (Role::Outer, "95 %", 0.025),
        (Role::Middle, "80 %", 0.1),
        (Role::Inner, "50 %", 0.25),
    ] {
        let (low, high) = (course.quantiles(half), course.quantiles(1.0 - half));
        figure.band(role, Some(words), times, &from_now(low), &from_now(high));
    }
    let frames = course.times.len().max(1);
    let lines: Vec<f64> = course
        .members
        .chunks_exact(frames)
        .flat_map(|line| from_now(line.iter().map(|v| f64::from(*v)).collect()))
        .collect();
    if !lines.is_empty() {
        figure.lines(Role::Members, Some("members"), times, &lines);
    }
    let median = from_now(course.quantiles(0.5));
    figure.line(Role::Median, Some("median"), times, &median);
}

/// Width of the central 80 % in a frame.
fn width(course: &Course, frame: usize) -> f64 {
    quantile(course.frame(frame), 0.9) - quantile(course.frame(frame), 0.1)
}

fn reading(names: &Names, course: &Course) -> String {
    if course.count() == 0 {
        let (lo, hi) = course.reach();
        return if lo <= hi {
            let (lo, hi) = (names.value(lo), names.value(hi));
            format!("The truth lies between {lo} and {hi}.")
        } else {
            "There is no forecast yet.".to_owned()
        };
    }
    if (0..course.times.len()).all(|frame| width(course, frame).is_nan()) {
        return NO_VALUE.to_owned();
    }
    let change = if course.across.is_some() {
        where_widest(names, course)
    } else {
        how_it_grows(names, course)
    };
    if course.truth.is_empty() {
        return format!("{change}.");
    }
    let inside = |(frame, truth): &(usize, &f32)| {
        let of = |q: f64| quantile(course.frame(*frame), q);
        (of(0.025)..=of(0.975)).contains(&f64::from(**truth))
    };
    let held = course.truth.iter().enumerate().filter(inside).count();
    let all = course.truth.iter().filter(|truth| !truth.is_nan()).count();
    let what = if course.across.is_some() {
        "points"
    } else {
        "times"
    };
    format!("{change}; the 95 % band holds the truth at {held} of {all} {what}.")
}

fn where_widest(names: &Names, course: &Course) -> String {
    let of = |index: &usize| width(course, *index);
    let known = (0..course.times.len()).filter(|index| !of(index).is_nan());
    let widest = known.max_by(|a, b| of(a).total_cmp(&of(b))).unwrap_or(0);
    format!(
        "Members disagree most at {}, where eight of ten are within {}",
        course.place(names, widest),
        names.value(of(&widest))
    )
}

fn how_it_grows(names: &Names, course: &Course) -> String {
    let (first, last) = (width(course, 0), width(course, course.times.len() - 1));
    let growth = last / first;
    if !growth.is_finite() || (0.8..1.25).contains(&growth) {
        return format!(
            "Eight of ten members stay within {} of each other",
            names.value(last)
        );
    }
    let what = if growth > 1.0 {
        "The futures part"
    } else {
        "The futures come together"
    };
    format!(
        "{what}: eight of ten members are within {} at first and {} at last",
        names.value(first),
        names.value(last)
    )
}

fn label(names: &Names, course: &Course) -> String {
    let Some(last) = course.times.len().checked_sub(1) else {
        return "Fan chart: no forecast yet.".to_owned();
    };
    let what = if course.across.is_some() {
        "points"
    } else {
        "times"
    };
    let truth = course.truth.get(last).map_or_else(String::new, |v| {
        format!(", truth {}", names.value(f64::from(*v)))
    });
    let place = course.place(names, last);
    if course.count() == 0 {
        return format!("Truth at {} {what}: at {place}{truth}.", last + 1);
    }
    let of = |q: f64| names.value(quantile(course.frame(last), q));
    format!(
        "Fan chart of {} members at {} {what}: at {place} the median is {}, 95 % lie between {} and {}{truth}.",
        course.count(),
        last + 1,
        of(0.5),
        of(0.025),
        of(0.975)
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A hundred and one members, spread over 1, 2 and 3 around zero.
    pub fn course() -> Course {
        let line = |frame: u16| {
            (0..=100_u16).map(move |m| f32::from(frame) * (f32::from(m) / 100.0 - 0.5))
        };
        Course {
            across: None,
            times: vec![1.0, 2.0, 3.0],
            sorted: (1..=3).flat_map(line).collect(),
            truth: vec![0.2, 0.6, 1.45],
            members: vec![0.1, 0.2, 0.3, -0.1, -0.2, -0.3],
            history: vec![(-1.0, 0.5), (0.0, 0.0)],
            start: None,
        }
    }

    fn names() -> Names {
        Names {
            quantity: "u".to_owned(),
            ..Names::default()
        }
    }

    #[test]
    fn bands_are_quantiles_of_ranked_members_and_open_from_now() {
        let figure = fan(&names(), &course(), Some((-2.0, 2.0)));
        let found = Table::words(&figure.table.rows[1][1..8]);
        assert_eq!(found, ["−0.95", "−0.8", "−0.5", "0", "0.5", "0.8", "0.95"]);
        // From time -1 to 3: now is a quarter of the way, at zero.
        assert!(
            figure.layers[0].path.starts_with("M250.0 500.0L"),
            "{}",
            figure.layers[0].path
        );
        let found: Vec<&str> = figure.legend().map(|(_, words)| words).collect();
        assert_eq!(
            found,
            ["95 %", "80 %", "50 %", "members", "median", "seen", "truth"]
        );
        assert_eq!(figure.layers[3].path.matches('M').count(), 2);
    }

    #[test]
    fn the_sentence_says_how_far_futures_part_and_whether_the_truth_is_held() {
        let figure = fan(&names(), &course(), None);
        assert_eq!(
            figure.reading,
            "The futures part: eight of ten members are within 0.8 at first and 2.4 at last; the 95 % band holds the truth at 2 of 3 times."
        );
        assert!(
            figure.label.contains("at time 3 the median is 0"),
            "{}",
            figure.label
        );
        let unknown = Course {
            truth: vec![],
            ..course()
        };
        assert!(
            fan(&names(), &unknown, None)
                .reading
                .ends_with("2.4 at last.")
        );
        let truth_alone = Course {
            sorted: vec![],
            members: vec![],
            history: vec![],
            ..course()
        };
        let alone = fan(&names(), &truth_alone, None);
        assert_eq!(alone.reading, "The truth lies between 0.2 and 1.45.");
        assert_eq!(alone.layers.len(), 1);
        let empty = fan(&names(), &Course::default(), None);
        assert!(empty.layers.iter().all(|layer| !layer.path.contains("NaN")));
    }

    #[test]
    fn across_space_the_sentence_says_where_members_disagree() {
        let span = Span::counted("x", "", 1, 3);
        let across = Course {
            across: Some(span),
            history: vec![],
            ..course()
        };
        let figure = fan(&names(), &across, None);
        assert_eq!((figure.name, figure.title.as_str()), ("across", "Along x"));
        assert_eq!(
            figure.reading,
            "Members disagree most at x 3, where eight of ten are within 2.4; the 95 % band holds the truth at 2 of 3 points."
        );
        assert_eq!(figure.table.columns[0], "x");
    }

    #[test]
    fn where_there_is_never_a_value_the_sentence_says_so_and_counts_the_others() {
        let span = Span::counted("x", "", 1, 3);
        let mut coast = Course {
            across: Some(span),
            history: vec![],
            ..course()
        };
        coast.sorted[202..].fill(f32::NAN);
        coast.truth[2] = f32::NAN;
        assert_eq!(
            fan(&names(), &coast, None).reading,
            "Members disagree most at x 2, where eight of ten are within 1.6; the 95 % band holds the truth at 2 of 2 points."
        );
        coast.sorted.fill(f32::NAN);
        coast.truth.fill(f32::NAN);
        assert_eq!(
            fan(&names(), &coast, None).reading,
            "There is never a value here."
        );
    }
}
