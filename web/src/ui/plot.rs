//! A picture that can be pointed at: canvas, crosshair, and what stands there while there is nothing to show.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{
    CanvasRenderingContext2d, HtmlCanvasElement, ImageData, KeyboardEvent, PointerEvent,
    ResizeObserver,
};

use crate::field::Shape;
use crate::live::Place;
use crate::picture::{Key, Picture, picture};

/// Cells that an arrow key moves with shift.
pub const STRIDE: isize = 8;
/// Most pixels of a picture: beyond, colouring would hold up the page.
const MOST_PIXELS: f64 = 700_000.0;

/// What a canvas shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Painted {
    /// `[point]`.
    pub field: Vec<f32>,
    /// Sizes and order of the points.
    pub shape: Shape,
    /// Whether the right border lies beside the left one.
    pub periodic: bool,
    /// How values become colours.
    pub key: Key,
}

/// A picture with its crosshair.
#[component]
pub fn Plot(
    /// What to draw; `None` while it is not there.
    #[prop(into)]
    painted: Signal<Option<Painted>>,
    /// Where the crosshair is; `None` where there is none.
    #[prop(into)]
    place: Signal<Option<Place>>,
    /// The picture as a sentence.
    #[prop(into)]
    label: Signal<String>,
    /// What is said while there is no picture.
    #[prop(into)]
    wait: Signal<String>,
    /// Whether nobody works on the picture any more.
    #[prop(into)]
    failed: Signal<bool>,
    /// Leaves no gesture to the browser: a finger paints.
    #[prop(into)]
    touched: Signal<bool>,
    /// The canvas, for whom it is saved.
    canvas: NodeRef<html::Canvas>,
    /// Called for everything a pointer does.
    on_pointer: impl Fn(&PointerEvent) + Copy + 'static,
    /// Called for every key.
    on_key: impl Fn(&KeyboardEvent) + 'static,
    /// What lies above the picture.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    // Asking an element for its size makes the browser lay out the page: it tells by itself when one changes.
    let size = RwSignal::new(None::<[f64; 2]>);
    watch_size(canvas, size);
    Effect::new(move |_| {
        let size = size.get();
        if let (Some(canvas), Some(size)) = (canvas.get(), size) {
            painted.with(|painted| {
                if let Some(painted) = painted {
                    draw(&canvas, size, painted);
                }
            });
        }
    });
    let waiting = Memo::new(move |_| painted.with(Option::is_none));
    let crisp = Memo::new(move |_| {
        painted.with(|p| p.as_ref().is_some_and(|p| matches!(p.key, Key::Interval)))
    });
    let left = move || place.get().map(|place| percent(place.across));
    let bottom = move || place.get().map(|place| percent(place.upwards));
    let cross = move || place.with(Option::is_some);
    view! {
        <div
            class="plot field" class:waiting=waiting class:failed=move || waiting.get() && failed.get()
            class:crisp=crisp class:painted=touched
            tabindex="0" role="application" aria-label=label
            on:pointerdown=move |event| on_pointer(&event)
            on:pointermove=move |event| on_pointer(&event)
            on:pointerup=move |event| on_pointer(&event)
            on:pointercancel=move |event| on_pointer(&event)
            on:pointerleave=move |event| on_pointer(&event)
            on:keydown=move |event| on_key(&event)
        >
            <canvas node_ref=canvas></canvas>
            <Show when=cross>
                <i class="cross down" style:left=left></i>
                <i class="cross over" style:bottom=bottom></i>
            </Show>
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

/// Follows the size of a canvas on the screen.
pub fn watch_size(canvas: NodeRef<html::Canvas>, size: RwSignal<Option<[f64; 2]>>) {
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else {
            return;
        };
        let measured = canvas.clone();
        let callback = Closure::<dyn FnMut()>::new(move || {
            let [width, height] =
                [measured.client_width(), measured.client_height()].map(f64::from);
            if size
                .try_get_untracked()
                .is_some_and(|known| known != Some([width, height]))
            {
                size.set(Some([width, height]));
            }
        });
        let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(&canvas);
        let watch = StoredValue::new_local((observer, callback));
        on_cleanup(move || {
            watch.try_with_value(|(observer, _)| observer.disconnect());
        });
    });
}

/// The pixels of the screen that a canvas covers, or the field's own points where it has no size.
fn pixels([width, height]: [f64; 2], shape: &Shape) -> [usize; 2] {
    let ratio = window().device_pixel_ratio();
    let (width, height) = (width * ratio, height * ratio);
    if width < 2.0 || height < 2.0 {
        return [shape.columns, shape.rows];
    }
    let shrink = (MOST_PIXELS / (width * height)).sqrt().min(1.0);
    [width, height].map(|size| ((size * shrink) as usize).max(1))
}

fn draw(canvas: &HtmlCanvasElement, size: [f64; 2], painted: &Painted) {
    let Painted {
        field,
        shape,
        periodic,
        key,
    } = painted;
    if field.len() != shape.points() {
        return;
    }
    let picture = picture(field, shape, *periodic, pixels(size, shape), *key);
    put(canvas, &picture);
}

fn put(canvas: &HtmlCanvasElement, picture: &Picture) {
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
