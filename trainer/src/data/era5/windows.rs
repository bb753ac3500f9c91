//! Cases: windows of consecutive steps, each in one part of the data.
//!
//! `fixed`: every window lies inside one period, and between the last step of one period and the first of the next there are steps that
//! nobody uses, so that no truth of one is the neighbour of an input of the other.
//! `paper`: as published. One window fewer than possible, the year for validation discarded, and a random fifth of the overlapping
//! training windows used for validation.

use std::ops::Range;

use anyhow::{Result, bail, ensure};
use pno::spec::Profile;

use super::periods::{Period, Periods};
use crate::data::permutation::torch_randperm;
use crate::formats::cf::format_date;

/// Shares of the steps for validation and for the scores, where there are no published periods.
const HELD_BACK: f64 = 0.15;
/// Seed of the published split.
const PUBLISHED_SEED: u64 = 42;

/// How to cut.
#[derive(Debug, Clone)]
pub struct Cutting {
    /// `fixed` or `paper`.
    pub profile: Profile,
    /// Steps that go in.
    pub inputs: usize,
    /// Steps that come out.
    pub outputs: usize,
    /// Steps from one window to the next.
    pub stride: usize,
    /// The periods; without them the published ones where the data have them, otherwise 70, 15 and 15 %.
    pub periods: Option<Periods>,
    /// Hours between periods that nobody uses; without it the length of a window.
    pub gap_hours: Option<u32>,
    /// Windows that touch one of these are left out.
    pub exclude: Vec<(i64, i64)>,
}

impl Default for Cutting {
    fn default() -> Self {
        Self {
            profile: Profile::Fixed,
            inputs: 10,
            outputs: 10,
            stride: 1,
            periods: None,
            gap_hours: None,
            exclude: Vec::new(),
        }
    }
}

/// The windows of a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Windows {
    /// First step of each.
    pub starts: Vec<u32>,
    /// Part that each belongs to: 0 train, 1 valid, 2 test.
    pub shares: Vec<i8>,
    /// What each part is, in words, for attributes.
    pub periods: [String; 3],
}

impl Windows {
    /// Cuts times that ascend in equal steps.
    pub fn cut(times: &[i64], cutting: &Cutting) -> Result<Self> {
        let window = cutting.inputs + cutting.outputs;
        ensure!(
            cutting.inputs > 0 && cutting.outputs > 0 && cutting.stride > 0,
            "windows of {} + {} steps every {} steps were asked for, but at least 1 each is wanted",
            cutting.inputs,
            cutting.outputs,
            cutting.stride
        );
        ensure!(
            times.len() > window,
            "there are {} steps, but more than the {window} of one window are wanted",
            times.len()
        );
        ensure!(
            u32::try_from(times.len()).is_ok(),
            "{} steps are too many",
            times.len()
        );
        let mut windows = match cutting.profile {
            Profile::Fixed => fixed(times, cutting, window)?,
            Profile::Paper => paper(times, cutting, window)?,
        };
        windows.leave_out(times, window, &cutting.exclude);
        for (part, name) in (0..).zip(["train", "valid", "test"]) {
            ensure!(
                windows.shares.contains(&part),
                "no window is left for {name} ({})",
                windows.periods[part as usize]
            );
        }
        Ok(windows)
    }

    /// Number of windows of each part.
    #[cfg(test)]
    pub fn counts(&self) -> [usize; 3] {
        [0, 1, 2].map(|part| self.shares.iter().filter(|&&share| share == part).count())
    }

    fn leave_out(&mut self, times: &[i64], window: usize, exclude: &[(i64, i64)]) {
        let kept = |start: u32| {
            let start = start as usize;
            let (first, last) = (times[start], times[start + window - 1]);
            let whole = Period { first, last };
            !exclude
                .iter()
                .any(|&(first, last)| whole.touches(&Period { first, last }))
        };
        let both = self.starts.iter().copied().zip(self.shares.iter().copied());
        (self.starts, self.shares) = both.filter(|&(start, _)| kept(start)).unzip();
    }

    fn push(&mut self, starts: impl Iterator<Item = usize>, share: i8) {
        let before = self.starts.len();
        self.starts.extend(starts.map(|start| start as u32));
        let added = self.starts.len() - before;
        self.shares.extend(std::iter::repeat_n(share, added));
    }
}

fn step_of(times: &[i64]) -> i64 {
    times[1] - times[0]
}

/// Steps that lie in a period.
fn steps_in(times: &[i64], period: &Period) -> Range<usize> {
    times.partition_point(|&time| time < period.first)
        ..times.partition_point(|&time| time <= period.last)
}

