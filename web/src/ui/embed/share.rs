//! "Copy embed code": the lines that put the view on the screen into somebody's documentation.

use leptos::html;
use leptos::prelude::*;

use crate::address;
use crate::embed::Chrome;
use crate::embed::snippet::{Figure, System};
use crate::experiments::row;
use crate::ui::clipboard;
use crate::ui::page::Page;
use crate::ui::segmented::Segmented;
use crate::ui::shown::Shown;
use crate::views::View;

/// Heights that suit the levels, in pixels.
fn height(chrome: Chrome, view: View) -> u32 {
    match (chrome, view) {
        (Chrome::Full, _) => 960,
        (Chrome::Figure, View::All) => 760,
        (Chrome::Figure, _) => 420,
        (Chrome::Bare, _) => 280,
    }
}

/// What the figure is, in words.
fn title(page: Page) -> String {
    let view = page.settings.with(|s| s.view);
    let experiment = row(page.settings.with(|s| s.experiment)).name;
    if view == View::All {
        return format!("{experiment}: a live ensemble forecast");
    }
    format!("{experiment}: {}", Shown { view, side: 0 }.title(page))
}

/// The disclosure.
#[component]
pub fn EmbedCode() -> impl IntoView {
    let page = expect_context::<Page>();
    let system = RwSignal::new(System::default());
    let chrome = RwSignal::new(Chrome::default());
    let open = RwSignal::new(false);
    let outcome = RwSignal::new(None);
    let text = NodeRef::<html::Code>::new();
    let code = Memo::new(move |_| {
        // Made only for those who look at it.
        if !open.get() {
            return String::new();
        }
        outcome.set(None);
        let (query, view) = page.settings.with(|s| (address::write(s), s.view));
        let location = window().location();
        let path = location.pathname().unwrap_or_default();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let base = format!("{}{folder}/", location.origin().unwrap_or_default());
        Figure {
            base: &base,
            query: &query,
            chrome: chrome.get(),
            title: &title(page),
            height: height(chrome.get(), view),
        }
        .snippet(system.get())
    });
    let copy = move |_| {
        leptos::task::spawn_local(async move {
            let copied = clipboard::copy(&code.get_untracked()).await;
            if let Some(text) = text.get_untracked().filter(|_| !copied) {
                clipboard::select(&text);
            }
            outcome.set(Some(copied));
        });
    };
    let words = move || match outcome.get() {
        None => "Copy",
        Some(true) => "Copied",
        Some(false) => "Selected: copy it with Ctrl+C",
    };
    let names = |all: &[(String, &str)]| {
        all.iter()
            .map(|(name, label)| (name.clone(), (*label).to_owned()))
            .collect::<Vec<_>>()
    };
    let systems: Vec<_> = System::ALL
        .iter()
        .map(|system| (system.name().to_owned(), system.label()))
        .collect();
    let levels = [
        (Chrome::Full, "With controls"),
        (Chrome::Figure, "Figure"),
        (Chrome::Bare, "Picture only"),
    ]
    .map(|(chrome, label)| (chrome.name().to_owned(), label));
    let toggle = move |event: web_sys::Event| {
        open.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
    };
    // A file of one's own is on this machine only.
    let own = move || page.dropped.with(Option::is_some) || page.given.with(Option::is_some);
    view! {
        <details class="embed-code card words" data-testid="embed-code" on:toggle=toggle>
            <summary>"Copy embed code"</summary>
            <p>"This view, live in your own documentation. It loads when a reader scrolls to it, and rests when they scroll on."</p>
            <div class="choices">
                <Segmented legend="Around the picture" name="embed-level" options=names(&levels)
                    chosen=Signal::derive(move || chrome.get().name().to_owned())
                    on_choose=move |name: String| chrome.set(Chrome::from_name(&name).unwrap_or_default())/>
                <Segmented legend="For" name="embed-system" options=names(&systems)
                    chosen=Signal::derive(move || system.get().name().to_owned())
                    on_choose=move |name: String| system.set(System::from_name(&name).unwrap_or_default())/>
            </div>
            <Show when=own><p class="note">"The file that you opened stays on your machine: a figure elsewhere shows the shipped model and a computed case."</p></Show>
            <pre tabindex="0" aria-label="Embed code"><code data-testid="embed-text" node_ref=text>{code}</code></pre>
            <p class="soft">{move || system.get().advice()}</p>
            <div><button type="button" data-testid="embed-copy" on:click=copy>
                {words}</button></div>
        </details>
    }
}
