//! The whole page: head and explorer, or a figure in somebody else's page.

use leptos::prelude::*;

use super::embed::Figure;
use super::explorer::Explorer;
use super::header::Header;
use super::page::Page;
use super::{address_bar, drop, runs};

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let page = Page::new(&window().location().search().unwrap_or_default());
    provide_context(page);
    address_bar::follow_theme(page);
    runs::follow(page);
    if page.embedded {
        return view! { <Figure/> }.into_any();
    }
    address_bar::follow(page);
    let over = RwSignal::new(false);
    drop::follow(page, over);
    view! {
        <Header/>
        <Explorer/>
        <Show when=move || over.get()>
            <div class="dropzone" aria-hidden="true"><p>"Drop a model (.pno) or an input (.npy)"</p></div>
        </Show>
    }
    .into_any()
}
