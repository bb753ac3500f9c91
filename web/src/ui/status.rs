//! One line that tells what is being done.

use leptos::prelude::*;

use pno::spec::Experiment;

use super::page::Page;
use crate::message::{DeviceKind, Stage};

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
    let loading = |what: &str| {
        let megabytes = page.program_bytes.get() / 1e6;
        let words = format!("Downloading and compiling the {what} program: {megabytes:.1} MB …");
        say("compile", &words)
    };
    if live(page) {
        return match () {
            () if !page.listening.get() => loading("solver"),
            () if page.solved.get() == 0 => say("first", "Solving the equation …"),
            // The words stay while a brush moves: a screen reader would read out every change.
            () => Line {
                words: "Solved live, on this machine".to_owned(),
                share: Some(1.0),
                name: if page.solved.get() == page.run.get() {
                    "done"
                } else {
                    "solving"
                },
            },
        };
    }
    let Some(stage) = page.stage.get() else {
        return loading("inference");
    };
    let (drawn, wanted) = page.ensemble.with(|ensemble| {
        ensemble
            .as_ref()
            .map_or((0, page.settings.with(|s| s.members)), |e| {
                (e.progress.drawn, e.progress.wanted)
            })
    });
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
        Stage::Running => Line {
            words: format!("Drawing members: {drawn} of {wanted}"),
            share: Some(f64::from(drawn) / f64::from(wanted.max(1))),
            name: "run",
        },
        Stage::Paused => say("paused", "Paused while this page is out of sight"),
        Stage::Done => Line {
            words: format!("Done: {drawn} members"),
            share: Some(1.0),
            name: "done",
        },
    }
}

/// Whether an equation is shown that has no model.
fn live(page: Page) -> bool {
    page.settings.with(|s| s.shown() != Experiment::Ks)
}

/// The line and its bar.
#[component]
pub fn Status() -> impl IntoView {
    let page = expect_context::<Page>();
    let line = Memo::new(move |_| line(page));
    let forecast = Memo::new(move |_| !live(page));
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
                    "Truth only: no trained model of this experiment is shipped yet."
                </p>
            </Show>
            <Show when=move || note().is_some()>
                <p class="note" data-testid="device-note">{note}</p>
            </Show>
        </div>
    }
}
