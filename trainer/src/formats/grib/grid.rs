//! Regular grids of latitudes and longitudes, and the order in which a message walks over them.

use std::ops::Range;

use anyhow::{Result, ensure};

/// Points of a grid that are taken: more than a twentieth of a degree around the globe has, and a quarter of a gigabyte of values.
const MAX_POINTS: u64 = 1 << 25;

/// Bits of the scanning mode for rows that are shifted against each other.
const SHIFTED: u8 = 0x0f;

/// A regular grid, with corners in whole parts of a degree so that grids can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Points from north to south (or south to north).
    pub rows: usize,
    /// Points along a circle of latitude.
    pub columns: usize,
    /// Parts of a degree: 1000 in edition 1, 1000000 in edition 2.
    parts: i64,
    latitude: (i64, i64),
    longitude: (i64, i64),
    /// Points of a column are neighbours in the message, not those of a row.
    by_columns: bool,
    /// Every second line is walked backwards.
    back_and_forth: bool,
}

/// What a message says of its grid.
#[derive(Debug, Clone, Copy)]
pub struct Described {
    /// Points along a circle of latitude.
    pub columns: u64,
    /// Points from pole to pole.
    pub rows: u64,
    /// Parts of a degree in the corners.
    pub parts: i64,
    /// Latitude of the first and the last point.
    pub latitude: (i64, i64),
    /// Longitude of the first and the last point.
    pub longitude: (i64, i64),
    /// The bits of the scanning mode.
    pub scan: u8,
}

impl Grid {
    /// Checks what a message says.
    pub fn new(described: &Described) -> Result<Self> {
        let Described {
            columns,
            rows,
            parts,
            latitude,
            longitude: (west, east),
            scan,
        } = *described;
        ensure!(
            columns > 0
                && rows > 0
                && columns
                    .checked_mul(rows)
                    .is_some_and(|points| points <= MAX_POINTS),
            "its grid has {rows} x {columns} points, but 1 to {MAX_POINTS} are wanted"
        );
        ensure!(
            scan & SHIFTED == 0,
            "its scanning mode is {scan:#04x}, whose shifted rows are not known"
        );
        ensure!(
            [latitude.0, latitude.1]
                .iter()
                .all(|at| at.abs() <= 90 * parts)
                && [west, east].iter().all(|at| at.abs() <= 360 * parts),
            "its grid goes from latitude {} to {} and longitude {} to {} in {parts} parts of a degree",
            latitude.0,
            latitude.1,
            west,
            east
        );
        // A box across the meridian where longitudes jump: the western end is counted from the other side.
        let turn = 360 * parts;
        let longitude = match (scan & 0x80 == 0, west, east) {
            (true, first, last) if last < first => (first - turn, last),
            (false, first, last) if last > first => (first, last - turn),
            (_, first, last) => (first, last),
        };
        Ok(Self {
            rows: rows as usize,
            columns: columns as usize,
            parts,
            latitude,
            longitude,
            by_columns: scan & 0x20 != 0,
            back_and_forth: scan & 0x10 != 0,
        })
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.rows * self.columns
    }

    /// Latitudes in degrees of some rows.
    pub fn latitudes(&self, rows: &Range<usize>) -> Vec<f64> {
        self.between(self.latitude, self.rows, rows)
    }

    /// Longitudes in degrees of some columns.
    pub fn longitudes(&self, columns: &Range<usize>) -> Vec<f64> {
        self.between(self.longitude, self.columns, columns)
    }

    /// Even steps between two corners. The steps that a message names are rounded; the corners are less so.
    fn between(&self, (first, last): (i64, i64), count: usize, wanted: &Range<usize>) -> Vec<f64> {
        let steps = (count.max(2) - 1) as i64;
        (wanted.start as i64..wanted.end as i64)
            .map(|i| (first * (steps - i) + last * i) as f64 / (steps * self.parts) as f64)
            .collect()
    }

    /// Puts values in the order of the message into rows.
    pub fn arranged(&self, values: Vec<f64>) -> Vec<f64> {
        if !self.by_columns && !self.back_and_forth {
            return values;
        }
        let line = if self.by_columns {
            self.rows
        } else {
            self.columns
        };
        let mut rows = vec![0.0; values.len()];
        for (at, value) in values.into_iter().enumerate() {
            let (number, mut along) = (at / line, at % line);
            if self.back_and_forth && number % 2 == 1 {
                along = line - 1 - along;
            }
            let place = if self.by_columns {
                along * self.columns + number
            } else {
                number * self.columns + along
            };
            rows[place] = value;
        }
        rows
    }
}
