//! Fields of one parameter at one level, put together in the order of time; what is not one block of times is refused.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, bail, ensure};

use super::index::Field;
use super::names::{Parameter, name_of};
use crate::formats::cf::format_date;

/// Variables of a file: some dozens of parameters on all levels of a model are a few thousand.
const MAX_VARIABLES: usize = 10_000;

/// All fields of one parameter at one level, in the order of time.
#[derive(Debug)]
pub struct Series {
    /// Name of the variable.
    pub name: String,
    /// One per time, at least one.
    pub fields: Vec<Field>,
}

/// Puts the fields of a parameter together, and refuses what is not one block of times on one grid.
pub fn sorted(fields: Vec<Field>) -> Result<Vec<Series>> {
    let mut series: Vec<Series> = Vec::new();
    let mut places: HashMap<Parameter, usize> = HashMap::new();
    for field in fields {
        if let Some(first) = series.first().and_then(|series| series.fields.first()) {
            ensure!(
                field.grid == first.grid,
                "message {} (at byte {}) is on another grid than message {}: {:?} instead of {:?}",
                field.message,
                field.offset,
                first.message,
                field.grid,
                first.grid
            );
        }
        let Some(&place) = places.get(&field.parameter) else {
            ensure!(
                series.len() < MAX_VARIABLES,
                "message {} (at byte {}) begins another variable, but at most {MAX_VARIABLES} are read",
                field.message,
                field.offset
            );
            places.insert(field.parameter, series.len());
            let name = name_of(&field.parameter);
            series.push(Series {
                name,
                fields: vec![field],
            });
            continue;
        };
        let one = &mut series[place];
        if let Some(last) = one.fields.last() {
            ensure!(
                field.time > last.time,
                "message {} (at byte {}) of `{}` is for {}, but message {} before it is for {}: times must ascend and none may come twice",
                field.message,
                field.offset,
                one.name,
                format_date(field.time),
                last.message,
                format_date(last.time)
            );
        }
        one.fields.push(field);
    }
    check_times(&series)?;
    name_levels(&mut series)?;
    Ok(series)
}

fn check_times(series: &[Series]) -> Result<()> {
    let Some((first, others)) = series.split_first() else {
        return Ok(());
    };
    for other in others {
        let mut pairs = first.fields.iter().zip(&other.fields);
        if let Some((a, b)) = pairs.find(|(a, b)| a.time != b.time) {
            bail!(
                "`{}` is given for {} (message {}) where `{}` is given for {} (message {}): all variables must have the same times",
                other.name,
                format_date(b.time),
                b.message,
                first.name,
                format_date(a.time),
                a.message
            );
        }
        ensure!(
            first.fields.len() == other.fields.len(),
            "`{}` has {} times, but `{}` has {}: all variables must have the same times",
            other.name,
            other.fields.len(),
            first.name,
            first.fields.len()
        );
    }
    Ok(())
}

/// A parameter at several levels is told apart by the level behind its name, and by its type where that is not enough.
fn name_levels(series: &mut [Series]) -> Result<()> {
    let endings: [fn(&Parameter) -> String; 2] = [
        |parameter| format!("_{}", parameter.level()),
        |parameter| format!("_type{}", parameter.level_type),
    ];
    for ending in endings {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for one in series.iter() {
            *counts.entry(one.name.clone()).or_default() += 1;
        }
        for one in series.iter_mut() {
            if counts.get(&one.name).is_some_and(|count| *count > 1) {
                one.name += &ending(&one.fields[0].parameter);
            }
        }
    }
    let mut names = HashSet::new();
    for one in series.iter() {
        ensure!(
            names.insert(one.name.as_str()),
            "message {} (at byte {}) is another parameter that would be called `{}`",
            one.fields[0].message,
            one.fields[0].offset,
            one.name
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::file::Bytes;
    use crate::formats::grib::index;
    use std::path::Path;

    /// One field at each of so many levels.
    fn levels(count: usize) -> Vec<Field> {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats/levels1.grib");
        let bytes = Bytes::open(&path).expect("a fixture");
        let first = index::fields(&bytes, usize::MAX).expect("fields").remove(0);
        let at = |level: usize| Field {
            parameter: Parameter {
                level_value: level as i64,
                ..first.parameter
            },
            ..first.clone()
        };
        (0..count).map(at).collect()
    }

    #[test]
    fn as_many_variables_as_there_may_be_are_told_apart_and_one_more_is_refused() {
        let series = sorted(levels(MAX_VARIABLES)).expect("as many as there may be");
        assert_eq!(series.len(), MAX_VARIABLES);
        assert_eq!(series[850].name, "t_850");
        let message = sorted(levels(MAX_VARIABLES + 1))
            .expect_err("one too many")
            .to_string();
        assert!(
            message.contains("another variable, but at most 10000"),
            "{message}"
        );
    }
}
