//! What the colours of a panel mean.

use leptos::prelude::*;

use crate::panel::{Key, gradient, side_pixel};
use crate::picture::Bar;
use crate::weather::value;

/// A pixel as CSS takes it.
pub fn css([red, green, blue, _]: [u8; 4]) -> String {
    format!("rgb({red} {green} {blue})")
}

/// A colour table with its two ends, and with the unit where there is one.
#[component]
pub fn Scale(
    /// The table and its ends.
    bar: Bar,
    /// What is counted.
    unit: Option<&'static str>,
) -> impl IntoView {
    let (low, high) = (value(bar.lo), value(bar.hi));
    let words = format!(
        "Colours from {low} to {high}, {}",
        unit.unwrap_or("model units")
    );
    view! {
        <div class="key" role="img" aria-label=words>
            <span>{low}</span>
            <div class="gradient" style:background=gradient(bar.palette.table())></div>
            <span>{high}</span>
            {unit.map(|unit| view! { <span>{unit}</span> })}
        </div>
    }
}

/// The scale below a panel.
#[component]
pub fn ColourBar(
    /// How the panel turns values into colours; `None` while that is not known.
    #[prop(into)]
    key: Signal<Option<Key>>,
) -> impl IntoView {
    move || match key.get() {
        None => view! { <div class="key" aria-hidden="true"></div> }.into_any(),
        Some(Key::Bar(bar)) => view! { <Scale bar unit=None/> }.into_any(),
        Some(Key::Interval) => view! {
            <div class="key swatches">
                <span><i style:background=css(side_pixel(-1.0))></i>"truth below"</span>
                <span><i class="hit"></i>"inside"</span>
                <span><i style:background=css(side_pixel(1.0))></i>"above"</span>
            </div>
        }
        .into_any(),
    }
}
