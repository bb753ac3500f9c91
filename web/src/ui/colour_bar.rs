//! What the colours of a panel mean.

use leptos::prelude::*;

use crate::panel::{Key, gradient, side_pixel};
use crate::scale::short;

fn css([red, green, blue, _]: [u8; 4]) -> String {
    format!("rgb({red} {green} {blue})")
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
        Some(Key::Bar { lo, hi, signed }) => {
            let (low, high) = (short(f64::from(lo)), short(f64::from(hi)));
            let words = format!("Colours from {low} to {high}, model units");
            view! {
                <div class="key" role="img" aria-label=words>
                    <span>{low}</span>
                    <div class="gradient" style:background=gradient(Key::table(signed))></div>
                    <span>{high}</span>
                </div>
            }
            .into_any()
        }
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
