//! Scores by lead time or by channel, for people: a line each.

use clap::ValueEnum;
use pno::score::{Numbers, Report};
use pno::task::Task;

use super::columns::number;

/// What to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Steps of time of the output
    Lead,
    /// Quantities of the output
    Channel,
}

impl By {
    /// The table by quantity of the output of a task.
    pub fn quantity_table(report: &Report, task: &Task) -> String {
        let names = task.outputs.iter().map(|quantity| quantity.name.clone());
        let names = ("quantity".into(), names.collect());
        Self::Channel.table(report, &names).unwrap_or_default()
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
            let values = numbers.iter().map(|line| number(line.named()[place].1));
            columns.push(
                std::iter::once(key.replace('_', " "))
                    .chain(values)
                    .collect(),
            );
        }
    }
    super::columns::columns(&columns)
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
