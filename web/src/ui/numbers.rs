//! The numbers of a picture as a small table, made for those who ask for it.

use leptos::prelude::*;
use web_sys::Element;

use super::page::Page;
use super::shown::Shown;
use crate::views::{View, coarse};

/// A table behind a disclosure, which is seen where there is room, and by who comes with the keyboard.
#[component]
pub fn FieldNumbers(
    /// Of what.
    shown: Shown,
    /// The field, `[point]`.
    field: Memo<Option<Vec<f32>>>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let open = RwSignal::new(false);
    let toggle = move |event: web_sys::Event| {
        open.set(event_target::<Element>(&event).has_attribute("open"));
    };
    let table = Memo::new(move |_| {
        if !open.get() {
            return None;
        }
        let (scene, unit) = (shown.scene(page)?, shown.unit(page)?);
        let seen = scene.seen.as_ref().filter(|_| shown.view == View::Input);
        let upwards = seen.unwrap_or(&scene.row);
        let kind = shown.view.page().kind;
        let words = match unit.unit.as_str() {
            "" => shown.title(page),
            unit => format!("{} in {unit}", shown.title(page)),
        };
        field.with(|field| {
            let field = field.as_ref()?;
            Some((words, coarse(kind, &unit, &scene, upwards, field)))
        })
    });
    let rows = move || {
        let (words, table) = table.get()?;
        let head = |name: String| view! { <th scope="col">{name}</th> };
        let row = |(name, cells): (String, Vec<String>)| {
            let cells = cells.into_iter().map(|cell| view! { <td>{cell}</td> });
            view! { <tr><th scope="row">{name}</th>{cells.collect_view()}</tr> }
        };
        Some(view! {
            <div class="scroll" tabindex="0" role="region" aria-label=format!("Numbers: {words}")>
                <table data-testid=format!("numbers-{}", shown.name())>
                    <caption>{format!("{words}, at some of its points")}</caption>
                    <thead><tr><td></td>{table.columns.into_iter().map(head).collect_view()}</tr></thead>
                    <tbody>{table.rows.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        })
    };
    let label = move || format!("Numbers: {}", shown.title(page));
    view! {
        <details class="numbers" on:toggle=toggle>
            <summary aria-label=label data-testid=format!("open-numbers-{}", shown.name())>"Numbers"</summary>
            {rows}
        </details>
    }
}
