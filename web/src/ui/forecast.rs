//! The forecast of a model beside the truth.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::about::About;
use super::controls::Controls;
use super::downloads::Downloads;
use super::field::Field;
use super::link;
use super::model_card::ModelCard;
use super::page::Page;
use super::probe::{AcrossSpace, OverTime};
use super::problem::Problems;
use super::scores::ScoreLine;
use super::status::Status;
use crate::catalogue::{Catalogue, FOLDER};
use crate::message::Run;
use crate::panel::PANELS;
use crate::settings::{Settings, View};

/// Settings, scores, panels, charts, and the model's card.
#[component]
pub fn Forecast() -> impl IntoView {
    let page = expect_context::<Page>();
    fetch_catalogue(page);
    follow_runs(page);
    let view = Memo::new(move |_| page.settings.with(|s| s.view));
    view! {
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

/// Starts a run at the beginning, whenever something that it depends on changes, and to try again.
fn follow_runs(page: Page) {
    let wanted = Memo::new(move |_| {
        page.catalogue.with(|catalogue| {
            let catalogue = catalogue.as_ref()?;
            Some(page.settings.with(|settings| run_of(settings, catalogue)))
        })
    });
    Effect::new(move |_| {
        page.attempts.track();
        if let Some(run) = wanted.get() {
            link::start(page, run);
        }
    });
}

fn fetch_catalogue(page: Page) {
    if page.catalogue.with_untracked(Option::is_some) {
        return;
    }
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
