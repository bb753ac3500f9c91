//! "How well do we know today?": what the network is told of the start, and on how fine a grid its members are drawn.

use leptos::prelude::*;
use pno::observation::Observation;
use pno::spec::ModelSpec;

use super::page::Page;
use super::segmented::Segmented;
use crate::experiments::row;
use crate::message::Model;
use crate::scale::short;

/// As little as a model is told that was not trained for it: what others are trained for.
const USUAL: Observation = Observation {
    noise: 0.3,
    every: 4,
};

/// The least that a model was made to know of its start; `None` where it makes nothing of that.
fn least_known(spec: &ModelSpec) -> Option<Observation> {
    let perturbed = spec.method.perturbs_inputs().then_some(USUAL);
    spec.observed.or(perturbed)
}

/// The sliders, where a model on the screen makes something of them.
#[component]
pub fn Today() -> impl IntoView {
    let page = expect_context::<Page>();
    let least = Memo::new(move |_| {
        let of = |model: &Model| least_known(&model.header.spec);
        let of = |side: &RwSignal<Option<Model>>| side.with(|model| of(model.as_ref()?));
        page.models.iter().find_map(of)
    });
    let points = Memo::new(move |_| finer_points(page));
    let thins = Memo::new(move |_| {
        let most = least.get().map_or(1, |least| least.every);
        let halved = std::iter::successors(Some(1_usize), |every| Some(2 * every));
        halved
            .take_while(|every| *every <= most)
            .collect::<Vec<_>>()
    });
    view! {
        <Show when=move || least.with(Option::is_some) || points.with(Option::is_some)>
            <div class="knobs card" role="group" aria-label="The start" data-testid="today">
                <Show when=move || least.with(Option::is_some)><Noise least/></Show>
                {move || {
                    let thins = thins.get();
                    (thins.len() > 1).then(|| view! { <Every thins/> })
                }}
                {move || points.get().map(|points| view! { <Finer points/> })}
            </div>
        </Show>
    }
}

/// How well the start is known, in words.
fn words(observation: Observation) -> String {
    if observation.is_exact() {
        return "exactly".to_owned();
    }
    let noise = match observation.noise {
        0.0 => "exactly".to_owned(),
        noise => format!("to ± {} %", short(100.0 * f64::from(noise))),
    };
    match observation.every {
        1 => noise,
        every => format!("{noise}, at one point in {every}"),
    }
}

#[component]
fn Noise(least: Memo<Option<Observation>>) -> impl IntoView {
    let page = expect_context::<Page>();
    let observe = Memo::new(move |_| page.settings.with(|s| s.observe));
    let percent = |noise: f32| (100.0 * noise).round();
    let slide = move |event| {
        if let Ok(value) = event_target_value(&event).parse::<f32>() {
            page.settings
                .update(|s| s.observe.noise = value.clamp(0.0, 100.0) / 100.0);
        }
    };
    let end = move || least.get().map_or(0.0, |least| percent(least.noise));
    view! {
        <div class="control">
            <label for="observe" title="Noise on what the network sees, in parts of the standard deviation of the field">
                "How well do we know today? "<output data-testid="observe-words">{move || words(observe.get())}</output>
            </label>
            <input id="observe" data-testid="observe" type="range" min="0" max=move || end().to_string()
                aria-valuetext=move || words(observe.get())
                prop:value=move || { least.track(); percent(observe.get().noise).to_string() } on:input=slide/>
        </div>
    }
}

#[component]
fn Every(thins: Vec<usize>) -> impl IntoView {
    let page = expect_context::<Page>();
    let option = |every: &usize| {
        let words = match every {
            1 => "all".to_owned(),
            every => format!("one in {every}"),
        };
        (every.to_string(), words)
    };
    let chosen = Signal::derive(move || page.settings.with(|s| s.observe.every.to_string()));
    let choose = move |name: String| {
        if let Ok(every) = name.parse() {
            page.settings.update(|s| s.observe.every = every);
        }
    };
    view! {
        <Segmented legend="Observed points" name="every" options=thins.iter().map(option).collect() chosen on_choose=choose/>
    }
}

/// Points of the model's grid and of the finer one, where its members can be drawn on both.
fn finer_points(page: Page) -> Option<[usize; 2]> {
    let can = page
        .settings
        .with(|s| row(s.experiment).refines && s.observe.every == 1);
    let given = page.given.with(Option::is_some);
    page.models[0].with(|model| {
        let header = &model.as_ref()?.header;
        let same = header.spec.method.takes_functions();
        let [axis] = header.task.input.as_slice() else {
            return None;
        };
        (can && same && !given).then_some([axis.size, 2 * axis.size])
    })
}

#[component]
fn Finer(points: [usize; 2]) -> impl IntoView {
    let page = expect_context::<Page>();
    let options = points.map(|points| format!("{points} points"));
    let options = ["0", "1"].map(str::to_owned).into_iter().zip(options);
    let chosen = Signal::derive(move || page.settings.with(|s| u8::from(s.finer).to_string()));
    let choose = move |name: String| page.settings.update(|s| s.finer = name == "1");
    view! {
        <Segmented legend="The same members on" name="finer" options=options.collect() chosen on_choose=choose/>
    }
}
