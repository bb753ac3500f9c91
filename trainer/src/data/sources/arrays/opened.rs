//! One array of a user, with names for its axes.

use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use pno::task::{Axis, MAX_POINTS, Mask};

use super::Plan;
use super::config::{Config, FieldConfig};
use crate::data::MAX_ROWS;
use crate::data::missing::{self, Fault};
use crate::data::source::Field;
use crate::formats::{self, Archive, Variable, values_of};

/// How far a coordinate may be from equal steps, in steps: single precision of large numbers.
const UNEVEN: f64 = 1e-3;
/// Most values that are read at once for the sake of a file's own chunks.
const AT_ONCE: usize = 1 << 21;

/// An open array.
pub struct Opened {
    archive: Box<dyn Archive>,
    variable: Variable,
    /// Name of its quantity.
    pub name: String,
    /// Unit; empty if nobody names one.
    pub unit: String,
    /// Names of all axes.
    pub axes: Vec<String>,
    /// Points of space that have no value in any row and frame; every other value is wanted.
    pub mask: Option<Mask>,
}

impl Opened {
    /// Finds the array of a field in its file.
    pub fn new(
        archive: Box<dyn Archive>,
        field: &FieldConfig,
        axes: Option<&[String]>,
    ) -> Result<Self> {
        let place = archive.place().to_owned();
        let wanted = field.variable.as_deref().unwrap_or(&field.name);
        let found = archive.variables();
        let variable = match found {
            // A file of a single array needs no name.
            [only] if field.variable.is_none() => only,
            all => all.iter().find(|v| v.name == wanted).with_context(|| {
                let names: Vec<&str> = all.iter().map(|v| v.name.as_str()).collect();
                format!(
                    "{place}: there is no array `{wanted}`; there are {}",
                    names.join(", ")
                )
            })?,
        }
        .clone();
        let shape = &variable.shape;
        let axes = match axes {
            Some(axes) => axes.to_vec(),
            None => variable.dimensions.clone(),
        };
        ensure!(
            axes.len() == shape.len() && shape.len() >= 2,
            "{place}: `{}` has the shape {shape:?}, but its axes are called {axes:?}: `axes` must name each, cases (or time) first",
            variable.name
        );
        ensure!(
            axes.iter().all(|name| !name.is_empty()),
            "{place}: `{}` has axes without a name: `axes = [\"case\", …]` must name them",
            variable.name
        );
        ensure!(
            shape[0] <= MAX_ROWS,
            "{place}: `{}` has the shape {shape:?}, but a data set has at most {MAX_ROWS} rows",
            variable.name
        );
        let unit = field.unit.as_deref().or(variable.units());
        let unit = unit
            .filter(|unit| *unit != "1")
            .unwrap_or_default()
            .to_owned();
        Ok(Self {
            archive,
            variable,
            name: field.name.clone(),
            unit,
            axes,
            mask: None,
        })
    }

    /// Where it is.
    pub fn place(&self) -> &str {
        self.archive.place()
    }

