//! Temperature of the air, from real weather.

use leptos::prelude::*;

use super::Row;
use super::arrays::Given;
use crate::cases::Entry;
use crate::describe;
use crate::ui::cases::Shelf;
use crate::ui::page::Page;

pub(super) const ROW: Row = Row { lead, about };

/// What is forecast, in the words of the model and of the case.
fn lead() -> AnyView {
    let page = expect_context::<Page>();
    let shelf = expect_context::<Shelf>();
    let maps = move || {
        let maps = page
            .scene
            .with(|scene| scene.as_ref().and_then(|scene| describe::maps(scene)));
        maps.unwrap_or_else(|| "a series of maps".to_owned())
    };
    let asked = move || {
        let frames = page
            .scene
            .with(|scene| scene.as_ref().map(|scene| scene.shape.frames));
        frames.map_or_else(
            || "those after them".to_owned(),
            |n| format!("the next {n}"),
        )
    };
    let case = move || {
        let credit = |entry: Entry| (!entry.note.credit.is_empty()).then_some(entry.note.credit);
        let own = page.given.with(Option::is_some);
        shelf.chosen.get().filter(|_| !own).and_then(credit)
    };
    view! {
        <p class="lead">
            "Real weather: the network sees "{maps}" and is asked for "{asked}". "
            <em>"Play"</em>" the days ahead and watch where the members part. "
            {move || case().map(|credit| format!("Data: {credit}. "))}
            "A NumPy file with a case of your own can be dropped on the page; nothing leaves your machine."
        </p>
    }
    .into_any()
}

fn about() -> AnyView {
    view! {
        <p>
            "Temperature of the air near the ground, from a reanalysis: past weather as observations and a weather model together tell it. "
            "It is in kelvins in the files and in degrees Celsius on the page; blue is frost, red is above freezing, where a scale reaches to both sides. "
            "The network knows nothing of wind, pressure or the ground: it has seen many such series of maps, and says how they may go on. "
            "The card of the model says which data it was trained on, and which area and time they cover."
        </p>
        <Given/>
    }
    .into_any()
}
