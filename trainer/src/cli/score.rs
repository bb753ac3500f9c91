//! `pno score`: scores of any ensemble, from whatever model.

use std::path::PathBuf;

use anyhow::{Result, bail};
use pno::score::{Event, Measure, NanPolicy, Options, Verification};
use serde_json::{Map, Value, json};

use super::progress::Progress;
use super::{Usage, command_line, print};
use crate::eval::result::estimated;
use crate::eval::{By, Lead, events, scores_table};
use crate::formats::Archive;
use crate::interrupt::{self, Interrupted};
use crate::scoring::{Case, Layout, Pair, Weights};
use crate::{figure, files, formats};

const EXAMPLES: &str = "\
Examples:
  pno score --members ensemble.npy --truth observed.npy
  pno score --members forecast.nc:t2m --truth analysis.nc:t2m --weights latitude --json scores.json --plots plots.svg
  pno score --members ens.zarr --truth obs.zarr --threshold 303.15 --nan skip
  pno score --members m.npy --truth y.npy --leads --channels --weights latitude:90..-90

Arrays: members [case, member, …field] and truth [case, …field], or [member, …field] and […field] for a single case, as .npy,
NetCDF, HDF5, GRIB or Zarr (FILE:NAME names an array). Cases are read one after the other.
A truth that is infinite is refused; an infinite value of a member is a broken forecast and counts as NaN.
Scores are in the units of the files. Each is printed with its estimator; fair ones do not depend on the number of members.";

/// Arguments of `pno score`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The members
    #[arg(long, value_name = "FILE[:NAME]")]
    members: String,
    /// What really happened
    #[arg(long, value_name = "FILE[:NAME]")]
    truth: String,
    /// Weights of the points: a file, `latitude` (the files know it) or latitude:FIRST..LAST (of the second-last axis)
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    weights: Option<Weights>,
    /// Axis of the members that counts them, 0 or 1, where names and sizes do not tell
    #[arg(long, value_name = "AXIS", value_parser = clap::value_parser!(u8).range(0..=1))]
    member_axis: Option<u8>,
    /// The first axis of a field is lead time (known where it is called time, step, lead_time, …)
    #[arg(long)]
    leads: bool,
    /// The last axis is channels: quantities with scores of their own
    #[arg(long)]
    channels: bool,
    /// Score the event that a value exceeds X (repeatable): Brier score, reliability diagram
    #[arg(long = "threshold", value_name = "X", allow_negative_numbers = true, value_parser = threshold)]
    thresholds: Vec<f32>,
    /// What a missing truth does: fail makes every score of its case NaN, skip leaves the point out and counts it
    #[arg(long, value_name = "fail|skip", default_value = "fail", value_parser = nan_policy)]
    nan: NanPolicy,
    /// Also print a table by lead time or by channel
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    by: Vec<By>,
    /// Write everything as JSON: scores by lead time and channel, histograms, curves, spectra
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the plots (.svg)
    #[arg(long, value_name = "FILE.svg")]
    plots: Option<PathBuf>,
    /// Replace what is there: --json and --plots
    #[arg(long)]
    force: bool,
}

/// A value that can be exceeded.
pub(super) fn threshold(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("`{text}` is no finite number")),
    }
}

fn nan_policy(text: &str) -> Result<NanPolicy, String> {
    match text {
        "fail" => Ok(NanPolicy::Propagate),
        "skip" => Ok(NanPolicy::Skip),
        _ => Err(format!("`{text}` is neither fail nor skip")),
    }
}

