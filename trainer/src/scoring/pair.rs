//! Two arrays that belong together: members `[case, member, …field]` and truth `[case, …field]`.
//!
//! A value may be missing (NaN). One that is infinite, also because `f32` cannot hold it, is a broken forecast among the
//! members, so it is missing there and counted; in the truth it is a fault of the file, which is refused.

use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};

use crate::formats::{Archive, Variable};

/// Names that the axis of members has in one file or another.
const MEMBER: [&str; 6] = [
    "member",
    "members",
    "number",
    "realization",
    "ensemble",
    "sample",
];
/// Names of lead times.
const LEAD: [&str; 6] = [
    "time",
    "lead_time",
    "prediction_timedelta",
    "step",
    "lead",
    "leadtime",
];

/// What the user says of the axes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout {
    /// Which axis of the members counts them: 0 or 1.
    pub member_axis: Option<usize>,
    /// Whether the first axis of a field is lead time; found out by its name if not said.
    pub leads: bool,
    /// Whether the last axis is channels.
    pub channels: bool,
}

/// Members and truth, checked against each other.
pub struct Pair {
    members: (Box<dyn Archive>, Variable),
    truth: (Box<dyn Archive>, Variable),
    member_axis: usize,
    /// Sizes of a field, without channels.
    pub shape: Vec<usize>,
    /// Names of the axes of a field; empty where there are none.
    pub axes: Vec<String>,
    /// Channels of a field.
    pub channels: usize,
    /// Whether the first axis of a field is lead time.
    pub has_leads: bool,
}

/// Members and truth of one case.
#[derive(Debug, PartialEq)]
pub struct Case {
    /// `[member, …field]`, without infinite values.
    pub members: Vec<f32>,
    /// `[…field]`.
    pub truth: Vec<f32>,
    /// Values of members that were infinite.
    pub infinite: usize,
}

impl Pair {
    /// Finds the arrays (by name, where there are several) and how their axes belong together.
    pub fn new(
        members: (Box<dyn Archive>, Option<&str>),
        truth: (Box<dyn Archive>, Option<&str>),
        layout: Layout,
    ) -> Result<Self> {
        let members = found(members.0, members.1)?;
        let truth = found(truth.0, truth.1)?;
        let member_axis = member_axis(&members.1, &truth.1, layout.member_axis)?;
        let mut shape = members.1.shape[member_axis + 1..].to_vec();
        let mut axes = members.1.dimensions[member_axis + 1..].to_vec();
        if axes.iter().all(String::is_empty) {
            // The truth may know better.
            let known = &truth.1.dimensions;
            axes = known[known.len() - shape.len()..].to_vec();
        }
        ensure!(
            shape.len() > usize::from(layout.channels),
            "`{}` has the shape {:?}, so a field of it is a single number: nothing to score",
            members.1.name,
            members.1.shape
        );
        let channels = if layout.channels {
            axes.pop();
            shape.pop().unwrap_or(1)
        } else {
            1
        };
        let has_leads = layout.leads
            || axes
                .first()
                .is_some_and(|name| LEAD.contains(&name.as_str()));
        Ok(Self {
            members,
            truth,
            member_axis,
            shape,
            axes,
            channels,
            has_leads,
        })
    }

    /// Number of cases.
    pub fn cases(&self) -> usize {
        match self.member_axis {
            0 => 1,
            _ => self.members.1.shape[0],
        }
    }

    /// Number of members.
    pub fn members(&self) -> usize {
        self.members.1.shape[self.member_axis]
    }

    /// Reads a case.
    pub fn case(&self, case: usize) -> Result<Case> {
        let read = |(archive, variable): &(Box<dyn Archive>, Variable), has_cases: bool| {
            let mut block: Vec<Range<usize>> = variable.shape.iter().map(|&n| 0..n).collect();
            if has_cases {
                block[0] = case..case + 1;
            }
            let values = archive.read(variable, &block)?;
            anyhow::Ok(values.into_iter().map(|v| v as f32).collect::<Vec<f32>>())
        };
        let mut members = read(&self.members, self.member_axis == 1)?;
        let truth = read(&self.truth, self.member_axis == 1 || self.truth_has_cases())?;
        if let Some(at) = truth.iter().position(|y| y.is_infinite()) {
            let (archive, variable) = &self.truth;
            bail!(
                "{}: `{}` of case {case} is {} at {:?} of its field, but a truth must be finite in 32 bits, or NaN where it is missing",
                archive.place(),
                variable.name,
                truth[at],
                self.index(at)
            );
        }
        let infinite = without_infinities(&mut members);
        Ok(Case {
            members,
            truth,
            infinite,
        })
    }

    /// Where a value of a field is, along each of its axes.
    fn index(&self, value: usize) -> Vec<usize> {
        let channels = (self.channels > 1).then_some(self.channels);
        let mut rest = value;
        let mut index: Vec<usize> = (self.shape.iter().copied().chain(channels))
            .rev()
            .map(|size| {
                let along = rest % size;
                rest /= size;
                along
            })
            .collect();
        index.reverse();
        index
    }

    /// A single case may still have an axis of one case.
    fn truth_has_cases(&self) -> bool {
        let field = self.shape.len() + usize::from(self.channels > 1);
        self.truth.1.shape.len() > field && self.member_axis == 0
    }

