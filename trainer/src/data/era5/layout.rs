//! Which variable of a file, and which of its axes is which.

use anyhow::{Context, Result, bail, ensure};

use crate::formats::{Archive, Variable};

/// Names of time axes: the usual one, and that of files from the climate data store since 2024.
const TIME: [&str; 2] = ["time", "valid_time"];
const LATITUDE: [&str; 2] = ["latitude", "lat"];
const LONGITUDE: [&str; 2] = ["longitude", "lon"];
/// The axis of files that hold final and preliminary data (ERA5 and ERA5T), where each time has one of them.
const VERSION: &str = "expver";
/// What the temperature two metres above the ground is called: in WeatherBench2, NetCDF and GRIB.
const KNOWN: [&str; 3] = ["2m_temperature", "t2m", "2t"];

/// A variable over time, latitude and longitude.
#[derive(Debug)]
pub struct Layout {
    /// The variable.
    pub variable: Variable,
    /// Which axis is time.
    pub time: usize,
    /// Which axis is latitude.
    pub latitude: usize,
    /// Which axis is longitude.
    pub longitude: usize,
    /// Which axis tells final from preliminary data; any further axis has one entry.
    pub version: Option<usize>,
}

impl Layout {
    /// The variable of this name, or the only one (or the known one) over time, latitude and longitude.
    pub fn find(archive: &dyn Archive, name: Option<&str>) -> Result<Self> {
        let place = archive.place();
        let usable: Vec<&Variable> = archive
            .variables()
            .iter()
            .filter(|variable| Self::of(archive, variable).is_ok())
            .collect();
        let listed = || {
            let names: Vec<String> = usable.iter().map(|v| format!("`{}`", v.name)).collect();
            match &names[..] {
                [] => "it has none over time, latitude and longitude".to_owned(),
                _ => format!(
                    "over time, latitude and longitude it has {}",
                    names.join(", ")
                ),
            }
        };
        let Some(name) = name else {
            let mut known = usable.clone();
            known.retain(|variable| KNOWN.contains(&variable.name.as_str()));
            return match (&usable[..], &known[..]) {
                ([only], _) | (_, [only]) => Self::of(archive, only),
                ([], _) => bail!("{place}: no variable can be used: {}", listed()),
                _ => bail!(
                    "{place}: which variable is meant? {}; name one with --variable",
                    listed()
                ),
            };
        };
        let mut all = archive.variables().iter();
        match all.find(|variable| variable.name == name) {
            Some(variable) => Self::of(archive, variable),
            None => bail!("{place}: there is no variable `{name}`; {}", listed()),
        }
    }

    fn of(archive: &dyn Archive, variable: &Variable) -> Result<Self> {
        let (place, name) = (archive.place(), &variable.name);
        let axis = |what: &str, names: &[&str], unit: fn(&str) -> bool| {
            variable
                .dimensions
                .iter()
                .position(|dimension| {
                    let said = coordinate(archive, dimension).and_then(Variable::units);
                    names.contains(&dimension.as_str()) || said.is_some_and(unit)
                })
                .with_context(|| {
                    format!(
                        "{place}: `{name}` has the axes {:?}, none of which is {what}",
                        variable.dimensions
                    )
                })
        };
        let layout = Self {
            time: axis("time", &TIME, |unit| unit.contains(" since "))?,
            latitude: axis("latitude", &LATITUDE, |unit| unit == "degrees_north")?,
            longitude: axis("longitude", &LONGITUDE, |unit| unit == "degrees_east")?,
            version: variable.dimensions.iter().position(|d| d == VERSION),
            variable: variable.clone(),
        };
        for (i, &size) in variable.shape.iter().enumerate() {
            let known = [layout.time, layout.latitude, layout.longitude].contains(&i);
            ensure!(
                known || size == 1 || Some(i) == layout.version,
                "{place}: `{name}` has {size} entries along `{}`, but one is wanted",
                variable.dimensions[i]
            );
        }
        Ok(layout)
    }

    /// The coordinate of an axis, and what sentences call it.
    pub fn coordinate(
        &self,
        archive: &dyn Archive,
        axis: usize,
    ) -> Result<(String, Variable, Vec<f64>)> {
        let (place, dimension) = (archive.place(), &self.variable.dimensions[axis]);
        let variable = coordinate(archive, dimension)
            .with_context(|| format!("{place}: the axis `{dimension}` has no values"))?;
        let (found, wanted) = (variable.shape[0], self.variable.shape[axis]);
        ensure!(
            found == wanted,
            "{place}: the axis `{dimension}` has {found} values, but `{}` has {wanted} entries along it",
            self.variable.name
        );
        let values = archive.read(variable, std::slice::from_ref(&(0..found)))?;
        let what = format!("{place}: the axis `{dimension}`");
        Ok((what, variable.clone(), values))
    }
}

/// The variable that holds the values of an axis: it has its name, and no other axis.
fn coordinate<'a>(archive: &'a dyn Archive, dimension: &str) -> Option<&'a Variable> {
    let mut all = archive.variables().iter();
    all.find(|variable| {
        variable.name == dimension
            && variable.dimensions.len() == 1
            && variable.dimensions[0] == dimension
    })
}
