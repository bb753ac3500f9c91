//! What others embed, beside the page: `embed.html`, its first script, the custom element, and still pictures.
//! All under plain names: [`crate::names`] comes later.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Where `embed.html` takes over the policy of the page.
const SLOT: &str = "<!-- the page's own policy -->";
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
    let text = figure(&template, &page)?;
    let target = dist.join("embed.html");
    fs::write(&target, text).with_context(|| format!("cannot write {}", target.display()))
}

/// `embed.html` under the policy of the page, if that has one.
fn figure(template: &str, page: &str) -> Result<String> {
    let policy = page.find(POLICY).and_then(|at| {
        let rest = &page[at..];
        // In a strict sandbox a figure starts its worker from a text of its own.
        Some(rest[..=rest.find('>')?].replace("worker-src 'self'", "worker-src 'self' blob:"))
    });
    ensure!(
        template.contains(SLOT),
        "web/embed/embed.html has no line `{SLOT}`"
    );
    Ok(template.replacen(SLOT, &policy.unwrap_or_default(), 1))
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

    #[test]
    fn the_figure_has_the_policy_of_the_page_and_may_start_a_worker_in_a_sandbox() {
        let policy = |worker: &str| {
            format!(
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'; worker-src {worker}\">"
            )
        };
        let page = format!("<head>{}<title>t</title></head>", policy("'self'"));
        let text = figure(&format!("<head>{SLOT}</head>"), &page).expect("made");
        assert_eq!(text, format!("<head>{}</head>", policy("'self' blob:")));
        let told = figure("<head></head>", &page)
            .expect_err("no place")
            .to_string();
        assert!(told.contains(SLOT), "{told}");
    }
}
