//! Tables for people: columns as wide as what is in them.

use std::fmt::Write;

/// Columns of texts, the head first: the first column to the left, the others to the right.
pub fn columns(columns: &[Vec<String>]) -> String {
    let widths = columns.iter().map(|column| {
        let lengths = column.iter().map(|text| text.chars().count());
        lengths.max().unwrap_or(0)
    });
    let widths: Vec<usize> = widths.collect();
    let mut out = String::new();
    for line in 0..columns.first().map_or(0, Vec::len) {
        // Writing to a text cannot fail.
        let _ = write!(out, "{:<1$}", columns[0][line], widths[0]);
        for (column, width) in columns.iter().zip(&widths).skip(1) {
            let _ = write!(out, "{:>1$}", column[line], width + 2);
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

/// Four digits, and no more room than a number of everyday size takes; `-` where there is none.
pub fn number(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value.is_finite() && value.abs() >= 1e5 => format!("{value:.3e}"),
        Some(value) => format!("{value:.4}"),
    }
}
