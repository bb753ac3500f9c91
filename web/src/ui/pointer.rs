//! Where a pointer is inside the element that listens to it.

use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

/// Place as shares of the element's width (from the left) and height (from below), both 0 to 1.
pub fn place(event: &PointerEvent) -> Option<(f64, f64)> {
    let element = event.current_target()?.dyn_into::<Element>().ok()?;
    let area = element.get_bounding_client_rect();
    // Coordinates come as whole pixels: the middle of one is half a pixel further.
    let across = (f64::from(event.client_x()) + 0.5 - area.left()) / area.width();
    let upwards = (area.bottom() - f64::from(event.client_y()) - 0.5) / area.height();
    Some((across.clamp(0.0, 1.0), upwards.clamp(0.0, 1.0)))
}