    /// The coordinate of an axis of the field, from either file.
    pub fn coordinate(&self, name: &str, size: usize) -> Result<Option<Vec<f64>>> {
        for (archive, _) in [&self.members, &self.truth] {
            let variable = archive
                .variables()
                .iter()
                .find(|v| v.name == name && v.shape == [size]);
            if let Some(variable) = variable {
                let whole = std::iter::once(0..size).collect::<Vec<_>>();
                return Ok(Some(archive.read(variable, &whole)?));
            }
        }
        Ok(None)
    }
}

/// Makes infinite values NaN; how many there were.
fn without_infinities(values: &mut [f32]) -> usize {
    let mut count = 0;
    for value in values.iter_mut().filter(|value| value.is_infinite()) {
        *value = f32::NAN;
        count += 1;
    }
    count
}

/// The array that is meant: by its name, or the one with the most axes.
fn found(archive: Box<dyn Archive>, name: Option<&str>) -> Result<(Box<dyn Archive>, Variable)> {
    let all = archive.variables();
    let names = || {
        let names: Vec<&str> = all.iter().map(|v| v.name.as_str()).collect();
        names.join(", ")
    };
    let variable = if let Some(name) = name {
        all.iter().find(|v| v.name == name).with_context(|| {
            format!(
                "{}: there is no array `{name}`; there are {}",
                archive.place(),
                names()
            )
        })?
    } else {
        let most = all.iter().map(|v| v.shape.len()).max().unwrap_or(0);
        let mut largest = all.iter().filter(|v| v.shape.len() == most);
        match (largest.next(), largest.next()) {
            (Some(only), None) => only,
            _ => bail!(
                "{}: it has several arrays ({}), so one must be named: FILE:NAME",
                archive.place(),
                names()
            ),
        }
    };
    let variable = variable.clone();
    Ok((archive, variable))
}

/// Which axis counts the members: as told, by its name, or the one that fits the truth.
fn member_axis(members: &Variable, truth: &Variable, told: Option<usize>) -> Result<usize> {
    let (m, t) = (&members.shape, &truth.shape);
    let fits = |axis: usize| match axis {
        0 => {
            m.len() > 1 && (m[1..] == t[..] || t.len() == m.len() && t[0] == 1 && t[1..] == m[1..])
        }
        _ => m.len() > 2 && t.len() + 1 == m.len() && m[0] == t[0] && m[2..] == t[1..],
    };
    let named = members
        .dimensions
        .iter()
        .position(|name| MEMBER.contains(&name.as_str()));
    let chosen = told.or(named.filter(|axis| *axis < 2)).or_else(|| {
        // Where both fit, nothing but a name can tell.
        let both: Vec<usize> = [0, 1].into_iter().filter(|&axis| fits(axis)).collect();
        (both.len() == 1).then(|| both[0])
    });
    match chosen {
        Some(axis) if fits(axis) => Ok(axis),
        Some(axis) => bail!(
            "members of shape {m:?} with {} members do not belong to a truth of shape {t:?}: [case, member, …] and [case, …], or [member, …] and […] are wanted",
            m.get(axis).copied().unwrap_or(0)
        ),
        None if fits(0) => bail!(
            "members of shape {m:?} fit a truth of shape {t:?} in two ways: say --member-axis 0 or 1"
        ),
        None => bail!(
            "members of shape {m:?} do not belong to a truth of shape {t:?}: [case, member, …] and [case, …], or [member, …] and […] are wanted"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(dimensions: &[&str], shape: &[usize]) -> Variable {
        let mut names: Vec<String> = dimensions.iter().map(|d| (*d).to_owned()).collect();
        names.resize(shape.len(), String::new());
        Variable {
            name: "u".into(),
            dimensions: names,
            shape: shape.to_vec(),
            attributes: serde_json::Map::new(),
        }
    }

    #[test]
    fn the_axis_of_members_is_found_by_name_or_by_what_fits() {
        let axis = |members: &Variable, truth: &[usize], told| {
            member_axis(members, &variable(&[], truth), told)
        };
        assert_eq!(axis(&variable(&[], &[10, 8]), &[8], None).expect("fits"), 0);
        assert_eq!(
            axis(&variable(&[], &[4, 10, 8]), &[4, 8], None).expect("fits"),
            1
        );
        assert_eq!(
            axis(&variable(&[], &[10, 8]), &[1, 8], None).expect("fits"),
            0
        );
        let square = variable(&[], &[5, 5, 8]);
        let message = axis(&square, &[5, 8], None)
            .expect_err("two ways")
            .to_string();
        assert!(message.contains("--member-axis"), "{message}");
        assert_eq!(axis(&square, &[5, 8], Some(1)).expect("told"), 1);
        let named = variable(&["time", "number", "x"], &[5, 5, 8]);
        assert_eq!(axis(&named, &[5, 8], None).expect("named"), 1);
        for (members, truth) in [
            (&[10, 8][..], &[7][..]),
            (&[8], &[8]),
            (&[4, 10, 8], &[3, 8]),
        ] {
            let message = axis(&variable(&[], members), truth, None).expect_err("refused");
            assert!(message.to_string().contains("do not belong"), "{message}");
        }
    }
}
