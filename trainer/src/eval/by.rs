//! Scores by lead time or by channel, for people: a line each.

use std::fmt::Write;

use clap::ValueEnum;
use pno::score::{Numbers, Report};
use pno::task::Task;

/// What to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Steps of time of the output
    Lead,
    /// Quantities of the output
    Channel,
}

impl By {
    /// What the lines are called, and the name of each, for the output of a task.
    pub fn names(self, task: &Task) -> (String, Vec<String>) {
        match self {
            Self::Channel => {
                let names = task.outputs.iter().map(|quantity| quantity.name.clone());
                ("quantity".into(), names.collect())
            }
            Self::Lead => {
                let Some((axis, places)) = task
                    .output
                    .first()
                    .zip(task.output_coordinates().into_iter().next())
                else {
                    return (String::new(), vec![]);
                };
                let head = match axis.unit.as_str() {
                    "" => axis.name.clone(),
                    unit => format!("{} [{unit}]", axis.name),
                };
                // Coordinates are sums of steps: their last digits are rounding.
                let name = |place: f64| format!("{}", (place * 1e6).round() / 1e6);
                (head, places.into_iter().map(name).collect())
            }
        }
    }

    /// The table; none where the output is not divided so. Lines without a name are numbered.
    pub fn table(self, report: &Report, (head, names): &(String, Vec<String>)) -> Option<String> {
        let numbers = match self {
            Self::Lead => &report.leads,
            Self::Channel => &report.channels,
        };
        (!numbers.is_empty()).then(|| lines(head, names, numbers))
    }
}

fn lines(head: &str, names: &[String], numbers: &[Numbers]) -> String {
    let name = |i: usize| names.get(i).cloned().unwrap_or_else(|| i.to_string());
    let first = std::iter::once(head.to_owned()).chain((0..numbers.len()).map(name));
    let mut columns: Vec<Vec<String>> = vec![first.collect()];
    for (place, (key, there)) in numbers[0].named().into_iter().enumerate() {
        // Scores of whole fields are not made for a channel.
        if there.is_some() {
            let values = numbers.iter().map(|line| told(line.named()[place].1));
            columns.push(
                std::iter::once(key.replace('_', " "))
                    .chain(values)
                    .collect(),
            );
        }
    }
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().map(String::len).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for line in 0..=numbers.len() {
        // Writing to a text cannot fail.
        let _ = write!(out, "{:<1$}", columns[0][line], widths[0]);
        for (column, width) in columns.iter().zip(&widths).skip(1) {
            let _ = write!(out, "{:>1$}", column[line], width + 2);
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

/// Four digits, and no more room than a number of everyday size takes.
fn told(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value.abs() >= 1e5 => format!("{value:.3e}"),
        Some(value) => format!("{value:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use pno::score::{Measure, Options, Verification};

    use super::*;

    #[test]
    fn every_lead_time_and_channel_has_its_line() {
        let measure = Measure::grid(&[2, 3]).with_time().with_channels(2);
        let mut verification = Verification::new(measure, Options::default());
        let truth = [0.0; 12];
        // One member: off by 1 at the first step, by 3 at the second.
        let members: Vec<f32> = (0..12).map(|i| if i < 6 { 1.0 } else { 3.0 }).collect();
        verification.push(&members, &truth).expect("a case");
        let report = verification.finish().0;
        let text = By::Lead
            .table(&report, &("time [h]".into(), vec!["6".into(), "12".into()]))
            .expect("there is time");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("time [h]") && lines[0].contains("energy score"));
        let words: Vec<&str> = lines[2].split_whitespace().collect();
        // l2 sums both channels: 3 √2; rmse does not.
        assert_eq!(words[..4], ["12", "4.2426", "3.0000", "3.0000"], "{text}");
        assert!(
            lines.iter().all(|line| line.len() == lines[0].len()),
            "{text}"
        );
        let text = By::Channel.table(&report, &("channel".into(), vec![]));
        let text = text.expect("there are channels");
        assert!(!text.contains("energy score"), "{text}");
        assert!(
            text.lines()
                .nth(2)
                .is_some_and(|line| line.starts_with('1')),
            "{text}"
        );
        let still = Verification::new(Measure::flat(3), Options::default())
            .finish()
            .0;
        assert_eq!(By::Lead.table(&still, &("time".into(), vec![])), None);
    }
}
