//! Name, one sentence, and the choice of colours.

use leptos::prelude::*;

use pno::spec::Experiment;

use super::cases::Shelf;
use super::page::Page;
use super::segmented::Segmented;
use super::select::{Select, choices};
use crate::address::EXPERIMENTS;
use crate::cases::Entry;
use crate::describe;
use crate::settings::Theme;

/// What the switch calls an experiment.
pub fn name(experiment: Experiment) -> &'static str {
    match experiment {
        Experiment::Darcy => "Darcy flow",
        Experiment::Ks => "KS waves",
        Experiment::Sswe => "Shallow water",
        Experiment::Era5 => "Temperature",
        Experiment::KsStep => "KS, step by step",
        Experiment::Arrays => "Your own",
    }
}

/// The head of the page.
#[component]
pub fn Header() -> impl IntoView {
    let page = expect_context::<Page>();
    let themes = choices(&[("auto", "Auto"), ("light", "Light"), ("dark", "Dark")]);
    let theme = Signal::derive(move || page.settings.with(|s| s.theme.name().to_owned()));
    let choose = move |name: String| {
        if let Some(theme) = Theme::from_name(&name) {
            page.settings.update(|s| s.theme = theme);
        }
    };
    let shown = Memo::new(move |_| page.settings.with(|s| s.experiment));
    let experiments = move || {
        let listed = |experiment: &Experiment| {
            // No model of theirs comes with the page.
            let own = [Experiment::Arrays, Experiment::KsStep];
            !own.contains(experiment) || shown.get() == *experiment
        };
        let pair =
            |experiment: &Experiment| (experiment.name().to_owned(), name(*experiment).to_owned());
        EXPERIMENTS
            .iter()
            .filter(|experiment| listed(experiment))
            .map(pair)
            .collect::<Vec<_>>()
    };
    let switch = move |name: String| {
        let known = EXPERIMENTS.iter().find(|known| known.name() == name);
        if let Some(&experiment) = known {
            page.dropped.set(None);
            page.given.set(None);
            page.settings.update(|s| s.switch(experiment));
        }
    };
    let members = move || page.settings.with(|s| s.members);
    view! {
        <header class="head">
            <div class="brand">
                <svg viewBox="0 0 32 32" aria-hidden="true" class="logo">
                    <path class="fan-outer" d="M2 16 16 5 30 7V27L16 24Z"/>
                    <path class="fan-inner" d="M2 16 16 11 30 13V21L16 19Z"/>
                    <path class="fan-line" d="M2 16 16 15 30 17"/>
                </svg>
                <h1>"Probabilistic neural operators, live"</h1>
            </div>
            <label class="theme">
                <span class="visually-hidden">"Colours"</span>
                <Select id="theme" options=Signal::stored(themes) chosen=theme on_choose=choose/>
            </label>
            {move || view! {
                <Segmented legend="Experiment" name="experiment" options=experiments()
                    chosen=Signal::derive(move || shown.get().name().to_owned()) on_choose=switch/>
            }}
            {move || match shown.get() {
                Experiment::Darcy => view! {
                    <p class="lead">
                        "Water is pressed through a square of sand and clay. "<em>"Paint the permeability"</em>
                        ": the pressure is solved again while you paint, and a network says how sure it is of it."
                    </p>
                }.into_any(),
                Experiment::Sswe => view! {
                    <p class="lead">
                        "A shallow ocean covers a rotating planet of the size of the Earth, and is stirred at random. "
                        <em>"Hour by hour"</em>" its waves and eddies are solved here, and every member of an ensemble goes its own way beside them."
                    </p>
                }.into_any(),
                Experiment::Era5 => view! { <Weather/> }.into_any(),
                Experiment::Arrays | Experiment::KsStep => view! {
                    <p class="lead">
                        "A model of a problem of its owner. "<em>"Drop a NumPy file"</em>" with an input on the page, and it is forecast: nothing leaves your machine."
                    </p>
                }.into_any(),
                Experiment::Ks => view! {
                    <p class="lead">
                        "A chaotic wave is solved here, in your browser. A small network sees its first half and is asked for the second; because it is "
                        <em>"probabilistic"</em>
                        ", it gives not one answer but " {members} ". Click any picture to see them all at that point."
                    </p>
                }.into_any(),
            }}
        </header>
    }
}

/// What is forecast of the weather, in the words of the model and of the case.
#[component]
fn Weather() -> impl IntoView {
    let page = expect_context::<Page>();
    let shelf = expect_context::<Shelf>();
    let maps = move || {
        let maps = page
            .scene
            .with(|scene| scene.as_ref().and_then(|scene| describe::maps(scene)));
        maps.unwrap_or_else(|| "a series of maps".to_owned())
    };
    let asked = move || {
        let frames = page
            .scene
            .with(|scene| scene.as_ref().map(|scene| scene.shape.frames));
        frames.map_or_else(
            || "those after them".to_owned(),
            |n| format!("the next {n}"),
        )
    };
    let case = move || {
        let credit = |entry: Entry| (!entry.note.credit.is_empty()).then_some(entry.note.credit);
        let own = page.given.with(Option::is_some);
        shelf.chosen.get().filter(|_| !own).and_then(credit)
    };
    view! {
        <p class="lead">
            "Real weather: the network sees "{maps}" and is asked for "{asked}". "
            <em>"Play"</em>" the days ahead and watch where the members part. "
            {move || case().map(|credit| format!("Data: {credit}. "))}
            "A NumPy file with a case of your own can be dropped on the page; nothing leaves your machine."
        </p>
    }
}
