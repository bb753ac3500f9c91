//! Method, comparison, seed, members, device, model, grid.

use leptos::prelude::*;
use pno::spec::Method;

use super::cases::CaseSelect;
use super::hand::Hand;
use super::page::Page;
use super::segmented::Segmented;
use super::select::{Choice, Select, choices};
use crate::catalogue::{Catalogue, Entry};
use crate::describe;
use crate::experiments::{Grid, row};
use crate::live::{DarcyGrid, SphereGrid};
use crate::settings::{ColourMap, DeviceChoice, MAX_MEMBERS, Settings};

/// Sizes of ensembles that are offered; an address may name any other.
const SIZES: [u32; 8] = [2, 4, 8, 16, 32, 64, 128, 256];
/// Seeds drawn by the button: short enough to read out.
const RANDOM_SEEDS: f64 = 100_000.0;

/// The bar of controls.
#[component]
pub fn Controls() -> impl IntoView {
    let page = expect_context::<Page>();
    let has_model = Memo::new(move |_| page.has_model());
    let solved = Memo::new(move |_| page.settings.with(Settings::seed_decides_case));
    view! {
        <form class="controls card" aria-label="Settings" on:submit=|event| event.prevent_default()>
            <Show when=move || has_model.get()>
                <MethodChoice/>
                <CompareSelect/>
            </Show>
            <Show when=move || !solved.get()><CaseSelect/></Show>
            <Show when=move || solved.get() || has_model.get()><Seed solved/></Show>
            <Show when=move || has_model.get() fallback=|| view! { <GridChoice/> }>
                <Members/>
                <DeviceSelect/>
                <ModelSelect/>
            </Show>
            <MapSelect/>
            <button type="button" class="quiet" data-testid="reset" title="Put all settings of this experiment back"
                on:click=move |_| { page.dropped.set(None); page.given.set(None); page.settings.update(Settings::reset); }>"Reset"</button>
        </form>
    }
}

/// Methods that have a model, and the one that is chosen.
#[component]
fn MethodChoice() -> impl IntoView {
    let page = expect_context::<Page>();
    let offered = Memo::new(move |_| {
        let (experiment, method) = page.settings.with(|s| (s.experiment, s.method));
        let mut methods = page.catalogue.with(|c| {
            c.as_ref()
                .map(|c| c.methods(experiment))
                .unwrap_or_default()
        });
        if methods.is_empty() {
            methods.push(method);
        }
        methods
    });
    let own =
        move || page.dropped.with(Option::is_some) || page.settings.with(|s| s.model.is_some());
    let option = move |method: Method| {
        let chosen = move || page.settings.with(|s| s.method == method) && !own();
        let choose = move |_| {
            page.dropped.set(None);
            page.settings.update(|s| {
                s.method = method;
                s.model = None;
            });
        };
        view! {
            <label title=describe::method_hint(method)>
                <input type="radio" name="method" value=method.name() prop:checked=chosen on:change=choose
                    data-testid=format!("method-{}", method.name())/>
                <span>{method_label(method)}</span>
            </label>
        }
    };
    view! {
        <fieldset class="segmented">
            <legend>"Method"</legend>
            <div><For each=move || offered.get() key=|method| *method children=option/></div>
        </fieldset>
    }
}

/// What a method is called, with its index.
pub fn method_label(method: Method) -> AnyView {
    match method {
        Method::PnoD => view! { "PNO"<sub>"D"</sub> }.into_any(),
        Method::PnoR => view! { "PNO"<sub>"R"</sub> }.into_any(),
        Method::PnoF => view! { "PNO"<sub>"F"</sub> }.into_any(),
        other => view! { {describe::method(other)} }.into_any(),
    }
}

/// Another model of the experiment beside the first.
#[component]
fn CompareSelect() -> impl IntoView {
    let page = expect_context::<Page>();
    let offers = Memo::new(move |_| {
        let catalogue = page.catalogue.get().unwrap_or_default();
        page.settings.with(|settings| {
            let first = catalogue.address(settings);
            let other = |entry: &&Entry| {
                Some(entry.address()) != first || page.dropped.with(Option::is_some)
            };
            let models = catalogue.of(settings.experiment).filter(other);
            let mut offers: Vec<Choice> = vec![(String::new(), "nothing".to_owned())];
            // They are all of this experiment, whose name stands before the comma.
            let short = |title: &str| match title.split_once(", ") {
                Some((_, method)) => method.to_owned(),
                None => title.to_owned(),
            };
            offers.extend(models.map(|entry| (entry.address(), short(&entry.title))));
            offers
        })
    });
    let chosen = Signal::derive(move || {
        let catalogue = page.catalogue.get().unwrap_or_default();
        page.settings
            .with(|s| catalogue.address2(s))
            .unwrap_or_default()
    });
    let set = move |address: String| {
        let catalogue = page.catalogue.get_untracked().unwrap_or_default();
        page.settings.update(|s| compare(s, &catalogue, &address));
    };
    view! {
        <Show when=move || offers.with(|all| all.len() > 1)>
            <div class="control">
                <label for="compare">"Compare with"</label>
                <Select id="compare" options=offers chosen on_choose=set/>
            </div>
        </Show>
    }
}

