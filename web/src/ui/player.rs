//! Lead time: play, step, slide. A forecast that is stepped on goes further than it was.

use std::time::Duration;

use leptos::prelude::*;

use super::cases::Shelf;
use super::page::Page;
use crate::field::Lead;
use crate::settings::MAX_LEAD;

/// How long each lead time stays while they pass by; a slower machine takes longer.
const STAY: Duration = Duration::from_millis(160);
/// Steps of the slider where members are stepped on, unless more were asked for.
const STEPS: usize = 24;

/// The bar; there is none where there is one moment only.
#[component]
pub fn Player() -> impl IntoView {
    let page = expect_context::<Page>();
    let leads = Memo::new(move |_| {
        page.scene.with(|scene| {
            let scene = scene.as_ref()?;
            (scene.lead != Lead::None).then(|| (scene.leads(), scene.rollout))
        })
    });
    move || leads.get().is_some().then(|| view! { <Bar leads/> })
}

#[component]
fn Bar(leads: Memo<Option<(usize, bool)>>) -> impl IntoView {
    let page = expect_context::<Page>();
    let has_model = Memo::new(move |_| page.has_model());
    // A forecast that is stepped on ends where the visitor wants it to.
    let last = Memo::new(move |_| match leads.get() {
        Some((_, true)) => MAX_LEAD,
        Some((leads, false)) => leads,
        None => 1,
    });
    let lead = Memo::new(move |_| page.settings.with(|s| s.lead).min(last.get()));
    let end = Memo::new(move |_| match leads.get() {
        Some((leads, true)) if has_model.get() => leads.max(STEPS).max(lead.get()),
        _ => last.get(),
    });
    let playing = Memo::new(move |_| page.settings.with(|s| s.play));
    let go = move |lead: usize| page.settings.update(|s| s.go(lead));
    let stop = move || page.settings.update(|s| s.play = false);
    // What is on the screen is what was asked for: only then does the next one begin.
    let arrived = Memo::new(move |_| {
        let rollout = leads.get().is_some_and(|(_, rollout)| rollout);
        let frame = lead.get() - 1;
        let truth = page.case.with(|case| {
            case.as_ref()
                .is_some_and(|case| case.truth(frame).is_some())
        });
        let members = page.settings.with(|s| s.members) as usize;
        let drawn = page.sides[0].with(|e| {
            e.as_ref()
                .and_then(|e| e.frame(frame))
                .is_some_and(|f| f.count >= members)
        });
        !rollout || (truth && (drawn || !has_model.get()))
    });
    Effect::new(move |_| {
        if !playing.get() || page.hidden.get() || !arrived.get() {
            return;
        }
        let here = lead.get();
        let rollout = leads.get().is_some_and(|(_, rollout)| rollout);
        if rollout && here >= last.get() {
            stop();
            return;
        }
        let next = if here >= last.get() { 1 } else { here + 1 };
        if let Ok(handle) = set_timeout_with_handle(move || go(next), STAY) {
            on_cleanup(move || handle.clear());
        }
    });
    let step = move |by: isize| {
        stop();
        go(lead
            .get_untracked()
            .saturating_add_signed(by)
            .clamp(1, last.get_untracked()));
    };
    let slide = move |event| {
        if let Ok(value) = event_target_value(&event).parse() {
            go(value);
        }
    };
    let (at_first, at_last) = (move || lead.get() <= 1, move || last.get() <= lead.get());
    let shelf = expect_context::<Shelf>();
    let words = move || {
        let (words, hours) = page.scene.with(|scene| {
            let scene = scene.as_ref()?;
            let hours = scene.frame.coordinates.get(lead.get() - 1).copied();
            Some((scene.lead_words(lead.get())?, hours))
        })?;
        // Of real weather one also wants to know when that is.
        let moment = hours.and_then(|hours| shelf.moment(page, hours));
        Some(match moment {
            Some(moment) => format!("{words} · {moment}"),
            None => words,
        })
    };
    view! {
        <div class="hours" role="group" aria-label="Lead time">
            <button type="button" class="play" data-testid="play" aria-pressed=move || playing.get().to_string()
                on:click=move |_| page.settings.update(|s| s.play = !s.play)>
                {move || if playing.get() { "Pause" } else { "Play" }}</button>
            <button type="button" data-testid="back" on:click=move |_| step(-1) aria-label="One step back" title="One step back"
                disabled=at_first>"‹"</button>
            <button type="button" data-testid="step" on:click=move |_| step(1) aria-label="One step on" title="One step on"
                disabled=at_last>"›"</button>
            <input id="lead" data-testid="lead" type="range" min="1" max=move || end.get().to_string()
                aria-label="Lead time" aria-valuetext=words
                prop:value=move || { end.track(); lead.get().to_string() } on:input=slide/>
            <output for="lead" data-testid="lead-words">{words}</output>
        </div>
    }
}