fn written(times: &[i64], steps: &Range<usize>) -> String {
    let (first, last) = (times[steps.start], times[steps.end - 1]);
    Period { first, last }.to_string()
}

fn fixed(times: &[i64], cutting: &Cutting, window: usize) -> Result<Windows> {
    let step = step_of(times);
    // Steps that stay unused between two periods; one at least, or the two would touch.
    let gap = match cutting.gap_hours {
        Some(hours) => ((i64::from(hours) * 3600 + step - 1) / step).max(1) as usize,
        None => window,
    };
    let published = Periods::published(Profile::Fixed)?;
    let covered = published.are_within(times[0], times[times.len() - 1], step);
    let parts = match cutting.periods.or(covered.then_some(published)) {
        Some(periods) => parts_of(times, &periods, gap)?,
        None => blocks(times.len(), window, gap)?,
    };
    let mut windows = Windows {
        starts: Vec::new(),
        shares: Vec::new(),
        periods: Default::default(),
    };
    for (part, name) in ["train", "valid", "test"].into_iter().enumerate() {
        let steps = &parts[part];
        if steps.len() < window {
            let place = times
                .get(steps.start)
                .map_or("the end".to_owned(), |&time| format_date(time));
            bail!(
                "the period for {name} has {} steps from {place} on, but a window has {window} (between periods {gap} steps stay unused)",
                steps.len()
            );
        }
        windows.periods[part] = written(times, steps);
        windows.push(
            (steps.start..=steps.end - window).step_by(cutting.stride),
            part as i8,
        );
    }
    Ok(windows)
}

/// The steps of given periods. Where two come closer to each other than the gap, the earlier one ends earlier.
fn parts_of(times: &[i64], periods: &Periods, gap: usize) -> Result<[Range<usize>; 3]> {
    let named = periods.named();
    for (i, (name, period)) in named.iter().enumerate() {
        for (other, later) in &named[i + 1..] {
            ensure!(
                !period.touches(later),
                "the period for {name} ({period}) and that for {other} ({later}) overlap"
            );
        }
    }
    let mut parts = named.map(|(_, period)| steps_in(times, &period));
    let begins = parts.clone().map(|steps| steps.start);
    for steps in &mut parts {
        for &next in begins.iter().filter(|&&next| next > steps.start) {
            steps.end = steps.end.min(next.saturating_sub(gap).max(steps.start));
        }
    }
    Ok(parts)
}

/// Three blocks of `n` steps: the last 15 % for the scores, 15 % before them for validation, and the rest for training.
fn blocks(n: usize, window: usize, gap: usize) -> Result<[Range<usize>; 3]> {
    let held = ((n as f64 * HELD_BACK).round() as usize).max(window);
    let least = 3 * window + 2 * gap;
    ensure!(
        n >= least,
        "there are {n} steps, but at least {least} are wanted: three windows of {window} and {gap} unused steps between them"
    );
    // In a short file, one window each comes before the shares.
    let held = held.min((n - window - 2 * gap) / 2);
    let test = n - held..n;
    let valid = test.start - gap - held..test.start - gap;
    Ok([0..valid.start - gap, valid, test])
}

fn paper(times: &[i64], cutting: &Cutting, window: usize) -> Result<Windows> {
    let periods = match cutting.periods {
        Some(periods) => periods,
        None => Periods::published(Profile::Paper)?,
    };
    let (first, last) = (times[0], times[times.len() - 1]);
    for (name, period) in [("train", periods.train), ("test", periods.test)] {
        ensure!(
            period.first >= first && period.last < last + step_of(times),
            "the period for {name} ({period}) is not in the data, which have {}",
            Period { first, last }
        );
    }
    let train = steps_in(times, &periods.train);
    let test = steps_in(times, &periods.test);
    // The published number: steps - window, where one more is possible.
    let starts = |steps: &Range<usize>| {
        (steps.start..steps.end.saturating_sub(window)).step_by(cutting.stride)
    };
    let candidates: Vec<usize> = starts(&train).collect();
    let mut shares = vec![1; candidates.len()];
    let learned = candidates.len() * 4 / 5;
    for &case in &torch_randperm(candidates.len(), PUBLISHED_SEED)[..learned] {
        shares[case] = 0;
    }
    ensure!(
        !train.is_empty() && !test.is_empty(),
        "the periods for train and test have no steps"
    );
    let train_text = written(times, &train);
    let mut windows = Windows {
        starts: candidates.iter().map(|&start| start as u32).collect(),
        shares,
        periods: [
            format!("{train_text}, a random 80 % of the windows"),
            format!("{train_text}, the other 20 % of the windows"),
            written(times, &test),
        ],
    };
    windows.push(starts(&test), 2);
    Ok(windows)
}

#[cfg(test)]
mod tests;
