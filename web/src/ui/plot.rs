//! A picture that can be pointed at: canvas, crosshair, and what stands there while there is nothing to show.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{
    CanvasRenderingContext2d, HtmlCanvasElement, ImageData, KeyboardEvent, PointerEvent,
};

use crate::live::Place;
use crate::picture::Picture;

/// Cells that an arrow key moves with shift, in pictures of cells.
pub const STRIDE: isize = 8;

/// A picture with its crosshair.
#[component]
pub fn Plot(
    /// What to draw; `None` while it is not there.
    #[prop(into)]
    picture: Signal<Option<Picture>>,
    /// Where the crosshair is.
    #[prop(into)]
    place: Signal<Place>,
    /// The picture as a sentence.
    #[prop(into)]
    label: Signal<String>,
    /// What is said while there is no picture.
    #[prop(into)]
    wait: Signal<&'static str>,
    /// Whether nobody works on the picture any more.
    #[prop(into)]
    failed: Signal<bool>,
    /// Shows every cell as a block.
    #[prop(optional)]
    crisp: bool,
    /// Leaves no gesture to the browser: a finger paints.
    #[prop(optional)]
    painted: bool,
    /// Called for everything a pointer does.
    on_pointer: impl Fn(&PointerEvent) + Copy + 'static,
    /// Called for every key.
    on_key: impl Fn(&KeyboardEvent) + 'static,
    /// What lies above the picture.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            picture.with(|picture| {
                if let Some(picture) = picture {
                    draw(&canvas, picture);
                }
            });
        }
    });
    let waiting = Memo::new(move |_| picture.with(Option::is_none));
    let left = move || percent(place.get().across);
    let bottom = move || percent(place.get().upwards);
    view! {
        <div
            class="plot field" class:waiting=waiting class:failed=move || waiting.get() && failed.get()
            class:crisp=crisp class:painted=painted
            tabindex="0" role="application" aria-label=label
            on:pointerdown=move |event| on_pointer(&event)
            on:pointermove=move |event| on_pointer(&event)
            on:pointerup=move |event| on_pointer(&event)
            on:pointercancel=move |event| on_pointer(&event)
            on:pointerleave=move |event| on_pointer(&event)
            on:keydown=move |event| on_key(&event)
        >
            <canvas node_ref=canvas></canvas>
            <i class="cross down" style:left=left></i>
            <i class="cross over" style:bottom=bottom></i>
            {children.map(|children| children())}
            <Show when=move || waiting.get()>
                <span class="wait">{wait}</span>
            </Show>
        </div>
    }
}

/// A share as CSS takes it.
pub fn percent(share: f64) -> String {
    format!("{:.3}%", 100.0 * share)
}

/// The direction of an arrow key: cells to the right and upwards, `far` of them with shift.
pub fn arrow(event: &KeyboardEvent, far: isize) -> Option<(isize, isize)> {
    let far = if event.shift_key() { far } else { 1 };
    let direction = match event.key().as_str() {
        "ArrowUp" => (0, far),
        "ArrowDown" => (0, -far),
        "ArrowRight" => (far, 0),
        "ArrowLeft" => (-far, 0),
        _ => return None,
    };
    event.prevent_default();
    Some(direction)
}

fn draw(canvas: &HtmlCanvasElement, picture: &Picture) {
    let (width, height) = (picture.width as u32, picture.height as u32);
    // Setting a size clears the canvas, also to the same one.
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let context = canvas.get_context("2d").ok().flatten();
    let context = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok());
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&picture.rgba), width, height);
    let drawn = context
        .zip(image.ok())
        .map(|(context, image)| context.put_image_data(&image, 0.0, 0.0));
    if !matches!(drawn, Some(Ok(()))) {
        log::error!("a picture could not be drawn: {drawn:?}");
    }
}
