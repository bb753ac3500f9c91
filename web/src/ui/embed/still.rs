//! What stands where there is no live picture.

use leptos::prelude::*;

use crate::ui::files;
use crate::ui::page::Page;
use crate::ui::problem::Again;

/// The still picture of the experiment, a sentence, and a way to try again.
#[component]
pub fn Still(
    /// Why there is no live picture.
    #[prop(into)]
    sentence: Signal<String>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let source = move || {
        let name = page
            .settings
            .with(|s| format!("stills/{}.webp", s.experiment));
        format!("./{}", files::path(&name))
    };
    let any = format!("./{}", files::path("preview.png"));
    // Not every experiment has a picture of its own.
    let general = move |event: web_sys::ErrorEvent| {
        let image = event_target::<web_sys::Element>(&event);
        if image.get_attribute("src").as_deref() != Some(any.as_str()) {
            // Only an invalid attribute name could fail.
            let _ = image.set_attribute("src", &any);
        }
    };
    view! {
        <figure class="still" data-testid="still">
            <img src=source alt="A still picture of such a forecast" on:error=general/>
            <figcaption role="alert">
                <p data-testid="sentence">{sentence}</p>
                <Again/>
            </figcaption>
        </figure>
    }
}
