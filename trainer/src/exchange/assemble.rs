//! From the tensors of a foreign file to ours. Whatever does not fit is named, all of it at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use pno::spec::{ModelSpec, Operator};

use super::found::{Found, Tensors, shown};
use super::names::{self, Entry};

/// Most problems that are named; the rest is counted.
const NAMED: usize = 10;

/// Something about one tensor that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Problem {
    Missing {
        name: String,
        wanted: Vec<usize>,
    },
    Extra {
        name: String,
        found: Vec<usize>,
    },
    Shape {
        name: String,
        found: Vec<usize>,
        wanted: Vec<usize>,
    },
    Values {
        name: String,
        reason: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name, wanted } => {
                write!(f, "`{name}` is missing (wanted {wanted:?})")
            }
            Self::Extra { name, found } => {
                write!(f, "`{}` is not part of it (found {found:?})", shown(name))
            }
            Self::Shape {
                name,
                found,
                wanted,
            } => {
                write!(f, "`{name}` is {found:?}, but must be {wanted:?}")
            }
            Self::Values { name, reason } => write!(f, "`{name}`: {reason}"),
        }
    }
}

/// Why tensors are not those of a model: what does not fit, and what might help.
#[derive(Debug, PartialEq, Eq)]
pub struct Mismatch {
    model: String,
    problems: Vec<Problem>,
    hint: Option<&'static str>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tensors are not those of a {}: ", self.model)?;
        for (i, problem) in self.problems.iter().take(NAMED).enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        if self.problems.len() > NAMED {
            write!(f, "; and {} more", self.problems.len() - NAMED)?;
        }
        match self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Our tensors, in the order of [`ModelSpec::tensors`].
///
/// Only tensors of the right name and shape are read, so a file cannot choose an allocation.
pub fn assemble(spec: &ModelSpec, found: &Tensors<'_>) -> Result<Vec<Vec<f32>>, Mismatch> {
    let entries = names::entries(spec);
    let mut by_name: BTreeMap<&str, &Found<'_>> = found
        .iter()
        .map(|(name, found)| (name.as_str(), found))
        .collect();
    let mut ours = vec![vec![]; spec.tensors().len()];
    let mut problems = vec![];
    for entry in &entries {
        match taken(entry, by_name.remove(entry.name.as_str())) {
            Ok(tensors) => {
                for (&i, tensor) in entry.ours.iter().zip(tensors) {
                    ours[i] = tensor;
                }
            }
            Err(problem) => problems.push(problem),
        }
    }
    problems.extend(by_name.into_iter().map(|(name, found)| Problem::Extra {
        name: name.to_owned(),
        found: found.shape().to_vec(),
    }));
    if problems.is_empty() {
        return Ok(ours);
    }
    Err(Mismatch {
        model: format!("{} {} of {}", spec.method, spec.operator, spec.experiment),
        problems,
        hint: hint(spec, found),
    })
}

fn taken(entry: &Entry, found: Option<&Found<'_>>) -> Result<Vec<Vec<f32>>, Problem> {
    let name = || entry.name.clone();
    let Some(found) = found else {
        return Err(Problem::Missing {
            name: name(),
            wanted: entry.shape.clone(),
        });
    };
    if !entry.accepts(found.shape()) {
        return Err(Problem::Shape {
            name: name(),
            found: found.shape().to_vec(),
            wanted: entry.shape.clone(),
        });
    }
    let values = found.values().map_err(|error| Problem::Values {
        name: name(),
        reason: shown(&format!("{error:#}")),
    })?;
    Ok(entry.unpack(&values))
}

/// What most often is the cause.
fn hint(spec: &ModelSpec, found: &Tensors<'_>) -> Option<&'static str> {
    let has = |name: &str| found.contains_key(name);
    let two_heads = has("mu.fcs.0.weight") && has("sigma.fcs.0.weight");
    if two_heads && !spec.method.has_spread_head() {
        return Some("it has two heads, mu and sigma: --method pno-r");
    }
    if spec.method.has_spread_head() && has("projection.fcs.0.weight") {
        return Some("it has one head, projection: pno-r has mu and sigma");
    }
    let factorised = |name: &String| name.contains(".factors.");
    if found.keys().any(factorised) {
        return Some("its spectral weights are factorised; only dense ones are read");
    }
    let is_block =
        |name: &&String| name.starts_with("fno_blocks.") && name.ends_with(".convs.bias");
    if spec.operator == Operator::Uno && found.keys().filter(is_block).count() != spec.levels.len()
    {
        return Some(
            "its blocks are not as many: say all of them with --set model.levels=[{width=..,modes=[..],scale=[..]},..]",
        );
    }
    None
}

/// Takes away what stands before every name: `module.` of DataParallel, `_orig_mod.` of torch.compile, `model.` of
/// the authors' wrapper, `state_dict.` of a dictionary around it, or any of them together.
///
/// It is the beginning under which most of the wanted names are found. Tensors without it keep their names.
pub fn without_prefix<'a>(spec: &ModelSpec, found: Tensors<'a>) -> (String, Tensors<'a>) {
    let wanted: Vec<String> = names::entries(spec).into_iter().map(|e| e.name).collect();
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for name in found.keys() {
        let starts = name.match_indices('.').map(|(i, _)| i + 1);
        for start in std::iter::once(0).chain(starts) {
            if wanted.iter().any(|w| w == &name[start..]) {
                *votes.entry(&name[..start]).or_default() += 1;
            }
        }
    }
    // Of equals the shortest: the last of those with most votes, counted from the longest.
    let best = votes.iter().rev().max_by_key(|(_, votes)| **votes);
    let prefix = best.map_or(String::new(), |(prefix, _)| (*prefix).to_owned());
    // A name that is there without it as well would hide the other tensor: it stays, and is told as not part of it.
    let taken: BTreeSet<String> = found.keys().cloned().collect();
    let plain = |name: String| match name.strip_prefix(&prefix) {
        Some(rest) if !taken.contains(rest) => rest.to_owned(),
        _ => name,
    };
    let renamed = found
        .into_iter()
        .map(|(name, f)| (plain(name), f))
        .collect();
    (prefix, renamed)
}
