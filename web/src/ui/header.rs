//! Name, one sentence, and the choice of colours.

use leptos::prelude::*;

use pno::spec::Experiment;

use super::page::Page;
use super::segmented::Segmented;
use super::select::{Select, choices};
use crate::address::EXPERIMENTS;
use crate::settings::{Settings, Theme};

/// What the switch calls an experiment.
fn name(experiment: Experiment) -> &'static str {
    match experiment {
        Experiment::Darcy => "Darcy flow",
        Experiment::Sswe => "Shallow water",
        _ => "KS waves",
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
    let shown = Memo::new(move |_| page.settings.with(Settings::shown));
    let experiments = EXPERIMENTS
        .iter()
        .map(|&experiment| (experiment.name(), name(experiment)))
        .collect();
    let switch = move |name: &str| {
        let known = EXPERIMENTS.iter().find(|known| known.name() == name);
        if let Some(&experiment) = known {
            page.settings.update(|s| {
                s.experiment = experiment;
                s.model = None;
            });
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
            <Segmented legend="Experiment" name="experiment" options=experiments
                chosen=Signal::derive(move || shown.get().name()) on_choose=switch/>
            {move || match shown.get() {
                Experiment::Darcy => view! {
                    <p class="lead">
                        "Water is pressed through a square of sand and clay. "<em>"Paint the permeability"</em>
                        " with mouse, finger, pen or keys: the steady pressure is solved again while you paint, in your browser."
                    </p>
                }.into_any(),
                Experiment::Sswe => view! {
                    <p class="lead">
                        "A shallow ocean covers a rotating planet of the size of the Earth, and is stirred at random. "
                        <em>"Hour by hour"</em>" its waves and eddies are solved here, in your browser."
                    </p>
                }.into_any(),
                _ => view! {
                    <p class="lead">
                        "A chaotic wave is solved here, in your browser. A small network sees its first half and is asked for the second; because it is "
                        <em>"probabilistic"</em>
                        ", it gives not one answer but " {members} ". Click any panel to see them all at that point."
                    </p>
                }.into_any(),
            }}
        </header>
    }
}
