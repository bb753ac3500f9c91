//! What stands where there is no live picture.

use leptos::prelude::*;

use crate::ui::page::Page;

/// The still picture of the experiment, a sentence, and a way to try again.
#[component]
pub fn Still(
    /// Why there is no live picture.
    #[prop(into)]
    sentence: Signal<String>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let source = move || {
        page.settings
            .with(|s| format!("./stills/{}.webp", s.experiment))
    };
    // Not every experiment has a picture of its own.
    let general = move |event: web_sys::ErrorEvent| {
        let image = event_target::<web_sys::Element>(&event);
        if image.get_attribute("src").as_deref() != Some("./preview.png") {
            // Only an invalid attribute name could fail.
            let _ = image.set_attribute("src", "./preview.png");
        }
    };
    view! {
        <figure class="still" data-testid="still">
            <img src=source alt="A still picture of such a forecast" on:error=general/>
            <figcaption role="alert">
                <p data-testid="sentence">{sentence}</p>
                <button type="button" data-testid="retry" on:click=move |_| page.attempts.update(|n| *n += 1)>"Try again"</button>
            </figcaption>
        </figure>
    }
}
