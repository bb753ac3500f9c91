//! What follows from the settings and from what has arrived: the locked scales, and what the sliders say.

use std::sync::Arc;

use leptos::prelude::*;

use super::page::SIDES;
use crate::ensemble::{Case, Ensemble, Extent};
use crate::field::{Probe, Scene};
use crate::scales::Scales;
use crate::settings::Settings;
use crate::views::{Kind, Knobs};

/// The scales of all views; `None` before there is a case.
pub fn scales(
    settings: RwSignal<Settings>,
    case: RwSignal<Option<Case>>,
    sides: [RwSignal<Option<Ensemble>>; SIDES],
    probe: Memo<Option<Probe>>,
) -> Option<Scales> {
    let channel = probe.get()?.channel;
    let map = settings.with(|s| s.map);
    case.with(|case| {
        let case = case.as_ref()?;
        let scene = &case.scene;
        let input_channel = channel.min(scene.inputs.len() - 1);
        let of = |field: &[f32], channel: usize, channels: usize| {
            Extent::of(field.iter().skip(channel).step_by(channels).copied())
        };
        let input = case
            .input
            .as_ref()
            .map(|input| of(input, input_channel, scene.inputs.len()));
        let truth = case
            .truth
            .iter()
            .map(|frame| of(frame, channel, scene.shape.channels));
        let mut extent = truth.reduce(Extent::union);
        for side in sides {
            side.with(|ensemble| {
                for frame in ensemble.iter().flat_map(|ensemble| &ensemble.frames) {
                    if let Some(&found) = frame.extents.get(channel) {
                        extent = Some(extent.map_or(found, |extent| extent.union(found)));
                    }
                }
            });
        }
        let nothing = Extent::of([]);
        let unit = &scene.units[channel];
        let input_unit = &scene.inputs[input_channel];
        Some(Scales::new(
            unit,
            extent.unwrap_or(nothing),
            input.unwrap_or(nothing),
            input_unit,
            map,
        ))
    })
}

/// What the sliders say, in physical units.
pub fn knobs(
    settings: RwSignal<Settings>,
    scene: Memo<Option<Arc<Scene>>>,
    probe: Memo<Option<Probe>>,
    scales: Memo<Option<Scales>>,
) -> Knobs {
    let (member, quantile, level, threshold) =
        settings.with(|s| (s.member, s.quantile, s.level, s.threshold));
    let unit = scene.with(|scene| {
        let probe = probe.get()?;
        scene.as_ref()?.units.get(probe.channel).cloned()
    });
    let threshold = match (threshold, unit) {
        (Some(shown), Some(unit)) => unit.value(shown),
        (None, Some(unit)) => {
            // A value in the upper third, round in the unit that is shown.
            let bar = scales.get().and_then(|scales| scales.bar(Kind::Field));
            let (lo, hi) = bar.map_or((0.0, 1.0), |bar| (bar.lo, bar.hi));
            let shown = |value: f32| unit.shown(f64::from(value));
            let rough = shown(lo) + 0.7 * (shown(hi) - shown(lo));
            let step = (shown(hi) - shown(lo)) / 50.0;
            unit.value((rough / step).round() * step)
        }
        (threshold, None) => threshold.unwrap_or_default(),
    };
    Knobs {
        member: member as usize,
        quantile: f64::from(quantile) / 100.0,
        level: f64::from(level) / 100.0,
        threshold,
    }
}
