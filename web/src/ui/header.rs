//! Name, one sentence, and the choice of colours.

use leptos::prelude::*;

use pno::spec::Experiment;

use super::experiments::words;
use super::page::Page;
use super::segmented::Segmented;
use super::select::{Select, choices};
use crate::address::EXPERIMENTS;
use crate::catalogue::Catalogue;
use crate::experiments::{Offered, row};
use crate::settings::Theme;

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
    let experiments = Memo::new(move |_| {
        let has_model = |experiment| {
            let catalogue = |c: &Option<Catalogue>| Some(c.as_ref()?.of(experiment).count() > 0);
            page.catalogue.with(catalogue) == Some(true)
        };
        let listed = |&&experiment: &&Experiment| match row(experiment).offered {
            _ if shown.get() == experiment => true,
            Offered::Always => true,
            Offered::WithModel => has_model(experiment),
            Offered::WhileOpen => false,
        };
        let pair = |&experiment| {
            (
                Experiment::name(experiment).to_owned(),
                row(experiment).name.to_owned(),
            )
        };
        let listed = EXPERIMENTS.iter().filter(listed);
        listed.map(pair).collect::<Vec<_>>()
    });
    let switch = move |name: String| {
        let known = EXPERIMENTS.iter().find(|known| known.name() == name);
        if let Some(&experiment) = known {
            page.dropped.set(None);
            page.given.set(None);
            page.settings.update(|s| s.switch(experiment));
        }
    };
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
                <Segmented legend="Experiment" name="experiment" options=experiments.get()
                    chosen=Signal::derive(move || shown.get().name().to_owned()) on_choose=switch/>
            }}
            {move || (words(shown.get()).lead)()}
        </header>
    }
}
