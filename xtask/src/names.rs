//! Names that tell contents: every file of the page but its entries has the hash of its bytes in its name.
//!
//! A browser, a proxy or a host may keep such a file for ever, and nothing can hand out one of another build under its
//! name. Sources say plain names (`./ui.js`, `models/ks-pno-d.pno`); here they become `./ui-HASH.js` in the files that
//! name others, and the page gets a table of all hashes, in which its program looks up the rest (`web/src/files.rs`).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::models::version;
use crate::size::files_below;

/// What others link to, so that its name stays: pages, and the element's script. And what a page from an old store asks for
/// first: it tells where the rest is gone.
pub const ENTRIES: [&str; 4] = ["index.html", "embed.html", "pno-forecast.js", "start.js"];
/// Entries that carry the table.
const PAGES: [&str; 2] = ["index.html", "embed.html"];
/// The one hashed file that names others.
const LOADER: &str = "worker_loader.js";
/// Words on where data are from, for people: no program asks for them.
const NOTICE: &str = "NOTICE";
const HEAD_END: &str = "</head>";

/// Gives every file of the built page its name.
pub fn seal(dist: &Path) -> Result<()> {
    let mut names = Names::default();
    for name in plain_names(dist)? {
        let waits = name == LOADER || ENTRIES.contains(&name.as_str());
        if !waits && !is_notice(&name) {
            names.rename(dist, &name)?;
        }
    }
    names.link_in(dist, LOADER)?;
    names.rename(dist, LOADER)?;
    for entry in ENTRIES {
        names.link_in(dist, entry)?;
    }
    for page in PAGES {
        let path = dist.join(page);
        let text = read(&path)?;
        ensure!(
            text.contains(HEAD_END),
            "{} has no {HEAD_END}",
            path.display()
        );
        let table = format!(
            "  <meta name=\"pno-files\" content=\"{}\">\n  {HEAD_END}",
            names.table()
        );
        write(&path, &text.replacen(HEAD_END, &table, 1))?;
    }
    Ok(())
}

/// Whether every file is called by its contents.
pub fn check(dist: &Path) -> Result<()> {
    let mut wrong = Vec::new();
    for name in plain_names(dist)? {
        if ENTRIES.contains(&name.as_str()) || is_notice(&name) {
            continue;
        }
        let path = dist.join(&name);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mark = format!("-{:016x}.", version(&bytes));
        if !name.contains(&mark) {
            wrong.push(name);
        }
    }
    if !wrong.is_empty() {
        bail!(
            "files of the page have no hash of their contents in their names: {}",
            wrong.join(", ")
        );
    }
    Ok(())
}

/// Hashes by plain names.
#[derive(Debug, Default)]
struct Names {
    hashes: BTreeMap<String, String>,
}

impl Names {
    fn rename(&mut self, dist: &Path, name: &str) -> Result<()> {
        ensure!(
            name.rsplit_once('.')
                .is_some_and(|(stem, _)| !stem.is_empty())
                && !name.contains(|c: char| c.is_whitespace() || "=\"'".contains(c)),
            "{name} cannot be a file of the page: wanted a name with an ending, and without spaces, quotes or ="
        );
        let from = dist.join(name);
        let bytes = fs::read(&from).with_context(|| format!("cannot read {}", from.display()))?;
        let hash = format!("{:016x}", version(&bytes));
        self.hashes.insert(name.to_owned(), hash);
        let to = dist.join(self.path(name));
        fs::rename(&from, &to).with_context(|| format!("cannot write {}", to.display()))
    }

    /// `models/a.pno` as `models/a-HASH.pno`, as `Files::path` of the page does it.
    fn path(&self, name: &str) -> String {
        match (self.hashes.get(name), name.rsplit_once('.')) {
            (Some(hash), Some((stem, ending))) => format!("{stem}-{hash}.{ending}"),
            _ => name.to_owned(),
        }
    }

    /// Writes the names with hashes into a file that says plain ones, each as `./NAME` at the end of a quoted text.
    fn link_in(&self, dist: &Path, file: &str) -> Result<()> {
        let path = dist.join(file);
        write(&path, &self.linked(&read(&path)?))
    }

    fn linked(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for name in self.hashes.keys() {
            for quote in ['"', '\''] {
                let plain = format!("./{name}{quote}");
                text = text.replace(&plain, &format!("./{}{quote}", self.path(name)));
            }
        }
        text
    }

    fn table(&self) -> String {
        let rows = self
            .hashes
            .iter()
            .map(|(name, hash)| format!("{name}={hash}"));
        rows.collect::<Vec<_>>().join(" ")
    }
}

