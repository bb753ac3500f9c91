//! The page that lists all tables that were written.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::files;
use crate::reproduce::size::Size;
use crate::reproduce::tables;

/// Writes `README.md` from the tables that are there, with what a person wrote in `<size>/notes.md`.
pub fn write_index(out: &Path) -> Result<()> {
    let mut page =
        "# Results\n\nWritten by `pno reproduce`; every page says how it was made.\n".to_owned();
    for size in [Size::Paper, Size::Small, Size::Tiny] {
        let lines = lines(out, size)?;
        if lines.is_empty() {
            continue;
        }
        let _ = write!(page, "\n## Size `{size}`\n\n");
        if let Some(warning) = size.warning() {
            let _ = writeln!(page, "{warning}\n");
        }
        if let Ok(remarks) = std::fs::read_to_string(out.join(size.name()).join("notes.md")) {
            let _ = writeln!(page, "{}\n", remarks.trim());
        }
        page.push_str("| table | runs | machine | time | files |\n|---|---|---|---|---|\n");
        page.push_str(&lines.concat());
    }
    files::write_atomic(&out.join("README.md"), page.as_bytes())
}

fn lines(out: &Path, size: Size) -> Result<Vec<String>> {
    let mut lines = vec![];
    for table in tables::all(size) {
        let path = out.join(size.name()).join(format!("{}.json", table.name));
        if !path.exists() {
            continue;
        }
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let json: Value = serde_json::from_slice(&bytes)
            .with_context(|| format!("{}: not a table", path.display()))?;
        let about = &json["about"];
        let runs = about["seeds"].as_array().map_or(0, Vec::len);
        let missing = match json["missing"].as_array().map_or(0, Vec::len) {
            0 => "",
            _ => ", incomplete",
        };
        let seconds = about["seconds"].as_f64().unwrap_or(0.0);
        let here = format!("{size}/{}", table.name);
        lines.push(format!(
            "| [{}]({here}.md) | {runs}{missing} | {} | {} | [LaTeX]({here}.tex), [JSON]({here}.json) |\n",
            json["title"].as_str().unwrap_or(table.title),
            about["machine"].as_str().unwrap_or_default(),
            crate::reproduce::estimate::span(seconds),
        ));
    }
    Ok(lines)
}
