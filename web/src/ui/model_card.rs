//! Which model it is, how it was made, and how good it is on cases it has not seen.

use leptos::prelude::*;
use pno::checkpoint::Precision;

use super::page::Page;
use crate::describe;
use crate::message::Model;
use crate::scale::short;

/// Thousands with thin spaces.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

fn summary(model: &Model) -> String {
    let spec = &model.header.spec;
    format!(
        "{} with {}, {} parameters; file {} kB ({} bit)",
        describe::method(spec.method),
        describe::network(spec),
        grouped(spec.parameter_count()),
        model.bytes / 1000,
        if model.header.precision == Precision::F16 {
            16
        } else {
            32
        },
    )
}

fn tested(model: &Model) -> Option<String> {
    let scores = model.header.scores?;
    Some(format!(
        "On {} unseen cases with {} members: energy score {}, CRPS {}, L2 {}, coverage {}, width {}.",
        scores.cases,
        scores.members,
        short(scores.energy_score),
        short(scores.crps),
        short(scores.l2),
        short(scores.coverage),
        short(scores.interval_width),
    ))
}

fn details(model: &Model) -> Vec<(String, String)> {
    let provenance = &model.header.provenance;
    let mut rows = vec![
        ("command".to_owned(), provenance.command.clone()),
        ("date".to_owned(), provenance.created.clone()),
        ("version".to_owned(), provenance.version.clone()),
        ("data".to_owned(), provenance.data.clone()),
        ("epochs".to_owned(), provenance.epochs.to_string()),
        ("seed".to_owned(), provenance.seed.to_string()),
        ("file hash".to_owned(), model.fingerprint.clone()),
    ];
    rows.extend(provenance.settings.iter().cloned());
    rows.retain(|(_, value)| !value.is_empty());
    rows
}

/// The card; before the model is there, it says so.
#[component]
pub fn ModelCard(
    /// Which side.
    side: usize,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let mark = if side == 0 { "model" } else { "model-b" };
    let none = move || {
        if page.consent.waits(side) {
            "Not fetched: it lies on another server, and waits for your answer above."
        } else if page.has_model() {
            "Not loaded yet."
        } else {
            "No trained model of this experiment is shipped yet. Drop a .pno file of your own on the page, and it runs."
        }
    };
    move || match page.models[side].get() {
        None => view! {
            <section class="card words" data-testid=mark>
                <h2>"The model"</h2>
                <p>{none}</p>
            </section>
        }
        .into_any(),
        Some(model) => {
            let note = model.header.provenance.note.clone();
            let rows = details(&model)
                .into_iter()
                .map(|(key, value)| view! { <div><dt>{key}</dt><dd>{value}</dd></div> });
            view! {
                <section class="card words" data-testid=mark>
                    <h2>"The model"</h2>
                    <p>{summary(&model)} "."</p>
                    {(!note.is_empty()).then(|| view! { <p class="note">{note}</p> })}
                    {tested(&model).map(|words| view! { <p>{words}</p> })}
                    <details>
                        <summary>"How it was made"</summary>
                        <dl class="provenance">{rows.collect_view()}</dl>
                    </details>
                </section>
            }
            .into_any()
        }
    }
}
