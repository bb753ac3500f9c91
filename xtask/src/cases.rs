//! The real cases beside the page: `dist/cases/*.npy` and the list that the page reads.
//!
//! `pno data case` writes an array and a note of the same name; here the notes are put together into one list.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Copies the cases of a folder into the page, with the words on where they are from, and lists them.
pub fn publish(from: &Path, dist: &Path) -> Result<()> {
    let to = dist.join("cases");
    fs::create_dir_all(&to).with_context(|| format!("cannot make {}", to.display()))?;
    let names = names(from)?;
    let mut rows = Vec::new();
    for name in &names {
        let note = from.join(name).with_extension("json");
        let text = fs::read_to_string(&note).with_context(|| {
            format!(
                "cannot read {}, the note that `pno data case` writes beside {name}",
                note.display()
            )
        })?;
        rows.push(format!("{{\"file\":\"{name}\",\"note\":{}}}", text.trim()));
        copy(&from.join(name), &to.join(name))?;
    }
    if from.join("NOTICE").is_file() {
        copy(&from.join("NOTICE"), &to.join("NOTICE"))?;
    }
    let list = to.join("index.json");
    let text = format!("{{\"cases\":[\n{}\n]}}\n", rows.join(",\n"));
    // Renamed into place, so that a page being served never reads half a list.
    let draft = to.join("index.json.tmp");
    fs::write(&draft, text).with_context(|| format!("cannot write {}", draft.display()))?;
    fs::rename(&draft, &list).with_context(|| format!("cannot write {}", list.display()))?;
    println!("{} cases in {}", names.len(), list.display());
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Names of all `.npy` files of a folder, sorted; none if there is no folder.
fn names(folder: &Path) -> Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let read = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in read {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if Path::new(&name)
            .extension()
            .is_some_and(|ending| ending == "npy")
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_array_is_listed_with_its_note_and_one_without_is_told() {
        let folder = std::env::temp_dir().join(format!("pno-cases-{}", std::process::id()));
        let (from, dist) = (folder.join("from"), folder.join("dist"));
        fs::create_dir_all(&from).expect("a folder");
        fs::write(from.join("b.npy"), "values").expect("a file");
        let missing = publish(&from, &dist).expect_err("no note").to_string();
        fs::write(from.join("b.json"), "{\"start\": \"2014-02-24T00:00\"}\n").expect("a file");
        fs::write(from.join("NOTICE"), "public domain").expect("a file");
        publish(&from, &dist).expect("published");
        let list = fs::read_to_string(dist.join("cases/index.json")).expect("a list");
        let notice = fs::read_to_string(dist.join("cases/NOTICE")).expect("a notice");
        fs::remove_dir_all(&folder).expect("removed");
        assert!(missing.contains("b.json"), "{missing}");
        assert_eq!(
            list,
            "{\"cases\":[\n{\"file\":\"b.npy\",\"note\":{\"start\": \"2014-02-24T00:00\"}}\n]}\n"
        );
        assert_eq!(notice, "public domain");
    }
}
