//! A copy of the book's sources, with the tables of `docs/results` as chapters if there are any.
//!
//! Tables are written by `pno reproduce` and differ from one clone to the next, so `SUMMARY.md` cannot name them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What the book is made of: its pages, and the code that they show.
const SOURCES: [&str; 2] = ["docs", "shared/tests/book"];
/// The chapter under which the tables go, as `SUMMARY.md` has it.
const CHAPTER: &str = "- [Results](results.md)\n";
/// Where the chapter says whether there are tables.
const PLACE: &str = "<!-- results -->";

/// Copies the sources of the repository into a folder, under the same names.
pub fn stage(root: &Path, to: &Path) -> Result<()> {
    for source in SOURCES {
        copy(&root.join(source), &to.join(source))?;
    }
    let docs = to.join("docs");
    edit(&docs.join("SUMMARY.md"), CHAPTER, &chapters(&docs)?)?;
    edit(&docs.join("results.md"), PLACE, sentence(&docs))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::copy(&path, &target).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

fn edit(path: &Path, find: &str, put: &str) -> Result<()> {
    let text = read(path)?;
    if !text.contains(find) {
        bail!("{} has no `{}`", path.display(), find.trim());
    }
    fs::write(path, text.replacen(find, put, 1))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The chapter with one below it for every table.
fn chapters(docs: &Path) -> Result<String> {
    let mut lines = CHAPTER.to_owned();
    let results = docs.join("results");
    if !results.join("README.md").is_file() {
        return Ok(lines);
    }
    lines.push_str("  - [All tables](results/README.md)\n");
    for page in pages(&results)? {
        let title = read(&page)?
            .lines()
            .find_map(|line| line.strip_prefix("# ").map(str::to_owned));
        let Some(title) = title else {
            // Words of a person, which a table takes in.
            continue;
        };
        let path = page
            .strip_prefix(docs)?
            .to_string_lossy()
            .replace('\\', "/");
        let title = title.replace(['[', ']', '`'], "");
        let _ = writeln!(lines, "    - [{title}]({path})");
    }
    Ok(lines)
}

/// Pages of the folders in `results/`, in order.
fn pages(results: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = vec![];
    for folder in fs::read_dir(results)? {
        let folder = folder?.path();
        if !folder.is_dir() {
            continue;
        }
        for file in fs::read_dir(&folder)? {
            let file = file?.path();
            if file.extension().is_some_and(|ending| ending == "md") {
                pages.push(file);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

fn sentence(docs: &Path) -> &'static str {
    if docs.join("results/README.md").is_file() {
        // mdBook makes `README.md` an `index.html`, but leaves links to it alone.
        "[All tables](results/index.html) that were made so, with the machine and the time they took."
    } else {
        "No tables were kept in this copy of the repository."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_chapters_and_none_is_no_failure() {
        let folder = std::env::temp_dir().join(format!("pno-stage-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = folder.join("from").join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("docs/SUMMARY.md", "- [A](a.md)\n- [Results](results.md)\n");
        write("docs/results.md", "# Results\n\n<!-- results -->\n");
        write("shared/tests/book/score.rs", "// code\n");
        let staged = |name: &str| {
            stage(&folder.join("from"), &folder.join("to")).expect("staged");
            read(&folder.join("to").join(name)).expect("a file")
        };
        assert!(staged("docs/results.md").contains("No tables"));
        write("docs/results/README.md", "# Results\n");
        write("docs/results/small/ks.md", "# KS [x]\n");
        write("docs/results/small/notes.md", "words\n");
        let summary = staged("docs/SUMMARY.md");
        assert_eq!(
            summary,
            "- [A](a.md)\n- [Results](results.md)\n  - [All tables](results/README.md)\n    - [KS x](results/small/ks.md)\n"
        );
        assert!(staged("docs/results.md").contains("(results/index.html)"));
        assert_eq!(staged("shared/tests/book/score.rs"), "// code\n");
        fs::remove_dir_all(&folder).expect("removed");
    }
}
