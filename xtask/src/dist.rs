//! `cargo xtask dist`: a folder that works from any static host under any path.
//!
//! Everything of the page, figures and models; the book, whose figures are live beside the page; a compressed copy beside
//! every file that gains from it; the hashes of all of them; and a page that tells how to host and embed it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::args::{Args, Usage};
use crate::workspace::{Workspace, run};
use crate::{book, page, system, tools};

/// Compresses and hashes with what node has: the build needs no compressor of its own.
const PACK: &str = "xtask/src/pack.mjs";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `cargo xtask dist`.
pub fn command(workspace: &Workspace, mut args: Args) -> Result<()> {
    let optimized = args.flag("--optimize");
    let built = args.flag("--no-build");
    let url = args
        .value("--url")?
        .map(|url| folder_url(&url))
        .transpose()?;
    args.finish()?;
    system::node(workspace)?;
    if !built {
        tools::set_up(workspace)?;
        page::build(workspace, optimized)?;
    }
    tools::set_up_book(workspace)?;
    let folder = release(workspace)?;
    copy_all(&book::build(workspace)?, &folder.join("book"))?;
    let about = workspace.root.join("web/embed/instructions.html");
    let about =
        fs::read_to_string(&about).with_context(|| format!("cannot read {}", about.display()))?;
    write(&folder.join("instructions.html"), &about)?;
    if let Some(url) = &url {
        absolute_preview(&folder.join("index.html"), url)?;
    }
    let base = url.unwrap_or_default();
    run(workspace
        .command("node")
        .arg(PACK)
        .arg(&folder)
        .args([VERSION, &base]))?;
    println!("The release is in {}", folder.display());
    Ok(())
}

/// Copies the built page into a fresh folder with the version in its name.
fn release(workspace: &Workspace) -> Result<PathBuf> {
    let dist = workspace.dist();
    if !dist.join("embed.html").is_file() {
        bail!(
            "there is no page in {}; leave --no-build out to build it",
            dist.display()
        );
    }
    let folder = workspace.root.join(format!("release/pno-{VERSION}"));
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    copy_all(&dist, &folder)?;
    Ok(folder)
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_all(&path, &target)?;
        } else {
            fs::copy(&path, &target).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

/// A whole address with a slash at its end.
fn folder_url(text: &str) -> Result<String> {
    let plain = |c: char| c.is_ascii_graphic() && !"\"'<>\\`{}?#".contains(c);
    let whole = text.starts_with("https://") || text.starts_with("http://");
    if !whole || !text.chars().all(plain) {
        return Err(Usage(format!(
            "--url is `{text}`, but must be the address of a folder such as https://example.org/pno/"
        ))
        .into());
    }
    Ok(format!("{}/", text.trim_end_matches('/')))
}

/// Those who unfurl links do not know where they are: the address of the picture must be a whole one.
fn absolute_preview(page: &Path, url: &str) -> Result<()> {
    let text =
        fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    // Its name has a hash by now.
    let relative = "content=\"./preview";
    if !text.contains(relative) {
        bail!("{} does not say `{relative}…`", page.display());
    }
    let whole = format!("content=\"{url}preview");
    write(page, &text.replace(relative, &whole))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_folder_and_nothing_that_leaves_its_quotes() {
        let fine = folder_url("https://example.org/pno").expect("an address");
        assert_eq!(fine, "https://example.org/pno/");
        for text in [
            "example.org",
            "javascript:1",
            "https://a/\"><b>",
            "https://a/?x",
        ] {
            let message = folder_url(text).expect_err(text).to_string();
            assert!(
                message.contains("--url") && message.contains(text),
                "{message}"
            );
        }
    }

    #[test]
    fn the_page_has_a_preview_whose_address_can_be_made_whole() {
        let root = Workspace::locate().expect("found").root;
        let page = fs::read_to_string(root.join("index.html")).expect("a page");
        let copy = std::env::temp_dir().join(format!("pno-dist-{}.html", std::process::id()));
        fs::write(&copy, page).expect("a copy");
        absolute_preview(&copy, "https://example.org/pno/").expect("changed");
        let text = fs::read_to_string(&copy).expect("read");
        fs::remove_file(&copy).expect("removed");
        assert!(text.contains("content=\"https://example.org/pno/preview.png\""));
    }
}
