//! Sliders that redraw without a new forecast: level of the interval, quantile, threshold.

use leptos::prelude::*;

use super::page::Page;
use crate::views::{Kind, View};

/// Steps of the threshold's slider across the scale.
const STEPS: f64 = 100.0;

/// The sliders that the views on the screen have.
#[component]
pub fn KnobBar() -> impl IntoView {
    let page = expect_context::<Page>();
    let view = Memo::new(move |_| page.settings.with(|s| s.view));
    let has = move |views: &'static [View]| {
        move || view.get() == View::All || views.contains(&view.get())
    };
    view! {
        <div class="knobs card">
            <Show when=has(&[View::Width, View::Hit])>
                <Percent name="level" label="Interval" range=(1, 99) value=|s| s.level set=|s, v| s.level = v/>
            </Show>
            <Show when=has(&[View::Exceedance])><Threshold/></Show>
            <Show when=has(&[View::Quantile])>
                <Percent name="quantile" label="Quantile" range=(0, 100) value=|s| s.quantile set=|s, v| s.quantile = v/>
            </Show>
        </div>
    }
}

type Reads = fn(&crate::settings::Settings) -> u32;
type Writes = fn(&mut crate::settings::Settings, u32);

#[component]
fn Percent(
    name: &'static str,
    label: &'static str,
    range: (u32, u32),
    value: Reads,
    set: Writes,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let shown = Memo::new(move |_| page.settings.with(value));
    let slide = move |event| {
        if let Ok(value) = event_target_value(&event).parse::<u32>() {
            page.settings
                .update(|s| set(s, value.clamp(range.0, range.1)));
        }
    };
    view! {
        <div class="control">
            <label for=name>{label}" "<output>{move || format!("{} %", shown.get())}</output></label>
            <input id=name data-testid=name type="range" min=range.0.to_string() max=range.1.to_string()
                prop:value=move || shown.get().to_string() on:input=slide/>
        </div>
    }
}

#[component]
fn Threshold() -> impl IntoView {
    let page = expect_context::<Page>();
    let unit = move || {
        page.scene.track();
        let channel = page.probe.get()?.channel;
        page.scene
            .with(|scene| scene.as_ref()?.units.get(channel).cloned())
    };
    let ends = move || {
        let (unit, bar) = (unit()?, page.scales.get()?.bar(Kind::Field)?);
        Some((unit.shown(f64::from(bar.lo)), unit.shown(f64::from(bar.hi))))
    };
    // The slider counts steps: numbers of any size have a slider that moves.
    let place = move || {
        let ((lo, hi), unit) = ends().zip(unit())?;
        Some(((unit.shown(page.knobs.get().threshold) - lo) / (hi - lo) * STEPS).round())
    };
    let slide = move |event| {
        let step = event_target_value(&event).parse::<f64>().ok();
        if let Some((step, (lo, hi))) = step.zip(untrack(ends)) {
            let (lo, hi): (f64, f64) = (lo, hi);
            let value = lo + step / STEPS * (hi - lo);
            let digits = (2.0 - ((hi - lo).abs() / STEPS).log10().floor()).clamp(0.0, 12.0) as i32;
            let round = 10_f64.powi(digits);
            page.settings
                .update(|s| s.threshold = Some((value * round).round() / round));
        }
    };
    let words = move || unit().map(|unit| unit.with_unit(&unit.words(page.knobs.get().threshold)));
    view! {
        <div class="control">
            <label for="threshold">"More than "<output data-testid="threshold-value">{words}</output></label>
            <input id="threshold" data-testid="threshold" type="range" min="0" max=STEPS.to_string()
                prop:value=move || place().map(|place| place.to_string()) on:input=slide/>
        </div>
    }
}
