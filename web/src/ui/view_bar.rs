//! Which view, which quantity.

use leptos::prelude::*;

use super::ball::ProjectionChoice;
use super::page::Page;
use super::segmented::Segmented;
use crate::settings::Settings;
use crate::views::View;

/// Buttons of all views.
#[component]
pub fn ViewBar(
    /// Whether members are drawn.
    #[prop(into)]
    has_model: Signal<bool>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let compares = Memo::new(move |_| page.settings.with(Settings::compares));
    let offered = move |view: &View| match view {
        View::All | View::Input | View::Truth => true,
        View::Difference => has_model.get() && compares.get(),
        _ => has_model.get(),
    };
    // What is not offered is not shown either: all that there is stands in its place.
    let shown = Memo::new(move |_| {
        let view = page.settings.with(|s| s.view);
        if offered(&view) { view } else { View::All }
    });
    let button = move |view: View| {
        let chosen = move || shown.get() == view;
        view! {
            <label>
                <input type="radio" name="view" value=view.name() prop:checked=chosen
                    data-testid=format!("view-{}", view.name())
                    on:change=move |_| page.settings.update(|s| s.view = view)/>
                <span>{view.label()}</span>
            </label>
        }
    };
    let views = move || {
        View::ALL
            .iter()
            .copied()
            .filter(offered)
            .collect::<Vec<_>>()
    };
    view! {
        <div class="views">
            <fieldset class="chips">
                <legend class="visually-hidden">"View"</legend>
                <For each=views key=|view| *view children=button/>
            </fieldset>
            <Channels/>
            <ProjectionChoice/>
        </div>
    }
}

/// Only there where one has a choice.
#[component]
fn Channels() -> impl IntoView {
    let page = expect_context::<Page>();
    let units = Memo::new(move |_| {
        page.scene.with(|scene| {
            let units = scene.as_ref().map(|scene| scene.units.iter());
            let pair = |unit: &crate::field::Unit| (unit.name.clone(), unit.title.clone());
            units
                .map(|units| units.map(pair).collect::<Vec<_>>())
                .unwrap_or_default()
        })
    });
    let chosen = Memo::new(move |_| {
        let channel = page.probe.get().map_or(0, |probe| probe.channel);
        units
            .with(|units| units.get(channel).map(|(name, _)| name.clone()))
            .unwrap_or_default()
    });
    let choose = move |name: String| {
        page.settings.update(|s| {
            // A threshold of one quantity says nothing about another.
            s.threshold = None;
            s.channel = name;
        });
    };
    move || {
        let units = units.get();
        (units.len() > 1).then(|| view! { <Segmented legend="Field" name="channel" options=units chosen on_choose=choose/> })
    }
}
