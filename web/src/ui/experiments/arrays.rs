//! A problem of the visitor's own.

use leptos::prelude::*;

use super::Row;

pub(super) const ROW: Row = Row { lead, about };

fn lead() -> AnyView {
    view! {
        <p class="lead">
            "A model of a problem of its owner. "<em>"Drop a NumPy file"</em>" with an input on the page, and it is forecast: nothing leaves your machine."
        </p>
    }
    .into_any()
}

fn about() -> AnyView {
    view! { <Given/> }.into_any()
}

/// How an input is given.
#[component]
pub(super) fn Given() -> impl IntoView {
    view! {
        <p>
            "Drop a NumPy file (.npy, 32 or 64 bit floats, C order) with an input of the model's shape in physical units. "
            "A file with twice as many times as the model sees holds input and truth one after the other, and is scored."
        </p>
    }
}
