//! Which cases come with the page: `cases/index.json` beside it, and arrays of input and truth.

use pno::spec::Experiment;
use pno::task::{Axis, Task};
use serde::Deserialize;

use crate::when::Hour;

/// Folder of the shipped cases, from the page.
pub const FOLDER: &str = "cases";
/// Most cases that are read from the list.
const MOST: usize = 100;

/// The list of shipped cases.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Cases {
    /// In the order in which they are offered.
    pub cases: Vec<Entry>,
}

/// One shipped case.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Entry {
    /// File name in the folder of cases.
    pub file: String,
    /// What `pno data case` wrote of it.
    pub note: Note,
}

/// What a case is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Note {
    /// Which problem.
    pub experiment: Experiment,
    /// Time of the first step, UTC.
    pub start: String,
    /// Where it is.
    #[serde(default)]
    pub title: String,
    /// Where the values are from.
    #[serde(default)]
    pub credit: String,
    /// Grid, quantities and units.
    pub task: Task,
}

impl Cases {
    /// Reads the list; `None` where a server answers with something else. What cannot be shown is left out.
    pub fn parse(json: &str) -> Option<Self> {
        let mut list: Self = serde_json::from_str(json).ok()?;
        list.cases.truncate(MOST);
        list.cases.retain(|entry| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            entry.file.chars().all(plain)
                && entry.now().is_some()
                && entry.note.task.validate().is_ok()
        });
        Some(list)
    }

    /// The cases of an experiment that a model can forecast; all of them while there is no model.
    pub fn of<'a>(
        &'a self,
        experiment: Experiment,
        model: Option<&'a Task>,
    ) -> impl Iterator<Item = &'a Entry> {
        self.cases.iter().filter(move |entry| {
            entry.note.experiment == experiment && model.is_none_or(|model| entry.fits(model))
        })
    }
}

impl Entry {
    /// Address from the page.
    pub fn address(&self) -> String {
        format!("{FOLDER}/{}", self.file)
    }

    /// Its name in addresses: the day it begins, with the hour where that is not midnight.
    pub fn name(&self) -> &str {
        let start = self.note.start.as_str();
        start.strip_suffix("T00:00").unwrap_or(start)
    }

    /// Time of the last step of the input, from which lead times are counted.
    pub fn now(&self) -> Option<Hour> {
        let axis = self
            .note
            .task
            .input
            .first()
            .filter(|axis| axis.unit == "hours")?;
        let seen = axis.step * (axis.size as f64 - 1.0);
        Some(Hour::parse(&self.note.start)?.after(seen))
    }

    /// `26 Feb 2014, North America`.
    pub fn label(&self) -> String {
        let day = self.now().map(Hour::day).unwrap_or_default();
        // The day of the week is of no use in a list.
        let date = day.split_once(' ').map_or("", |(_, date)| date);
        match self.note.title.as_str() {
            "" => date.to_owned(),
            title => format!("{date}, {title}"),
        }
    }

    /// Whether a model takes it: the same points and times, whatever they are called.
    pub fn fits(&self, model: &Task) -> bool {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * a.abs().max(1.0);
        let same = |a: &Axis, b: &Axis| {
            a.size == b.size && a.unit == b.unit && close(a.start, b.start) && close(a.step, b.step)
        };
        let all =
            |a: &[Axis], b: &[Axis]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
        let units = |task: &Task| {
            let quantities = task.inputs.iter().chain(&task.outputs);
            quantities.map(|q| q.unit.clone()).collect::<Vec<_>>()
        };
        let own = &self.note.task;
        all(&own.input, &model.input)
            && all(&own.output, &model.output)
            && units(own) == units(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(file: &str, start: &str) -> String {
        let task = serde_json::to_string(&Task::era5()).expect("a task");
        format!(
            r#"{{"cases":[{{"file":"{file}","note":{{"experiment":"era5","start":"{start}","title":"Europe","task":{task}}}}}]}}"#
        )
    }

    #[test]
    fn a_case_is_named_by_its_first_day_and_offered_by_its_last_input() {
        let cases = Cases::parse(&list("a.npy", "2014-02-24T00:00")).expect("a list");
        let entry = &cases.cases[0];
        assert_eq!(
            (entry.name(), entry.address()),
            ("2014-02-24", "cases/a.npy".to_owned())
        );
        assert_eq!(
            entry.now().map(Hour::words).as_deref(),
            Some("Wed 26 Feb 2014, 06:00 UTC")
        );
        assert_eq!(entry.label(), "26 Feb 2014, Europe");
        let six = Cases::parse(&list("a.npy", "2014-02-24T06:00")).expect("a list");
        assert_eq!(six.cases[0].name(), "2014-02-24T06:00");
    }

    #[test]
    fn a_model_of_another_grid_is_not_offered_the_case() {
        let cases = Cases::parse(&list("a.npy", "2014-02-24T00:00")).expect("a list");
        let offered = |model: Option<&Task>| cases.of(Experiment::Era5, model).count();
        let mut other = Task::era5();
        other.outputs[0].name = "air".to_owned();
        assert_eq!((offered(None), offered(Some(&other))), (1, 1));
        other.output[2].start += 0.25;
        assert_eq!(offered(Some(&other)), 0);
        assert_eq!(offered(Some(&Task::era5().on_grid(&[4, 10, 14]))), 0);
        assert_eq!(cases.of(Experiment::Ks, None).count(), 0);
    }

    #[test]
    fn what_is_no_case_is_left_out() {
        assert_eq!(Cases::parse("<!doctype html>"), None);
        for (file, start) in [("../a.npy", "2014-02-24T00:00"), ("a.npy", "yesterday")] {
            let cases = Cases::parse(&list(file, start)).expect("a list");
            assert_eq!(cases.cases, [], "{file} {start}");
        }
    }
}