/// Puts a model beside the first: by its method where that is enough to find it.
fn compare(settings: &mut Settings, catalogue: &Catalogue, address: &str) {
    (settings.method2, settings.model2) = (None, None);
    let entry = catalogue
        .of(settings.experiment)
        .find(|entry| entry.address() == address);
    let Some(entry) = entry else {
        settings.settle_view();
        return;
    };
    settings.method2 = Some(entry.method);
    if catalogue.address2(settings).as_deref() != Some(address) {
        settings.method2 = None;
        settings.model2 = Some(address.to_owned());
    }
}

/// The seed as a number, and a button that draws another.
#[component]
fn Seed(
    /// Whether the seed decides the case, and not only the members.
    #[prop(into)]
    solved: Signal<bool>,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let hand = expect_context::<Hand>();
    let seed = Memo::new(move |_| page.settings.with(|s| s.seed));
    let go = move |value: u64| {
        if solved.get_untracked() {
            hand.draw(value);
        } else {
            page.settings.update(|s| s.seed = value);
        }
    };
    let set = move |event| {
        // What is no number is put back to what was there.
        match event_target_value(&event).trim().parse() {
            Ok(value) => go(value),
            Err(_) => page.settings.update(|_| ()),
        }
    };
    let draw = move |_| go((js_sys::Math::random() * RANDOM_SEEDS) as u64);
    let (label, button, hint) = (
        move || {
            if solved.get() {
                "Case (seed)"
            } else {
                "Members (seed)"
            }
        },
        move || if solved.get() { "New case" } else { "New draw" },
        move || {
            if solved.get() {
                "Solve another case"
            } else {
                "Draw other members"
            }
        },
    );
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

#[component]
fn MapSelect() -> impl IntoView {
    let page = expect_context::<Page>();
    let maps = choices(&[
        ("auto", "Automatic"),
        ("batlow", "batlow"),
        ("vik", "vik"),
        ("lajolla", "lajolla"),
    ]);
    let chosen = Signal::derive(move || page.settings.with(|s| s.map.name().to_owned()));
    let set = move |name: String| {
        if let Some(map) = ColourMap::from_name(&name) {
            page.settings.update(|s| s.map = map);
        }
    };
    view! {
        <div class="control">
            <label for="map">"Colours"</label>
            <Select id="map" options=Signal::stored(maps) chosen on_choose=set/>
        </div>
    }
}

/// The grid of a truth that stands alone.
#[component]
fn GridChoice() -> impl IntoView {
    let page = expect_context::<Page>();
    let grid = Memo::new(move |_| page.settings.with(|s| row(s.experiment).grid));
    let cells = Signal::derive(move || {
        let cells = page.settings.with(|s| s.live.cells());
        DarcyGrid::with_cells(cells)
            .unwrap_or_default()
            .name()
            .to_owned()
    });
    let choose_cells = move |name: String| {
        if let Some(grid) = DarcyGrid::from_name(&name) {
            page.settings.update(|s| s.live.set_grid(grid));
        }
    };
    let points = Signal::derive(move || page.settings.with(|s| s.live.sphere.name().to_owned()));
    let choose_points = move |name: String| {
        if let Some(grid) = SphereGrid::from_name(&name) {
            page.settings.update(|s| s.live.sphere = grid);
        }
    };
    move || {
        match grid.get() {
        Grid::Square => view! {
            <Segmented legend="Cells" name="cells" options=choices(&[("64", "64 × 64"), ("128", "128 × 128")])
                chosen=cells on_choose=choose_cells/>
        }
        .into_any(),
        Grid::Sphere => view! {
            <Segmented legend="Points" name="grid" options=choices(&[("32x64", "32 × 64"), ("64x128", "64 × 128")])
                chosen=points on_choose=choose_points/>
        }
        .into_any(),
        Grid::Published => ().into_any(),
    }
    }
}

/// Only there where one has a choice: several models of a method, or one of the visitor's own.
#[component]
fn ModelSelect() -> impl IntoView {
    let page = expect_context::<Page>();
    let offers = Memo::new(move |_| {
        let catalogue = page.catalogue.get().unwrap_or_default();
        let dropped = page.dropped.get();
        page.settings.with(|settings| {
            let mut offers: Vec<Choice> = catalogue
                .offers(settings)
                .into_iter()
                .map(|entry| (entry.address(), entry.title.clone()))
                .collect();
            let mut chosen = catalogue.address(settings).unwrap_or_default();
            if let Some(dropped) = dropped {
                chosen.clone_from(&dropped.content);
                offers.push((dropped.content, dropped.name));
            } else if !offers.iter().any(|(address, _)| *address == chosen) {
                offers.push((chosen.clone(), chosen.clone()));
            }
            (chosen, offers)
        })
    });
    let set = move |address: String| {
        let first =
            offers.with_untracked(|(_, all)| all.first().is_some_and(|(a, _)| *a == address));
        page.dropped.set(None);
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
