//! The numbers behind a figure.

use crate::scale::short;

/// Columns with names, and rows of numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Names of the columns, with units.
    pub columns: Vec<String>,
    /// Rows; a NaN is an empty cell.
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    /// A table with these columns.
    pub fn new<'a>(columns: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            columns: columns.into_iter().map(str::to_owned).collect(),
            rows: vec![],
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl Into<Vec<f64>>) {
        let row = row.into();
        debug_assert_eq!(row.len(), self.columns.len(), "cells of a row");
        self.rows.push(row);
    }

    /// A row as it is shown: three digits.
    pub fn words(row: &[f64]) -> Vec<String> {
        row.iter().map(|&value| cell(value)).collect()
    }

    /// As comma-separated values with full digits, one line per row.
    pub fn csv(&self) -> String {
        let quoted = self.columns.iter().map(|name| quote(name));
        let mut text = quoted.collect::<Vec<_>>().join(",");
        text.push('\n');
        for row in &self.rows {
            let cell = |value: &f64| {
                if value.is_finite() {
                    value.to_string()
                } else {
                    String::new()
                }
            };
            text.push_str(&row.iter().map(cell).collect::<Vec<_>>().join(","));
            text.push('\n');
        }
        text
    }
}

fn cell(value: f64) -> String {
    let size = value.abs();
    if value.is_finite() && value != 0.0 && !(1e-3..1e6).contains(&size) {
        return crate::scale::scientific(value);
    }
    short(value)
}

fn quote(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_full_digits_and_empty_cells_for_nan() {
        let mut table = Table::new(["lead time, hours", "error"]);
        table.push([6.0, 0.1 + 0.2]);
        table.push([12.0, f64::NAN]);
        let wanted = "\"lead time, hours\",error\n6,0.30000000000000004\n12,\n";
        assert_eq!(table.csv(), wanted);
        assert_eq!(Table::words(&[0.1 + 0.2, f64::NAN]), ["0.3", "–"]);
        assert_eq!(Table::words(&[3.2e-9]), ["3.2 × 10⁻⁹"]);
    }
}
