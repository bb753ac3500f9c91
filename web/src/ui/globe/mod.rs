//! A globe to turn by finger, mouse and keys.

mod easel;
mod hand;
mod turn;

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use super::plot::{arrow, watch_size};
use super::slices::later;
use crate::globe::{Spot, Surface};
use crate::picture::Key;
use easel::{Easel, Scene};
use hand::{Hand, now};
pub use turn::Turn;

/// Degrees that an arrow key turns.
const KEY_DEGREES: f64 = 6.0;

/// A globe.
#[component]
pub fn Globe(
    /// The field; `None` while it is not there.
    #[prop(into)]
    surface: Signal<Option<Arc<Surface>>>,
    /// How values become colours.
    #[prop(into)]
    key: Signal<Key>,
    /// How it is turned.
    turn: Turn,
    /// The probe.
    #[prop(into)]
    probe: Signal<Option<Spot>>,
    /// Called with the place that was pointed at.
    #[prop(into)]
    on_probe: Callback<Spot>,
    /// Called for every key that does not turn the globe.
    on_key: impl Fn(&KeyboardEvent) + 'static,
    /// The picture as a sentence.
    #[prop(into)]
    label: Signal<String>,
    /// What is said while there is no picture.
    #[prop(into)]
    wait: Signal<String>,
    /// The canvas, for whom it is saved.
    canvas: NodeRef<html::Canvas>,
    /// Draws coastlines.
    #[prop(optional)]
    coasts: bool,
) -> impl IntoView {
    turn.join();
    let hand = StoredValue::new(Hand::new(turn.camera.get_untracked()));
    let easel = StoredValue::new(Easel::default());
    let size = RwSignal::new(None::<[f64; 2]>);
    watch_size(canvas, size);
    let paint = move || {
        let (Some(canvas), Some([width, _])) = (canvas.get_untracked(), size.get_untracked())
        else {
            return;
        };
        let scene = surface.with_untracked(|surface| {
            surface.clone().map(|surface| Scene {
                surface,
                key: key.get_untracked(),
                camera: turn.camera.get_untracked(),
                probe: probe.get_untracked(),
                coasts,
                moving: turn.moving.get_untracked(),
                globes: turn.globes(),
            })
        });
        if let Some(scene) = scene {
            easel.update_value(|easel| easel.paint(&canvas, width, &scene));
        }
    };
    // One picture, however much changed since the last. Globes that turn do so together, in the next frame of the screen; at
    // rest each has a slice of its own.
    let ordered = StoredValue::new(false);
    let order = move || {
        if !ordered.get_value() {
            ordered.set_value(true);
            let job = move || {
                if ordered.try_set_value(false).is_none() {
                    paint();
                }
            };
            if turn.moving.get_untracked() {
                request_animation_frame(job);
            } else {
                later(Box::new(job));
            }
        }
    };
    Effect::new(move |_| {
        surface.track();
        key.track();
        turn.camera.track();
        turn.moving.track();
        probe.track();
        canvas.track();
        size.track();
        order();
    });
    let pointer = move |event: &PointerEvent| {
        hand.update_value(|hand| hand.follow(event, turn, on_probe));
    };
    let roll = move |event: &PointerEvent| {
        pointer(event);
        if hand.with_value(|hand| hand.spin.is_moving() && hand.from.is_none()) {
            turn.moving.set(true);
            go_on(hand, turn, now());
        }
    };
    let press = move |event: &KeyboardEvent| {
        if event.shift_key()
            && let Some((right, up)) = arrow(event, 1)
        {
            hand.update_value(|hand| hand.spin.hold());
            turn.camera.update(|camera| {
                *camera = camera.turned(KEY_DEGREES * up as f64, KEY_DEGREES * right as f64);
            });
            return;
        }
        let before = probe.get_untracked();
        on_key(event);
        let after = probe.get_untracked();
        // Any other key, and be it shift alone, leaves the globe as it is.
        if after != before {
            turn.show(after);
        }
    };
    let waiting = Memo::new(move |_| surface.with(Option::is_none));
    view! {
        <div class="globe" class:waiting=waiting tabindex="0" role="application" aria-label=label data-testid="globe"
            on:pointerdown=move |event| pointer(&event)
            on:pointermove=move |event| pointer(&event)
            on:pointerup=move |event| roll(&event)
            on:pointercancel=move |event| roll(&event)
            on:keydown=move |event| press(&event)
        >
            <canvas node_ref=canvas></canvas>
            <Show when=move || waiting.get()>
                <span class="wait">{wait}</span>
            </Show>
        </div>
    }
}

/// Lets the globe turn on by itself until it stands still or is held again.
fn go_on(hand: StoredValue<Hand>, turn: Turn, before: f64) {
    request_animation_frame(move || {
        let time = now();
        let step = hand.try_update_value(|hand| {
            // Somebody else may have turned it: a linked globe, or a key.
            if hand.from.is_some() {
                return None;
            }
            hand.spin.camera = turn.camera.get_untracked();
            hand.spin.pass(time - before).then_some(hand.spin.camera)
        });
        match step.flatten() {
            Some(camera) => {
                turn.camera.set(camera);
                go_on(hand, turn, time);
            }
            None => turn.moving.set(
                hand.try_with_value(|hand| hand.from.is_some())
                    .unwrap_or(false),
            ),
        }
    });
}