    /// Size of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.variable.shape
    }

    /// Size of the first axis.
    pub fn rows(&self) -> usize {
        self.variable.shape[0]
    }

    /// Rows that are best read together.
    pub fn rows_together(&self) -> usize {
        let row: usize = self.variable.shape[1..].iter().product();
        let together = self.archive.rows_together(&self.variable);
        together.clamp(1, (AT_ONCE / row.max(1)).max(1))
    }

    /// What a resumed import must find again.
    pub fn identity(&self) -> Result<String> {
        Ok(format!(
            "{} {} {:?} {}",
            self.place(),
            self.variable.name,
            self.variable.shape,
            formats::identity(self.place())?
        ))
    }

    /// All arrays must have the axes of the first.
    pub fn check_like(&self, first: &Self) -> Result<()> {
        ensure!(
            (&self.axes, self.shape()) == (&first.axes, first.shape()),
            "`{}` has the axes {:?} {:?}, but `{}` has {:?} {:?}",
            self.name,
            self.axes,
            self.shape(),
            first.name,
            first.axes,
            first.shape()
        );
        Ok(())
    }

    /// What is to be stored of it.
    pub fn plan(&self, plan: &Plan) -> Field {
        let name = |axis: usize| {
            if plan.time == Some(axis) {
                "time".to_owned()
            } else {
                self.axes[axis].clone()
            }
        };
        let long_name = self.variable.attributes.get("long_name");
        Field {
            name: self.name.clone(),
            long_name: long_name
                .and_then(|v| v.as_str())
                .unwrap_or(&self.name)
                .to_owned(),
            units: self.unit.clone(),
            axes: (1..self.axes.len())
                .map(|axis| (name(axis), self.shape()[axis]))
                .collect(),
        }
    }

    /// Unit of the coordinate of an axis, as the file has it.
    pub fn units(&self, axis: usize) -> Option<String> {
        let variable = self.coordinate_variable(axis)?;
        variable.units().map(str::to_owned)
    }

    fn coordinate_variable(&self, axis: usize) -> Option<&Variable> {
        let name = self.variable.dimensions.get(axis)?;
        let found = self.archive.variables().iter().find(|v| v.name == *name)?;
        (found.shape == [self.shape()[axis]]).then_some(found)
    }

    /// The coordinate of an axis, if the file has one.
    pub fn coordinate(&self, axis: usize) -> Result<Option<Vec<f64>>> {
        let Some(variable) = self.coordinate_variable(axis) else {
            return Ok(None);
        };
        let whole = std::iter::once(0..variable.shape[0]).collect::<Vec<_>>();
        Ok(Some(self.archive.read(variable, &whole)?))
    }

    /// An axis: what the TOML file says of it, or the file itself, or its points counted from 0.
    pub fn axis(&self, axis: usize, config: &Config) -> Result<Axis> {
        let (name, size) = (&self.axes[axis], self.shape()[axis]);
        if let Some(given) = config.coordinates.get(name) {
            let step = (given.last - given.first) / (size.max(2) - 1) as f64;
            return Ok(Axis::new(name, size, given.first, step, &given.unit));
        }
        let Some(values) = self.coordinate(axis)? else {
            return Ok(Axis::new(name, size, 0.0, 1.0, ""));
        };
        let step = (values[size - 1] - values[0]) / (size.max(2) - 1) as f64;
        if let Some(i) = uneven(&values, step) {
            bail!(
                "{}: the coordinate `{name}` is not uniform: value {i} is {}, but {} is wanted ({} to {} in {size} equal steps)",
                self.place(),
                values[i],
                values[0] + step * i as f64,
                values[0],
                values[size - 1]
            );
        }
        let unit = self
            .units(axis)
            .filter(|unit| unit != "1")
            .unwrap_or_default();
        Ok(Axis::new(name, size, values[0], step, &unit))
    }

    /// Masks the points of space, which has these axes, that have no value in the first frame of the first row.
    pub fn find_mask(&mut self, space: &[usize]) -> Result<()> {
        let sizes: Vec<usize> = space.iter().map(|&axis| self.shape()[axis]).collect();
        ensure!(
            values_of(sizes.iter().copied()).is_some_and(|points| points <= MAX_POINTS),
            "{}: `{}` has the shape {:?}, but a field has at most {MAX_POINTS} points",
            self.place(),
            self.name,
            self.shape()
        );
        let axes = self.shape().iter().enumerate();
        let block = axes.map(|(axis, &size)| if space.contains(&axis) { 0..size } else { 0..1 });
        let frame = self.read_block(&block.collect::<Vec<_>>())?;
        let mask = missing::mask_of(&self.name, &sizes, &frame);
        self.mask = mask.with_context(|| self.place().to_owned())?;
        Ok(())
    }

    /// The values of some rows, finite but for masked points, which have none.
    pub fn read(&self, rows: Range<usize>) -> Result<Vec<f32>> {
        let values = self.read_unchecked(rows.clone())?;
        let Some((at, fault)) = missing::fault(&values, self.mask.as_ref()) else {
            return Ok(values);
        };
        let place = self.index(rows.start, at);
        let (first, wanted) = match (fault, &self.mask) {
            (Fault::Present, Some(mask)) => (
                self.index(0, at % mask.points()),
                format!("has a value at {place}: a point must be missing everywhere or never"),
            ),
            (Fault::Missing, None) => (place, format!("finite values are wanted{}", self.hint())),
            _ => (place, "finite values are wanted".to_owned()),
        };
        let found = match fault {
            Fault::Missing | Fault::Present => f32::NAN,
            Fault::Infinite(value) => value,
        };
        bail!(
            "{}: `{}` at {first} is {found}, but {wanted}",
            self.place(),
            self.variable.name,
        )
    }

    /// What to do about missing values, if the same are missing in the first and the last row.
    fn hint(&self) -> String {
        let row = |row: usize| self.read_unchecked(row..row + 1);
        match (row(0), row(self.rows() - 1)) {
            (Ok(first), Ok(last)) => missing::hint(&first, &last),
            _ => String::new(),
        }
    }

    fn read_unchecked(&self, rows: Range<usize>) -> Result<Vec<f32>> {
        let block: Vec<Range<usize>> = std::iter::once(rows)
            .chain(self.shape()[1..].iter().map(|&size| 0..size))
            .collect();
        self.read_block(&block)
    }

    fn read_block(&self, block: &[Range<usize>]) -> Result<Vec<f32>> {
        let read = self.archive.read(&self.variable, block)?;
        Ok(read.into_iter().map(|value| value as f32).collect())
    }

    /// `case 3, x 5` for a position in a block of whole rows.
    fn index(&self, first_row: usize, at: usize) -> String {
        let mut rest = at;
        let mut words: Vec<String> = Vec::new();
        for (axis, &size) in self.shape().iter().enumerate().skip(1).rev() {
            words.push(format!("{} {}", self.axes[axis], rest % size));
            rest /= size;
        }
        words.push(format!("{} {}", self.axes[0], first_row + rest));
        words.reverse();
        words.join(", ")
    }
}

/// The first value that is not where equal steps would put it.
fn uneven(values: &[f64], step: f64) -> Option<usize> {
    let first = *values.first()?;
    (0..values.len()).find(|&i| {
        let off = values[i] - (first + step * i as f64);
        let is_even = off.abs() <= UNEVEN * step.abs() && (step != 0.0 || values.len() == 1);
        !is_even
    })
}
