//! Shallow water on the sphere, hour by hour.

mod map;
mod player;

use leptos::prelude::*;

use super::downloads::save;
use super::facts::{Fact, Facts};
use super::link;
use super::page::Page;
use super::problem::Problems;
use super::status::Status;
use crate::message::Problem;
use crate::npy;
use crate::scale::short;
use crate::weather::Weather;
use map::Map;
use player::WeatherControls;

/// The experiment.
#[component]
pub fn Sswe() -> impl IntoView {
    let page = expect_context::<Page>();
    follow(page);
    view! {
        <WeatherControls/>
        <Problems/>
        <Status/>
        <Map/>
        <Numbers/>
        <SaveWeather/>
        <AboutWeather/>
    }
}

/// Asks for an hour at the beginning, whenever another is wanted, and to try again.
fn follow(page: Page) {
    let wanted = Memo::new(move |_| page.settings.with(|s| (s.seed, s.live.sphere, s.live.hour)));
    Effect::new(move |_| {
        page.attempts.track();
        let (seed, grid, hour) = wanted.get();
        let [latitudes, longitudes] = grid.sizes().map(|size| size as u32);
        let problem = Problem::Weather {
            seed,
            latitudes,
            longitudes,
            hour,
        };
        link::solve(page, problem, vec![]);
    });
}

#[component]
fn Numbers() -> impl IntoView {
    let page = expect_context::<Page>();
    let of = move |text: fn(&Weather) -> String| {
        Signal::derive(move || page.weather.with(|weather| weather.as_ref().map(text)))
    };
    let aside = |words: &'static str| Signal::stored(words.to_owned());
    let steps = Signal::derive(move || {
        let steps = page.weather.with(|w| w.as_ref().map(|w| w.told.steps));
        steps.map_or_else(String::new, |steps| format!("ms, {steps} steps"))
    });
    let facts = vec![
        Fact {
            name: "hour-shown",
            label: "Hours",
            hint: "Since the first frame, which is three hours after the random start",
            value: of(|weather| weather.told.hour.to_string()),
            aside: aside("since the first frame"),
        },
        Fact {
            name: "ms-per-hour",
            label: "Per hour",
            hint: "Time of the solver in the worker for one simulated hour",
            value: of(|weather| short(weather.told.ms_per_hour)),
            aside: steps,
        },
        Fact {
            name: "mass-drift",
            label: "Mass",
            hint: "The equations conserve it, and so does the scheme",
            value: of(Weather::mass),
            aside: aside("since the first frame"),
        },
        Fact {
            name: "energy-drift",
            label: "Energy",
            hint: "Kinetic and available. The damping of the smallest waves takes some out, as it is meant to",
            value: of(Weather::energy),
            aside: aside("since the first frame"),
        },
    ];
    view! { <Facts label="The solution in numbers" facts/> }
}

#[component]
fn SaveWeather() -> impl IntoView {
    let page = expect_context::<Page>();
    let none = move || page.weather.with(Option::is_none);
    let save_frame = move |_| {
        let seed = page.settings.with_untracked(|s| s.seed);
        page.weather.with_untracked(|weather| {
            if let Some(weather) = weather {
                let [rows, columns] = weather.sizes();
                let name = format!("sswe-seed{seed}-hour{}.npy", weather.told.hour);
                save(&name, &npy::encode(&weather.frame, &[rows, columns, 3]));
            }
        });
    };
    view! {
        <div class="downloads">
            <span>"Save as a NumPy file [lat, lon, channel], SI units:"</span>
            <button type="button" data-testid="download-frame" disabled=none on:click=save_frame>"this hour"</button>
        </div>
    }
}

#[component]
fn AboutWeather() -> impl IntoView {
    view! {
        <section class="card words about sides">
            <h2>"What is solved"</h2>
            <div>
                <p>
                    "The shallow water equations on a rotating sphere of the size of the Earth: a layer of fluid, ten kilometres deep in the mean, without mountains or coasts. "
                    "They hold what makes weather: fast gravity waves, and slow eddies that the rotation keeps in balance."
                </p>
                <p>"It is computed only while you look. Nothing is sent anywhere, and the address of the page holds every setting, so any hour is a link."</p>
            </div>
            <ul>
                <li><b>"Geopotential"</b>" is the depth times gravity; "<b>"vorticity"</b>" says how fast the fluid turns (positive: counter-clockwise); "<b>"divergence"</b>" how fast it spreads, and shows the gravity waves."</li>
                <li><b>"Start"</b>": white noise of the seed, as in the published data, then three hours in which it settles. The trajectory has a number that no data set reaches."</li>
                <li><b>"Method"</b>": spherical harmonics up to degree 10 (32 × 64) or 21 (64 × 128), Adams-Bashforth of third order. The smallest waves are damped, and that is where the energy goes."</li>
            </ul>
        </section>
    }
}
