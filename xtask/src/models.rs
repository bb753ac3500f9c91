//! The models beside the page: `dist/models/*.pno` and the list that the page reads first.
//!
//! A file is called `EXPERIMENT-METHOD[-NOTE].pno`, for example `ks-pno-d.pno` or `ks-pno-r-trained-here.pno`.
//! The name is only for the list: what a model really is stands in its header.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Words that a name begins with, and what they mean. `air` is real weather of any reanalysis, in the experiment `era5`.
const EXPERIMENTS: [(&str, &str); 6] = [
    ("darcy", "Darcy flow"),
    // Before the one that its name begins with.
    ("ks-step", "Kuramoto-Sivashinsky, step by step"),
    ("ks", "Kuramoto-Sivashinsky"),
    ("sswe", "Shallow water on the sphere"),
    ("era5", "2 m temperature"),
    ("air", "Air temperature"),
];

const METHODS: [(&str, &str); 8] = [
    ("pno-d", "PNO_D"),
    ("pno-r", "PNO_R"),
    ("pno-f", "PNO_F"),
    ("det", "deterministic"),
    ("mcd", "MC dropout"),
    ("laplace", "Laplace"),
    ("ensemble", "deep ensemble"),
    ("perturbed", "perturbed inputs"),
];

/// Copies the models of a folder into the page and lists all that are there then.
pub fn publish(from: &Path, dist: &Path) -> Result<()> {
    let to = dist.join("models");
    fs::create_dir_all(&to).with_context(|| format!("cannot make {}", to.display()))?;
    for name in names(from)? {
        let (source, target) = (from.join(&name), to.join(&name));
        fs::copy(&source, &target)
            .with_context(|| format!("cannot copy {} to {}", source.display(), target.display()))?;
    }
    write_list(&to)
}

fn write_list(folder: &Path) -> Result<()> {
    let entries: Vec<Entry> = names(folder)?
        .iter()
        .map(|name| Entry::from_name(name))
        .collect::<Result<_>>()?;
    let rows: Vec<String> = entries
        .iter()
        .map(|entry| entry.json(folder))
        .collect::<Result<_>>()?;
    let text = format!("{{\"models\":[\n{}\n]}}\n", rows.join(",\n"));
    // Renamed into place, so that a page being served never reads half a list.
    let (draft, list) = (folder.join("index.json.tmp"), folder.join("index.json"));
    fs::write(&draft, text).with_context(|| format!("cannot write {}", draft.display()))?;
    fs::rename(&draft, &list).with_context(|| format!("cannot write {}", list.display()))?;
    println!("{} models in {}", entries.len(), list.display());
    Ok(())
}

/// Names of all `.pno` files of a folder, sorted; none if there is no folder.
fn names(folder: &Path) -> Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "pno") {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            names.push(name);
        }
    }
    // Without the ending, so that a plain name comes before the same name with a note: the page takes the first.
    names.sort_by(|a, b| stem(a).cmp(stem(b)));
    Ok(names)
}

/// `trained-here` as `trained here`; the names of operators in capitals.
fn words(note: &str) -> String {
    let word = |word: &str| match word {
        "fno" | "uno" | "sfno" => word.to_uppercase(),
        _ => word.to_owned(),
    };
    note.split('-').map(word).collect::<Vec<_>>().join(" ")
}

fn stem(file: &str) -> &str {
    file.strip_suffix(".pno").unwrap_or(file)
}

/// One model of the list.
#[derive(Debug, PartialEq)]
struct Entry {
    file: String,
    experiment: &'static str,
    method: &'static str,
    title: String,
}

impl Entry {
    fn from_name(file: &str) -> Result<Self> {
        let Some((experiment, rest)) = split(stem(file), &EXPERIMENTS) else {
            bail!(
                "{file} does not start with an experiment (darcy, ks, sswe, era5, air): wanted EXPERIMENT-METHOD[-NOTE].pno"
            );
        };
        let Some((method, note)) = split(rest, &METHODS) else {
            bail!(
                "{file} names no method after `{}-` (pno-d, pno-r, pno-f, det, mcd, laplace, ensemble, perturbed)",
                experiment.0
            );
        };
        let note = match note {
            "" => String::new(),
            note => format!(" ({})", words(note)),
        };
        Ok(Self {
            file: file.to_owned(),
            experiment: if experiment.0 == "air" {
                "era5"
            } else {
                experiment.0
            },
            method: method.0,
            title: format!("{}, {}{note}", experiment.1, method.1),
        })
    }

