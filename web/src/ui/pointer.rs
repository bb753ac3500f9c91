//! Where a pointer is inside the element that listens to it.

use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

use crate::live::Place;

/// Where it is.
pub fn place(event: &PointerEvent) -> Option<Place> {
    let element = event.current_target()?.dyn_into::<Element>().ok()?;
    let area = element.get_bounding_client_rect();
    // Coordinates come as whole pixels: the middle of one is half a pixel further.
    let across = (f64::from(event.client_x()) + 0.5 - area.left()) / area.width();
    let upwards = (area.bottom() - f64::from(event.client_y()) - 0.5) / area.height();
    Some(Place {
        across: across.clamp(0.0, 1.0),
        upwards: upwards.clamp(0.0, 1.0),
    })
}

/// Where it is, if it was just pressed or is being dragged.
pub fn pressed(event: &PointerEvent) -> Option<Place> {
    match event.type_().as_str() {
        "pointerdown" => place(event),
        "pointermove" if event.buttons() == 1 => place(event),
        _ => None,
    }
}

/// Lets the element hear of the pointer until it is lifted, also outside.
pub fn capture(event: &PointerEvent) {
    let target = event
        .current_target()
        .and_then(|t| t.dyn_into::<Element>().ok());
    // Without it a stroke ends at the border.
    let _ = target.map(|target| target.set_pointer_capture(event.pointer_id()));
}
