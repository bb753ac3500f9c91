//! Method, seed, members, device, model.

use leptos::prelude::*;
use pno::spec::Method;

use super::page::Page;
use super::select::{Choice, Select, choices};
use crate::address::METHODS;
use crate::settings::{DeviceChoice, MAX_MEMBERS};

/// Sizes of ensembles that are offered; an address may name any other.
const SIZES: [u32; 7] = [4, 8, 16, 32, 64, 128, 256];
/// Seeds drawn by the button: short enough to read out.
const RANDOM_SEEDS: f64 = 100_000.0;

/// What a method is called.
pub fn method_label(method: Method) -> &'static str {
    match method {
        Method::PnoD => "PNO_D",
        Method::PnoR => "PNO_R",
        other => other.name(),
    }
}

fn method_letter(method: Method) -> &'static str {
    if method == Method::PnoR { "R" } else { "D" }
}

fn method_hint(method: Method) -> &'static str {
    match method {
        Method::PnoD => {
            "Dropout stays on: every member is another thinned network, and whole fields vary together"
        }
        _ => "One pass gives a mean and a spread at every point; members are drawn from them",
    }
}

/// The bar of controls.
#[component]
pub fn Controls() -> impl IntoView {
    let page = expect_context::<Page>();
    let set_seed = move |seed| page.settings.update(|s| s.seed = seed);
    view! {
        <form class="controls card" aria-label="Settings" on:submit=|event| event.prevent_default()>
            <MethodChoice/>
            <Seed label="Case (seed)" button="New case" hint="Solve another trajectory" on_seed=set_seed/>
            <Members/>
            <DeviceSelect/>
            <ModelSelect/>
        </form>
    }
}

#[component]
fn MethodChoice() -> impl IntoView {
    let page = expect_context::<Page>();
    let option = move |method: Method| {
        let chosen = move || page.settings.with(|s| s.method == method);
        let choose = move |_| {
            page.settings.update(|s| {
                s.method = method;
                s.model = None;
            });
        };
        view! {
            <label title=method_hint(method)>
                <input type="radio" name="method" value=method.name() prop:checked=chosen on:change=choose
                    data-testid=format!("method-{}", method.name())/>
                <span>"PNO"<sub>{method_letter(method)}</sub></span>
            </label>
        }
    };
    view! {
        <fieldset class="segmented">
            <legend>"Method"</legend>
            <div>{METHODS.iter().map(|&method| option(method)).collect_view()}</div>
        </fieldset>
    }
}

/// The seed as a number, and a button that draws another.
#[component]
pub fn Seed(
    /// What the seed chooses.
    label: &'static str,
    /// What the button says.
    button: &'static str,
    /// What the button does.
    hint: &'static str,
    /// Called with the new seed.
    on_seed: impl Fn(u64) + Copy + 'static,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let seed = Memo::new(move |_| page.settings.with(|s| s.seed));
    let set = move |event| {
        // What is no number is put back to what was there.
        match event_target_value(&event).trim().parse() {
            Ok(value) => on_seed(value),
            Err(_) => page.settings.update(|_| ()),
        }
    };
    let draw = move |_| on_seed((js_sys::Math::random() * RANDOM_SEEDS) as u64);
    view! {
        <div class="control">
            <label for="seed">{label}</label>
            <div class="joined">
                <input id="seed" data-testid="seed" type="text" inputmode="numeric" autocomplete="off" size="7"
                    prop:value=move || { page.settings.track(); seed.get().to_string() } on:change=set/>
                <button type="button" data-testid="new-case" on:click=draw title=hint>{button}</button>
            </div>
        </div>
    }
}

#[component]
fn Members() -> impl IntoView {
    let page = expect_context::<Page>();
    let members = Memo::new(move |_| page.settings.with(|s| s.members));
    let sizes = Signal::derive(move || {
        let mut sizes = SIZES.to_vec();
        sizes.push(members.get());
        sizes.sort_unstable();
        sizes.dedup();
        let choice = |size: u32| (size.to_string(), size.to_string());
        sizes.into_iter().map(choice).collect::<Vec<_>>()
    });
    let set = move |value: String| {
        if let Ok(value) = value.parse::<u32>() {
            page.settings
                .update(|s| s.members = value.clamp(1, MAX_MEMBERS));
        }
    };
    view! {
        <div class="control">
            <label for="members">"Members"</label>
            <Select id="members" options=sizes chosen=Signal::derive(move || members.get().to_string()) on_choose=set/>
        </div>
    }
}

#[component]
fn DeviceSelect() -> impl IntoView {
    let page = expect_context::<Page>();
    let devices = choices(&[
        ("auto", "Best available"),
        ("cpu", "CPU"),
        ("webgpu", "WebGPU"),
    ]);
    let chosen = Signal::derive(move || page.settings.with(|s| s.device.name().to_owned()));
    let set = move |name: String| {
        if let Some(device) = DeviceChoice::from_name(&name) {
            page.settings.update(|s| s.device = device);
        }
    };
    view! {
        <div class="control">
            <label for="device-choice">"Run on"</label>
            <Select id="device-choice" options=Signal::stored(devices) chosen on_choose=set/>
        </div>
    }
}

/// Only there where one has a choice: several models of a method, or one of the visitor's own.
#[component]
fn ModelSelect() -> impl IntoView {
    let page = expect_context::<Page>();
    let offers = Memo::new(move |_| {
        let catalogue = page.catalogue.get().unwrap_or_default();
        page.settings.with(|settings| {
            let mut offers: Vec<Choice> = catalogue
                .offers(settings)
                .into_iter()
                .map(|entry| (entry.address(), entry.title.clone()))
                .collect();
            let chosen = catalogue.address(settings);
            if !offers.iter().any(|(address, _)| *address == chosen) {
                offers.push((chosen.clone(), chosen.clone()));
            }
            (chosen, offers)
        })
    });
    let set = move |address: String| {
        let first =
            offers.with_untracked(|(_, all)| all.first().is_some_and(|(a, _)| *a == address));
        page.settings
            .update(|s| s.model = (!first).then_some(address));
    };
    view! {
        <Show when=move || offers.with(|(_, all)| all.len() > 1)>
            <div class="control">
                <label for="model-choice">"Model"</label>
                <Select id="model-choice" options=Signal::derive(move || offers.get().1)
                    chosen=Signal::derive(move || offers.get().0) on_choose=set/>
            </div>
        </Show>
    }
}
