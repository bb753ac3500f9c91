//! What pointers and keys do in a picture: move the probe, or change the input.

use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use super::hand::Hand;
use super::page::Page;
use super::plot::{STRIDE, arrow};
use super::pointer;
use super::shown::Shown;
use crate::field::Lead;
use crate::live::Place;
use crate::views::View;

/// Moves the probe to where a pressed pointer is.
pub fn point_at(page: Page, view: View, event: &PointerEvent) {
    if view == View::Stamps {
        return;
    }
    if let Some(place) = pointer::pressed(event) {
        move_to(page, view, place);
    }
}

/// Moves the probe to a place; where rows are lead time, it is the row that decides. A row that has not come is asked for.
fn move_to(page: Page, view: View, place: Place) {
    let Some(scene) = page.scene.get_untracked() else {
        return;
    };
    page.settings.update(|s| {
        if scene.is_stacked() {
            s.place.across = place.across;
            if view != View::Input {
                let (_, row) = place.cell(scene.shape.columns, scene.stacked_rows());
                s.go(row);
            }
        } else if scene.lead == Lead::Row {
            let (_, row) = place.cell(scene.shape.columns, scene.shape.rows);
            s.lead = row + 1;
            s.place.across = place.across;
        } else {
            s.place = place;
        }
    });
}

/// Changes the input under a pointer.
pub fn change(hand: &Hand, event: &PointerEvent) {
    let Some(place) = pointer::place(event) else {
        return;
    };
    match event.type_().as_str() {
        "pointerdown" if event.button() == 0 => {
            // The stroke goes on outside the picture; without a capture it only ends there.
            pointer::capture(event);
            hand.hover.set(Some(place));
            hand.begin(place);
        }
        "pointermove" => {
            hand.hover.set(Some(place));
            hand.to(place);
        }
        "pointerup" | "pointercancel" => {
            hand.end();
            if event.pointer_type() == "touch" {
                hand.hover.set(None);
            }
        }
        "pointerleave" => hand.hover.set(None),
        _ => {}
    }
}

/// Moves the probe, or changes the input, by a key.
pub fn step(page: Page, hand: &Hand, view: View, changes: bool, event: &KeyboardEvent) {
    let shown = Shown { view, side: 0 };
    let Some(scene) = untrack(|| shown.scene(page)) else {
        return;
    };
    if changes && event.key() == " " {
        event.prevent_default();
        let place = page.settings.with_untracked(|s| s.place);
        hand.begin(place);
        hand.end();
        return;
    }
    let Some((right, up)) = arrow(event, STRIDE) else {
        return;
    };
    hand.hover.set(None);
    let sizes = [scene.shape.rows, scene.shape.columns];
    let Some(probe) = untrack(|| shown.probe(page)) else {
        return;
    };
    // Lead times are taken one by one.
    let up = if scene.lead == Lead::Row {
        up.signum()
    } else {
        up
    };
    let place = scene
        .place(probe)
        .stepped(right, up, sizes, scene.column.periodic);
    move_to(page, view, place);
}
