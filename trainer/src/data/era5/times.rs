//! The times of one or several files: in order, without gaps, at the wanted step.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::layout::Layout;
use super::periods::Period;
use crate::formats::Archive;
use crate::formats::cf::{format_date, seconds_from};

const DAY_SECONDS: i64 = 86_400;

/// A time, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Seconds since 1970, UTC.
    pub time: i64,
    /// Which file.
    pub file: usize,
    /// Which entry of its time axis.
    pub entry: usize,
}

/// The times of a file, which have to ascend.
pub fn of_archive(archive: &dyn Archive, layout: &Layout) -> Result<Vec<i64>> {
    let (what, variable, values) = layout.coordinate(archive, layout.time)?;
    let units = variable.units().with_context(|| {
        format!("{what} has no unit, but something like `hours since 1900-01-01` is wanted")
    })?;
    let calendar = variable.attributes.get("calendar").and_then(Value::as_str);
    let unit = seconds_from(units, calendar).with_context(|| what.clone())?;
    if let Some(i) = values.iter().position(|value| !value.is_finite()) {
        bail!("{what} is {} at entry {i}, but a time is wanted", values[i]);
    }
    let times: Vec<i64> = values.iter().map(|&value| unit.seconds(value)).collect();
    for (i, pair) in times.windows(2).enumerate() {
        let (before, after) = (format_date(pair[0]), format_date(pair[1]));
        ensure!(
            pair[0] != pair[1],
            "{what} has {before} twice, as entries {i} and {}",
            i + 1
        );
        ensure!(
            pair[0] < pair[1],
            "{what} runs backwards: entry {i} is {before}, and entry {} is {after}",
            i + 1
        );
    }
    Ok(times)
}

/// The times of all files, one after the other, in whatever order the files were named.
pub fn joined(places: &[&str], files: &[Vec<i64>]) -> Result<Vec<Stamp>> {
    let mut order: Vec<usize> = (0..files.len())
        .filter(|&file| !files[file].is_empty())
        .collect();
    order.sort_by_key(|&file| files[file][0]);
    let mut all: Vec<Stamp> = Vec::new();
    for file in order {
        let first = files[file][0];
        if let Some(last) = all.last().filter(|last| last.time >= first) {
            bail!(
                "{} begins at {}, but {} ends at {}: no time may be in two files",
                places[file],
                format_date(first),
                places[last.file],
                format_date(last.time)
            );
        }
        all.extend(files[file].iter().enumerate().map(|(entry, &time)| Stamp {
            time,
            file,
            entry,
        }));
    }
    ensure!(!all.is_empty(), "{} has no times", places.join(", "));
    Ok(all)
}

/// The times of a period, one every `step_hours`, from midnight on where the files have more than that.
pub fn chosen(
    places: &[&str],
    all: &[Stamp],
    period: Option<Period>,
    step_hours: u32,
) -> Result<Vec<Stamp>> {
    ensure!(
        step_hours > 0,
        "a step of 0 hours was asked for, but 1 or more is wanted"
    );
    let step = i64::from(step_hours) * 3600;
    let (first, last) = (all[0].time, all[all.len() - 1].time);
    let whole = Period { first, last };
    let wanted = period.unwrap_or(whole);
    let outside = || {
        format!(
            "the period {wanted} is not in {}, which has {whole}",
            places.join(", ")
        )
    };
    let inside: Vec<Stamp> = all
        .iter()
        .copied()
        .filter(|stamp| wanted.contains(stamp.time))
        .collect();
    let Some(begin) = inside.first() else {
        bail!(outside());
    };
    let finest = all.windows(2).map(|pair| pair[1].time - pair[0].time).min();
    let finest = finest.unwrap_or(step);
    ensure!(
        step % finest == 0,
        "{} has a value every {} hours, from which every {step_hours} hours cannot be taken",
        places.join(", "),
        finest as f64 / 3600.0
    );
    let midnight = begin.time.div_euclid(DAY_SECONDS) * DAY_SECONDS;
    let on_step = |stamp: &Stamp| finest == step || (stamp.time - midnight) % step == 0;
    let chosen: Vec<Stamp> = inside.into_iter().filter(on_step).collect();
    let (Some(begin), Some(end)) = (chosen.first(), chosen.last()) else {
        bail!(
            "{} has no value at 00:00 or {step_hours} hours after it within {wanted}",
            places.join(", ")
        );
    };
    ensure!(
        begin.time - wanted.first < step && wanted.last - end.time < step,
        "{}",
        outside()
    );
    for pair in chosen.windows(2) {
        let next = pair[0].time + step;
        ensure!(
            pair[1].time == next,
            "{} has a gap in time: after {} (entry {}) comes {} (entry {} of {}), but {} is wanted",
            places[pair[0].file],
            format_date(pair[0].time),
            pair[0].entry,
            format_date(pair[1].time),
            pair[1].entry,
            places[pair[1].file],
            format_date(next)
        );
    }
    Ok(chosen)
}
