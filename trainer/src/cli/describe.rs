//! A data set in words and numbers.

use std::fmt::Write;
use std::io::IsTerminal;

use anyhow::Result;
use pno::task::{Axis, Domain, Quantity};
use serde_json::Value;

use crate::data::{Dataset, Moments, Split, Statistics};
use crate::figure::{parts, sketch};

/// Size of the sketch in characters.
const SKETCH: (usize, usize) = (80, 16);
/// Most frames whose spread is told.
const FRAMES: usize = 8;
/// Attributes that are shown, in this order, where the data set has them.
const SHOWN: [&str; 16] = [
    "title",
    "source",
    "equation",
    "law",
    "initial_condition",
    "frames",
    "solver",
    "latitudes",
    "period",
    "train_period",
    "valid_period",
    "test_period",
    "profile",
    "seed",
    "split_rule",
    "generator",
];

/// The text of `pno data info`.
pub fn dataset(dataset: &Dataset, shown: usize) -> Result<String> {
    let case = dataset.case(shown)?;
    let statistics = dataset.statistics()?;
    let fingerprint = dataset.fingerprint()?;
    let task = dataset.task();

    let mut out = format!("{}\n", dataset.path().display());
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "  {:<17} {value}", name.replace('_', " "));
    };
    row("experiment", dataset.experiment().name());
    for name in SHOWN {
        if let Some(value) = dataset.attributes().get(name) {
            row(name, &plain(value));
        }
    }
    row("cases", &dataset.cases().to_string());
    let counts = Split::ALL.map(|split| format!("{split} {}", dataset.split(split).len()));
    row("splits", &counts.join(", "));
    row("input", &side(&task.inputs, &task.input));
    row("truth", &side(&task.outputs, &task.output));
    if let Domain::Sphere(latitudes) = task.domain {
        row("domain", &format!("a sphere, {latitudes} latitudes"));
    }
    for split in Split::ALL {
        let own = dataset.task_of(split);
        if own.input != task.input {
            let grid = format!("{:?}, thinned out", own.input_shape());
            row(&format!("{split} grid"), &grid);
        }
    }
    let quantities = task.inputs.iter().chain(&task.outputs);
    for (name, found) in &statistics {
        let quantity = quantities.clone().find(|q| q.name == *name);
        row(name, &values(&found.all(), quantity));
        if let Some(mask) = quantity.and_then(|quantity| quantity.mask.as_ref()) {
            let (masked, points) = (mask.masked(), mask.points());
            let share = 100.0 * masked as f64 / points as f64;
            let text = format!("{masked} of {points} points ({share:.1} %) never have a value");
            row("  masked", &text);
        }
        if let Some(spread) = spread_by_frame(found) {
            row("  by frame", &spread);
        }
    }
    row("fingerprint", &fingerprint);

    let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let split = dataset.split_of(shown).unwrap_or(Split::Test);
    let parts = parts(&dataset.task_of(split), &case);
    let titles: Vec<&str> = parts.iter().map(|part| part.title.as_str()).collect();
    let across = &parts[0].layer.across.name;
    let up = match parts[0].layer.up.name.as_str() {
        "" => "the value",
        name => name,
    };
    let _ = writeln!(
        out,
        "\ncase {shown} ({split}), {across} to the right, {up} upwards: {}",
        titles.join(", ")
    );
    // Side by side they would be too small: at most three in a row.
    for some in parts.chunks(3) {
        let layers: Vec<_> = some.iter().map(|part| &part.layer).collect();
        out.push_str(&sketch(&layers, SKETCH, colours));
    }
    Ok(out.trim_end().to_owned())
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// `u: time 20 (0 to 38) x x 256 (0 to 99.6)`.
fn side(quantities: &[Quantity], axes: &[Axis]) -> String {
    let names: Vec<&str> = quantities.iter().map(|q| q.name.as_str()).collect();
    let axes: Vec<String> = axes
        .iter()
        .map(|axis| {
            let last = axis.start + axis.step * (axis.size as f64 - 1.0);
            let unit = if axis.unit.is_empty() {
                String::new()
            } else {
                format!(" {}", axis.unit)
            };
            format!(
                "{} {} ({} to {}{unit})",
                axis.name,
                axis.size,
                short(axis.start),
                short(last)
            )
        })
        .collect();
    format!("{} on {}", names.join(", "), axes.join(" x "))
}

/// Statistics and scale of an array.
fn values(found: &Moments, quantity: Option<&Quantity>) -> String {
    let mut text = format!(
        "mean {}, std {}, from {} to {}",
        short(found.mean),
        short(found.std()),
        short(found.min),
        short(found.max)
    );
    if let Some(quantity) = quantity {
        let unit = match quantity.unit.as_str() {
            "" => "model units",
            unit => unit,
        };
        let scale = quantity.normalisation;
        let _ = write!(
            text,
            " ({unit}); the network sees (value - {}) / {}",
            short(scale.mean),
            short(scale.std)
        );
    }
    text
}

/// Standard deviations of some frames, first and last among them.
fn spread_by_frame(found: &Statistics) -> Option<String> {
    let frames = found.frames.len();
    let told = FRAMES.min(frames);
    (told > 1).then(|| {
        let picked = (0..told).map(|i| i * (frames - 1) / (told - 1));
        let words = picked.map(|i| format!("{i}: {}", short(found.frames[i].std())));
        format!("std of frame {}", words.collect::<Vec<_>>().join(", "))
    })
}

/// Five significant digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e6).contains(&size) {
        let digits = if value == 0.0 {
            0
        } else {
            (4.0 - size.log10().floor()).clamp(0.0, 8.0) as usize
        };
        let text = format!("{value:.digits$}");
        if text.contains('.') {
            return text.trim_end_matches('0').trim_end_matches('.').to_owned();
        }
        return text;
    }
    format!("{value:.4e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_five_digits_and_no_idle_zeros() {
        let texts: Vec<String> = [
            0.0, 1.0, -2.64312, 98062.0, 5.17e-6, 0.25, 281.123456, 123456.0,
        ]
        .into_iter()
        .map(short)
        .collect();
        assert_eq!(
            texts,
            [
                "0",
                "1",
                "-2.6431",
                "98062",
                "5.1700e-6",
                "0.25",
                "281.12",
                "123456"
            ]
        );
    }
}
