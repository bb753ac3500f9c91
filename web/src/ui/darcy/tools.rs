//! Brush, way back, random fields, grid.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::easel::Easel;
use crate::live::{DarcyGrid, Paint, WIDEST_BRUSH};
use crate::ui::controls::Seed;
use crate::ui::page::Page;
use crate::ui::segmented::Segmented;

/// The bar of tools.
#[component]
pub fn Tools() -> impl IntoView {
    let page = expect_context::<Page>();
    let easel = expect_context::<Easel>();
    let paint = Signal::derive(move || page.settings.with(|s| s.live.paint.name()));
    let choose_paint = move |name: &str| {
        if let Some(paint) = Paint::from_name(name) {
            page.settings.update(|s| s.live.paint = paint);
        }
    };
    let grid = Signal::derive(move || {
        let cells = page.settings.with(|s| s.live.cells());
        DarcyGrid::with_cells(cells).unwrap_or_default().name()
    });
    let choose_grid = move |name: &str| {
        if let Some(grid) = DarcyGrid::from_name(name) {
            page.settings.update(|s| s.live.set_grid(grid));
        }
    };
    undo_by_key(easel);
    view! {
        <form class="controls card" aria-label="Settings" on:submit=|event| event.prevent_default()>
            <Segmented legend="Paint" name="paint" options=vec![("high", "1.0 high"), ("low", "0.1 low")]
                chosen=paint on_choose=choose_paint/>
            <BrushSize/>
            <div class="control buttons">
                <button type="button" data-testid="undo" disabled=move || !easel.can_undo()
                    on:click=move |_| easel.undo() title="Take the last step back (Ctrl+Z)">"Undo"</button>
                <button type="button" data-testid="clear" on:click=move |_| easel.clear()
                    title="Fill the square with the low value">"Clear"</button>
            </div>
            <Seed label="Random field (seed)" button="New random field" hint="Draw another field by the law of the data set"
                on_seed=move |seed| easel.draw(seed)/>
            <Segmented legend="Cells" name="cells" options=vec![("64", "64 × 64"), ("128", "128 × 128")]
                chosen=grid on_choose=choose_grid/>
        </form>
    }
}

/// Takes back with Ctrl+Z, wherever the focus is; a text that is being edited has its own way back.
fn undo_by_key(easel: Easel) {
    let listener = window_event_listener(leptos::ev::keydown, move |event| {
        let target = event
            .target()
            .and_then(|t| t.dyn_into::<HtmlInputElement>().ok());
        let edits = target.is_some_and(|input| input.type_() == "text");
        if event.key() == "z" && (event.ctrl_key() || event.meta_key()) && !edits {
            event.prevent_default();
            easel.undo();
        }
    });
    on_cleanup(move || listener.remove());
}

#[component]
fn BrushSize() -> impl IntoView {
    let page = expect_context::<Page>();
    let brush = Memo::new(move |_| page.settings.with(|s| s.live.brush));
    let width = move || {
        let cells = page
            .settings
            .with(|s| s.live.diameter() * s.live.cells() as f64);
        format!("{cells} {}", if cells == 1.0 { "cell" } else { "cells" })
    };
    let set = move |event| {
        if let Ok(value) = event_target_value(&event).parse::<u32>() {
            page.settings
                .update(|s| s.live.brush = value.clamp(1, WIDEST_BRUSH));
        }
    };
    view! {
        <div class="control">
            <label for="brush">"Brush, "<output>{width}</output>" wide"</label>
            <input id="brush" data-testid="brush" type="range" min="1" max=WIDEST_BRUSH.to_string()
                prop:value=move || brush.get().to_string() on:input=set/>
        </div>
    }
}
