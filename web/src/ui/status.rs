//! One line that tells what is being done.

use leptos::prelude::*;

use pno::spec::Method;

use super::page::Page;
use crate::experiments::row;
use crate::message::{DeviceKind, Model, Stage};
use crate::scale::short;

/// What the line says, how far it is (0 to 1, where that is known), and a name for tests.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    words: String,
    share: Option<f64>,
    name: &'static str,
}

fn line(page: Page) -> Line {
    let say = |name, words: &str| Line {
        words: words.to_owned(),
        share: None,
        name,
    };
    if page.failure.with(Option::is_some) {
        return say("failed", "Stopped");
    }
    let Some(stage) = page.stage.get() else {
        let megabytes = page.program_bytes.get() / 1e6;
        let words = format!("Downloading and compiling the inference program: {megabytes:.1} MB …");
        return say("compile", &words);
    };
    let (drawn, wanted) = drawn(page);
    let gpu = page.device.with(|device| {
        device
            .as_ref()
            .is_some_and(|d| d.kind == DeviceKind::WebGpu)
    });
    match stage {
        Stage::Solving => say("solving", "Solving the equation …"),
        Stage::Download { bytes, total } => Line {
            words: match total {
                Some(total) => format!(
                    "Downloading the model: {} of {} kB",
                    bytes / 1000,
                    total / 1000
                ),
                None => format!("Downloading the model: {} kB", bytes / 1000),
            },
            share: total.map(|total| bytes as f64 / total.max(1) as f64),
            name: "download",
        },
        Stage::Device => say("device", "Looking for a GPU …"),
        Stage::Compile => say("prepare", "Preparing the network …"),
        Stage::WarmUp if gpu => say("warm-up", "Warming up: compiling kernels for your GPU …"),
        Stage::WarmUp => say("warm-up", "Warming up …"),
        Stage::Running if !page.has_model() => say("solving", "Solving the equation …"),
        Stage::Running => Line {
            words: format!("Drawing members: {drawn} of {wanted}"),
            share: Some(f64::from(drawn) / f64::from(wanted.max(1))),
            name: "run",
        },
        Stage::Paused => say("paused", "Paused while this page is out of sight"),
        Stage::Done if !page.has_model() && page.no_truth.with(Option::is_none) => Line {
            words: if page.settings.with(|s| row(s.experiment).solve.is_none()) {
                "Read from a file".to_owned()
            } else {
                "Solved live, on this machine".to_owned()
            },
            share: Some(1.0),
            name: "done",
        },
        Stage::Done if page.no_truth.with(Option::is_some) && drawn == 0 => Line {
            words: "Waiting for an input".to_owned(),
            share: Some(0.0),
            name: "done",
        },
        Stage::Done => Line {
            words: format!("Done: {drawn} members"),
            share: Some(1.0),
            name: "done",
        },
    }
}

/// Members so far and members asked for, of both sides together.
fn drawn(page: Page) -> (u32, u32) {
    let (asked, sides) = page
        .settings
        .with(|s| (s.members, if s.compares() { 2 } else { 1 }));
    let asked = page.reduced.get().map_or(asked, |reduced| reduced.members);
    let mut found = (0, 0);
    for side in &page.sides[..sides] {
        let progress = side.with(|e| e.as_ref().map(|e| e.progress));
        found.0 += progress.map_or(0, |progress| progress.drawn);
        // A side may have fewer than were asked for.
        found.1 += progress.map_or(asked, |progress| progress.wanted);
    }
    found
}

/// Why there are fewer members than were asked for.
fn few(page: Page) -> Option<String> {
    let asked = page.settings.with(|s| s.members);
    let networks = |model: &RwSignal<Option<Model>>| {
        model.with(|model| {
            let spec = &model.as_ref()?.header.spec;
            (spec.method == Method::Ensemble).then_some(spec.networks as u32)
        })
    };
    let networks = page.models.iter().filter_map(networks).min()?;
    (networks < asked).then(|| {
        format!("A deep ensemble of {networks} networks has {networks} members, one each; {asked} were asked for.")
    })
}

/// What was done to the members of calibrated models.
fn calibrated(page: Page) -> Option<String> {
    let coverage = |model: &RwSignal<Option<Model>>| {
        model.with(|model| Some(model.as_ref()?.header.calibration.as_ref()?.coverage))
    };
    let coverage = page.models.iter().find_map(coverage)?;
    Some(format!(
        "The members are spread around their mean, so that the {} % interval holds its share of new cases (conformal calibration).",
        short(100.0 * coverage)
    ))
}

/// The line and its bar.
#[component]
pub fn Status() -> impl IntoView {
    let page = expect_context::<Page>();
    let line = Memo::new(move |_| line(page));
    let forecast = Memo::new(move |_| page.has_model());
    let device = move || {
        page.device.get().filter(|_| forecast.get()).map(|device| {
            let name = if device.name.is_empty() {
                String::new()
            } else {
                format!(" · {}", device.name)
            };
            view! {
                <span class="device" data-testid="device" data-kind=device.kind.label()>
                    {format!("on {}{name}", device.kind.label())}
                </span>
            }
        })
    };
    let note = move || {
        let device = page.device.get().filter(|_| forecast.get());
        device.and_then(|device| device.note)
    };
    view! {
        <div class="status" data-testid="status" data-stage=move || line.get().name>
            <p role="status"><strong>{move || line.get().words}</strong> {device}</p>
            <div class="bar" class:busy=move || line.with(|l| l.share.is_none() && l.name != "failed") aria-hidden="true">
                <div style:width=move || format!("{:.1}%", 100.0 * line.with(|l| l.share.unwrap_or(0.0)))></div>
            </div>
            <Show when=move || !forecast.get()>
                <p class="note truth-only" data-testid="truth-only">
                    {move || if page.consent.waits(0) {
                        "Truth only: the model lies on another server, and waits for your answer."
                    } else {
                        "Truth only: no trained model of this experiment is shipped yet."
                    }}
                </p>
            </Show>
            <Show when=move || note().is_some()>
                <p class="note" data-testid="device-note">{note}</p>
            </Show>
            {move || few(page).map(|words| view! { <p class="note" data-testid="members-note">{words}</p> })}
            {move || page.reduced.get().map(|reduced| view! { <p class="note" data-testid="memory-note">{reduced.sentence()}</p> })}
            {move || calibrated(page).map(|words| view! { <p class="note" data-testid="calibration-note">{words}</p> })}
        </div>
    }
}
