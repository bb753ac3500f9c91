//! A start on a line as a line: what it really is, what the network takes for it, and the points that were observed.

use leptos::prelude::*;

use super::page::Page;
use crate::picture::Bar;
use crate::views::{SIDE, Start, start};

/// Lines and dots over the colours of the start.
#[component]
pub fn StartLine(
    /// The scale of the values.
    bar: Memo<Option<Bar>>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let paths = Memo::new(move |_| {
        let (bar, channel) = (bar.get()?, page.probe.get()?.channel);
        page.case.with(|case| start(case.as_ref()?, channel, bar))
    });
    let path = move |of: fn(&Start) -> &str| {
        move || paths.with(|paths| paths.as_ref().map(|paths| of(paths).to_owned()))
    };
    let count = move || {
        page.case.with(|case| {
            let case = case.as_ref()?;
            let every = case.observed.as_ref()?.observation.every;
            Some(case.scene.shape.columns.div_ceil(every).to_string())
        })
    };
    view! {
        <svg class="start" viewBox=format!("0 0 {SIDE} {SIDE}") preserveAspectRatio="none" aria-hidden="true"
            data-testid="start-line" data-observed=count>
            <path class="exact" d=path(|p| &p.exact)/>
            <path class="seen" d=path(|p| &p.seen)/>
            <path class="points" d=path(|p| &p.points)/>
        </svg>
    }
}
