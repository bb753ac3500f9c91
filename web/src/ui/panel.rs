//! One view of one side: a field as a picture, with axes, colour scale, and the probe.

use leptos::html;
use leptos::prelude::*;

use super::ball::{Ball, is_ball};
use super::coast::Coastlines;
use super::colour_bar::ColourBar;
use super::frame::Frame;
use super::hand::Hand;
use super::member_picker::MemberPicker;
use super::numbers::FieldNumbers;
use super::page::Page;
use super::plot::{Plot, percent};
use super::save::SaveMenu;
use super::shown::{Shown, label, layout_class, method_of, paint, side_words, wait};
use super::slices::sliced;
use super::start_line::StartLine;
use super::touch::{change, point_at, step};
use crate::field::{Scene, Span, Tick};
use crate::live::Paint;
use crate::ticks;
use crate::views::{self, Kind, View};

/// The panel.
#[component]
pub fn Panel(shown: Shown) -> impl IntoView {
    let page = expect_context::<Page>();
    let hand = expect_context::<Hand>();
    let Shown { view, side } = shown;
    let kind = view.page().kind;
    let input = view == View::Input;
    let field = sliced(move || page.track_sources(), move || shown.field(page));
    let unit = Memo::new(move |_| shown.unit(page));
    let title = Memo::new(move |_| shown.title(page));
    let bar = Memo::new(move |_| page.scales.get().and_then(|scales| scales.bar(kind)));
    let stepwise = Memo::new(move |_| input && hand.paints());
    let painted = Memo::new(move |_| paint(page, shown, field, bar, stepwise));
    // Without a picture its scale would be a guess.
    let legend = Memo::new(move |_| painted.with(Option::is_some).then(|| bar.get()).flatten());
    let changes = Memo::new(move |_| input && hand.can_change());
    let place = Signal::derive(move || {
        let (scene, probe) = (shown.scene(page)?, shown.probe(page)?);
        let place = scene.place(probe);
        let hover = if changes.get() {
            hand.hover.get()
        } else {
            None
        };
        (view != View::Stamps).then(|| hover.unwrap_or(place))
    });
    let value = Signal::derive(move || {
        let (scene, unit) = (shown.scene(page)?, unit.get()?);
        let shape = scene.shape;
        let (column, row) = place.get()?.cell(shape.columns, shape.rows);
        // Pictures are made in slices: that of another grid may still be on the screen.
        let point = shape.point(row, column);
        let value = field.with(|field| field.as_ref()?.get(point).copied())?;
        Some(views::number(kind, &unit, value))
    });
    let failed = Signal::derive(move || {
        page.failure.with(Option::is_some)
            || page.no_truth.with(Option::is_some)
            || (view.needs_truth() && page.without_truth())
    });
    let wait = Signal::derive(move || wait(page, view, failed.get()));
    let label = Signal::derive(move || label(page, shown, field, changes.get()));
    let (x, y) = axes(page, shown);
    let line = Memo::new(move |_| {
        input
            && page
                .scene
                .with(|scene| scene.as_ref().is_some_and(|s| s.is_stacked()))
    });
    let state = move || {
        if painted.with(Option::is_none) {
            "waiting"
        } else {
            "ready"
        }
    };
    let canvas = NodeRef::<html::Canvas>::new();
    let ball = Memo::new(move |_| is_ball(page, view));
    let window = Memo::new(move |_| {
        page.scene
            .with(|scene| scene.as_ref().filter(|_| view != View::Stamps)?.window())
    });
    let aspect = move || {
        let aspect = page.scene.with(|scene| scene.as_ref()?.aspect());
        aspect.map(|aspect| format!("{aspect:.3}"))
    };
    let picture = move || {
        if ball.get() {
            return view! { <Ball field bar label wait changes canvas/> }.into_any();
        }
        view! {
            <Frame x_name=Signal::derive(move || x.get().0) x_ticks=Signal::derive(move || x.get().1)
                y_name=Signal::derive(move || y.get().0) y_ticks=Signal::derive(move || y.get().1)>
                <Plot
                    painted place label wait failed touched=changes canvas
                    on_pointer=move |event| if changes.get_untracked() { change(&hand, event) } else { point_at(page, view, event) }
                    on_key=move |event| step(page, &hand, view, changes.get_untracked(), event)
                >
                    <Show when=move || window.with(Option::is_some)><Coastlines window/></Show>
                    <Show when=move || line.get()><StartLine bar/></Show>
                    <Show when=move || changes.get()><Brush/></Show>
                </Plot>
            </Frame>
        }
        .into_any()
    };
    view! {
        <section class="card panel" data-testid=format!("panel-{}", shown.name()) data-view=view.name()
            data-state=state data-side=side.to_string() class:line=line style=("--aspect", aspect)>
            <PanelHead shown title value canvas/>
            {picture}
            <ColourBar kind bar=legend unit/>
            {(view != View::Stamps).then(|| view! { <FieldNumbers shown field/> })}
        </section>
    }
}

