//! The whole page.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::about::About;
use super::controls::Controls;
use super::downloads::Downloads;
use super::field::Field;
use super::header::Header;
use super::model_card::ModelCard;
use super::page::Page;
use super::probe::{AcrossSpace, OverTime};
use super::problem::Problems;
use super::scores::ScoreLine;
use super::status::Status;
use super::{address_bar, link};
use crate::catalogue::{Catalogue, FOLDER};
use crate::message::Run;
use crate::panel::PANELS;
use crate::settings::{Settings, View};

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let page = Page::new(&window().location().search().unwrap_or_default());
    provide_context(page);
    address_bar::follow(page);
    address_bar::follow_theme(page);
    fetch_catalogue(page);
    follow_runs(page);
    window_event_listener_untyped("visibilitychange", |_| link::pause(document().hidden()));
    let view = Memo::new(move |_| page.settings.with(|s| s.view));
    view! {
        <Header/>
        <Controls/>
        <Problems/>
        <Status/>
        <ScoreLine/>
        <div class="panels" class:single=move || view.get() != View::All>
            <For
                each=move || PANELS.into_iter().filter(move |panel| [View::All, *panel].contains(&view.get()))
                key=|panel| *panel
                children=|panel| view! { <Field panel/> }
            />
        </div>
        <div class="charts">
            <OverTime/>
            <AcrossSpace/>
        </div>
        <Downloads/>
        <div class="texts">
            <About/>
            <ModelCard/>
        </div>
    }
}

/// What makes a new run necessary.
fn run_of(settings: &Settings, catalogue: &Catalogue) -> Run {
    Run {
        id: 0,
        model: absolute(&catalogue.address(settings)),
        seed: settings.seed,
        members: settings.members,
        device: settings.device,
    }
}

/// Starts a run at the beginning and whenever something that it depends on changes.
fn follow_runs(page: Page) {
    let wanted = Memo::new(move |_| {
        page.catalogue.with(|catalogue| {
            let catalogue = catalogue.as_ref()?;
            Some(page.settings.with(|settings| run_of(settings, catalogue)))
        })
    });
    Effect::new(move |_| {
        if let Some(run) = wanted.get() {
            link::start(page, run);
        }
    });
}

/// Repeats the current run, after an error.
pub fn retry(page: Page) {
    let catalogue = page.catalogue.get_untracked().unwrap_or_default();
    let run = page
        .settings
        .with_untracked(|settings| run_of(settings, &catalogue));
    link::start(page, run);
}

fn fetch_catalogue(page: Page) {
    leptos::task::spawn_local(async move {
        let catalogue = fetch_text(&format!("{FOLDER}/index.json")).await;
        let catalogue = catalogue.as_deref().and_then(Catalogue::parse);
        page.catalogue.set(Some(catalogue.unwrap_or_default()));
    });
}

async fn fetch_text(address: &str) -> Option<String> {
    let response = JsFuture::from(window().fetch_with_str(address))
        .await
        .ok()?;
    let response: Response = response.dyn_into().ok()?;
    let text = JsFuture::from(response.text().ok()?).await.ok()?;
    text.as_string().filter(|_| response.ok())
}

/// The address as seen from the page: the worker's own would be another.
fn absolute(address: &str) -> String {
    document()
        .base_uri()
        .ok()
        .flatten()
        .and_then(|base| web_sys::Url::new_with_base(address, &base).ok())
        .map_or_else(|| address.to_owned(), |url| url.href())
}
