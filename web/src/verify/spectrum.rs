//! Spectra: whether members are as rough as the truth.

use pno::score::{Measure, NanPolicy, Options, Verification};
use serde::{Deserialize, Serialize};

use super::chance::Chance;
use super::fields::Fields;
use crate::figure::{Axis, Figure, Role, Table};
use crate::scale::short;

/// Below this part of the largest power there is only rounding.
const FLOOR: f64 = 1e-10;
/// Waves in which the truth has less than this part of its largest power are seen by nobody.
const SEEN: f64 = 1e-4;
/// Parts of the largest power that the figure shows.
const SHOWN: f64 = 1e-7;

/// Power by wavenumber along the rows of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// Of the truth, with the band of the members; from wavenumber 1.
    pub waves: Vec<Chance>,
    /// Mean over the members.
    pub members: Vec<f64>,
    /// Of the ensemble mean.
    pub mean: Vec<f64>,
    /// First and last wavenumber of the short waves: the shorter half of those that are seen in the truth.
    pub short: [usize; 2],
    /// Logarithm (base 10) of the power in them.
    pub small: Chance,
}

impl Spectrum {
    /// Over the frames, each of rows of `columns` points; `every` row is taken (1: all of them).
    ///
    /// Rows in which the truth has no value somewhere are left out. None if a row has fewer than eight points or the points
    /// are not whole rows, or if no row is left, or if a member is NaN elsewhere.
    pub fn new(fields: &Fields, columns: usize, frames: &[usize], every: usize) -> Option<Self> {
        if columns < 8 || !fields.points().is_multiple_of(columns) || frames.is_empty() {
            return None;
        }
        let starts: Vec<usize> = (0..fields.points())
            .step_by(columns * every.max(1))
            .collect();
        let rows = |who: usize| -> Vec<f32> {
            let row = |frame: usize, start: usize| {
                (start..start + columns).map(move |point| fields.value(who, frame, point))
            };
            let all = frames
                .iter()
                .flat_map(|&frame| starts.iter().map(move |&start| (frame, start)));
            all.flat_map(|(frame, start)| row(frame, start)).collect()
        };
        let weights: Vec<f64> = starts
            .iter()
            .flat_map(|&start| vec![fields.weight(start); columns])
            .collect();
        let measure = Measure::grid(&[frames.len(), starts.len(), columns]).with_weights(weights);
        let everybody: Vec<Vec<f32>> = (0..=fields.count()).map(rows).collect();
        let members: Vec<f32> = everybody[1..].concat();
        let mean = power(&members, &everybody[0], &measure)?;
        // One at a time, in pairs: what is the truth's place has its own spectrum too.
        let mut each = vec![];
        for pair in everybody.chunks(2) {
            let second = pair.get(1).unwrap_or(&pair[0]);
            let found = power(&pair[0], second, &measure)?;
            each.push(found.members);
            each.push(found.truth);
        }
        each.truncate(everybody.len());
        Self::from_powers(&each, mean.members, mean.ensemble_mean)
    }

    fn from_powers(each: &[Vec<f64>], mut members: Vec<f64>, mut mean: Vec<f64>) -> Option<Self> {
        let bins = each[0].len();
        let largest = each[0][1..].iter().copied().fold(0.0, f64::max);
        let last = (1..bins)
            .rev()
            .find(|&k| each[0][k] > FLOOR * largest || members[k] > FLOOR * largest)?;
        let waves = (1..=last).map(|k| Chance::new(&each.iter().map(|p| p[k]).collect::<Vec<_>>()));
        let seen = (1..=last)
            .rev()
            .find(|&k| each[0][k] > SEEN * largest)
            .unwrap_or(last);
        let short = [seen / 2 + 1, seen];
        let small: Vec<f64> = each
            .iter()
            .map(|p| {
                p[short[0]..=short[1]]
                    .iter()
                    .sum::<f64>()
                    .max(f64::MIN_POSITIVE)
                    .log10()
            })
            .collect();
        members.truncate(last + 1);
        mean.truncate(last + 1);
        Some(Self {
            waves: waves.collect(),
            members: members.split_off(1),
            mean: mean.split_off(1),
            short,
            small: Chance::new(&small),
        })
    }

    /// Power of the members over that of the truth in the short waves.
    pub fn ratio(&self) -> f64 {
        // The first wave has number 1.
        let waves = self.short[0] - 1..self.short[1];
        let members: f64 = self.members[waves.clone()].iter().sum();
        members / self.waves[waves].iter().map(|wave| wave.found).sum::<f64>()
    }

    /// How to read it for this forecast.
    pub fn reading(&self) -> String {
        let ratio = self.ratio();
        let words = short(ratio);
        // A difference that nobody would see is not told, however sure it is.
        if self.small.is_high() && ratio < 0.9 {
            format!("At short waves members have {words} of the truth's power: they are blurred.")
        } else if self.small.is_low() && ratio > 100.0 {
            // A smooth truth has next to nothing there, and the number says no more than that.
            "At short waves the truth has next to no power, and members have some: they are rougher than what happens."
                .to_owned()
        } else if self.small.is_low() && ratio > 1.1 {
            format!(
                "At short waves members have {words} times the truth's power: they are rougher than what happens."
            )
        } else {
            format!(
                "Members are as rough as the truth, with {words} times its power at short waves; their mean has less where they disagree, as it should."
            )
        }
    }

