//! The pressure that follows the painting.

use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use super::easel::Easel;
use super::permeability::unit_ticks;
use crate::flow::Flow;
use crate::npy;
use crate::picture::{Bar, Picture, square_index};
use crate::scale::short;
use crate::ui::colour_bar::Scale;
use crate::ui::downloads::save;
use crate::ui::frame::Frame;
use crate::ui::page::Page;
use crate::ui::plot::{Plot, STRIDE, arrow};
use crate::ui::pointer;

/// The panel.
#[component]
pub fn Pressure() -> impl IntoView {
    let page = expect_context::<Page>();
    let easel = expect_context::<Easel>();
    let bar = Memo::new(move |_| {
        page.flow
            .with(|flow| flow.as_ref().map(|flow| Bar::from_zero(&flow.pressure)))
    });
    let picture = Signal::derive(move || {
        let bar = bar.get()?;
        let square = |flow: &Flow| Picture::square(flow.cells(), &flow.pressure, |u| bar.colour(u));
        page.flow.with(|flow| flow.as_ref().map(square))
    });
    let with_flow =
        move |words: &dyn Fn(&Flow) -> String| page.flow.with(|f| f.as_ref().map(words));
    let value = move || {
        let place = easel.place();
        with_flow(&|flow| short(f64::from(flow.pressure[square_index(flow.cells(), place)])))
    };
    let label = Signal::derive(move || {
        let place = easel.place();
        let sentence = with_flow(&|flow| flow.sentence(place));
        let sentence = sentence.unwrap_or_else(|| "Pressure: not there yet.".to_owned());
        format!("{sentence} Arrow keys move the point.")
    });
    let failed = Signal::derive(move || page.failure.with(Option::is_some));
    let state = move || {
        if bar.get().is_none() {
            "waiting"
        } else {
            "ready"
        }
    };
    view! {
        <section class="card panel" data-testid="panel-pressure" data-state=state>
            <header>
                <h2>"Pressure"</h2>
                <span class="caption" data-testid="cost">{move || with_flow(&Flow::cost)}</span>
                <output class="value" data-testid="value-pressure" title="Value under the pointer">{value}</output>
            </header>
            <Frame x_name="x" x_ticks=unit_ticks() y_name="y" y_ticks=unit_ticks()>
                <Plot picture place=Signal::derive(move || easel.place()) label failed
                    wait=Signal::derive(move || if failed.get() { "no pressure" } else { "waiting for the pressure …" })
                    on_pointer=move |event| point(page, easel, event)
                    on_key=move |event| step(page, easel, event)
                />
            </Frame>
            {move || bar.get().map(|bar| view! { <Scale bar unit=Some("model units")/> })}
        </section>
    }
}

fn point(page: Page, easel: Easel, event: &PointerEvent) {
    if event.type_() == "pointerleave" {
        easel.hover.set(None);
        return;
    }
    if let Some(place) = pointer::pressed(event) {
        page.settings.update(|s| s.live.place = place);
    }
    if event.pointer_type() != "touch" {
        easel.hover.set(pointer::place(event));
    }
}

fn step(page: Page, easel: Easel, event: &KeyboardEvent) {
    if let Some((right, up)) = arrow(event, STRIDE) {
        easel.hover.set(None);
        page.settings.update(|s| {
            let n = s.live.cells();
            s.live.step(right, up, [n, n], false);
        });
    }
}

/// Buttons that save both fields.
#[component]
pub fn SaveFlow() -> impl IntoView {
    let page = expect_context::<Page>();
    let none = move || page.flow.with(Option::is_none);
    let save_field = move |what: &'static str, pick: fn(&Flow) -> &[f32]| {
        move |_| {
            let seed = page.settings.with_untracked(|s| match s.live.painting {
                None => format!("seed{}", s.seed),
                Some(_) => "painted".to_owned(),
            });
            page.flow.with_untracked(|flow| {
                if let Some(flow) = flow {
                    let n = flow.cells();
                    let file = npy::encode(pick(flow), &[n, n]);
                    save(&format!("darcy-{seed}-{n}-{what}.npy"), &file);
                }
            });
        }
    };
    view! {
        <div class="downloads">
            <span>"Save as NumPy files [x, y]:"</span>
            <button type="button" data-testid="download-permeability" disabled=none
                on:click=save_field("permeability", |flow| &flow.permeability)>"permeability"</button>
            <button type="button" data-testid="download-pressure" disabled=none
                on:click=save_field("pressure", |flow| &flow.pressure)>"pressure"</button>
        </div>
    }
}
