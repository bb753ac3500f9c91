//! Whether two commands left the same.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every file of a folder, as paths from there; of a file its own empty path.
pub fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        // A folder may go away while we look at it.
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(inner) = path.strip_prefix(folder) {
                found.insert(inner.to_string_lossy().into_owned());
            }
        }
    }
    found
}

/// Compares two files, or two folders with all that is in them: the same names, and in each the same bytes.
///
/// Three things are different in two runs that did the same, and are left out: the number of the process in `lock`, how
/// long the epochs took, and the order in which burn writes the moments of the optimiser.
pub fn same(wanted: &Path, found: &Path) -> Result<(), String> {
    if wanted.is_file() {
        let equal = std::fs::read(wanted).ok() == std::fs::read(found).ok();
        return equal.then_some(()).ok_or("another file".to_owned());
    }
    let (names, others) = (files(wanted), files(found));
    if names != others {
        let missing: Vec<_> = names.difference(&others).collect();
        let extra: Vec<_> = others.difference(&names).collect();
        return Err(format!("missing {missing:?}, too many {extra:?}"));
    }
    for name in names {
        if name == "lock" || name.ends_with("/lock") {
            continue;
        }
        let [a, b] = [wanted, found].map(|folder| timeless(&folder.join(&name)));
        if a != b {
            return Err(format!("{name} is another file"));
        }
    }
    Ok(())
}

/// The bytes of a file without the times in it.
fn timeless(path: &PathBuf) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a file");
    if path.ends_with("metrics.csv") {
        let text = String::from_utf8(bytes).expect("text");
        let row = |line: &str| line.rsplit_once(',').map(|(row, _)| format!("{row}\n"));
        return text
            .lines()
            .filter_map(row)
            .collect::<String>()
            .into_bytes();
    }
    if path.ends_with("zarr.json") {
        // The library lists the arrays of a group in any order.
        let mut value: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        value.sort_all_objects();
        return value.to_string().into_bytes();
    }
    if path.extension().is_some_and(|ending| ending == "state") {
        return state(&bytes);
    }
    bytes
}

/// A state of a training: its description without times, weights and schedule to the byte. The moments of the optimiser
/// are padded differently in another order, so not even their length tells; that they are the same shows in the weights
/// of the next epoch.
fn state(bytes: &[u8]) -> Vec<u8> {
    let (length, rest) = bytes[8..].split_first_chunk::<8>().expect("a length");
    let (description, parts) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let mut description: serde_json::Value =
        serde_json::from_slice(description).expect("a description");
    for record in description["records"].as_array_mut().expect("records") {
        record.as_object_mut().expect("a record").remove("seconds");
    }
    let length = |part: usize| description["lengths"][part].as_u64().expect("a length") as usize;
    let (model, rest) = parts.split_at(length(0));
    let schedule = &rest[length(1)..][..length(2)];
    let mut all = [model, schedule].concat();
    description["lengths"][1].take();
    all.extend(description.to_string().into_bytes());
    all
}
