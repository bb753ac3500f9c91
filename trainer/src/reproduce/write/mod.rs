//! Tables as Markdown, LaTeX and JSON, and the page that lists them.

mod index;
mod json;
mod latex;
mod markdown;

use std::path::Path;

use anyhow::{Context, Result};

use super::report::Report;
use crate::files;

pub use self::index::write_index;

/// Writes a table in all formats into `OUT/<size>`.
pub fn write_report(out: &Path, report: &Report) -> Result<()> {
    let folder = out.join(report.about.size);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let texts = [
        ("md", markdown::text(report)),
        ("tex", latex::text(report)),
        ("json", json::text(report)),
    ];
    for (ending, text) in texts {
        let path = folder.join(format!("{}.{ending}", report.name));
        files::write_atomic(&path, text.as_bytes())?;
    }
    Ok(())
}
