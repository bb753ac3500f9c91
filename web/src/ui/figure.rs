//! A figure as a card: drawn in SVG, told in a sentence, with its numbers behind a disclosure.

use std::sync::Arc;

use leptos::prelude::*;
use web_sys::{Element, PointerEvent};

use super::downloads::save;
use super::plot::percent;
use super::pointer;
use crate::figure::{Figure, Table};

/// A figure with its words and numbers.
#[component]
pub fn FigureCard(
    /// What to draw; `None` while it is not there.
    #[prop(into)]
    figure: Signal<Option<Arc<Figure>>>,
    /// Its name, where that is known before it is there.
    #[prop(default = "figure-waiting")]
    name: &'static str,
    /// What its file is called before its own name.
    #[prop(optional, into)]
    file: MaybeProp<String>,
    /// Where an upright line stands, on the horizontal axis.
    #[prop(optional, into)]
    cursor: MaybeProp<f64>,
    /// Called with the value on the horizontal axis that was pointed at.
    #[prop(optional, into)]
    on_x: Option<Callback<f64>>,
) -> impl IntoView {
    let text = move |pick: fn(&Figure) -> &str| {
        move || figure.with(|f| f.as_ref().map(|f| pick(f).to_owned()).unwrap_or_default())
    };
    let name = move || figure.with(|f| f.as_ref().map_or(name, |f| f.name));
    let waiting = move || figure.with(Option::is_none);
    let point = move |event: &PointerEvent| {
        if let (Some(on_x), Some(place)) = (on_x, pointer::pressed(event))
            && let Some(x) = figure.with_untracked(|f| f.as_ref().map(|f| f.x.value(place.across)))
        {
            on_x.run(x);
        }
    };
    let line = move || {
        let at = cursor.get()?;
        let share = figure.with(|f| f.as_ref().map(|f| f.x.share(at)))?;
        let inside = (0.0..=1.0).contains(&share);
        inside.then(|| view! { <i class="cross down" style:left=percent(share)></i> })
    };
    let keep = move |_| {
        if let Some(figure) = figure.get_untracked() {
            let file = file.get_untracked().unwrap_or_default();
            save(
                &format!("{file}{}.csv", figure.name),
                figure.table.csv().as_bytes(),
            );
        }
    };
    let label = move || match text(|f| &f.label)() {
        label if label.is_empty() => "Nothing is drawn yet".to_owned(),
        label => label,
    };
    view! {
        <section class="card figure" class:waiting=waiting data-testid=name>
            <header>
                <h2>{text(|f| &f.title)}</h2>
                <button type="button" class="enlarge" disabled=waiting on:click=keep
                    aria-label=move || format!("Save the numbers of {} as CSV", text(|f| &f.title)())
                    title="Save the numbers as CSV">"CSV"</button>
            </header>
            <p class="axis-name" aria-hidden="true">{text(|f| &f.y.name)}</p>
            <div class="frame">
                <div class="axis-y" aria-hidden="true">{move || ticks(figure, true)}</div>
                <div class="plot" class:pointed=on_x.is_some()
                    on:pointerdown=move |event| point(&event)
                    on:pointermove=move |event| point(&event)
                >
                    <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label=label>
                        {move || figure.get().map(|figure| drawing(&figure))}
                    </svg>
                    {line}
                </div>
                <div class="axis-x" aria-hidden="true">{move || ticks(figure, false)}</div>
            </div>
            <p class="axis-name x" aria-hidden="true">{text(|f| &f.x.name)}</p>
            <Legend figure/>
            <p class="reading">{text(|f| &f.reading)}</p>
            <Numbers figure/>
        </section>
    }
}

fn ticks(figure: Signal<Option<Arc<Figure>>>, upright: bool) -> impl IntoView {
    let ticks = figure.with(|f| {
        let axis = |f: &Arc<Figure>| {
            if upright {
                f.y.ticks.clone()
            } else {
                f.x.ticks.clone()
            }
        };
        f.as_ref().map(axis).unwrap_or_default()
    });
    let tick = move |(at, words): (f64, String)| {
        let (left, bottom) = (percent(at), percent(at));
        if upright {
            view! { <span style:bottom=bottom>{words}</span> }.into_any()
        } else {
            view! { <span class:first=at < 0.04 class:last={at > 0.96} style:left=left>{words}</span> }.into_any()
        }
    };
    ticks.into_iter().map(tick).collect_view()
}

fn drawing(figure: &Figure) -> impl IntoView + use<> {
    let grid = |(at, _): &(f64, String)| {
        let y = format!("{:.1}", 1000.0 * (1.0 - at));
        view! { <line class="grid" x1="0" x2="1000" y1=y.clone() y2=y/> }
    };
    let grid = figure.y.ticks.iter().map(grid).collect_view();
    let layer = |layer: &crate::figure::Layer| {
        let class = format!("{} {}", layer.role.class(), layer.paint.class());
        view! { <path class=class d=layer.path.clone()/> }
    };
    let layers = figure.layers.iter().map(layer).collect_view();
    view! { {grid}{layers} }
}

#[component]
fn Legend(figure: Signal<Option<Arc<Figure>>>) -> impl IntoView {
    let entry = |(layer, words): (&crate::figure::Layer, &'static str)| {
        let class = format!("{} {}", layer.role.class(), layer.paint.class());
        let sample = match layer.paint {
            crate::figure::Paint::Line => "M1 6H21",
            crate::figure::Paint::Area => "M1 1H21V11H1Z",
            crate::figure::Paint::Dots => "M11 6h0",
        };
        view! {
            <li><svg viewBox="0 0 22 12" aria-hidden="true"><path class=class d=sample/></svg>{words}</li>
        }
    };
    let entries = move || {
        figure
            .get()
            .map(|figure| figure.legend().map(entry).collect_view())
    };
    view! { <ul class="legend" aria-label="Legend">{entries}</ul> }
}

#[component]
fn Numbers(figure: Signal<Option<Arc<Figure>>>) -> impl IntoView {
    // Rows are made only for those who look at them: members stream in, and every figure changes with them.
    let open = RwSignal::new(false);
    let toggle = move |event: web_sys::Event| {
        open.set(event_target::<Element>(&event).has_attribute("open"));
    };
    let table = move || {
        let figure = open.get().then(|| figure.get()).flatten()?;
        let heads = figure.table.columns.iter();
        let heads = heads
            .map(|name| view! { <th scope="col">{name.clone()}</th> })
            .collect_view();
        let row = |row: &Vec<f64>| {
            let cells = Table::words(row).into_iter();
            view! { <tr>{cells.map(|cell| view! { <td>{cell}</td> }).collect_view()}</tr> }
        };
        let rows = figure.table.rows.iter().map(row).collect_view();
        Some(view! {
            <div class="scroll" tabindex="0" role="region" aria-label=format!("Numbers of {}", figure.title)>
                <table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>
            </div>
        })
    };
    view! { <details on:toggle=toggle><summary>"Numbers"</summary>{table}</details> }
}
