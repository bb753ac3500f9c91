//! Energy score and CRPS by lead time, beside what baselines score.

use std::fmt::Write;

use super::Names;
use super::baselines::Beside;
use super::leads::{Lead, SpreadSkill, fold, largest};
use crate::figure::{Axis, Figure, Role, Table};
use crate::scale::short;

impl SpreadSkill {
    /// The curves; none for one frame.
    pub fn scores(&self, names: &Names) -> Option<Figure> {
        let (first, last) = (self.leads.first()?, self.leads.last()?);
        if self.leads.len() < 2 {
            return None;
        }
        let of = |pick: fn(&Lead) -> f64| -> Vec<f64> { self.leads.iter().map(pick).collect() };
        let (xs, crps, energy) = (
            of(|l| l.at),
            of(|l| l.crps.found),
            of(|l| l.energy_score.found),
        );
        let (low, high) = (
            of(|l| l.energy_score.band[0]),
            of(|l| l.energy_score.band[1]),
        );
        let beside = self.beside.iter().map(|beside| &*beside.energy_score);
        let curves: Vec<&[f64]> = [&*crps, &*energy, &*high]
            .into_iter()
            .chain(beside)
            .collect();
        let x = Axis::new(names.lead_axis(), first.at, last.at);
        let y = Axis::around(names.value_axis("score"), 0.0, largest(&curves));
        let mut figure = Figure::new("scores-by-lead", "Scores by lead time", x, y);
        figure.band(
            Role::Chance,
            Some("energy scores of members, were they the truth (95 %)"),
            &xs,
            &low,
            &high,
        );
        for Beside {
            baseline,
            energy_score,
            ..
        } in &self.beside
        {
            figure.line(baseline.role(), Some(baseline.words()), &xs, energy_score);
        }
        figure.line(Role::Found, Some("energy score"), &xs, &energy);
        figure.line(Role::Second, Some("CRPS"), &xs, &crps);
        let label = format!(
            "Energy score and CRPS by lead time: {} and {} at {}; {} and {} at {}.",
            short(first.energy_score.found),
            short(first.crps.found),
            names.lead(first.at),
            short(last.energy_score.found),
            short(last.crps.found),
            names.lead(last.at),
        );
        Some(
            figure
                .told(self.scores_reading(names), label)
                .with_table(self.table(names)),
        )
    }

    fn table(&self, names: &Names) -> Table {
        let axis = names.lead_axis();
        let mut columns = vec![
            axis.as_str(),
            "energy score",
            "band from",
            "band to",
            "CRPS",
            "CRPS band from",
            "CRPS band to",
        ];
        for beside in &self.beside {
            columns.extend([beside.baseline.words(), beside.baseline.crps_words()]);
        }
        let mut table = Table::new(columns);
        for (at, lead) in self.leads.iter().enumerate() {
            let (energy, crps) = (&lead.energy_score, &lead.crps);
            let mut row = vec![lead.at];
            for score in [energy, crps] {
                row.extend([score.found, score.band[0], score.band[1]]);
            }
            for beside in &self.beside {
                row.extend([beside.energy_score[at], beside.crps[at]]);
            }
            table.push(row);
        }
        table
    }

    fn scores_reading(&self, names: &Names) -> String {
        let high: Vec<&Lead> = self
            .leads
            .iter()
            .filter(|lead| lead.energy_score.is_high())
            .collect();
        let (first, last) = (&self.leads[0], &self.leads[self.leads.len() - 1]);
        let growth = fold(last.energy_score.found / first.energy_score.found);
        let change = format!(
            "From {} to {} the energy score changes {growth}-fold",
            names.lead(first.at),
            names.lead(last.at)
        );
        let skill = self.skill_words(names);
        match high.first() {
            Some(lead) if high.len() >= self.leads.len().div_ceil(3) => format!(
                "{change}; from {} on it is worse than the members themselves would score, so there is something to gain besides better luck.{skill}",
                names.lead(lead.at)
            ),
            _ => format!(
                "{change}, and it is what the members themselves would score: this forecast is as good as its spread says.{skill}"
            ),
        }
    }

    /// Which baselines it beats, and where it does not; nothing where there are none.
    fn skill_words(&self, names: &Names) -> String {
        let (mut beaten, mut others) = (vec![], vec![]);
        for beside in &self.beside {
            let pairs = self.leads.iter().zip(&beside.energy_score);
            // A baseline without a sound score is not beaten.
            let worse: Vec<&Lead> = pairs
                .filter(|(lead, baseline)| {
                    lead.energy_score.found.partial_cmp(baseline) != Some(std::cmp::Ordering::Less)
                })
                .map(|(lead, _)| lead)
                .collect();
            match worse.first() {
                None => beaten.push(beside.baseline.name()),
                Some(lead) => others.push(format!(
                    "{} at {} of {} lead times, first at {}",
                    beside.baseline.name(),
                    worse.len(),
                    self.leads.len(),
                    names.lead(lead.at)
                )),
            }
        }
        let mut words = String::new();
        if !beaten.is_empty() {
            let _ = write!(
                words,
                " It beats {} at every lead time.",
                beaten.join(" and ")
            );
        }
        if !others.is_empty() {
            let _ = write!(words, " It does not beat {}.", others.join(", nor "));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::Baseline;
    use crate::verify::synthetic::Kind;
    use crate::verify::tests::{names, tally, tally_of};

    #[test]
    fn curves_follow_the_lead_times() {
        let found = SpreadSkill::new(&tally(Kind::Calibrated, 10));
        let scores = found.scores(&names()).expect("eight frames");
        assert_eq!(scores.table.rows[7][0], 48.0);
        assert!(
            scores
                .reading
                .ends_with("this forecast is as good as its spread says.")
        );
        let narrow = SpreadSkill::new(&tally(Kind::TooNarrow, 40)).scores(&names());
        let reading = narrow.expect("eight frames").reading;
        assert!(reading.contains("something to gain"), "{reading}");
        let one = SpreadSkill::new(&tally_of(Kind::Calibrated, 1, 30, 1, 4000));
        assert_eq!(one.scores(&names()), None);
    }

    #[test]
    fn baselines_have_their_lines_columns_and_words() {
        let mut found = SpreadSkill::new(&tally(Kind::Calibrated, 10));
        let scores = |baseline, factors: [f64; 2]| {
            let energy = |(at, lead): (usize, &Lead)| lead.energy_score.found * factors[at / 4];
            Beside {
                baseline,
                crps: vec![7.0; 8],
                energy_score: found.leads.iter().enumerate().map(energy).collect(),
            }
        };
        found.beside = vec![
            scores(Baseline::Climatology, [9.0, 2.0]),
            scores(Baseline::Persistence, [2.0, 0.5]),
            scores(Baseline::SameHour, [9.0, f64::NAN]),
        ];
        let figure = found.scores(&names()).expect("eight frames");
        assert!(
            figure.reading.ends_with(
                " It beats climatology at every lead time. It does not beat persistence at 4 of 8 lead times, first at 30 hours, nor same-hour persistence at 4 of 8 lead times, first at 30 hours."
            ),
            "{}",
            figure.reading
        );
        assert_eq!(figure.table.columns.len(), 13);
        assert_eq!(figure.table.rows[0][8], 7.0);
        assert!(figure.y.hi >= 9.0 * found.leads[0].energy_score.found);
        let legend: Vec<_> = figure.layers.iter().filter_map(|l| l.words).collect();
        assert!(
            legend.contains(&"energy score of climatology"),
            "{legend:?}"
        );
    }
}
