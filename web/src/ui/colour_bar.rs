//! What the colours of a panel mean.

use leptos::prelude::*;

use crate::field::Unit;
use crate::picture::{Bar, gradient, side_pixel};
use crate::views::{self, Kind};

/// A pixel as CSS takes it.
pub fn css([red, green, blue, opacity]: [u8; 4]) -> String {
    format!(
        "rgb({red} {green} {blue} / {:.3})",
        f32::from(opacity) / 255.0
    )
}

/// Both ends of a bar in words, and the unit.
pub fn ends(kind: Kind, unit: &Unit, bar: Bar) -> (String, String, String) {
    let number = |value: f32| match kind {
        Kind::Field | Kind::Input => unit.words(f64::from(value)),
        Kind::Probability => views::value(kind, unit, value),
        _ => unit.difference(f64::from(value)),
    };
    let named = if kind == Kind::Probability {
        String::new()
    } else {
        unit.unit.clone()
    };
    (number(bar.lo), number(bar.hi), named)
}

/// The scale below a panel.
#[component]
pub fn ColourBar(
    /// Which kind of view.
    kind: Kind,
    /// The table and its ends; `None` for three colours, or while nothing is known.
    #[prop(into)]
    bar: Signal<Option<Bar>>,
    /// What is counted.
    #[prop(into)]
    unit: Signal<Option<Unit>>,
) -> impl IntoView {
    move || match (bar.get(), unit.get()) {
        _ if kind == Kind::Interval => view! {
            <div class="key swatches">
                <span><i class="striped" style:color=css(side_pixel(-1.0))></i>"below"</span>
                <span><i class="hit" style:background=css(side_pixel(0.0))></i>"inside"</span>
                <span><i style:background=css(side_pixel(1.0))></i>"above"</span>
            </div>
        }
        .into_any(),
        (Some(bar), Some(unit)) => {
            let (low, high, unit) = ends(kind, &unit, bar);
            let words = format!("Colours from {low} to {high} {unit}");
            view! {
                <div class="key" role="img" aria-label=words>
                    <span>{low}</span>
                    <div class="gradient" style:background=gradient(bar.palette.table())></div>
                    <span>{high}</span>
                    {(!unit.is_empty()).then(|| view! { <span>{unit}</span> })}
                </div>
            }
            .into_any()
        }
        _ => view! { <div class="key" aria-hidden="true"></div> }.into_any(),
    }
}