/// Name and ticks of an axis.
type Axis = Memo<(String, Vec<Tick>)>;

/// The axes of a view's picture, to the right and upwards. A sheet of stamps has none: every stamp would have its own.
fn axes(page: Page, shown: Shown) -> (Axis, Axis) {
    let view = shown.view;
    let axis = move |of: fn(&Scene) -> &Span| {
        Memo::new(move |_| {
            let scene = shown.scene(page).filter(|_| view != View::Stamps);
            let span = scene.as_deref().map(of);
            span.map(|span| (span.name.clone(), span.ticks()))
                .unwrap_or_default()
        })
    };
    let values = Memo::new(move |_| value_axis(page, shown).unwrap_or_default());
    let upwards: fn(&Scene) -> &Span = if view == View::Input {
        |scene| scene.seen.as_ref().unwrap_or(&scene.row)
    } else {
        |scene| &scene.row
    };
    let points = axis(upwards);
    let stacked = move || {
        page.scene
            .with(|s| s.as_ref().is_some_and(|s| s.is_stacked()))
    };
    let upwards = Memo::new(move |_| match view {
        View::Input if stacked() => values.get(),
        _ => points.get(),
    });
    (axis(|scene| &scene.column), upwards)
}

/// The upright axis of an input that is drawn as a line.
fn value_axis(page: Page, shown: Shown) -> Option<(String, Vec<Tick>)> {
    let (unit, bar) = (shown.unit(page)?, page.scales.get()?.bar(Kind::Input)?);
    let at = |value: f32| unit.shown(f64::from(value));
    let (lo, hi) = (at(bar.lo), at(bar.hi));
    let ticks = ticks::between("", lo, hi).into_iter();
    let ticks = ticks.map(|(value, words)| ((value - lo) / (hi - lo), words));
    Some((unit.title, ticks.collect()))
}

#[component]
fn PanelHead(
    shown: Shown,
    #[prop(into)] title: Signal<String>,
    #[prop(into)] value: Signal<Option<String>>,
    canvas: NodeRef<html::Canvas>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let Shown { view, side } = shown;
    let alone = Memo::new(move |_| page.settings.with(|s| s.view == view));
    let toggle = move |_| {
        page.settings
            .update(|s| s.view = if s.view == view { View::All } else { view });
    };
    let words = move || {
        if alone.get() {
            "Show the overview".to_owned()
        } else {
            format!("Enlarge: {}", title.get())
        }
    };
    // Two sides leave little room in the overview, and so do squares. Some titles never fit; sliders below tell their numbers.
    let squares = Memo::new(move |_| layout_class(page) == "squares");
    let heading = move || {
        let (all, sides) = page.settings.with(|s| (s.view == View::All, s.compares()));
        let long = matches!(view, View::Hit | View::Exceedance);
        let narrow = sides || long || (squares.get() && view != View::Input);
        if all && narrow && (!view.is_shared() || squares.get()) {
            view.label().to_owned()
        } else {
            title.get()
        }
    };
    let sided = move || side_words(page, side, view).is_some();
    let caption = move || match side_words(page, side, view) {
        Some(_) => method_of(page, side).unwrap_or_default().to_owned(),
        None => view.page().caption.to_owned(),
    };
    view! {
        <header>
            <h2 title=title>{heading}</h2>
            <Show when=sided><b class="side">{if side == 0 { "A" } else { "B" }}</b></Show>
            <span class="caption">{caption}</span>
            {(view == View::Member).then(|| view! { <MemberPicker side/> })}
            <output class="value" data-testid=format!("value-{}", shown.name()) title="Value at the point">{value}</output>
            <SaveMenu shown canvas/>
            <button type="button" class="enlarge" data-testid=format!("enlarge-{}", shown.name())
                on:click=toggle aria-label=words title=words>
                <svg viewBox="0 0 16 16" aria-hidden="true">
                    <path d=move || if alone.get() { "M14 2 9 7V3M9 7H13M2 14 7 9V13M7 9H3" } else { "M9 7 14 2H10M14 2V6M7 9 2 14H6M2 14V10" }/>
                </svg>
            </button>
        </header>
    }
}

/// The outline of the brush.
#[component]
fn Brush() -> impl IntoView {
    let page = expect_context::<Page>();
    let hand = expect_context::<Hand>();
    let size = move || percent(page.settings.with(|s| s.live.diameter()));
    let place = move || {
        hand.hover
            .get()
            .unwrap_or_else(|| page.settings.with(|s| s.place))
    };
    let low = move || page.settings.with(|s| s.live.paint == Paint::Low);
    view! {
        <Show when=move || hand.paints()>
            <i class="brush" class:low=low style:width=size style:height=size
                style:left=move || percent(place().across)
                style:bottom=move || percent(place().upwards)></i>
        </Show>
    }
}
