//! Which member is shown: one step back, one forth, or all in turn.

use std::time::Duration;

use leptos::prelude::*;

use super::page::Page;

/// How long each member stays while they pass by.
const STAY: Duration = Duration::from_millis(650);

/// Buttons in the head of the member panel.
#[component]
pub fn MemberPicker() -> impl IntoView {
    let page = expect_context::<Page>();
    let count = Memo::new(move |_| {
        page.ensemble
            .with(|e| e.as_ref().map_or(0, |e| e.progress.drawn))
    });
    let shown = move || match count.get() {
        0 => "–".to_owned(),
        count => format!("{} / {count}", page.member.get().min(count - 1) + 1),
    };
    let turn = move |step: i64| {
        let count = i64::from(count.get_untracked().max(1));
        page.settings.update(|s| {
            let now = i64::from(s.member).min(count - 1);
            s.member = (now + step).rem_euclid(count) as u32;
        });
    };
    let playing = RwSignal::new(false);
    Effect::new(move |_| {
        if playing.get()
            && let Ok(handle) = set_interval_with_handle(move || turn(1), STAY)
        {
            on_cleanup(move || handle.clear());
        }
    });
    view! {
        <span class="picker" role="group" aria-label="Member shown">
            <button type="button" aria-label="Previous member" on:click=move |_| turn(-1)>"‹"</button>
            <span data-testid="member-shown">{shown}</span>
            <button type="button" aria-label="Next member" data-testid="next-member" on:click=move |_| turn(1)>"›"</button>
            <button type="button" class="play" aria-pressed=move || playing.get().to_string()
                aria-label="Show all members in turn" title="Show all members in turn"
                on:click=move |_| playing.update(|p| *p = !*p)>
                {move || if playing.get() { "❚❚" } else { "▶" }}
            </button>
        </span>
    }
}
