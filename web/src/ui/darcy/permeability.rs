//! The square that is painted.

use leptos::prelude::*;
use pno::pde::darcy::Law;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, PointerEvent};

use super::easel::Easel;
use crate::flow::{high_share, words_of};
use crate::live::Paint;
use crate::picture::{Palette, Picture, square_index};
use crate::scale::short;
use crate::ui::colour_bar::css;
use crate::ui::frame::{Frame, ticks};
use crate::ui::page::Page;
use crate::ui::plot::{Plot, STRIDE, arrow, percent};
use crate::ui::pointer;

/// Steps of the colour table for the two values: far apart, and neither the page's own dark nor its light.
const STEPS: [usize; 2] = [62, 205];

/// Colour of a permeability.
fn colour(value: f32) -> [u8; 4] {
    let [low, high] = Law::Bumps.values();
    let step = STEPS[usize::from(value > f32::midpoint(low, high))];
    let [red, green, blue] = Palette::Sequential.table()[step];
    [red, green, blue, 255]
}

/// Ticks of both axes of a unit square.
pub fn unit_ticks() -> Signal<Vec<crate::ui::frame::Tick>> {
    Signal::stored(ticks(&[0.0, 0.25, 0.5, 0.75, 1.0], 0.0, 1.0))
}

/// The panel.
#[component]
pub fn Permeability() -> impl IntoView {
    let page = expect_context::<Page>();
    let easel = expect_context::<Easel>();
    let picture = Signal::derive(move || {
        easel.with_permeability(|n, field| Picture::square(n, field, colour))
    });
    let here = move || easel.with_permeability(|n, field| field[square_index(n, easel.place())]);
    let value = move || here().map(|a| short(f64::from(a)));
    let failed = Signal::derive(move || page.failure.with(Option::is_some));
    let state = move || {
        if picture.with(Option::is_none) {
            "waiting"
        } else {
            "ready"
        }
    };
    let label = Signal::derive(move || {
        let share = easel.with_permeability(|_, field| high_share(field));
        let brush = page.settings.with(|s| (s.live.paint, s.live.diameter()));
        format!(
            "Permeability: {} % of the square is high, 1.0, the rest low, 0.1. At {}: {}. \
             Arrow keys move the cursor, space paints {} with a brush {} wide, Control Z takes back.",
            share.map_or_else(|| "–".to_owned(), |share| short(100.0 * share)),
            words_of(easel.place()),
            value().unwrap_or_else(|| "not there yet".to_owned()),
            brush.0.name(),
            short(brush.1),
        )
    });
    view! {
        <section class="card panel" data-testid="panel-permeability" data-state=state>
            <header>
                <h2>"Permeability"</h2>
                <span class="caption">"paint here"</span>
                <output class="value" data-testid="value-permeability" title="Value under the pointer">{value}</output>
            </header>
            <Frame x_name="x" x_ticks=unit_ticks() y_name="y" y_ticks=unit_ticks()>
                <Plot picture place=Signal::derive(move || easel.place()) label failed
                    wait=Signal::derive(move || if failed.get() { "no field" } else { "waiting for the field …" })
                    crisp=true painted=true
                    on_pointer=move |event| paint(easel, event)
                    on_key=move |event| key(page, easel, event)
                >
                    <Brush/>
                </Plot>
            </Frame>
            <div class="key swatches">
                <span><i style:background=css(colour(0.1))></i>"0.1 low"</span>
                <span><i style:background=css(colour(1.0))></i>"1.0 high"</span>
            </div>
        </section>
    }
}

/// The outline of the brush.
#[component]
fn Brush() -> impl IntoView {
    let page = expect_context::<Page>();
    let easel = expect_context::<Easel>();
    let size = move || percent(page.settings.with(|s| s.live.diameter()));
    view! {
        <i class="brush" class:low=move || page.settings.with(|s| s.live.paint == Paint::Low)
            style:width=size style:height=size
            style:left=move || percent(easel.place().across)
            style:bottom=move || percent(easel.place().upwards)></i>
    }
}

fn paint(easel: Easel, event: &PointerEvent) {
    let Some(place) = pointer::place(event) else {
        return;
    };
    match event.type_().as_str() {
        "pointerdown" if event.button() == 0 => {
            let target = event
                .current_target()
                .and_then(|t| t.dyn_into::<Element>().ok());
            // The stroke goes on outside the square; without a capture it only ends there.
            let _ = target.map(|target| target.set_pointer_capture(event.pointer_id()));
            easel.hover.set(Some(place));
            easel.begin(place);
        }
        "pointermove" => {
            easel.hover.set(Some(place));
            easel.to(place);
        }
        "pointerup" | "pointercancel" => {
            easel.end();
            // A finger that is lifted is nowhere.
            if event.pointer_type() == "touch" {
                easel.hover.set(None);
            }
        }
        "pointerleave" => easel.hover.set(None),
        _ => {}
    }
}

fn key(page: Page, easel: Easel, event: &KeyboardEvent) {
    if let Some((right, up)) = arrow(event, STRIDE) {
        easel.hover.set(None);
        page.settings.update(|s| {
            let n = s.live.cells();
            s.live.step(right, up, [n, n], false);
        });
        return;
    }
    if event.key() == " " {
        event.prevent_default();
        easel.hover.set(None);
        easel.begin(page.settings.with_untracked(|s| s.live.place));
        easel.end();
    }
}
