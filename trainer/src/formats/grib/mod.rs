//! GRIB files of editions 1 and 2, as the Copernicus store delivers reanalyses: one message per field and time.
//!
//! ```text
//! edition 1                                edition 2
//! GRIB, length u24, 1                      GRIB, discipline, 2, length u64
//! 1 product   what, where, when            1 identification   reference time
//! 2 grid      rows, columns, corners       3 grid, 4 product, 5 packing
//! 3 bitmap    which points are there       6 bitmap
//! 4 data      packed values                7 data    (3 to 7 may come again: several fields in one message)
//! 7777                                     7777
//! ```
//!
//! Opening reads the headers only, one message after the other, and never the values. Reading decodes the messages of the times
//! that are wanted. Grids are regular in latitude and longitude; packing is simple or (edition 2) CCSDS. Anything else is refused
//! by its name. A variable is one parameter at one level, `[time, latitude, longitude]`, in the order of the file's points.

mod bits;
mod edition1;
mod edition2;
mod grid;
mod index;
mod names;
mod series;
mod unpack;

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use serde_json::{Map, Value, json};

use self::grid::Grid;
use self::index::Field;
use self::series::Series;
use super::budget::{self, Expansion};
use super::file::Bytes;
use super::{Archive, Variable, block, cf};

/// The three axes, which are variables too.
const AXES: [&str; 3] = ["time", "latitude", "longitude"];

/// An open GRIB file.
pub struct Grib {
    place: String,
    bytes: Bytes,
    variables: Vec<Variable>,
    series: Vec<Series>,
    grid: Grid,
    times: Vec<i64>,
}

/// Opens a GRIB file.
pub fn open(path: &Path) -> Result<Grib> {
    let place = path.display().to_string();
    read_headers(path, &place).with_context(|| format!("{place}: cannot be read as GRIB"))
}

fn read_headers(path: &Path, place: &str) -> Result<Grib> {
    let bytes = Bytes::open(path)?;
    let series = series::sorted(index::fields(&bytes, index::MAX_FIELDS)?)?;
    let first = series
        .first()
        .ok_or_else(|| anyhow!("it has no messages"))?;
    let grid = first.fields[0].grid;
    let times: Vec<i64> = first.fields.iter().map(|field| field.time).collect();
    let mut variables = vec![
        axis(
            0,
            times.len(),
            &[
                ("units", "seconds since 1970-01-01"),
                ("calendar", "proleptic_gregorian"),
            ],
        ),
        axis(1, grid.rows, &[("units", "degrees_north")]),
        axis(2, grid.columns, &[("units", "degrees_east")]),
    ];
    variables.extend(series.iter().map(|one| Variable {
        name: one.name.clone(),
        dimensions: AXES.map(String::from).to_vec(),
        shape: vec![times.len(), grid.rows, grid.columns],
        attributes: described(&one.fields[0]),
    }));
    Ok(Grib {
        place: place.to_string(),
        bytes,
        variables,
        series,
        grid,
        times,
    })
}

fn axis(number: usize, size: usize, attributes: &[(&str, &str)]) -> Variable {
    Variable {
        name: AXES[number].to_string(),
        dimensions: vec![AXES[number].to_string()],
        shape: vec![size],
        attributes: attributes
            .iter()
            .map(|(name, value)| ((*name).to_string(), Value::from(*value)))
            .collect(),
    }
}

fn described(field: &Field) -> Map<String, Value> {
    let mut attributes = Map::new();
    if let Some(known) = names::known(&field.parameter) {
        attributes.insert("units".into(), known.units.into());
        attributes.insert("long_name".into(), known.long_name.into());
    }
    attributes.insert("parameter".into(), field.parameter.to_string().into());
    attributes.insert("level_type".into(), json!(field.parameter.level_type));
    attributes.insert("level".into(), json!(field.parameter.level()));
    attributes
}

impl Archive for Grib {
    fn place(&self) -> &str {
        &self.place
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn read(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>> {
        let values = self.values(&variable.name, block);
        block::told(&self.place, variable, block, values)
    }
}

impl Grib {
    fn values(&self, name: &str, wanted: &[Range<usize>]) -> Result<Vec<f64>> {
        let variable = self
            .variables
            .iter()
            .find(|variable| variable.name == name)
            .ok_or_else(|| anyhow!("it has no such variable"))?;
        let count = block::check(variable, wanted)?;
        if let Some(number) = AXES.iter().position(|axis| *axis == name) {
            let length = || self.bytes.length();
            let _held = budget::block(count, Expansion::PLAIN, length)?;
            let wanted = &wanted[0];
            return Ok(match number {
                0 => self.times[wanted.clone()]
                    .iter()
                    .map(|&time| time as f64)
                    .collect(),
                1 => self.grid.latitudes(wanted),
                _ => self.grid.longitudes(wanted),
            });
        }
        let series = self
            .series
            .iter()
            .find(|series| series.name == name)
            .ok_or_else(|| anyhow!("it has no such variable"))?;
        let stored = || {
            let fields = series.fields[wanted[0].clone()].iter();
            fields.map(|field| field.data.end - field.data.start).sum()
        };
        let _held = budget::block(count, unpack::EXPANSION, stored)?;
        let mut values = Vec::with_capacity(count);
        if count == 0 {
            return Ok(values);
        }
        let rows = wanted[1].len() * wanted[2].len();
        for field in &series.fields[wanted[0].clone()] {
            if let Some(value) = unpack::one_value(field) {
                values.resize(values.len() + rows, value);
                continue;
            }
            let all = unpack::values(&self.bytes, field).with_context(|| {
                format!(
                    "message {} (at byte {}, {})",
                    field.message,
                    field.offset,
                    cf::format_date(field.time)
                )
            })?;
            for row in wanted[1].clone() {
                let start = row * self.grid.columns;
                values.extend(&all[start + wanted[2].start..start + wanted[2].end]);
            }
        }
        Ok(values)
    }
}
