//! Play, pause, step; and which field, which start, which grid.

use std::time::Duration;

use leptos::prelude::*;

use super::map::channels;
use crate::live::{Channel, LAST_HOUR, SphereGrid};
use crate::ui::controls::Seed;
use crate::ui::page::Page;
use crate::ui::segmented::Segmented;

/// How long each hour stays while they pass by; a slower machine takes longer.
const STAY: Duration = Duration::from_millis(100);

/// The bar of controls.
#[component]
pub fn WeatherControls() -> impl IntoView {
    let page = expect_context::<Page>();
    let channel = Signal::derive(move || page.settings.with(|s| s.live.channel.name()));
    let choose_channel = move |name: &str| {
        if let Some(channel) = Channel::from_name(name) {
            page.settings.update(|s| s.live.channel = channel);
        }
    };
    let grid = Signal::derive(move || page.settings.with(|s| s.live.sphere.name()));
    let choose_grid = move |name: &str| {
        if let Some(grid) = SphereGrid::from_name(name) {
            page.settings.update(|s| s.live.sphere = grid);
        }
    };
    let draw = move |seed| {
        page.settings.update(|s| {
            s.seed = seed;
            s.live.hour = 0;
        });
    };
    view! {
        <form class="controls card" aria-label="Settings" on:submit=|event| event.prevent_default()>
            <Segmented legend="Field" name="channel" options=channels() chosen=channel on_choose=choose_channel/>
            <Seed label="Start (seed)" button="New start" hint="Stir the ocean in another way" on_seed=draw/>
            <Segmented legend="Points" name="grid" options=vec![("32x64", "32 × 64"), ("64x128", "64 × 128")]
                chosen=grid on_choose=choose_grid/>
        </form>
    }
}

/// The hour: a slider, and buttons that move it.
#[component]
pub fn Hours(
    /// Whether the map is on the screen.
    in_view: RwSignal<bool>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let hour = Memo::new(move |_| page.settings.with(|s| s.live.hour));
    let go = move |hour: u32| {
        page.settings.update(|s| s.live.hour = hour.min(LAST_HOUR));
    };
    let playing = RwSignal::new(false);
    // What is on the screen is what was asked for: only then does the next hour begin.
    let arrived = Memo::new(move |_| {
        page.solved.get() == page.run.get()
            && page.weather.with(|w| w.as_ref().map(|w| w.told.hour)) == Some(hour.get())
    });
    Effect::new(move |_| {
        let looking = in_view.get() && !page.hidden.get();
        if !(playing.get() && looking && arrived.get()) {
            return;
        }
        if hour.get() == LAST_HOUR {
            playing.set(false);
            return;
        }
        let next = move || go(hour.get_untracked() + 1);
        if let Ok(handle) = set_timeout_with_handle(next, STAY) {
            on_cleanup(move || handle.clear());
        }
    });
    let play = move |_| {
        if !playing.get_untracked() && hour.get_untracked() == LAST_HOUR {
            go(0);
        }
        playing.update(|playing| *playing = !*playing);
    };
    let step = move |_| {
        playing.set(false);
        go(hour.get_untracked() + 1);
    };
    let restart = move |_| {
        playing.set(false);
        go(0);
    };
    let slide = move |event| {
        if let Ok(value) = event_target_value(&event).parse() {
            go(value);
        }
    };
    view! {
        <div class="hours" role="group" aria-label="Time">
            <button type="button" class="play" data-testid="play" aria-pressed=move || playing.get().to_string()
                on:click=play>{move || if playing.get() { "Pause" } else { "Play" }}</button>
            <button type="button" data-testid="step" on:click=step title="One hour on"
                disabled=move || hour.get() == LAST_HOUR>"Step"</button>
            <button type="button" data-testid="restart" on:click=restart title="Back to hour 0"
                disabled=move || hour.get() == 0>"Restart"</button>
            <input id="hour" data-testid="hour" type="range" min="0" max=LAST_HOUR.to_string()
                prop:value=move || hour.get().to_string() on:input=slide/>
            <label for="hour">"hour "<output>{hour}</output></label>
        </div>
    }
}
