//! `cargo xtask book`: the book of `docs/` into `target/book`, and a check of every link in it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::args::Args;
use crate::tools;
use crate::workspace::{Workspace, run};

mod html;
mod links;
mod stage;

/// `cargo xtask book`.
pub fn command(workspace: &Workspace, args: Args) -> Result<()> {
    args.finish()?;
    tools::set_up_book(workspace)?;
    build(workspace)?;
    Ok(())
}

/// Builds the book and checks it; tells where it is. Needs mdBook.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let (source, book) = (
        workspace.target.join("book-source"),
        workspace.target.join("book"),
    );
    for folder in [&source, &book] {
        if folder.exists() {
            fs::remove_dir_all(folder)
                .with_context(|| format!("cannot empty {}", folder.display()))?;
        }
    }
    stage::stage(&workspace.root, &source)?;
    run(workspace
        .command("mdbook")
        .arg("build")
        .arg(source.join("docs"))
        .arg("--dest-dir")
        .arg(&book))
    .context("the book could not be built")?;
    let count = links::check(&book)?;
    println!(
        "{} pages, {} links, all of which lead somewhere: {}",
        count.pages,
        count.links,
        book.join("index.html").display()
    );
    Ok(book)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_quotes_the_policy_that_the_page_has() {
        let root = Workspace::locate().expect("found").root;
        let read = |name: &str| fs::read_to_string(root.join(name)).expect(name);
        let page = read("index.html");
        let (_, rest) = page
            .split_once("http-equiv=\"Content-Security-Policy\" content=\"")
            .expect("a policy");
        let (policy, _) = rest.split_once('"').expect("its end");
        assert!(
            read("docs/security.md").contains(&format!("\n{policy}\n")),
            "docs/security.md does not quote `{policy}`"
        );
    }
}
