//! How much each point counts.

use anyhow::{Context, Result, bail, ensure};

use super::Pair;
use crate::formats::{self, Options};

/// Names of latitudes.
const LATITUDE: [&str; 3] = ["latitude", "lat", "y"];

/// What the user asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// The cosine of the latitude, which the file knows.
    Latitude,
    /// The cosine of the latitude, from the first to the last of the second-last axis.
    LatitudeBetween(f64, f64),
    /// An array of the field's shape, or of that without lead times.
    File(String),
}

impl std::str::FromStr for Weights {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "latitude" {
            return Ok(Self::Latitude);
        }
        let Some(range) = text.strip_prefix("latitude:") else {
            return Ok(Self::File(text.to_owned()));
        };
        let ends = range.split_once("..");
        let parsed = ends.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parsed {
            Some((first, last)) => Ok(Self::LatitudeBetween(first, last)),
            None => bail!("`{text}`: latitudes such as latitude:90..-90 are wanted"),
        }
    }
}

impl Weights {
    /// The weight of every point of a field, in any scale; not all are zero.
    pub fn of(&self, pair: &Pair) -> Result<Vec<f64>> {
        let weights = self.unchecked(pair)?;
        ensure!(
            weights.iter().any(|weight| *weight > 0.0),
            "all weights are 0, so no point counts"
        );
        Ok(weights)
    }

    fn unchecked(&self, pair: &Pair) -> Result<Vec<f64>> {
        match self {
            Self::File(path) => from_file(path, pair),
            Self::Latitude => {
                let axis = pair
                    .axes
                    .iter()
                    .position(|name| LATITUDE.contains(&name.as_str()))
                    .with_context(|| format!("--weights latitude: none of the axes {:?} is a latitude; give latitude:FIRST..LAST", pair.axes))?;
                let name = &pair.axes[axis];
                let degrees = pair.coordinate(name, pair.shape[axis])?.with_context(|| {
                    format!("--weights latitude: the files have no coordinate `{name}`; give latitude:FIRST..LAST")
                })?;
                cosines(pair, axis, &degrees)
            }
            Self::LatitudeBetween(first, last) => {
                ensure!(
                    pair.shape.len() >= 2,
                    "--weights latitude:{first}..{last}: a field of shape {:?} has no axis of latitudes, which is the second-last",
                    pair.shape
                );
                let axis = pair.shape.len() - 2;
                let n = pair.shape[axis];
                let step = (last - first) / (n.max(2) - 1) as f64;
                let degrees: Vec<f64> = (0..n).map(|i| first + step * i as f64).collect();
                cosines(pair, axis, &degrees)
            }
        }
    }
}

fn cosines(pair: &Pair, axis: usize, degrees: &[f64]) -> Result<Vec<f64>> {
    if let Some(i) = degrees.iter().position(|d| !(-90.0..=90.0).contains(d)) {
        bail!(
            "latitude {i} is {}, but -90 to 90 degrees are wanted",
            degrees[i]
        );
    }
    let inner: usize = pair.shape[axis + 1..].iter().product();
    let points: usize = pair.shape.iter().product();
    let cosine = |point: usize| degrees[point / inner % degrees.len()].to_radians().cos();
    Ok((0..points).map(|point| cosine(point).max(0.0)).collect())
}

fn from_file(path: &str, pair: &Pair) -> Result<Vec<f64>> {
    let archive = formats::open(path, &Options::default())?;
    let variable = archive
        .variables()
        .first()
        .with_context(|| format!("{path}: it has no array"))?;
    let whole: Vec<_> = variable.shape.iter().map(|&n| 0..n).collect();
    let values = archive.read(variable, &whole)?;
    let points: usize = pair.shape.iter().product();
    let once = variable.shape == pair.shape[usize::from(pair.has_leads)..];
    ensure!(
        variable.shape == pair.shape || once,
        "{path}: weights of shape {:?}, but a field has {:?}",
        variable.shape,
        pair.shape
    );
    if let Some(i) = values.iter().position(|v| !v.is_finite() || *v < 0.0) {
        bail!(
            "{path}: weight {i} is {}, but none may be negative or missing",
            values[i]
        );
    }
    Ok(values.iter().copied().cycle().take(points).collect())
}
