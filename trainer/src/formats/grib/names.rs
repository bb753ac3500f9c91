//! Parameters of GRIB by the names that people know: those of the Copernicus store's NetCDF files.

use std::fmt;

/// The European Centre for Medium-Range Weather Forecasts, whose own numbers are known here.
const ECMWF: u32 = 98;
/// Edition 2: numbers from here on are each centre's own.
const OWN_NUMBERS: u8 = 192;
/// Edition 2: a level of constant pressure, in pascals.
const PRESSURE: u8 = 100;

/// What a field is of, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Who made it.
    pub centre: u32,
    /// The table of edition 1, or discipline and category of edition 2.
    pub table: Table,
    /// The number in the table.
    pub number: u8,
    /// The kind of level, in the numbers of the edition.
    pub level_type: u8,
    /// The level times ten to the power of `level_scale`.
    pub level_value: i64,
    /// See `level_value`.
    pub level_scale: i8,
}

/// Where a number is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Table {
    /// Edition 1: version of the table.
    One(u8),
    /// Edition 2: discipline and category.
    Two(u8, u8),
}

impl Parameter {
    /// The level: metres above the ground, hectopascals, and so on.
    pub fn level(&self) -> f64 {
        let level = self.level_value as f64 * 10_f64.powi(-i32::from(self.level_scale));
        match (self.table, self.level_type) {
            (Table::Two(..), PRESSURE) => level / 100.0,
            _ => level,
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.table {
            Table::One(version) => write!(f, "{version}.{}", self.number),
            Table::Two(discipline, category) => {
                write!(f, "{discipline}.{category}.{}", self.number)
            }
        }
    }
}

/// A parameter that has a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// Short, as in NetCDF files.
    pub name: &'static str,
    /// As the Copernicus store writes them.
    pub units: &'static str,
    /// In words.
    pub long_name: &'static str,
    /// Edition 1: table of ECMWF and number.
    one: (u8, u8),
    /// Edition 2: discipline, category and number.
    two: (u8, u8, u8),
    /// Edition 2: type of level, and the level where the name needs it.
    at: (u8, Option<f64>),
}

#[rustfmt::skip]
const KNOWN: [Known; 22] = [
    known_as("t2m", "K", "2 metre temperature", (128, 167), (0, 0, 0), (103, Some(2.0))),
    known_as("d2m", "K", "2 metre dewpoint temperature", (128, 168), (0, 0, 6), (103, Some(2.0))),
    known_as("u10", "m s**-1", "10 metre U wind component", (128, 165), (0, 2, 2), (103, Some(10.0))),
    known_as("v10", "m s**-1", "10 metre V wind component", (128, 166), (0, 2, 3), (103, Some(10.0))),
    known_as("u100", "m s**-1", "100 metre U wind component", (228, 246), (0, 2, 2), (103, Some(100.0))),
    known_as("v100", "m s**-1", "100 metre V wind component", (228, 247), (0, 2, 3), (103, Some(100.0))),
    known_as("msl", "Pa", "Mean sea level pressure", (128, 151), (0, 3, 0), (101, None)),
    known_as("sp", "Pa", "Surface pressure", (128, 134), (0, 3, 0), (1, None)),
    known_as("tp", "m", "Total precipitation", (128, 228), (0, 1, 193), (1, None)),
    known_as("sst", "K", "Sea surface temperature", (128, 34), (10, 3, 0), (1, None)),
    known_as("skt", "K", "Skin temperature", (128, 235), (0, 0, 17), (1, None)),
    known_as("tcc", "(0 - 1)", "Total cloud cover", (128, 164), (0, 6, 192), (1, None)),
    known_as("tcwv", "kg m**-2", "Total column vertically-integrated water vapour", (128, 137), (0, 1, 64), (1, None)),
    known_as("siconc", "(0 - 1)", "Sea ice area fraction", (128, 31), (10, 2, 0), (1, None)),
    known_as("lsm", "(0 - 1)", "Land-sea mask", (128, 172), (2, 0, 0), (1, None)),
    known_as("z", "m**2 s**-2", "Geopotential", (128, 129), (0, 3, 4), (PRESSURE, None)),
    known_as("t", "K", "Temperature", (128, 130), (0, 0, 0), (PRESSURE, None)),
    known_as("u", "m s**-1", "U component of wind", (128, 131), (0, 2, 2), (PRESSURE, None)),
    known_as("v", "m s**-1", "V component of wind", (128, 132), (0, 2, 3), (PRESSURE, None)),
    known_as("q", "kg kg**-1", "Specific humidity", (128, 133), (0, 1, 0), (PRESSURE, None)),
    known_as("w", "Pa s**-1", "Vertical velocity", (128, 135), (0, 2, 8), (PRESSURE, None)),
    known_as("r", "%", "Relative humidity", (128, 157), (0, 1, 1), (PRESSURE, None)),
];

const fn known_as(
    name: &'static str,
    units: &'static str,
    long_name: &'static str,
    one: (u8, u8),
    two: (u8, u8, u8),
    at: (u8, Option<f64>),
) -> Known {
    Known {
        name,
        units,
        long_name,
        one,
        two,
        at,
    }
}

/// What is known of a parameter.
pub fn known(parameter: &Parameter) -> Option<&'static Known> {
    let number = parameter.number;
    KNOWN.iter().find(|known| match parameter.table {
        Table::One(version) => parameter.centre == ECMWF && known.one == (version, number),
        Table::Two(discipline, category) => {
            known.two == (discipline, category, number)
                && known.at.0 == parameter.level_type
                && known.at.1.is_none_or(|level| level == parameter.level())
                && (number < OWN_NUMBERS || parameter.centre == ECMWF)
        }
    })
}

/// The name of a parameter: the known one, or its numbers.
pub fn name_of(parameter: &Parameter) -> String {
    match known(parameter) {
        Some(known) => known.name.to_string(),
        None => format!("param{parameter}"),
    }
}
