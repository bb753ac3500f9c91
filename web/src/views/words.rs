//! A picture as a sentence, made from its numbers.

use super::{Kind, View};
use crate::field::{Probe, Scene, Unit};
use crate::scale::short;

/// A value of a view with its unit.
pub fn value(kind: Kind, unit: &Unit, value: f32) -> String {
    let number = f64::from(value);
    match kind {
        _ if value.is_nan() => "no value".to_owned(),
        _ if value.is_infinite() => "–".to_owned(),
        Kind::Field | Kind::Input => unit.with_unit(&unit.words(number)),
        Kind::Spread | Kind::Width | Kind::Difference => unit.with_unit(&unit.difference(number)),
        Kind::Probability => format!("{} %", short(100.0 * number)),
        Kind::Interval if value < 0.0 => "truth below".to_owned(),
        Kind::Interval if value > 0.0 => "truth above".to_owned(),
        Kind::Interval => "inside".to_owned(),
    }
}

/// A value of a view without its unit, which stands at the scale.
pub fn number(kind: Kind, unit: &Unit, found: f32) -> String {
    match kind {
        _ if !found.is_finite() => "–".to_owned(),
        Kind::Field | Kind::Input => unit.words(f64::from(found)),
        Kind::Spread | Kind::Width | Kind::Difference => unit.difference(f64::from(found)),
        Kind::Probability | Kind::Interval => value(kind, unit, found),
    }
}

/// The whole picture, and its value at the probe.
pub fn sentence(
    view: View,
    title: &str,
    scene: &Scene,
    unit: &Unit,
    field: &[f32],
    probe: Probe,
) -> String {
    let kind = view.page().kind;
    let when = match view {
        View::Input => None,
        _ => scene
            .lead_words(probe.frame + 1)
            .filter(|_| scene.shape.frames > 1 || scene.rollout),
    };
    let when = when.map(|when| format!(" {when}")).unwrap_or_default();
    let share = |of: &dyn Fn(f32) -> bool| {
        let count = field.iter().filter(|value| of(**value)).count();
        let known = field.iter().filter(|value| !value.is_nan()).count();
        short(100.0 * count as f64 / known.max(1) as f64)
    };
    let what = match kind {
        Kind::Interval => format!(
            "the truth is inside at {} % of the points, below at {} %, above at {} %",
            share(&|side| side == 0.0),
            share(&|side| side < 0.0),
            share(&|side| side > 0.0),
        ),
        Kind::Probability => format!(
            "above one half at {} % of the points, impossible at {} %",
            share(&|p| p > 0.5),
            share(&|p| p == 0.0),
        ),
        _ => {
            let finite = || field.iter().copied().filter(|value| value.is_finite());
            let (least, most) = finite().fold((f32::INFINITY, f32::NEG_INFINITY), |(lo, hi), v| {
                (lo.min(v), hi.max(v))
            });
            let mean = finite().map(f64::from).sum::<f64>() / finite().count().max(1) as f64;
            format!(
                "from {} to {}, mean {}",
                value(kind, unit, least),
                value(kind, unit, most),
                value(kind, unit, mean as f32),
            )
        }
    };
    let here = field
        .get(scene.shape.point(probe.row, probe.column))
        .copied();
    let here = value(kind, unit, here.unwrap_or(f32::NAN));
    format!(
        "{title} of {}{when}: {what}. At {}: {here}.",
        unit.title,
        scene.words(probe)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Place;
    use pno::spec::Experiment;
    use pno::task::Task;

    #[test]
    fn sentences_are_made_from_the_numbers() {
        let task = Task::sswe().on_grid(&[3, 4]);
        let scene = Scene::new(Experiment::Sswe, &task, 2);
        let probe = scene.probe(
            Place {
                across: 0.3,
                upwards: 0.1,
            },
            2,
            "vorticity",
        );
        let unit = &scene.units[1];
        let field: Vec<f32> = (0..12).map(|i| i as f32 * 1e-6).collect();
        assert_eq!(
            sentence(View::Mean, "Ensemble mean", &scene, unit, &field, probe),
            "Ensemble mean of Vorticity after 2 hours: from 0 10⁻⁶ s⁻¹ to 11 10⁻⁶ s⁻¹, mean 5.5 10⁻⁶ s⁻¹. At 90° S, 90° E: 9 10⁻⁶ s⁻¹."
        );
        let sides = [0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let words = sentence(View::Hit, "95 % interval", &scene, unit, &sides, probe);
        assert!(
            words.contains("inside at 83.3 % of the points, below at 8.33 %"),
            "{words}"
        );
        assert!(words.ends_with("90° E: inside."), "{words}");
        let masked = [&[f32::NAN; 6][..], &sides[..4], &[f32::NAN; 2]].concat();
        let words = sentence(View::Hit, "95 % interval", &scene, unit, &masked, probe);
        assert!(words.contains("inside at 50 % of the points"), "{words}");
        let blank = [f32::NAN; 12];
        let words = sentence(View::Mean, "Ensemble mean", &scene, unit, &blank, probe);
        assert!(words.ends_with("90° E: no value."), "{words}");
        let chances = [0.0, 0.6, 0.2, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let words = sentence(View::Exceedance, "P", &scene, unit, &chances, probe);
        assert!(words.contains("above one half at 16.7 %"), "{words}");
    }
}
