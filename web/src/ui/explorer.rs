//! The explorer: settings, pictures, charts, numbers and words of one experiment.

use leptos::html;
use leptos::prelude::*;

use super::about::About;
use super::ball::is_ball;
use super::consent::Question;
use super::controls::Controls;
use super::downloads::Downloads;
use super::embed::share::EmbedCode;
use super::globe::Turn;
use super::hand::Hand;
use super::knobs::KnobBar;
use super::model_card::ModelCard;
use super::page::Page;
use super::panel::Panel;
use super::player::Player;
use super::point::PointCharts;
use super::problem::Problems;
use super::scores::ScoreLines;
use super::shown::{Shown, layout_class};
use super::sight;
use super::slices::later;
use super::solver_facts::SolverFacts;
use super::status::Status;
use super::today::Today;
use super::tools::Tools;
use super::verification::Verification;
use super::view_bar::ViewBar;
use crate::settings::Settings;
use crate::views::{OVERVIEW, View};

/// Further views where there is room for them: a square picture leaves some beside the large input.
const MORE: [View; 2] = [View::Exceedance, View::Crps];

/// Panels that are made in one task.
const AT_ONCE: usize = 2;

/// What is shown, in order.
fn panels(page: Page, has_model: bool, squares: bool) -> Vec<Shown> {
    let (view, compares) = page.settings.with(|s| (s.view, s.compares()));
    let one = |view| Shown { view, side: 0 };
    let both = |view| [0, 1].map(|side| Shown { view, side });
    if !has_model {
        return match view {
            View::Input | View::Truth => vec![one(view)],
            _ => vec![one(View::Input), one(View::Truth)],
        };
    }
    match view {
        View::All if compares => {
            let pairs = OVERVIEW.into_iter().chain([View::Exceedance]);
            let pairs = pairs.filter(|view| !view.is_shared()).flat_map(both);
            [View::Input, View::Truth, View::Difference]
                .map(one)
                .into_iter()
                .chain(pairs)
                .collect()
        }
        View::All => {
            let more = if squares { &MORE[..] } else { &MORE[..1] };
            let views = [View::Input]
                .into_iter()
                .chain(OVERVIEW)
                .chain(more.iter().copied());
            views.map(one).collect()
        }
        view if compares && !view.is_shared() => both(view).to_vec(),
        view => vec![one(view)],
    }
}

/// The class of the grid of panels: layout, and how many there are.
pub fn panel_class(page: Page, has_model: bool) -> String {
    let layout = layout_class(page);
    let single = match panels(page, has_model, layout == "squares").len() {
        1 => " single",
        2 => " pair",
        _ => "",
    };
    let compares = page.settings.with(Settings::compares);
    let compares = if compares { " sides" } else { "" };
    let globes = is_ball(page, page.settings.with(|s| s.view));
    let globes = if globes { " globes" } else { "" };
    format!("panels {layout}{globes}{single}{compares}")
}

/// The pictures of the chosen view.
#[component]
pub fn Panels(
    /// Whether members are drawn.
    #[prop(into)]
    has_model: Signal<bool>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let squares = Memo::new(move |_| layout_class(page) == "squares");
    let shown = Memo::new(move |_| panels(page, has_model.get(), squares.get()));
    // Many panels at once would be one long task: the rest comes in slices.
    let ready = RwSignal::new(AT_ONCE);
    Effect::new(move |_| {
        let (all, now) = (shown.with(Vec::len).max(AT_ONCE), ready.get());
        if now > all {
            ready.set(all);
        } else if now < all {
            later(Box::new(move || {
                // The page may show something else by now.
                let _ = ready.try_update(|ready| *ready += AT_ONCE);
            }));
        }
    });
    let each = move || {
        let now = ready.get();
        shown.with(|shown| shown.iter().copied().take(now).collect::<Vec<_>>())
    };
    view! { <For each key=|shown| *shown children=|shown| view! { <Panel shown/> }/> }
}

/// Everything below the head.
#[component]
pub fn Explorer() -> impl IntoView {
    let page = expect_context::<Page>();
    let hand = Hand::new(page);
    provide_context(hand);
    provide_context(Turn::follow(page));
    let experiment = Memo::new(move |_| page.settings.with(|s| s.experiment));
    Effect::new(move |_| {
        experiment.track();
        page.travels.track();
        hand.forget();
    });
    let has_model = Memo::new(move |_| page.has_model());
    let compares = Memo::new(move |_| page.settings.with(Settings::compares));
    let class = move || panel_class(page, has_model.get());
    let stage = NodeRef::<html::Div>::new();
    let below = NodeRef::<html::Div>::new();
    sight::follow(page, [stage, below], Signal::stored(false));
    view! {
        <Question/>
        <Controls/>
        <Problems/>
        <Status/>
        <ViewBar has_model/>
        <div class="stage" node_ref=stage>
            <Player/>
            <Show when=move || has_model.get()><Today/></Show>
            <div class=class data-testid="panels"><Panels has_model/></div>
            <Tools/>
            <Show when=move || has_model.get()><KnobBar/></Show>
        </div>
        <Show when=move || has_model.get()><ScoreLines/></Show>
        <SolverFacts/>
        <div class="below" node_ref=below>
            <PointCharts/>
            <Show when=move || has_model.get()><Verification/></Show>
        </div>
        <Downloads/>
        <EmbedCode/>
        <div class="texts">
            <About/>
            <div class="cards">
                <ModelCard side=0/>
                <Show when=move || compares.get()><ModelCard side=1/></Show>
            </div>
        </div>
    }
}