/// Runs `pno score`.
pub fn run(args: &Args) -> Result<()> {
    if let Some(path) = &args.plots {
        figure::Charts::check(path)?;
    }
    for path in args.json.iter().chain(&args.plots) {
        files::refuse_taken(path, args.force)?;
    }
    let layout = Layout {
        member_axis: args.member_axis.map(usize::from),
        leads: args.leads,
        channels: args.channels,
    };
    let pair = Pair::new(open(&args.members)?, open(&args.truth)?, layout)?;
    let mut measure = Measure::grid(&pair.shape).with_channels(pair.channels);
    if pair.has_leads {
        measure = measure.with_time();
    }
    if let Some(weights) = &args.weights {
        measure = measure.with_weights(weights.of(&pair)?);
    }
    if args.by.contains(&By::Lead) && !pair.has_leads {
        bail!(Usage(
            "--by lead: the first axis of a field is not known to be lead time; say --leads if it is".into()
        ));
    }
    let options = Options {
        nan: args.nan,
        events: args.thresholds.iter().map(|&t| Event::above(t)).collect(),
        ..Options::default()
    };
    let mut verification = Verification::new(measure, options);
    interrupt::watch();
    let progress = Progress::new("cases", pair.cases());
    let mut all_infinite = 0;
    for case in 0..pair.cases() {
        if interrupt::requested() {
            bail!(Interrupted(format!(
                "after {case} of {} cases",
                pair.cases()
            )));
        }
        let Case {
            members,
            truth,
            infinite,
        } = pair.case(case)?;
        all_infinite += infinite;
        verification.push(&members, &truth)?;
        progress.set(case + 1);
    }
    drop(progress);
    let (report, maps) = verification.finish();
    print(&format!(
        "{} of {} members on {:?}{}\n\n{}",
        pair.cases(),
        pair.members(),
        pair.shape,
        if report.is_weighted { ", weighted" } else { "" },
        scores_table(&report, &[])
    ))?;
    if all_infinite > 0 {
        print(&format!(
            "infinite: {all_infinite} values of members, which count as NaN"
        ))?;
    }
    for line in events(&report) {
        print(&line)?;
    }
    for by in &args.by {
        let head = match by {
            By::Lead => "step",
            By::Channel => "channel",
        };
        let table = by.table(&report, &(head.into(), vec![]));
        print(&format!("\n{}", table.unwrap_or_default()))?;
    }
    if let Some(path) = &args.json {
        let mut out = Map::new();
        for (key, score) in estimated(&report.scores) {
            out.insert(key, json!(score));
        }
        out.insert("verification".into(), json!(report));
        out.insert("maps".into(), json!(maps));
        out.insert("command".into(), json!(command_line()));
        out.insert("pno_version".into(), json!(env!("CARGO_PKG_VERSION")));
        files::write_atomic(path, format!("{:#}\n", Value::Object(out)).as_bytes())?;
        print(&format!("scores: {}", path.display()))?;
    }
    if let Some(path) = &args.plots {
        figure::verification(&report, &Lead::numbered(&report), &args.members).write(path)?;
        print(&format!("plots: {}", path.display()))?;
    }
    Ok(())
}

/// The file of an array, and its name if it is given.
fn open(named: &str) -> Result<(Box<dyn Archive>, Option<&str>)> {
    let (file, name) = file_and_name(named);
    let archive = formats::open(file, &formats::Options::default())?;
    Ok((archive, name))
}

/// `forecast.nc:t2m` is an array of a file; an address or a drive letter has a colon of its own.
fn file_and_name(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((file, name)) if file.len() > 1 && !name.contains(['/', '\\']) && !name.is_empty() => {
            (file, Some(name))
        }
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_after_a_colon_is_an_array_and_an_address_is_whole() {
        assert_eq!(file_and_name("a.nc:t2m"), ("a.nc", Some("t2m")));
        assert_eq!(file_and_name("a.npy"), ("a.npy", None));
        assert_eq!(
            file_and_name("https://x.org/a.zarr"),
            ("https://x.org/a.zarr", None)
        );
        assert_eq!(
            file_and_name("https://x.org/a.zarr:u"),
            ("https://x.org/a.zarr", Some("u"))
        );
        assert_eq!(file_and_name("C:\\a.npy"), ("C:\\a.npy", None));
    }
}