    /// The curves.
    pub fn figure(&self) -> Figure {
        let ks: Vec<f64> = (1..=self.waves.len()).map(|k| k as f64).collect();
        let of = |pick: fn(&Chance) -> f64| -> Vec<f64> { self.waves.iter().map(pick).collect() };
        let (truth, low, high) = (of(|w| w.found), of(|w| w.band[0]), of(|w| w.band[1]));
        let positive = |curves: &[&[f64]]| {
            let all = curves
                .iter()
                .flat_map(|c| c.iter())
                .copied()
                .filter(|p| *p > 0.0);
            all.fold((f64::INFINITY, 0.0), |(lo, hi): (f64, f64), p| {
                (lo.min(p), hi.max(p))
            })
        };
        let (lo, hi) = positive(&[&truth, &self.members, &high]);
        let y = Axis::log("power", lo.max(hi * SHOWN), hi);
        let mut x = Axis::log("wavenumber", 1.0, (ks.len() as f64).max(2.0));
        // Not further than the last wave.
        let shown = (ks.len() as f64).max(2.0);
        let ticks: Vec<_> = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]
            .into_iter()
            .filter(|k| *k <= shown)
            .map(|k| (k, short(k)))
            .collect();
        x.hi = shown;
        let mut figure = Figure::new("spectrum", "Spectrum", x.with_ticks(ticks), y);
        figure.band(Role::Chance, Some("members (95 %)"), &ks, &low, &high);
        figure.line(Role::Second, Some("ensemble mean"), &ks, &self.mean);
        figure.line(
            Role::Found,
            Some("members, in the mean"),
            &ks,
            &self.members,
        );
        figure.line(Role::Truth, Some("truth"), &ks, &truth);
        let mut table = Table::new([
            "wavenumber",
            "truth",
            "members",
            "band from",
            "band to",
            "ensemble mean",
        ]);
        for (i, k) in ks.iter().enumerate() {
            table.push([*k, truth[i], self.members[i], low[i], high[i], self.mean[i]]);
        }
        let label = format!(
            "Power by wavenumber up to {}: at short waves members have {} times the power of the truth.",
            ks.len(),
            short(self.ratio())
        );
        figure.told(self.reading(), label).with_table(table)
    }
}

fn power(
    members: &[f32],
    truth: &[f32],
    measure: &Measure,
) -> Option<pno::score::spectrum::Spectrum> {
    let options = Options {
        levels: vec![],
        spectra: true,
        nan: NanPolicy::Skip,
        ..Options::pointwise()
    };
    let mut verification = Verification::new(measure.clone(), options);
    verification.push(members, truth).ok()?;
    let found = verification.finish().0.spectra.into_iter().next()?;
    let sound = found
        .members
        .iter()
        .chain(&found.truth)
        .all(|power| power.is_finite());
    sound.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::synthetic::{Kind, Synthetic};

    fn found(kind: Kind) -> Spectrum {
        let data = Synthetic::new(kind, 4, 24, 8, 128);
        let fields = Fields::new(&data.members, &data.truth, 128, [0, 1], &[]).expect("sizes fit");
        Spectrum::new(&fields, 128, &[0, 1, 2, 3, 4, 5, 6, 7], 1).expect("rows of 128")
    }

    #[test]
    fn members_that_are_blurred_or_rough_are_told() {
        let right = found(Kind::Calibrated);
        assert!(
            right.reading().contains("as rough as the truth"),
            "{}",
            right.reading()
        );
        assert_eq!(right.waves.len(), 24, "waves beyond 24 are empty");
        assert!(found(Kind::Blurred).reading().contains("blurred"));
        assert!(found(Kind::TooWide).reading().contains("rougher"));
    }

    #[test]
    fn short_waves_are_those_that_are_seen_in_the_truth() {
        // Power 1 at wave 2, 0.01 at wave 6, and next to nothing at wave 20, where members have noise.
        let field = |noise: f32| -> Vec<f32> {
            let wave = |k: f32, i: usize| (std::f32::consts::TAU * k * i as f32 / 64.0).cos();
            (0..64)
                .map(|i| wave(2.0, i) + 0.1 * wave(6.0, i) + noise * wave(20.0, i))
                .collect()
        };
        let members = [field(0.5), field(0.4)].concat();
        let truth = field(1e-4);
        let fields = Fields::new(&members, &truth, 64, [0, 1], &[]).expect("sizes fit");
        let spectrum = Spectrum::new(&fields, 64, &[0], 1).expect("a row");
        assert_eq!(spectrum.short, [4, 6]);
        assert!(
            (spectrum.ratio() - 1.0).abs() < 1e-3,
            "{}",
            spectrum.ratio()
        );
    }

    #[test]
    fn a_wave_has_its_power_at_its_number() {
        let wave = |k: f32, a: f32| -> Vec<f32> {
            (0..32)
                .map(|i| a * (std::f32::consts::TAU * k * i as f32 / 32.0).cos())
                .collect()
        };
        let members = [wave(3.0, 2.0), wave(3.0, 4.0), wave(3.0, 6.0)].concat();
        let truth = wave(3.0, 8.0);
        let fields = Fields::new(&members, &truth, 32, [0, 1], &[]).expect("sizes fit");
        let spectrum = Spectrum::new(&fields, 32, &[0], 1).expect("a row");
        // Half the square of the amplitude.
        assert!((spectrum.waves[2].found - 32.0).abs() < 1e-4);
        assert!((spectrum.waves[2].band[0] - 2.0).abs() < 1e-4);
        assert!((spectrum.waves[2].band[1] - 18.0).abs() < 1e-4);
        assert!((spectrum.members[2] - 28.0 / 3.0).abs() < 1e-4);
        assert!((spectrum.mean[2] - 8.0).abs() < 1e-4);
        assert!(Spectrum::new(&fields, 5, &[0], 1).is_none());
    }
}
