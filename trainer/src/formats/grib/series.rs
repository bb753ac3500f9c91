//! Fields of one parameter at one level, put together in the order of time; what is not one block of times is refused.

use anyhow::{Result, bail, ensure};

use super::index::Field;
use super::names::{Parameter, name_of};
use crate::formats::cf::format_date;

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
        let same = series
            .iter_mut()
            .find(|one| one.fields[0].parameter == field.parameter);
        let Some(one) = same else {
            let name = name_of(&field.parameter);
            series.push(Series {
                name,
                fields: vec![field],
            });
            continue;
        };
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
        let names: Vec<String> = series.iter().map(|one| one.name.clone()).collect();
        for one in series.iter_mut() {
            if names.iter().filter(|name| **name == one.name).count() > 1 {
                one.name += &ending(&one.fields[0].parameter);
            }
        }
    }
    for (at, one) in series.iter().enumerate() {
        ensure!(
            series[..at].iter().all(|other| other.name != one.name),
            "message {} (at byte {}) is another parameter that would be called `{}`",
            one.fields[0].message,
            one.fields[0].offset,
            one.name
        );
    }
    Ok(())
}
