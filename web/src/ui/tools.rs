//! Tools for the input: brush or bump, and the way back.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::ball::is_ball;
use super::hand::Hand;
use super::page::Page;
use super::segmented::Segmented;
use super::select::choices;
use crate::live::{Paint, WIDEST_BRUSH};
use crate::views::View;

/// The bar of tools, where the input is on the screen and can be changed.
#[component]
pub fn Tools() -> impl IntoView {
    let page = expect_context::<Page>();
    let hand = expect_context::<Hand>();
    undo_by_key(&hand);
    let there = Memo::new(move |_| {
        let view = page.settings.with(|s| s.view);
        hand.can_change() && (matches!(view, View::All | View::Input) || !page.has_model())
    });
    let paints = Memo::new(move |_| hand.paints());
    let ball = Memo::new(move |_| is_ball(page, View::Input));
    move || {
        there.get().then(|| {
            let words = if paints.get() {
                "Paint the permeability with mouse, finger, pen or keys"
            } else if ball.get() {
                "Press a place on the input to nudge the start there; dragging turns the globe"
            } else {
                "Press or drag on the input to nudge the start"
            };
            view! {
                <div class="tools card" role="group" aria-label="Change the input">
                    <p>{words}</p>
                    {if paints.get() { view! { <PaintChoice/><BrushSize/> }.into_any() } else { view! { <Amount/> }.into_any() }}
                    <div class="buttons">
                        <button type="button" data-testid="undo" disabled=move || !hand.can_undo()
                            on:click=move |_| hand.undo() title="Take the last step back (Ctrl+Z)">"Undo"</button>
                        <button type="button" data-testid="clear" on:click=move |_| hand.clear()>
                            {if paints.get() { "Clear" } else { "No nudges" }}</button>
                    </div>
                </div>
            }
        })
    }
}

#[component]
fn PaintChoice() -> impl IntoView {
    let page = expect_context::<Page>();
    let paint = Signal::derive(move || page.settings.with(|s| s.live.paint.name().to_owned()));
    let choose = move |name: String| {
        if let Some(paint) = Paint::from_name(&name) {
            page.settings.update(|s| s.live.paint = paint);
        }
    };
    view! {
        <Segmented legend="Paint" name="paint" options=choices(&[("high", "1.0 high"), ("low", "0.1 low")])
            chosen=paint on_choose=choose/>
    }
}

#[component]
fn Amount() -> impl IntoView {
    let hand = expect_context::<Hand>();
    let chosen = Signal::derive(move || {
        if hand.amount.get() < 0.0 {
            "down".to_owned()
        } else {
            "up".to_owned()
        }
    });
    let choose = move |name: String| hand.amount.set(if name == "down" { -1.0 } else { 1.0 });
    view! {
        <Segmented legend="Nudge" name="nudge" options=choices(&[("up", "Up"), ("down", "Down")]) chosen on_choose=choose/>
    }
}

/// Takes back with Ctrl+Z, wherever the focus is; a text that is being edited has its own way back.
fn undo_by_key(hand: &Hand) {
    let hand = *hand;
    let listener = window_event_listener(leptos::ev::keydown, move |event| {
        let target = event
            .target()
            .and_then(|t| t.dyn_into::<HtmlInputElement>().ok());
        let edits = target.is_some_and(|input| input.type_() == "text");
        if event.key() == "z" && (event.ctrl_key() || event.meta_key()) && !edits {
            event.prevent_default();
            hand.undo();
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
