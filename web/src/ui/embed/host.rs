//! Messages to and from the page around a figure.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, ResizeObserver};

use crate::address;
use crate::embed::protocol::{self, Command, Event, State};
use crate::embed::{Chrome, Host};
use crate::message::Stage;
use crate::ui::page::Page;

/// Changes are told at most so often: a dragged probe changes with every frame.
const REST: Duration = Duration::from_millis(100);

/// Hears the page around, and tells it what changes. `rests` is set while that page wants the figure to rest.
pub fn follow(page: Page, host: Host, chrome: Chrome, rests: RwSignal<bool>) {
    let around = window().parent().ok().flatten();
    let alone = around
        .as_ref()
        .is_none_or(|around| JsValue::from(around) == JsValue::from(window()));
    if alone || host == Host::None {
        return;
    }
    hear(page, host.clone(), rests);
    let say = move |event: &Event| tell(&host, event);
    say(&Event::Listening);
    if chrome == Chrome::Full {
        follow_height(say.clone());
    }
    follow_failure(page, say.clone());
    follow_state(page, say);
}

fn hear(page: Page, host: Host, rests: RwSignal<bool>) {
    let listener = window_event_listener_untyped("message", move |event| {
        let event: &MessageEvent = event.unchecked_ref();
        let around = window().parent().ok().flatten().map(JsValue::from);
        let source = event.source().map(JsValue::from);
        if source.is_none() || source != around || !host.hears(&event.origin()) {
            return;
        }
        let part = |key: &str| js_sys::Reflect::get(&event.data(), &key.into()).ok();
        let text = |key: &str| part(key).and_then(|value| value.as_string());
        // What does not call itself ours belongs to another script.
        let Some(version) = part("pno").filter(|version| !version.is_undefined()) else {
            return;
        };
        let kind = text("type").unwrap_or_default();
        match protocol::command(version.as_f64(), &kind, text("query").as_deref()) {
            Ok(command) => obey(page, &command, rests),
            Err(sentence) => tell(&host, &Event::Error { sentence }),
        }
    });
    on_cleanup(move || listener.remove());
}

fn obey(page: Page, command: &Command, rests: RwSignal<bool>) {
    let (settings, problems) = match command {
        Command::Set(query) => page
            .settings
            .with_untracked(|s| protocol::changed(s, query)),
        Command::Show(query) => address::read(query),
        Command::Run => return rests.set(false),
        Command::Pause => return rests.set(true),
    };
    if page.settings.with_untracked(|s| *s != settings) {
        page.settings.set(settings);
    }
    page.problems.set(problems);
}

fn tell(host: &Host, event: &Event) {
    let Some(target) = host.target() else {
        return;
    };
    let around = window().parent().ok().flatten();
    let message = js_sys::JSON::parse(&event.json());
    if let (Some(around), Ok(message)) = (around, message) {
        // A page of another origin than the one named simply gets nothing.
        let _ = around.post_message(&message, target);
    }
}

/// What the status line would call the stage.
fn stage_name(page: Page) -> &'static str {
    if page.failure.with(Option::is_some) {
        return "failed";
    }
    match page.stage.get() {
        None => "compile",
        Some(Stage::Done) => "done",
        Some(Stage::Paused) => "paused",
        Some(Stage::Running) => "run",
        Some(_) => "prepare",
    }
}

fn follow_state(page: Page, say: impl Fn(&Event) + Clone + 'static) {
    let state = Memo::new(move |_| {
        let level = page.settings.with(|s| s.level);
        let probe = page.case.with(|case| {
            let (case, probe) = (case.as_ref()?, page.probe.get()?);
            page.sides[0].with(|a| {
                page.sides[1].with(|b| {
                    Some(protocol::reading(
                        case,
                        &[a.as_ref(), b.as_ref()],
                        probe,
                        level,
                    ))
                })
            })
        });
        page.settings
            .with(|settings| State::new(settings, stage_name(page), probe))
    });
    let pending = StoredValue::new(false);
    let ready = StoredValue::new(false);
    Effect::new(move |_| {
        state.track();
        if pending.get_value() {
            return;
        }
        pending.set_value(true);
        let say = say.clone();
        set_timeout(
            move || {
                pending.set_value(false);
                let state = state.get_untracked();
                if state.stage == "done" && !ready.get_value() {
                    ready.set_value(true);
                    say(&Event::Ready(state.clone()));
                }
                say(&Event::Change(state));
            },
            REST,
        );
    });
}

fn follow_failure(page: Page, say: impl Fn(&Event) + 'static) {
    Effect::new(move |_| {
        let failed = page.failure.get().or_else(|| page.no_truth.get());
        let problems = page.problems.get();
        for sentence in failed.into_iter().chain(problems) {
            say(&Event::Error { sentence });
        }
    });
}

/// Tells the height of the contents, so that nothing needs to scroll.
fn follow_height(say: impl Fn(&Event) + 'static) {
    let Some(body) = document().get_element_by_id("app") else {
        return;
    };
    let watched = body.clone();
    let callback = Closure::<dyn FnMut()>::new(move || {
        let height = body.scroll_height().max(0).cast_unsigned();
        say(&Event::Size { height });
    });
    if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
        observer.observe(&watched);
        // It looks on as long as the page lives.
        callback.forget();
    }
}
