//! How time and memory of an epoch grow with samples, points and members.

mod fit;
mod process;
mod range;
mod sweep;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};

use super::report::{Illustration, Report};
use super::size::Size;
use crate::figure::{Chart, Charts};

use process::answer;
pub use process::child;
use range::{Setting, range};
use sweep::Sweep;

/// Whether everything has been measured, so that a report costs nothing.
pub fn is_measured(size: Size, folder: &Path) -> bool {
    let range = range(size);
    let all = range.settings();
    all.iter().all(|(_, sweep)| {
        let mut files = sweep.iter().map(|(_, setting)| folder.join(setting.file()));
        files.all(|file| file.exists())
    })
}

/// Measures, and fills in the report.
pub fn measure(
    report: &mut Report,
    size: Size,
    folder: &Path,
    device: &str,
    out: &Path,
) -> Result<()> {
    let range = range(size);
    let base = range.base;
    let begin = Instant::now();
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let one = |setting: Setting| answer(setting, range.epochs, folder, device);
    let sweep = |name, settings: Vec<(f64, Setting)>| -> Result<Sweep> {
        let points = settings
            .into_iter()
            .map(|(value, setting)| Ok((value, one(setting)?)));
        let points = points.collect::<Result<_>>()?;
        Ok(Sweep { name, points })
    };
    let [samples, points, members] = range.settings();
    let sweeps = [
        sweep(samples.0, samples.1)?,
        sweep(points.0, points.1)?,
        sweep(members.0, members.1)?,
    ];
    report.notes.push(format!(
        "Darcy flow, FNO with 8 x 8 modes, PNO_D, batches of 8; where not varied: {} samples, {} points, {} members. Time is that of the quickest epoch but the first, memory the peak of the whole process.",
        base.samples,
        base.grid * base.grid,
        base.members
    ));
    report.notes.extend(sweeps.iter().flat_map(Sweep::fits));
    report.blocks = sweeps.iter().map(Sweep::block).collect();
    let place = out.join(size.name()).join("figures");
    std::fs::create_dir_all(&place)
        .with_context(|| format!("cannot make the folder {}", place.display()))?;
    let charts = Charts {
        title: format!("Epoch time and memory ({size} size)"),
        charts: [Sweep::seconds as fn(&Sweep) -> Chart, Sweep::memory]
            .iter()
            .flat_map(|chart| sweeps.iter().map(chart))
            .collect(),
    };
    charts.write(&place.join("scaling.svg"))?;
    report.figures.push(Illustration {
        file: "figures/scaling.svg".into(),
        caption: "Epoch time and peak memory with straight lines through them".into(),
    });
    device.clone_into(&mut report.about.device);
    report.about.seconds = begin.elapsed().as_secs_f64();
    Ok(())
}
