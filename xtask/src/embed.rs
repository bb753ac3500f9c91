//! What others embed, beside the page: `embed.html`, its first script, the custom element, and still pictures.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Where `embed.html` takes over what Trunk named.
const SLOT: &str = "<!-- the page's own -->";
/// The policy of the page, if it has one, is that of its figures as well.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\"";

/// Files that are copied as they are.
const FILES: [&str; 3] = ["embed.js", "pno-forecast.js", "preview.png"];
const STILLS: &str = "stills";

/// Puts the files of `web/embed` into the built page.
pub fn publish(from: &Path, dist: &Path) -> Result<()> {
    for name in FILES {
        copy(&from.join(name), &dist.join(name))?;
    }
    let (stills, to) = (from.join(STILLS), dist.join(STILLS));
    fs::create_dir_all(&to).with_context(|| format!("cannot make {}", to.display()))?;
    for name in names(&stills)? {
        copy(&stills.join(&name), &to.join(&name))?;
    }
    let read = |path: &Path| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let template = read(&from.join("embed.html"))?;
    let page = read(&dist.join("index.html"))?;
    let text = figure(&template, &page, &names(dist)?)?;
    let target = dist.join("embed.html");
    fs::write(&target, text).with_context(|| format!("cannot write {}", target.display()))
}

/// `embed.html` with the names that Trunk gave to style sheet and interface, whose hashes change with every build.
fn figure(template: &str, page: &str, names: &[String]) -> Result<String> {
    let only = |start: &str, end: &str| {
        let mut found = names
            .iter()
            .filter(|name| name.starts_with(start) && name.ends_with(end));
        match (found.next(), found.next()) {
            (Some(name), None) => Ok(name.as_str()),
            (None, _) => bail!("the built page has no file {start}*{end}"),
            (Some(a), Some(b)) => {
                bail!("the built page has both {a} and {b}, but one {start}*{end} is wanted")
            }
        }
    };
    let policy = page.find(POLICY).and_then(|at| {
        let rest = &page[at..];
        // In a strict sandbox a figure starts its worker from a text of its own.
        let policy =
            rest[..=rest.find('>')?].replace("worker-src 'self'", "worker-src 'self' blob:");
        Some(format!("{policy}\n    "))
    });
    let own = format!(
        "{}<link rel=\"stylesheet\" href=\"./{}\">\n    \
         <meta name=\"pno-interface\" data-program=\"./{}\" data-code=\"./{}\">",
        policy.unwrap_or_default(),
        only("style-", ".css")?,
        only("ui-", ".js")?,
        only("ui-", ".wasm")?
    );
    if !template.contains(SLOT) {
        bail!("web/embed/embed.html has no line `{SLOT}`");
    }
    Ok(template.replacen(SLOT, &own, 1))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Names of the files of a folder, sorted.
fn names(folder: &Path) -> Result<Vec<String>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.path().is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn the_figure_uses_the_files_of_the_page_under_its_policy() {
        let names = files(&["style-1.css", "ui-2.js", "ui-2_bg.wasm", "worker.js"]);
        let policy = |worker: &str| {
            format!(
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'; worker-src {worker}\">"
            )
        };
        let page = format!("<head>{}<title>t</title></head>", policy("'self'"));
        let text = figure(&format!("<head>{SLOT}</head>"), &page, &names).expect("made");
        for part in [
            policy("'self' blob:").as_str(),
            "href=\"./style-1.css\"",
            "data-program=\"./ui-2.js\"",
            "data-code=\"./ui-2_bg.wasm\"",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(!text.contains("<title>"), "{text}");
    }

    #[test]
    fn a_missing_or_doubtful_file_is_named() {
        let told = |names: &[&str]| {
            let error = figure(SLOT, "", &files(names)).expect_err("refused");
            error.to_string()
        };
        assert!(told(&["style-1.css", "ui-2.js"]).contains("ui-*.wasm"));
        assert!(told(&["style-1.css", "style-2.css"]).contains("style-2.css"));
    }
}
