//! The ensemble at the probe: over time at its place, and across space at its time.

use leptos::prelude::*;
use pno::pde::ks::{CELLS, FRAME_STEP, LENGTH, WINDOW};

use super::chart::{Chart, Drawing};
use super::field::{place_of, time_of};
use super::frame::ticks;
use super::page::Page;
use crate::data::{Case, Ensemble};
use crate::fan::{Fan, Window};
use crate::panel::Scales;
use crate::scale::short;

/// Members drawn as single lines over time; more would only darken the band.
const LINES_OVER_TIME: usize = 48;
/// Across space a line has many more points, and a few are enough to see its character.
const LINES_ACROSS_SPACE: usize = 5;
fn window(first: f64, last: f64, scales: Scales) -> Window {
    Window {
        x: (first, last),
        y: (-scales.field, scales.field),
    }
}

/// Paths of the truth and, where there are members, of the fan.
fn drawing(
    window: Window,
    xs: &[f64],
    truth: &[f32],
    members: Option<&[f32]>,
    lines: usize,
) -> Drawing {
    let reach = f64::from(window.y.1);
    let mut drawing = Drawing {
        truth: window.line(xs, truth),
        y_ticks: ticks(&[-reach, 0.0, reach], -reach, reach),
        ..Drawing::default()
    };
    if let Some(members) = members {
        let fan = Fan::new(members, xs.len());
        drawing.outer = window.band(xs, &fan.outer);
        drawing.inner = window.band(xs, &fan.inner);
        drawing.median = window.line(xs, &fan.median);
        drawing.members = window.lines(xs, &members[..members.len().min(lines * xs.len())]);
    }
    drawing
}

/// Times of frames, counted from the first one that the network sees.
fn times(start: f64, from: usize, count: usize) -> Vec<f64> {
    (from..from + count)
        .map(|frame| start + frame as f64 * FRAME_STEP)
        .collect()
}

fn column(field: &[f32], cell: usize) -> Vec<f32> {
    field.iter().skip(cell).step_by(CELLS).copied().collect()
}

/// The last frame seen, then the forecast window: the fan opens from a common point.
fn over_time(
    case: &Case,
    ensemble: Option<&Ensemble>,
    scales: Scales,
    (frame, cell): (usize, usize),
) -> Drawing {
    let start = case.start;
    let window = window(start, time_of(start, WINDOW - 1), scales);
    let history = column(&case.input, cell);
    let now = history[WINDOW - 1];
    let from_now = |line: &[f32]| [&[now], line].concat();
    let members = ensemble.map(|ensemble| {
        let members = ensemble.over_time(cell);
        members
            .chunks_exact(WINDOW)
            .flat_map(from_now)
            .collect::<Vec<_>>()
    });
    let truth = from_now(&column(&case.truth, cell));
    let mut drawing = drawing(
        window,
        &times(start, WINDOW - 1, WINDOW + 1),
        &truth,
        members.as_deref(),
        LINES_OVER_TIME,
    );
    drawing.history = window.line(&times(start, 0, WINDOW), &history);
    drawing.cursor = window.across(time_of(start, frame));
    drawing.begin = Some(window.across(time_of(start, 0) - FRAME_STEP));
    drawing
}

fn across_space(
    case: &Case,
    ensemble: Option<&Ensemble>,
    scales: Scales,
    (frame, cell): (usize, usize),
) -> Drawing {
    let window = window(0.0, LENGTH, scales);
    let xs: Vec<f64> = (0..CELLS).map(place_of).collect();
    let members = ensemble.map(|ensemble| ensemble.across_space(frame));
    let mut drawing = drawing(
        window,
        &xs,
        &case.truth[frame * CELLS..(frame + 1) * CELLS],
        members.as_deref(),
        LINES_ACROSS_SPACE,
    );
    drawing.cursor = window.across(place_of(cell));
    drawing
}

type Slice = fn(&Case, Option<&Ensemble>, Scales, (usize, usize)) -> Drawing;

fn sliced(page: Page, slice: Slice) -> Memo<Option<Drawing>> {
    Memo::new(move |_| {
        let (scales, probe) = (page.scales.get()?, page.probe.get());
        page.case.with(|case| {
            let case = case.as_ref()?;
            Some(
                page.ensemble
                    .with(|ensemble| slice(case, ensemble.as_ref(), scales, probe)),
            )
        })
    })
}

/// The ensemble over time at the probe's place.
#[component]
pub fn OverTime() -> impl IntoView {
    let page = expect_context::<Page>();
    let title =
        Signal::derive(move || format!("Over time at x = {}", short(place_of(page.probe.get().1))));
    // Where the window ends, counted from where it begins.
    let last = time_of(0.0, WINDOW - 1);
    let x_ticks = Signal::derive(move || {
        let start = page.start.get();
        let times = [0.0, 20.0, 40.0, 60.0].map(|time| start + time);
        ticks(&times, start, start + last)
    });
    let go = move |share: f64| {
        let frame = (share * last / FRAME_STEP).round() as usize;
        page.settings
            .update(|s| s.lead = frame.clamp(WINDOW, 2 * WINDOW - 1) - WINDOW + 1);
    };
    view! {
        <Chart name="chart-time" title x_name="time" x_ticks
            drawing=sliced(page, over_time) on_point=go/>
    }
}

/// The ensemble across space at the probe's time.
#[component]
pub fn AcrossSpace() -> impl IntoView {
    let page = expect_context::<Page>();
    let title = Signal::derive(move || {
        let frame = page.probe.get().0;
        format!(
            "Across space at time {} ({} ahead)",
            short(time_of(page.start.get(), frame)),
            short((frame + 1) as f64 * FRAME_STEP)
        )
    });
    let go = move |share: f64| {
        page.settings
            .update(|s| s.point = ((share * CELLS as f64) as usize).min(CELLS - 1));
    };
    view! {
        <Chart name="chart-space" title x_name="x" x_ticks=Signal::stored(ticks(&[0.0, 25.0, 50.0, 75.0, 100.0], 0.0, LENGTH))
            drawing=sliced(page, across_space) on_point=go/>
    }
}