fn is_notice(name: &str) -> bool {
    name.rsplit('/').next() == Some(NOTICE)
}

/// Names of all files of the page, from its folder, sorted.
fn plain_names(dist: &Path) -> Result<Vec<String>> {
    let files = files_below(dist)?;
    let name = |path: &std::path::PathBuf| {
        let name = path.strip_prefix(dist).unwrap_or(path);
        name.to_string_lossy().replace('\\', "/")
    };
    Ok(files.iter().map(name).collect())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(files: &[(&str, &str)]) -> std::path::PathBuf {
        let id = version(files.iter().map(|f| f.1).collect::<String>().as_bytes());
        let dist = std::env::temp_dir().join(format!("pno-names-{}-{id}", std::process::id()));
        for (name, text) in files {
            let path = dist.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        dist
    }

    const BUILT: [(&str, &str); 9] = [
        (
            "index.html",
            "<head><link href=\"./ui.js\"></head><script>import './ui.js'; './ui_bg.wasm'</script>",
        ),
        ("embed.html", "<head><img src=\"./stills/ks.webp\"></head>"),
        ("pno-forecast.js", "x = \"./stills/ks.webp\""),
        ("start.js", "start(table)"),
        ("ui.js", "interface"),
        ("ui_bg.wasm", "its code"),
        (LOADER, "load(\"./worker.js\")"),
        ("worker.js", "program"),
        ("stills/ks.webp", "picture"),
    ];

    #[test]
    fn every_file_but_the_entries_is_called_by_its_contents_and_found_again() {
        let dist = page(&BUILT);
        fs::create_dir_all(dist.join("cases")).expect("made");
        fs::write(dist.join("cases/NOTICE"), "words").expect("written");
        let before = check(&dist).expect_err("plain names").to_string();
        seal(&dist).expect("sealed");
        check(&dist).expect("all names tell contents");
        let (index, embed) = (
            read(&dist.join("index.html")),
            read(&dist.join("embed.html")),
        );
        let script = read(&dist.join("pno-forecast.js")).expect("kept");
        let loader = plain_names(&dist).expect("listed");
        let loader = loader
            .iter()
            .find(|name| name.starts_with("worker_loader-"));
        let loader = read(&dist.join(loader.expect("a loader"))).expect("read");
        fs::remove_dir_all(&dist).expect("removed");
        assert!(
            before.contains("ui.js") && !before.contains("index.html"),
            "{before}"
        );
        let hash = |text: &str| format!("{:016x}", version(text.as_bytes()));
        let (ui, still) = (hash("interface"), hash("picture"));
        let index = index.expect("kept");
        for part in [
            format!("href=\"./ui-{ui}.js\""),
            format!("import './ui-{ui}.js'"),
            format!("'./ui_bg-{}.wasm'", hash("its code")),
            format!(" ui.js={ui} "),
            format!("worker_loader.js={}", hash(&loader)),
        ] {
            assert!(index.contains(&part), "{part} is not in {index}");
        }
        assert_eq!(loader, format!("load(\"./worker-{}.js\")", hash("program")));
        let still = format!("\"./stills/ks-{still}.webp\"");
        assert!(embed.expect("kept").contains(&still) && script.contains(&still));
    }

    #[test]
    fn a_file_that_changed_after_it_was_named_is_told() {
        let dist = page(&[("index.html", "<head></head>"), ("a.js", "one")]);
        let named = dist.join(format!("a-{:016x}.js", version(b"one")));
        fs::rename(dist.join("a.js"), &named).expect("named");
        check(&dist).expect("its name tells its contents");
        fs::write(&named, "two").expect("changed");
        let told = check(&dist).expect_err("another content").to_string();
        fs::remove_dir_all(&dist).expect("removed");
        assert!(told.contains("a-"), "{told}");
    }

    #[test]
    fn what_sources_name_plainly_is_in_the_form_that_is_replaced() {
        let root = crate::workspace::Workspace::locate().expect("found").root;
        for (file, names) in [
            ("web/worker_loader.js", vec!["worker.js", "worker_bg.wasm"]),
            (
                "web/embed/embed.html",
                vec!["style.css", "embed.js", "stills/ks.webp"],
            ),
            (
                "web/embed/pno-forecast.js",
                vec!["stills/darcy.webp", "stills/ks.webp", "stills/sswe.webp"],
            ),
            ("index.html", vec!["preview.png"]),
        ] {
            let text = read(&root.join(file)).expect(file);
            for name in names {
                assert!(text.contains(&format!("\"./{name}\"")), "{name} in {file}");
            }
        }
    }
}
