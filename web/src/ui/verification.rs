//! How good the forecast on the screen is: what the worker finds of every side, as figures with sentences.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use super::link;
use super::page::Page;
use super::point::nearest;
use super::shown::side_words;
use super::slices::sliced;
use super::verify::VerificationPanel;
use crate::field::Lead;
use crate::message::{Look, Stage};
use crate::settings::Settings;
use crate::views::View;

/// A slider that moves asks when it rests.
const REST: Duration = Duration::from_millis(120);

/// The panel of every side.
#[component]
pub fn Verification() -> impl IntoView {
    let page = expect_context::<Page>();
    follow(page);
    let compares = Memo::new(move |_| page.settings.with(Settings::compares));
    let sides = move || if compares.get() { vec![0, 1] } else { vec![0] };
    view! {
        <section class="verification" data-testid="verification" aria-label="Verification of this forecast">
            <For each=sides key=|side| *side children=|side| view! { <Side side/> }/>
        </section>
    }
}

/// Asks the worker to verify what is shown, whenever that changes.
fn follow(page: Page) {
    let wanted = Memo::new(move |_| {
        // What others are made from is read first.
        let case = page.case.with(|case| {
            case.as_ref()
                .map(|case| case.scene.rollout || !case.truth.is_empty())
        });
        page.scene.track();
        let (id, probe) = (page.run.get(), page.probe.get()?);
        let threshold = page.knobs.get().threshold as f32;
        (case == Some(true) && page.listening.get()).then_some(Look {
            id,
            channel: probe.channel as u32,
            threshold,
        })
    });
    Effect::new(move |_| {
        if let Some(look) = wanted.get()
            && let Ok(timer) = set_timeout_with_handle(move || link::look(look), REST)
        {
            on_cleanup(move || timer.clear());
        }
    });
}

#[component]
fn Side(side: usize) -> impl IntoView {
    let page = expect_context::<Page>();
    let report = page.verified[side];
    let made = move || {
        let scene = page.scene.get()?;
        let report = report.get()?;
        let figures = report.1.figures(&scene)?.into_iter().map(Arc::new);
        Some(Arc::new(figures.collect::<Vec<_>>()))
    };
    let track = move || {
        page.scene.track();
        report.track();
    };
    let figures = sliced(track, made);
    let words = move || {
        let scene = page.scene.get()?;
        report.with(|report| report.as_ref().map(|(_, report)| report.words(&scene)))
    };
    // What belongs to another run than the members on the screen steps back.
    let stale = move || {
        let run = page.run.get();
        report.with(|report| report.as_ref().is_some_and(|(of, _)| *of != run))
    };
    let wait = Signal::derive(move || waits(page));
    let lead = MaybeProp::derive(move || {
        let scene = page.scene.get()?;
        let lead = page.settings.with(|s| s.lead);
        let times = scene.lead_times();
        times.get(lead.clamp(1, times.len().max(1)) - 1).copied()
    });
    let on_lead = Callback::new(move |at: f64| {
        if let Some(scene) = page.scene.get_untracked().filter(|s| s.lead != Lead::None) {
            let index = nearest(&scene.lead_times(), at);
            page.settings.update(|s| s.lead = index + 1);
        }
    });
    let file = MaybeProp::derive(move || Some(file_prefix(page, side)));
    let heading = move || {
        let side = side_words(page, side, View::Mean);
        side.map_or_else(
            || "Verification".to_owned(),
            |side| format!("Verification of {side}"),
        )
    };
    view! {
        <div class="side-figures" class:stale=stale data-testid=format!("verification-{side}")>
            <header class="section-head">
                <h2>{heading}</h2>
                <p data-testid=format!("verified-words-{side}")>{words}</p>
            </header>
            <VerificationPanel figures wait lead on_lead file/>
        </div>
    }
}

/// What is said while there is nothing to show.
fn waits(page: Page) -> String {
    let few = page.settings.with(|s| s.members) < 2;
    let words = if page.without_truth() {
        "There is no truth to compare this forecast with. A file that holds the times after the input as well brings one along."
    } else if few {
        "One member says nothing about its own certainty: with two or more it can be verified."
    } else if page.failure.with(Option::is_some) {
        "There is no forecast to verify."
    } else if page.stage.get() == Some(Stage::Done) {
        "Comparing the members with the truth …"
    } else {
        "As soon as there are two members they are compared with the truth, here."
    };
    words.to_owned()
}

/// `ks-seed7-b-`, before the name of a figure.
pub fn file_prefix(page: Page, side: usize) -> String {
    let side = if side == 0 { "" } else { "b-" };
    page.settings
        .with(|s| format!("{}-seed{}-{side}", s.experiment, s.seed))
}