    fn json(&self, folder: &Path) -> Result<String> {
        let path = folder.join(&self.file);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(format!(
            "  {{\"file\":{},\"experiment\":{},\"method\":{},\"title\":{},\"bytes\":{},\"version\":\"{:016x}\"}}",
            quoted(&self.file),
            quoted(self.experiment),
            quoted(self.method),
            quoted(&self.title),
            bytes.len(),
            version(&bytes)
        ))
    }
}

/// Tells one file from the next (FNV-1a). Browsers keep models under it; whether a file is whole is in the file itself.
pub fn version(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The known word a name starts with, and what follows its hyphen.
fn split<'a>(
    name: &'a str,
    known: &[(&'static str, &'static str)],
) -> Option<((&'static str, &'static str), &'a str)> {
    known.iter().find_map(|&word| {
        let rest = name.strip_prefix(word.0)?;
        if rest.is_empty() {
            return Some((word, ""));
        }
        Some((word, rest.strip_prefix('-')?))
    })
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04x}", c as u32),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_experiment_method_and_note() {
        let entry = Entry::from_name("ks-pno-r-trained-here.pno").expect("understood");
        assert_eq!((entry.experiment, entry.method), ("ks", "pno-r"));
        assert_eq!(entry.title, "Kuramoto-Sivashinsky, PNO_R (trained here)");
        let air = Entry::from_name("air-pno-d.pno").expect("understood");
        assert_eq!(
            (air.experiment, air.title.as_str()),
            ("era5", "Air temperature, PNO_D")
        );
        let plain = Entry::from_name("darcy-det.pno").expect("understood");
        assert_eq!(plain.title, "Darcy flow, deterministic");
    }

    #[test]
    fn another_file_has_another_version() {
        assert_eq!(version(b"a"), 0xaf63_dc4c_8601_ec8c, "as published");
        assert_ne!(version(b"ab"), version(b"ac"));
    }

    #[test]
    fn a_name_that_tells_nothing_is_refused() {
        for name in ["model.pno", "ks.pno", "ks-pno-x.pno", "ksx-pno-d.pno"] {
            let message = Entry::from_name(name).expect_err(name).to_string();
            assert!(message.contains(name), "{message}");
        }
    }

    #[test]
    fn the_list_names_every_model_in_order_and_quotes_what_json_needs_quoted() {
        let folder = std::env::temp_dir().join(format!("pno-models-{}", std::process::id()));
        let models = folder.join("from");
        fs::create_dir_all(&models).expect("a folder");
        for name in [
            "ks-pno-r.pno",
            "ks-pno-d-uno.pno",
            "ks-pno-d.pno",
            "notes.txt",
        ] {
            fs::write(models.join(name), name).expect("a file");
        }
        publish(&models, &folder).expect("published");
        let list = fs::read_to_string(folder.join("models/index.json")).expect("a list");
        let copied = fs::read_to_string(folder.join("models/ks-pno-d.pno")).expect("a copy");
        fs::remove_dir_all(&folder).expect("removed");
        let wanted = [
            ("ks-pno-d.pno", "pno-d", "PNO_D"),
            ("ks-pno-d-uno.pno", "pno-d", "PNO_D (UNO)"),
            ("ks-pno-r.pno", "pno-r", "PNO_R"),
        ];
        let row = |(file, method, title): (&str, &str, &str)| {
            let (bytes, version) = (file.len(), version(file.as_bytes()));
            format!(
                "  {{\"file\":\"{file}\",\"experiment\":\"ks\",\"method\":\"{method}\",\"title\":\"Kuramoto-Sivashinsky, {title}\",\"bytes\":{bytes},\"version\":\"{version:016x}\"}}"
            )
        };
        let rows = wanted.map(row).join(",\n");
        assert_eq!(list, format!("{{\"models\":[\n{rows}\n]}}\n"));
        assert_eq!(copied, "ks-pno-d.pno");
        assert_eq!(quoted("a\"\\\n"), "\"a\\\"\\\\\\u000a\"");
    }
}
