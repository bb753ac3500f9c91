//! Which member is shown: one step back, one forth, or all in turn.

use std::time::Duration;

use leptos::prelude::*;

use super::page::Page;

/// How long each member stays while they pass by.
const STAY: Duration = Duration::from_millis(650);

/// Buttons in the head of the member panel.
#[component]
pub fn MemberPicker(
    /// Which side.
    side: usize,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let count = Memo::new(move |_| {
        let frame = page.probe.get().map_or(0, |probe| probe.frame);
        page.sides[side].with(|e| {
            let frame = e.as_ref().and_then(|e| e.frame(frame));
            frame.map_or(0, |frame| frame.count as u32)
        })
    });
    let shown = move || match count.get() {
        0 => "–".to_owned(),
        count => format!(
            "{} / {count}",
            page.settings.with(|s| s.member).min(count - 1) + 1
        ),
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
            && !page.hidden.get()
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
