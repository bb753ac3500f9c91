//! A view on a globe: what a panel shows of a sphere, unless a map is wanted.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::globe::{Globe, Turn};
use super::hand::Hand;
use super::page::Page;
use super::segmented::Segmented;
use super::select::choices;
use super::touch::step;
use crate::field::Layout;
use crate::globe::{Eye, Projection, Spot};
use crate::live::Place;
use crate::picture::{Bar, Key};
use crate::views::View;

/// Whether a view is drawn on a globe: every one of a sphere is, but a sheet of many small maps.
pub fn is_ball(page: Page, view: View) -> bool {
    view != View::Stamps
        && page.settings.with(|s| s.projection == Projection::Globe)
        && is_sphere(page)
}

/// Whether what is shown covers a sphere.
pub fn is_sphere(page: Page) -> bool {
    page.scene.with(|scene| {
        scene
            .as_ref()
            .is_some_and(|scene| scene.layout == Layout::Sphere)
    })
}

/// The globe of a panel.
#[component]
pub fn Ball(
    /// The view's field.
    field: Memo<Option<Vec<f32>>>,
    /// Its scale.
    bar: Memo<Option<Bar>>,
    /// The picture as a sentence.
    label: Signal<String>,
    /// What is said while there is no picture.
    wait: Signal<String>,
    /// Whether pointing changes the input.
    changes: Memo<bool>,
    /// The canvas, for whom it is saved.
    canvas: NodeRef<html::Canvas>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let hand = expect_context::<Hand>();
    let turn = expect_context::<Turn>();
    let key = Signal::derive(move || bar.get().map_or(Key::Interval, Key::Bar));
    let surface = Memo::new(move |_| {
        let (scene, stepwise) = (page.scene.get()?, bar.get().is_none());
        let surface = field.with(|field| scene.surface(field.as_ref()?, stepwise))?;
        Some(Arc::new(surface))
    });
    let probe = Memo::new(move |_| {
        let scene = page.scene.get()?;
        scene.spot(page.probe.get()?)
    });
    let point = move |spot: Spot| {
        let Some(scene) = page.scene.get_untracked() else {
            return;
        };
        if changes.get_untracked() {
            // A bump lies where the finger was, the probe on the point next to it.
            hand.begin(Place {
                across: spot.lon / 360.0,
                upwards: (spot.lat + 90.0) / 180.0,
            });
            hand.end();
        }
        page.settings.update(|s| s.place = scene.nearest(spot));
    };
    let press =
        move |event: &KeyboardEvent| step(page, &hand, View::All, changes.get_untracked(), event);
    let described =
        Signal::derive(move || format!("{} Shift and arrow keys turn the globe.", label.get()));
    view! {
        <Globe surface key turn probe on_probe=point on_key=press label=described wait canvas/>
    }
}

/// The choice between globe and map, where there is a sphere.
#[component]
pub fn ProjectionChoice() -> impl IntoView {
    let page = expect_context::<Page>();
    let turn = expect_context::<Turn>();
    let sphere = Memo::new(move |_| is_sphere(page));
    let chosen = Signal::derive(move || page.settings.with(|s| s.projection.name().to_owned()));
    let choose = move |name: String| {
        if let Some(projection) = Projection::from_name(&name) {
            page.settings.update(|s| s.projection = projection);
        }
    };
    let above = Memo::new(move |_| {
        let globe = page.settings.with(|s| s.projection == Projection::Globe);
        let eye = Eye::of(turn.camera.get());
        globe.then(|| format!("above {}", eye.camera().middle.words()))
    });
    view! {
        <Show when=move || sphere.get()>
            <div class="projection">
                <span class="above" data-testid="above">{above}</span>
                <Segmented legend="Surface" name="surface" options=choices(&[("globe", "Globe"), ("map", "Map")])
                    chosen on_choose=choose/>
            </div>
        </Show>
    }
}
