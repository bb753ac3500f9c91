//! The hand on the globe: drag, let go, point.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

use super::Turn;
use crate::globe::{Camera, RADIUS, Spin, Spot};

/// A pointer that moved less than this, in CSS pixels, pointed and did not drag.
const TAP: f64 = 5.0;

/// Milliseconds since the page began.
pub fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

fn inertia() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    !query.ok().flatten().is_some_and(|query| query.matches())
}

/// The pointer that turns the globe.
pub struct Hand {
    /// How the globe turns.
    pub spin: Spin,
    /// Where it took hold, and whether it has moved since.
    pub from: Option<([f64; 2], bool)>,
    at: [f64; 2],
    time: f64,
}

impl Hand {
    /// At rest.
    pub fn new(camera: Camera) -> Self {
        Self {
            spin: Spin::at(camera),
            from: None,
            at: [0.0; 2],
            time: 0.0,
        }
    }

    /// Does what a pointer does, at the time when it did: a page that is busy hears of it later.
    pub fn follow(&mut self, event: &PointerEvent, turn: Turn, on_probe: Callback<Spot>) {
        let Some(element) = event
            .current_target()
            .and_then(|target| target.dyn_into::<Element>().ok())
        else {
            return;
        };
        let area = element.get_bounding_client_rect();
        let radius = 0.5 * area.width() * RADIUS;
        let at = [f64::from(event.client_x()), f64::from(event.client_y())];
        let right = (at[0] + 0.5 - area.left() - 0.5 * area.width()) / radius;
        let up = (area.top() + 0.5 * area.height() - at[1] - 0.5) / radius;
        let spot = turn.camera.get_untracked().spot(right, up);
        match event.type_().as_str() {
            "pointerdown" if event.button() == 0 => {
                // Without capture a drag ends at the edge of the globe; nothing else is lost.
                let _ = element.set_pointer_capture(event.pointer_id());
                self.spin = Spin::at(turn.camera.get_untracked());
                self.spin.hold();
                (self.from, self.at, self.time) = (Some((at, false)), at, event.time_stamp());
            }
            "pointermove" => {
                let Some((from, moved)) = &mut self.from else {
                    return;
                };
                *moved |= (at[0] - from[0]).hypot(at[1] - from[1]) > TAP;
                if *moved {
                    let time = event.time_stamp();
                    self.spin.drag(
                        (at[0] - self.at[0]) / radius,
                        (self.at[1] - at[1]) / radius,
                        time - self.time,
                    );
                    (self.at, self.time) = (at, time);
                    turn.moving.set(true);
                    turn.camera.set(self.spin.camera);
                }
            }
            "pointerup" => {
                if let Some((_, moved)) = self.from.take() {
                    self.spin.pass(event.time_stamp() - self.time);
                    self.spin.release(moved && inertia());
                    turn.moving.set(false);
                    if let (false, Some(spot)) = (moved, spot) {
                        on_probe.run(spot);
                    }
                }
            }
            "pointercancel" => {
                self.from = None;
                self.spin.release(false);
                turn.moving.set(false);
            }
            _ => {}
        }
    }
}
