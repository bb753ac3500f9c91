//! A data set in words and numbers.

use std::fmt::Write;
use std::io::IsTerminal;

use anyhow::Result;

use crate::data::{Dataset, REFERENCE_FRAMES, Split, Summary};
use crate::figure::sketch;

/// Size of the sketch in characters.
const SKETCH: (usize, usize) = (80, 16);

/// The text of `pno data info`.
pub fn dataset(dataset: &Dataset, shown: usize) -> Result<String> {
    let task = dataset.task();
    let case = dataset.case(shown)?;
    let summary = Summary::of(dataset)?;
    let fingerprint = dataset.fingerprint()?;
    let time: Vec<f64> = [&task.input[0], &task.output[0]]
        .into_iter()
        .flat_map(pno::task::Axis::coordinates)
        .collect();
    let x = &task.input[1];
    let unit = if task.quantity().unit.is_empty() {
        "model units"
    } else {
        &task.quantity().unit
    };

    let mut out = format!("{}\n", dataset.path().display());
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<13}{value}");
    };
    row("experiment", dataset.experiment().to_string());
    for name in ["title", "equation", "seed", "generator", "pno_version"] {
        if let Some(value) = dataset.attributes().get(name) {
            row(
                name,
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned),
            );
        }
    }
    row("cases", dataset.cases().to_string());
    row(
        "splits",
        Split::ALL
            .map(|split| format!("{split} {}", dataset.split(split).len()))
            .join(", "),
    );
    row(
        "input",
        format!(
            "{} frames, t = {} to {}",
            task.input[0].size,
            time[0],
            time[task.input[0].size - 1]
        ),
    );
    row(
        "truth",
        format!(
            "{} frames, t = {} to {}",
            task.output[0].size,
            task.output[0].start,
            time[time.len() - 1]
        ),
    );
    row(
        "grid",
        format!(
            "{} cells, {} = {} to {}",
            x.size,
            x.name,
            x.start,
            x.start + x.step * x.size as f64
        ),
    );
    row("quantity", format!("{} ({unit})", task.quantity().name));
    row(
        "values",
        format!(
            "mean {:.4}, std {:.4}, from {:.3} to {:.3}",
            summary.mean, summary.std, summary.min, summary.max
        ),
    );
    let scale = task.quantity().normalisation.std;
    row(
        "scale",
        format!("{scale} (values are divided by it for the network and in scores)"),
    );
    let frames = REFERENCE_FRAMES.iter().filter(|&&frame| frame < time.len());
    let stds =
        frames.map(|&frame| format!("t={} {:.3}", time[frame], summary.frame_std[frame] / scale));
    row("std / scale", stds.collect::<Vec<_>>().join("  "));
    row("fingerprint", fingerprint);

    let values: Vec<f32> = case.input.iter().chain(&case.truth).copied().collect();
    let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let _ = write!(
        out,
        "\ncase {shown}, t to the right, x upwards\n{}",
        sketch(&values, x.size, SKETCH, colours)
    );
    Ok(out.trim_end().to_owned())
}
