//! The page as a figure in somebody else's page: `embed.html`.

mod host;
pub mod share;
mod still;

use leptos::html;
use leptos::prelude::*;

use super::consent::Question;
use super::controls::Controls;
use super::explorer::{Panels, panel_class};
use super::globe::Turn;
use super::hand::Hand;
use super::knobs::KnobBar;
use super::page::Page;
use super::player::Player;
use super::point::PointCharts;
use super::problem::Problems;
use super::scores::ScoreLines;
use super::sight;
use super::status::Status;
use super::today::Today;
use super::tools::Tools;
use super::view_bar::ViewBar;
use crate::embed::{self, Chrome};
use still::Still;

/// The attribute that `embed.html` has, and `index.html` has not.
const MARK: &str = "data-embed";

/// Whether this document is a figure.
pub fn is_embedded() -> bool {
    let root = document().document_element();
    root.is_some_and(|root| root.has_attribute(MARK))
}

/// Goes to the figure if the address of the page itself asks for one; whether it does.
pub fn redirect() -> bool {
    let location = window().location();
    let query = location.search().unwrap_or_default();
    let asks = crate::query::pairs(&query)
        .iter()
        .any(|(key, _)| key == "embed");
    asks && !is_embedded() && location.replace(&format!("./embed.html{query}")).is_ok()
}

/// The figure.
#[component]
pub fn Figure() -> impl IntoView {
    let page = expect_context::<Page>();
    provide_context(Hand::new(page));
    provide_context(Turn::follow(page));
    let frame = embed::frame(&window().location().search().unwrap_or_default());
    page.problems
        .update(|problems| problems.extend(frame.problems.clone()));
    if let Some(root) = document().document_element() {
        // Only an invalid attribute name could fail.
        let _ = root.set_attribute(MARK, frame.chrome.name());
    }
    let rests = RwSignal::new(false);
    host::follow(page, frame.host, frame.chrome, rests);
    let has_model = Memo::new(move |_| page.has_model());
    // Nothing to show, and nobody works on it: the still picture and a sentence.
    let stuck = Memo::new(move |_| {
        let nothing = page.case.with(Option::is_none);
        page.failure
            .get()
            .or_else(|| page.no_truth.get())
            .filter(|_| nothing || page.sides[0].with(Option::is_none))
    });
    let stage = NodeRef::<html::Div>::new();
    sight::follow(page, [stage], rests.into());
    let (full, bare) = (frame.chrome == Chrome::Full, frame.chrome == Chrome::Bare);
    let class = move || panel_class(page, has_model.get());
    view! {
        <Question/>
        {full.then(|| view! { <Controls/> <ViewBar has_model/> })}
        <Show when=move || stuck.with(Option::is_none)><Problems/></Show>
        <div class="stage" node_ref=stage>
            <Show when=move || stuck.with(Option::is_some)
                fallback=move || view! {
                    {(!bare).then(|| view! { <Player/> })}
                    <div class=class data-testid="panels"><Panels has_model/></div>
                    {full.then(|| view! { <Tools/> <Show when=move || has_model.get()><Today/><KnobBar/></Show> })}
                }>
                <Still sentence=Signal::derive(move || stuck.get().unwrap_or_default())/>
            </Show>
        </div>
        {full.then(|| view! {
            <Show when=move || has_model.get()><ScoreLines/></Show>
            <div class="below"><PointCharts/></div>
        })}
        <footer class="embed-foot"><Status/>{(!bare).then(|| view! { <Whole/> })}</footer>
    }
}

/// A link to the whole page with the same settings.
#[component]
fn Whole() -> impl IntoView {
    let page = expect_context::<Page>();
    let address = move || format!("./?{}", page.settings.with(crate::address::write));
    view! {
        <a class="whole" data-testid="whole" href=address target="_blank" rel="noopener">"Explore"</a>
    }
}
