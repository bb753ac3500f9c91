//! Files in memory whose values say where they are.

use std::ops::Range;
use std::sync::Mutex;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::data::era5::{Request, Selection};
use crate::formats::cf::parse_date;
use crate::formats::{Archive, Variable};

/// An array with its values.
struct Stored {
    values: Vec<f64>,
}

/// A file.
pub struct Memory {
    place: String,
    variables: Vec<Variable>,
    stored: Vec<Stored>,
    together: usize,
    /// Blocks of variables with more than one axis that were read.
    pub blocks: Mutex<Vec<Vec<Range<usize>>>>,
}

impl Archive for Memory {
    fn place(&self) -> &str {
        &self.place
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn read(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>> {
        let at = self
            .variables
            .iter()
            .position(|v| v == variable)
            .expect("ours");
        ensure!(block.len() == variable.shape.len(), "wrong number of axes");
        if block.len() > 1 {
            self.blocks.lock().expect("a log").push(block.to_vec());
        }
        let mut offsets = vec![0];
        for (range, &size) in block.iter().zip(&variable.shape) {
            ensure!(range.end <= size, "{range:?} of {size}");
            offsets = offsets
                .iter()
                .flat_map(|o| range.clone().map(move |i| o * size + i))
                .collect();
        }
        Ok(offsets
            .into_iter()
            .map(|o| self.stored[at].values[o])
            .collect())
    }

    fn rows_together(&self, _: &Variable) -> usize {
        self.together
    }
}

/// The temperature at a place and time: every one is another.
pub fn temperature(hours: f64, latitude: f64, longitude: f64) -> f64 {
    200.0 + hours / 64.0 + (latitude + 90.0) / 4.0 + longitude.rem_euclid(360.0) / 1024.0
}

/// A file to be made.
#[derive(Clone)]
pub struct Recipe {
    /// Its name.
    pub place: &'static str,
    /// Names of the axes of time, latitude and longitude, in the order of the file.
    pub axes: Vec<&'static str>,
    /// Date of the first time.
    pub first: &'static str,
    /// Hours after it.
    pub hours: Vec<f64>,
    pub latitudes: Vec<f64>,
    pub longitudes: Vec<f64>,
    pub name: &'static str,
    pub units: Option<&'static str>,
    pub together: usize,
    /// Added to all values.
    pub offset: f64,
}

/// Equal steps.
pub fn steps(first: f64, step: f64, count: usize) -> Vec<f64> {
    (0..count).map(|i| first + step * i as f64).collect()
}

impl Default for Recipe {
    /// Ten days of hourly values on a globe of 5 degrees, north first.
    fn default() -> Self {
        Self {
            place: "a.nc",
            axes: vec!["time", "latitude", "longitude"],
            first: "2019-03-01",
            hours: steps(0.0, 1.0, 240),
            latitudes: steps(90.0, -5.0, 37),
            longitudes: steps(0.0, 5.0, 72),
            name: "t2m",
            units: Some("K"),
            together: 1,
            offset: 0.0,
        }
    }
}

impl Recipe {
    /// Hours from the beginning of 2019 to the first time: values do not depend on which file they are in.
    fn zero(&self) -> f64 {
        let seconds = |text| parse_date(text).expect("a date");
        (seconds(self.first) - seconds("2019-01-01")) as f64 / 3600.0
    }

    pub fn make(&self) -> Memory {
        let mut file = Memory {
            place: self.place.to_owned(),
            variables: Vec::new(),
            stored: Vec::new(),
            together: self.together,
            blocks: Mutex::new(Vec::new()),
        };
        let axis = |name: &str| match name {
            "latitude" | "lat" => &self.latitudes,
            "longitude" | "lon" => &self.longitudes,
            _ => &self.hours,
        };
        for &name in &self.axes {
            let units = match name {
                "latitude" | "lat" => "degrees_north".to_owned(),
                "longitude" | "lon" => "degrees_east".to_owned(),
                _ => format!("hours since {}", self.first),
            };
            file.add(
                name,
                &[name],
                vec![axis(name).len()],
                &json!({ "units": units }),
                axis(name).clone(),
            );
        }
        let shape: Vec<usize> = self.axes.iter().map(|name| axis(name).len()).collect();
        let values = positions(&shape).map(|position| {
            let (mut time, mut latitude, mut longitude) = (0.0, 0.0, 0.0);
            for (&name, &at) in self.axes.iter().zip(&position) {
                let value = axis(name)[at];
                match name {
                    "latitude" | "lat" => latitude = value,
                    "longitude" | "lon" => longitude = value,
                    _ => time = value,
                }
            }
            temperature(self.zero() + time, latitude, longitude) + self.offset
        });
        let values = values.collect();
        let attributes = self
            .units
            .map_or(json!({}), |units| json!({ "units": units }));
        file.add(self.name, &self.axes, shape, &attributes, values);
        file
    }

    pub fn open(&self) -> Box<dyn Archive> {
        Box::new(self.make())
    }
}

/// Every position of a shape, the last axis fastest.
pub fn positions(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let shape = shape.to_vec();
    (0..shape.iter().product()).map(move |mut i: usize| {
        let mut position = vec![0; shape.len()];
        for (at, &size) in position.iter_mut().zip(&shape).rev() {
            *at = i % size;
            i /= size;
        }
        position
    })
}

impl Memory {
    /// Adds an array.
    pub fn add(
        &mut self,
        name: &str,
        dimensions: &[&str],
        shape: Vec<usize>,
        attributes: &Value,
        values: Vec<f64>,
    ) {
        assert_eq!(shape.iter().product::<usize>(), values.len());
        self.variables.push(Variable {
            name: name.to_owned(),
            dimensions: dimensions.iter().map(|&d| d.to_owned()).collect(),
            shape,
            attributes: attributes.as_object().expect("attributes").clone(),
        });
        self.stored.push(Stored { values });
    }

    /// The values of an array, to be changed.
    pub fn values(&mut self, name: &str) -> &mut Vec<f64> {
        let at = self
            .variables
            .iter()
            .position(|v| v.name == name)
            .expect("is there");
        &mut self.stored[at].values
    }
}

/// A request for a box, every six hours.
pub fn boxed(region: &str) -> Request {
    Request {
        region: Some(region.parse().expect("a box")),
        ..Request::default()
    }
}

/// Checks every value of a selection against [`temperature`].
pub fn assert_values(selection: &Selection) {
    let zero = parse_date("2019-01-01").expect("a date");
    let rows = selection.times.len();
    let together = selection.read(0..rows).expect("reads");
    let mut one_by_one = Vec::new();
    for row in 0..rows {
        one_by_one.extend(selection.read(row..row + 1).expect("reads"));
    }
    assert_eq!(together, one_by_one);
    let mut values = together.iter();
    for &time in &selection.times {
        for &latitude in &selection.latitudes {
            for &longitude in &selection.longitudes {
                let hours = (time - zero) as f64 / 3600.0;
                let wanted = temperature(hours, latitude, longitude) as f32;
                let found = *values.next().expect("as many values");
                assert!(
                    (found - wanted).abs() < 1e-3,
                    "{time} {latitude} {longitude}: {found}, {wanted}"
                );
            }
        }
    }
    assert!(values.next().is_none());
}
