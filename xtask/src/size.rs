//! What a visitor downloads: size of every file of the page, raw and compressed, against a budget.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, output};

/// Largest compressed size of everything but the models, in bytes.
const BUDGET: u64 = 5_000_000;
/// Largest size of all models together, in bytes: they are in the repository.
const MODELS_BUDGET: u64 = 25_000_000;
/// Quality 11 would gain some per cent and take a minute; hosts that compress on the fly use less than 9.
const BROTLI_QUALITY: u32 = 9;

/// Prints one line per size: node's own zlib, so that the build needs no compressor of its own.
const BROTLI_SCRIPT: &str = "
const { readFileSync } = require('node:fs');
const { brotliCompressSync, constants } = require('node:zlib');
const [quality, ...files] = process.argv.slice(1);
for (const file of files) {
  const bytes = readFileSync(file);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: Number(quality),
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  console.log(brotliCompressSync(bytes, { params }).length);
}
";

/// One file of the page.
struct Row {
    name: String,
    raw: u64,
    compressed: Option<u64>,
}

/// Prints the table; fails above the budget.
pub fn report(workspace: &Workspace) -> Result<()> {
    let dist = workspace.dist();
    let files = files_below(&dist)?;
    let compressed = compress(workspace, &files)?;
    let rows: Vec<Row> = files
        .iter()
        .enumerate()
        .map(|(i, path)| {
            let raw = fs::metadata(path)
                .with_context(|| format!("cannot read {}", path.display()))?
                .len();
            let name = path
                .strip_prefix(&dist)
                .unwrap_or(path)
                .to_string_lossy()
                .replace('\\', "/");
            Ok(Row {
                name,
                raw,
                compressed: compressed.as_ref().map(|sizes| sizes[i]),
            })
        })
        .collect::<Result<_>>()?;
    println!("size in kB: raw, brotli at quality {BROTLI_QUALITY}");
    for row in &rows {
        println!(
            "{:>10} {:>10}  {}",
            kilobytes(Some(row.raw)),
            kilobytes(row.compressed),
            row.name
        );
    }
    check(&rows)
}

/// Sums all but the models and compares with the budget.
fn check(rows: &[Row]) -> Result<()> {
    let (models, page): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| is_model(&row.name));
    let shipped: u64 = models.iter().map(|row| row.raw).sum();
    if shipped > MODELS_BUDGET {
        bail!(
            "the models are {} kB together, but their budget is {} kB",
            kilobytes(Some(shipped)),
            kilobytes(Some(MODELS_BUDGET))
        );
    }
    let mut total = None;
    for (label, rows) in [("models", models), ("page without models", page)] {
        let raw = rows.iter().map(|row| row.raw).sum();
        total = rows.iter().map(|row| row.compressed).sum::<Option<u64>>();
        println!(
            "{:>10} {:>10}  {label}",
            kilobytes(Some(raw)),
            kilobytes(total)
        );
    }
    let Some(total) = total else {
        println!("no node on the search path: the compressed size and its budget were not checked");
        return Ok(());
    };
    if total > BUDGET {
        bail!(
            "the page is {} kB compressed, but its budget is {} kB",
            kilobytes(Some(total)),
            kilobytes(Some(BUDGET))
        );
    }
    println!(
        "{:>21}  budget: {} % used",
        kilobytes(Some(BUDGET)),
        total * 100 / BUDGET
    );
    Ok(())
}

fn is_model(name: &str) -> bool {
    name.starts_with("models/")
        && Path::new(name)
            .extension()
            .is_some_and(|extension| extension == "pno")
}

/// Compressed size of each file, or `None` without node.
fn compress(workspace: &Workspace, files: &[PathBuf]) -> Result<Option<Vec<u64>>> {
    if workspace.which("node").is_none() {
        return Ok(None);
    }
    let mut node = workspace.command("node");
    node.args(["-e", BROTLI_SCRIPT, "--", &BROTLI_QUALITY.to_string()])
        .args(files);
    let sizes: Vec<u64> = output(&mut node)?
        .lines()
        .map(|line| {
            line.parse()
                .with_context(|| format!("node printed `{line}`, wanted a size"))
        })
        .collect::<Result<_>>()?;
    if sizes.len() != files.len() {
        bail!(
            "node printed {} sizes for {} files",
            sizes.len(),
            files.len()
        );
    }
    Ok(Some(sizes))
}

/// All files below a folder, sorted.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Thousands of bytes with one decimal, or a dash.
fn kilobytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(
        || "-".to_owned(),
        |bytes| format!("{:.1}", bytes as f64 / 1000.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, compressed: Option<u64>) -> Row {
        Row {
            name: name.to_owned(),
            raw: 2 * BUDGET,
            compressed,
        }
    }

    #[test]
    fn models_do_not_count_against_the_budget() {
        let rows = [
            row("ui.wasm", Some(BUDGET)),
            row("models/ks-pno-d.pno", Some(BUDGET)),
        ];
        check(&rows).expect("just within the budget");
    }

    #[test]
    fn a_byte_too_many_fails_and_says_both_numbers() {
        let rows = [
            row("ui.wasm", Some(BUDGET)),
            row("models/index.json", Some(1000)),
        ];
        let message = check(&rows).expect_err("above the budget").to_string();
        assert!(
            message.contains("5001.0 kB") && message.contains("5000.0 kB"),
            "{message}"
        );
    }

    #[test]
    fn models_have_a_budget_of_their_own() {
        let model = |raw| Row {
            raw,
            ..row("models/ks-pno-d.pno", None)
        };
        check(&[model(MODELS_BUDGET)]).expect("just within the budget");
        let message = check(&[model(MODELS_BUDGET), model(2000)]).expect_err("above the budget");
        let message = message.to_string();
        assert!(message.contains("25002.0 kB"), "{message}");
    }

    #[test]
    fn without_a_compressor_nothing_is_claimed() {
        check(&[row("ui.wasm", None)]).expect("not checked");
    }
}
