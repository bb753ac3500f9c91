//! The ensemble at the probe: fans along lines through it, boxes, distribution.

use std::sync::Arc;

use leptos::prelude::*;

use super::figure::FigureCard;
use super::page::Page;
use super::shown::side_words;
use super::slices::sliced;
use super::verification::file_prefix;
use crate::field::{self, Lead, Probe};
use crate::figure::Figure;
use crate::point::{AtPoint, at_point};
use crate::settings::Settings;
use crate::views::{Kind, View};

type Found = Memo<Option<Arc<AtPoint>>>;
type Make = fn(&AtPoint, Option<&AtPoint>) -> Figure;

/// The charts of every side, which redraw as soon as the probe moves: each in a slice of its own.
#[component]
pub fn PointCharts() -> impl IntoView {
    let page = expect_context::<Page>();
    let compares = Memo::new(move |_| page.settings.with(Settings::compares));
    let at = [0, 1].map(|side| Memo::new(move |_| found(page, side, compares.get())));
    let place = move || {
        page.scene.with(|scene| {
            let (scene, probe) = (scene.as_ref()?, page.probe.get()?);
            let when = scene.lead_words(probe.frame + 1);
            let when = when.filter(|_| scene.lead == Lead::Frame);
            let when = when.map(|when| format!(", {when}")).unwrap_or_default();
            Some(format!("{}{when}", scene.words(probe)))
        })
    };
    let sides = move || if compares.get() { vec![0, 1] } else { vec![0] };
    view! {
        <section class="at-point" data-testid="at-point" aria-label="The ensemble at the point">
            <header class="section-head">
                <h2>"At the point"</h2>
                <p data-testid="point-words">{place}</p>
            </header>
            <For each=sides key=|side| *side children=move |side| view! { <SideCharts side at/> }/>
        </section>
    }
}

fn found(page: Page, side: usize, compares: bool) -> Option<Arc<AtPoint>> {
    if side > 0 && !compares {
        return None;
    }
    page.scene.track();
    let probe = page.probe.get()?;
    page.case.with(|case| {
        let case = case.as_ref()?;
        page.sides[side].with(|ensemble| at_point(case, ensemble.as_ref(), probe).map(Arc::new))
    })
}

/// Follows everything that the charts are made from.
fn track(page: Page) {
    page.case.track();
    page.sides.iter().for_each(Track::track);
    page.probe.track();
    page.scales.track();
}

#[component]
fn SideCharts(side: usize, at: [Found; 2]) -> impl IntoView {
    let page = expect_context::<Page>();
    let (here, other) = (at[side], at[1 - side]);
    let lines = Memo::new(move |_| {
        let scene = page.scene.get();
        scene.map(|scene| scene.lines()).unwrap_or_default()
    });
    let has_model = Memo::new(move |_| page.has_model());
    let heading = move || side_words(page, side, View::Mean);
    let file = MaybeProp::derive(move || Some(file_prefix(page, side)));
    let figure = move |make: Make| {
        let made = move || {
            let (here, other) = (here.get()?, other.get());
            Some(Arc::new(make(&here, other.as_deref())))
        };
        sliced(move || track(page), made)
    };
    let bars = figure(AtPoint::histogram);
    let steps = figure(AtPoint::distribution);
    let meteogram = move || {
        let line = lines.get().into_iter().find(|line| is_time(page, *line))?;
        Some(view! { <LineChart side at line boxes=true/> })
    };
    view! {
        <div class="charts" data-testid=format!("charts-{side}")>
            <Show when=move || heading().is_some()><h3 class="side-name">{heading}</h3></Show>
            <div class="figures lines">
                <For each=move || lines.get() key=|line| *line children=move |line| view! { <LineChart side at line/> }/>
            </div>
            <Show when=move || has_model.get()>
                <div class="figures here">
                    {meteogram}
                    <FigureCard figure=bars file/>
                    <FigureCard figure=steps file/>
                </div>
            </Show>
        </div>
    }
}

fn is_time(page: Page, line: field::Line) -> bool {
    let lead = page.scene.with(|scene| scene.as_ref().map(|s| s.lead));
    matches!(
        (lead, line),
        (Some(Lead::Frame), field::Line::Frames) | (Some(Lead::Row), field::Line::Rows)
    )
}

/// A fan along a line, or boxes.
#[component]
fn LineChart(
    side: usize,
    at: [Found; 2],
    line: field::Line,
    #[prop(optional)] boxes: bool,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let (here, other) = (at[side], at[1 - side]);
    let made = move || {
        let (here, other) = (here.get()?, other.get());
        let locked = locked(page);
        let make = if boxes {
            AtPoint::meteogram
        } else {
            AtPoint::fan
        };
        make(&here, line, other.as_deref(), locked).map(Arc::new)
    };
    let figure = sliced(move || track(page), made);
    let cursor =
        MaybeProp::derive(move || here.with(|at| at.as_ref()?.line(line).map(|line| line.here)));
    let file = MaybeProp::derive(move || Some(file_prefix(page, side)));
    let on_x = Callback::new(move |x| move_to(page, line, x));
    view! { <FigureCard figure file cursor on_x/> }
}

/// The locked scale of the pictures, in the unit that is shown.
fn locked(page: Page) -> Option<(f64, f64)> {
    page.scene.track();
    let channel = page.probe.get()?.channel;
    let bar = page.scales.get()?.bar(Kind::Field)?;
    page.scene.with(|scene| {
        let unit = scene.as_ref()?.units.get(channel)?;
        let shown = |value: f32| unit.shown(f64::from(value));
        Some((shown(bar.lo), shown(bar.hi)))
    })
}

/// Moves the probe along a line to the coordinate nearest to `x`.
fn move_to(page: Page, line: field::Line, x: f64) {
    let (Some(scene), Some(probe)) = (page.scene.get_untracked(), page.probe.get_untracked())
    else {
        return;
    };
    let index = nearest(&scene.span(line).coordinates, x);
    let time = untrack(|| is_time(page, line));
    let moved = match line {
        _ if time => probe,
        field::Line::Rows => Probe {
            row: index,
            ..probe
        },
        _ => Probe {
            column: index,
            ..probe
        },
    };
    page.settings.update(|s| {
        if time {
            s.lead = index + 1;
        } else {
            s.place = scene.place(moved);
        }
    });
}

/// Number of the coordinate nearest to `x`.
pub fn nearest(coordinates: &[f64], x: f64) -> usize {
    let distance = |index: &usize| (coordinates[*index] - x).abs();
    let all = 0..coordinates.len();
    all.min_by(|a, b| distance(a).total_cmp(&distance(b)))
        .unwrap_or_default()
}
