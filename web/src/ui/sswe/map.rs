//! The sphere as a flat map.

use leptos::html;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use super::player::Hours;
use crate::live::{Channel, Place};
use crate::picture::{Picture, map_index};
use crate::ui::colour_bar::Scale;
use crate::ui::frame::{Frame, Tick};
use crate::ui::page::Page;
use crate::ui::plot::{Plot, arrow};
use crate::ui::pointer;
use crate::weather::{Weather, hours, value};

/// Points that an arrow key moves with shift.
const STRIDE: isize = 4;

/// The map with its player.
#[component]
pub fn Map() -> impl IntoView {
    let page = expect_context::<Page>();
    let hover = RwSignal::new(None::<Place>);
    let channel = Memo::new(move |_| page.settings.with(|s| s.live.channel));
    let place = Signal::derive(move || {
        let hover = hover.get();
        hover.unwrap_or_else(|| page.settings.with(|s| s.live.place))
    });
    let field = Memo::new(move |_| {
        let channel = channel.get();
        page.weather
            .with(|weather| weather.as_ref().map(|w| channel.of_frame(&w.frame)))
    });
    let bar = Memo::new(move |_| {
        let channel = channel.get();
        field.with(|field| field.as_ref().map(|field| Weather::bar(channel, field)))
    });
    let sizes = Memo::new(move |_| page.weather.with(|w| w.as_ref().map(Weather::sizes)));
    let picture = Signal::derive(move || {
        let (sizes, bar) = (sizes.get()?, bar.get()?);
        field.with(|field| field.as_ref().map(|field| Picture::map(sizes, field, bar)))
    });
    let reading = move || {
        let at = map_index(sizes.get()?, place.get());
        let found = field.with(|field| field.as_ref().map(|field| field[at]))?;
        let words = page
            .weather
            .with(|w| w.as_ref().map(|w| w.words_of(place.get())))?;
        Some(format!(
            "{} {} at {words}",
            value(found),
            channel.get().unit()
        ))
    };
    let label = Signal::derive(move || {
        let sentence = page.weather.with(|weather| {
            field.with(|field| {
                let (weather, field) = (weather.as_ref()?, field.as_ref()?);
                Some(weather.sentence(channel.get(), field, place.get()))
            })
        });
        let sentence = sentence.unwrap_or_else(|| "The map: not there yet.".to_owned());
        format!("{sentence} Arrow keys move the point.")
    });
    let caption = move || {
        let hour = page.weather.with(|w| w.as_ref().map(|w| w.told.hour));
        hour.map(|hour| format!("after {}", hours(hour)))
    };
    let failed = Signal::derive(move || page.failure.with(Option::is_some));
    let state = move || {
        if sizes.get().is_none() {
            "waiting"
        } else {
            "ready"
        }
    };
    let panel = NodeRef::<html::Section>::new();
    let in_view = RwSignal::new(true);
    watch(panel, in_view);
    view! {
        <section node_ref=panel class="card panel map" data-testid="panel-map" data-state=state>
            <header>
                <h2>{move || channel.get().title()}</h2>
                <span class="caption" data-testid="map-caption">{caption}</span>
                <output class="value" data-testid="value-map" title="Value under the pointer">{reading}</output>
            </header>
            <Frame x_name="longitude" x_ticks=Signal::derive(move || longitudes(sizes.get()))
                y_name="latitude" y_ticks=Signal::derive(move || latitudes(sizes.get()))>
                <Plot picture place label failed
                    wait=Signal::derive(move || if failed.get() { "no solution" } else { "waiting for the first hour …" })
                    on_pointer=move |event| point(page, hover, event)
                    on_key=move |event| step(page, hover, event)
                />
            </Frame>
            {move || bar.get().map(|bar| view! { <Scale bar unit=Some(channel.get().unit())/> })}
            <Hours in_view/>
        </section>
    }
}

/// Degrees eastwards; a point is the middle of its pixel.
fn longitudes(sizes: Option<[usize; 2]>) -> Vec<Tick> {
    let half = sizes.map_or(0.0, |[_, columns]| 0.5 / columns as f64);
    let tick = |east: f64| (east / 360.0 + half, format!("{east}° E"));
    [0.0, 90.0, 180.0, 270.0].map(tick).to_vec()
}

/// Degrees northwards; the poles are the middles of the outermost pixels.
fn latitudes(sizes: Option<[usize; 2]>) -> Vec<Tick> {
    let rows = sizes.map_or(32, |[rows, _]| rows) as f64;
    let tick = |north: f64| {
        let place = ((north + 90.0) / 180.0 * (rows - 1.0) + 0.5) / rows;
        let words = match north {
            0.0 => "0°".to_owned(),
            north if north < 0.0 => format!("{}° S", -north),
            north => format!("{north}° N"),
        };
        (place, words)
    };
    [-60.0, -30.0, 0.0, 30.0, 60.0].map(tick).to_vec()
}

fn point(page: Page, hover: RwSignal<Option<Place>>, event: &PointerEvent) {
    if event.type_() == "pointerleave" {
        hover.set(None);
        return;
    }
    if let Some(place) = pointer::pressed(event) {
        page.settings.update(|s| s.live.place = place);
    }
    if event.pointer_type() != "touch" {
        hover.set(pointer::place(event));
    }
}

fn step(page: Page, hover: RwSignal<Option<Place>>, event: &KeyboardEvent) {
    if let Some((right, up)) = arrow(event, STRIDE) {
        hover.set(None);
        page.settings
            .update(|s| s.live.step(right, up, s.live.sphere.sizes(), true));
    }
}

/// Follows whether an element is on the screen.
fn watch(element: NodeRef<html::Section>, in_view: RwSignal<bool>) {
    let look = move || {
        let Some(element) = element.get_untracked() else {
            return;
        };
        let area = element.get_bounding_client_rect();
        let height = window()
            .inner_height()
            .ok()
            .and_then(|height| height.as_f64());
        let seen = area.bottom() > 0.0 && height.is_none_or(|height| area.top() < height);
        if in_view.get_untracked() != seen {
            in_view.set(seen);
        }
    };
    for event in ["scroll", "resize"] {
        let listener = window_event_listener_untyped(event, move |_| look());
        on_cleanup(move || listener.remove());
    }
}

/// The words of the menu of fields.
pub fn channels() -> Vec<(&'static str, &'static str)> {
    let pair = |channel: &Channel| (channel.name(), channel.title());
    Channel::ALL.iter().map(pair).collect()
}
