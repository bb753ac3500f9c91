//! The verification panel: one card per figure.

use std::sync::Arc;

use leptos::prelude::*;

use super::figure::FigureCard;
use super::slices::sliced;
use crate::figure::Figure;

/// Cards of figures, each with its sentence; `None` while there is nothing to verify.
#[component]
pub fn VerificationPanel(
    /// The figures, as `verify::Verified::figures` gives them.
    #[prop(into)]
    figures: Signal<Option<Arc<Vec<Arc<Figure>>>>>,
    /// What is said while there is none: why, and what to wait for.
    #[prop(into)]
    wait: Signal<String>,
    /// What files are called before their own name.
    #[prop(optional, into)]
    file: MaybeProp<String>,
    /// The lead time that the page shows, on figures by lead time.
    #[prop(optional, into)]
    lead: MaybeProp<f64>,
    /// Called with the lead time that was pointed at.
    #[prop(optional, into)]
    on_lead: Option<Callback<f64>>,
) -> impl IntoView {
    let names = Memo::new(move |_| {
        figures.with(|figures| {
            let all = figures
                .as_ref()
                .map(|f| f.iter().map(|f| f.name).collect::<Vec<_>>());
            all.unwrap_or_default()
        })
    });
    let card = move |name: &'static str| {
        let found = move || {
            figures.with(|figures| figures.as_ref()?.iter().find(|f| f.name == name).cloned())
        };
        // All change at once: each card is drawn in a slice of its own.
        let figure = sliced(move || figures.track(), found);
        // The error by spread of a single frame has no lead times.
        let by_lead =
            move || figure.with(|f| f.as_ref().is_some_and(|f| f.title.contains("lead time")));
        let cursor = MaybeProp::derive(move || by_lead().then(|| lead.get()).flatten());
        let on_x = Callback::new(move |x| {
            if let (true, Some(on_lead)) = (by_lead(), on_lead) {
                on_lead.run(x);
            }
        });
        if matches!(name, "spread-skill" | "scores-by-lead") && on_lead.is_some() {
            view! { <FigureCard figure name file cursor on_x/> }.into_any()
        } else {
            view! { <FigureCard figure name file/> }.into_any()
        }
    };
    view! {
        <Show when=move || figures.with(Option::is_none)>
            <p class="card wait-words">{wait}</p>
        </Show>
        <div class="figures">
            <For each=move || names.get() key=|name| *name children=card/>
        </div>
    }
}
