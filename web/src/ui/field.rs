//! One panel: a field as an image, with axes, colour scale, and the probe.

use leptos::html;
use leptos::prelude::*;
use pno::pde::ks::{CELLS, FRAME_STEP, LENGTH, WINDOW};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{
    CanvasRenderingContext2d, HtmlCanvasElement, ImageData, KeyboardEvent, PointerEvent,
};

use super::colour_bar::ColourBar;
use super::frame::{Frame, ticks};
use super::member_picker::MemberPicker;
use super::page::Page;
use super::pointer;
use crate::panel::pixels;
use crate::scale::short;
use crate::settings::View;

/// Cells that an arrow key moves with shift.
const STRIDE: isize = 16;

/// Time of a frame of the forecast window.
pub fn time_of(frame: usize) -> f64 {
    (WINDOW + frame) as f64 * FRAME_STEP
}

/// Place of a cell.
pub fn place_of(cell: usize) -> f64 {
    cell as f64 * LENGTH / CELLS as f64
}

/// One of the six panels.
#[component]
pub fn Field(panel: View) -> impl IntoView {
    let page = expect_context::<Page>();
    let canvas = NodeRef::<html::Canvas>::new();
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
    Effect::new(move |_| {
        if let (Some(canvas), Some(key)) = (canvas.get(), key.get()) {
            field.with(|field| {
                if let Some(field) = field {
                    draw(&canvas, &pixels(field, key));
                }
            });
        }
    });
    let waiting = move || field.with(Option::is_none);
    let failed = move || waiting() && page.failure.with(Option::is_some);
    let state = move || if waiting() { "waiting" } else { "ready" };
    let wait = move || match panel {
        _ if failed() => "no forecast",
        View::Truth => "waiting for the truth …",
        _ => "waiting for members …",
    };
    let value = move || {
        let (frame, cell) = page.probe.get();
        let value = field.with(|field| field.as_ref().map(|f| f[frame * CELLS + cell]))?;
        Some(words_of(value, panel))
    };
    let label = move || {
        let (frame, cell) = page.probe.get();
        format!(
            "{}: time upwards, x to the right. At time {}, x {}: {}. Arrow keys move the point.",
            panel.title(),
            short(time_of(frame)),
            short(place_of(cell)),
            value().unwrap_or_else(|| "not there yet".to_owned()),
        )
    };
    view! {
        <section class="card panel" data-testid=format!("panel-{}", panel.name()) data-state=state>
            <PanelHead panel value=Signal::derive(value)/>
            <Frame
                x_name="x"
                x_ticks=Signal::stored(ticks(&[0.0, 25.0, 50.0, 75.0, 100.0], 0.0, LENGTH))
                y_name="time"
                y_ticks=Signal::stored(ticks(&[40.0, 50.0, 60.0, 70.0], time_of(0) - 1.0, time_of(WINDOW) - 1.0))
            >
                <div
                    class="plot field" class:waiting=waiting class:failed=failed class:crisp=panel == View::Coverage
                    tabindex="0" role="application" aria-label=label
                    on:pointerdown=move |event| point_at(page, &event)
                    on:pointermove=move |event| if event.buttons() == 1 { point_at(page, &event) }
                    on:keydown=move |event| step(page, &event)
                >
                    <canvas node_ref=canvas width=CELLS.to_string() height=WINDOW.to_string()></canvas>
                    <Crosshair/>
                    <Show when=waiting>
                        <span class="wait">{wait}</span>
                    </Show>
                </div>
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

/// The probe's lines, the same in every panel.
#[component]
fn Crosshair() -> impl IntoView {
    let page = expect_context::<Page>();
    let left = move || {
        format!(
            "{:.3}%",
            100.0 * (page.probe.get().1 as f64 + 0.5) / CELLS as f64
        )
    };
    let bottom = move || {
        format!(
            "{:.3}%",
            100.0 * (page.probe.get().0 as f64 + 0.5) / WINDOW as f64
        )
    };
    view! {
        <i class="cross down" style:left=left></i>
        <i class="cross over" style:bottom=bottom></i>
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

fn draw(canvas: &HtmlCanvasElement, pixels: &[u8]) {
    let context = canvas.get_context("2d").ok().flatten();
    let context = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok());
    let image =
        ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), CELLS as u32, WINDOW as u32);
    let drawn = context
        .zip(image.ok())
        .map(|(context, image)| context.put_image_data(&image, 0.0, 0.0));
    if !matches!(drawn, Some(Ok(()))) {
        log::error!("a panel could not be drawn: {drawn:?}");
    }
}

/// Moves the probe to where the pointer is.
fn point_at(page: Page, event: &PointerEvent) {
    let index = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
    if let Some((across, upwards)) = pointer::place(event) {
        page.settings.update(|s| {
            s.point = index(across, CELLS);
            s.lead = index(upwards, WINDOW) + 1;
        });
    }
}

/// Moves the probe by a key.
fn step(page: Page, event: &KeyboardEvent) {
    let far = if event.shift_key() { STRIDE } else { 1 };
    let (frames, cells) = match event.key().as_str() {
        "ArrowUp" => (1, 0),
        "ArrowDown" => (-1, 0),
        "ArrowRight" => (0, far),
        "ArrowLeft" => (0, -far),
        _ => return,
    };
    event.prevent_default();
    page.settings.update(|s| s.move_probe(frames, cells));
}
