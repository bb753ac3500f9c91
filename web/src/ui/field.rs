//! One panel: a field as an image, with axes, colour scale, and the probe.

use leptos::prelude::*;
use pno::pde::ks::{CELLS, FRAME_STEP, LENGTH, WINDOW};
use web_sys::{KeyboardEvent, PointerEvent};

use super::colour_bar::ColourBar;
use super::frame::{Frame, ticks};
use super::member_picker::MemberPicker;
use super::page::Page;
use super::plot::{Plot, arrow};
use super::pointer;
use crate::live::Place;
use crate::panel::picture;
use crate::scale::short;
use crate::settings::View;

/// Cells that an arrow key moves with shift.
const STRIDE: isize = 16;

/// Time of a frame of the forecast window of a truth that begins at `start`.
pub fn time_of(start: f64, frame: usize) -> f64 {
    start + (WINDOW + frame) as f64 * FRAME_STEP
}

/// Place of a cell.
pub fn place_of(cell: usize) -> f64 {
    cell as f64 * LENGTH / CELLS as f64
}

/// One of the six panels.
#[component]
pub fn Field(panel: View) -> impl IntoView {
    let page = expect_context::<Page>();
    let field = Memo::new(move |_| {
        // Only one panel depends on the chosen member.
        let member = if panel == View::Member {
            page.member.get()
        } else {
            0
        };
        page.case.with(|case| {
            let case = case.as_ref()?;
            page.ensemble
                .with(|ensemble| panel.field(case, ensemble.as_ref(), member))
        })
    });
    let key = Memo::new(move |_| page.scales.get().map(|scales| panel.key(scales)));
    let picture = Signal::derive(move || {
        let key = key.get()?;
        field.with(|field| field.as_ref().map(|field| picture(field, key)))
    });
    let waiting = move || field.with(Option::is_none);
    let failed = Signal::derive(move || waiting() && page.failure.with(Option::is_some));
    let state = move || if waiting() { "waiting" } else { "ready" };
    let wait = Signal::derive(move || match panel {
        _ if failed.get() => "no forecast",
        View::Truth => "waiting for the truth …",
        _ => "waiting for members …",
    });
    let place = Signal::derive(move || {
        let (frame, cell) = page.probe.get();
        Place::of_cell(cell, frame, CELLS, WINDOW)
    });
    let value = move || {
        let (frame, cell) = page.probe.get();
        let value = field.with(|field| field.as_ref().map(|f| f[frame * CELLS + cell]))?;
        Some(words_of(value, panel))
    };
    let label = Signal::derive(move || {
        let (frame, cell) = page.probe.get();
        format!(
            "{}: time upwards, x to the right. At time {}, x {}: {}. Arrow keys move the point.",
            panel.title(),
            short(time_of(page.start.get(), frame)),
            short(place_of(cell)),
            value().unwrap_or_else(|| "not there yet".to_owned()),
        )
    });
    let y_ticks = move || {
        let start = page.start.get();
        let tens = [40.0, 50.0, 60.0, 70.0].map(|time| start + time);
        let [first, last] = [0, WINDOW].map(|frame| time_of(start, frame) - 1.0);
        ticks(&tens, first, last)
    };
    view! {
        <section class="card panel" data-testid=format!("panel-{}", panel.name()) data-state=state>
            <PanelHead panel value=Signal::derive(value)/>
            <Frame
                x_name="x"
                x_ticks=Signal::stored(ticks(&[0.0, 25.0, 50.0, 75.0, 100.0], 0.0, LENGTH))
                y_name="time"
                y_ticks=Signal::derive(y_ticks)
            >
                <Plot
                    picture place label wait failed crisp=panel == View::Coverage
                    on_pointer=move |event| point_at(page, event)
                    on_key=move |event| step(page, event)
                />
            </Frame>
            <ColourBar key=key/>
        </section>
    }
}

#[component]
fn PanelHead(panel: View, value: Signal<Option<String>>) -> impl IntoView {
    let page = expect_context::<Page>();
    let alone = Memo::new(move |_| page.settings.with(|s| s.view == panel));
    let toggle = move |_| {
        page.settings
            .update(|s| s.view = if s.view == panel { View::All } else { panel });
    };
    let words = move || {
        if alone.get() {
            "Show all panels".to_owned()
        } else {
            format!("Enlarge: {}", panel.title())
        }
    };
    view! {
        <header>
            <h2>{panel.title()}</h2>
            {if panel == View::Member {
                view! { <MemberPicker/> }.into_any()
            } else {
                view! { <span class="caption">{panel.caption()}</span> }.into_any()
            }}
            <output class="value" title="Value at the probe">{value}</output>
            <button type="button" class="enlarge" data-testid=format!("enlarge-{}", panel.name())
                on:click=toggle aria-label=words title=words>
                {move || if alone.get() { "⤡" } else { "⤢" }}
            </button>
        </header>
    }
}

fn words_of(value: f32, panel: View) -> String {
    match (panel, value) {
        (View::Coverage, v) if v < 0.0 => "truth below".to_owned(),
        (View::Coverage, v) if v > 0.0 => "truth above".to_owned(),
        (View::Coverage, _) => "inside".to_owned(),
        (_, v) => format!("{v:.2}").replace('-', "−"),
    }
}

/// Moves the probe to where a pressed pointer is.
fn point_at(page: Page, event: &PointerEvent) {
    if let Some(place) = pointer::pressed(event) {
        let (cell, frame) = place.cell(CELLS, WINDOW);
        page.settings.update(|s| {
            s.point = cell;
            s.lead = frame + 1;
        });
    }
}

/// Moves the probe by a key.
fn step(page: Page, event: &KeyboardEvent) {
    if let Some((cells, frames)) = arrow(event, STRIDE) {
        // A window has twenty frames: they are taken one by one.
        page.settings
            .update(|s| s.move_probe(frames.signum(), cells));
    }
}
