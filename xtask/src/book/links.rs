//! Follows every link of a built book: files and anchors inside it, spelling of addresses outside.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::html::{Tag, tags};

/// What lies beside the book where it is published (`../` from its first page), and may be linked.
const BESIDE: [&str; 3] = ["pno-forecast.js", "embed.html", "index.html"];

/// How much was checked.
pub struct Count {
    /// Pages read.
    pub pages: usize,
    /// Links followed.
    pub links: usize,
}

/// Checks every page below a folder; all faults are told at once.
pub fn check(book: &Path) -> Result<Count> {
    let mut pages = BTreeMap::new();
    read_pages(book, Path::new(""), &mut pages)?;
    if pages.is_empty() {
        bail!("there is no page in {}", book.display());
    }
    let mut faults = BTreeSet::new();
    let mut links = 0;
    for (page, found) in &pages {
        for tag in &found.tags {
            for attribute in ["href", "src", "data-src"] {
                let Some(link) = tag.get(attribute) else {
                    continue;
                };
                links += 1;
                let fault = follow(book, &pages, page, tag, link);
                faults.extend(fault.map(|fault| format!("{}: `{link}` {fault}", page.display())));
            }
        }
    }
    if !faults.is_empty() {
        let faults: Vec<String> = faults.into_iter().collect();
        bail!("links of the book:\n{}", faults.join("\n"));
    }
    let pages = pages.len();
    Ok(Count { pages, links })
}

/// What is known of a page.
struct Page {
    tags: Vec<Tag>,
    anchors: BTreeSet<String>,
}

fn read_pages(book: &Path, folder: &Path, pages: &mut BTreeMap<PathBuf, Page>) -> Result<()> {
    let here = book.join(folder);
    for entry in fs::read_dir(&here).with_context(|| format!("cannot read {}", here.display()))? {
        let entry = entry?;
        let (path, inside) = (entry.path(), folder.join(entry.file_name()));
        if path.is_dir() {
            read_pages(book, &inside, pages)?;
        } else if path.extension().is_some_and(|ending| ending == "html") {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let tags = tags(&text);
            let anchors = tags.iter().filter_map(|tag| tag.get("id"));
            let anchors = anchors.map(str::to_owned).collect();
            pages.insert(inside, Page { tags, anchors });
        }
    }
    Ok(())
}

/// What is wrong with a link.
fn follow(
    book: &Path,
    pages: &BTreeMap<PathBuf, Page>,
    page: &Path,
    tag: &Tag,
    link: &str,
) -> Option<String> {
    if let Some((scheme, _)) = link.split_once(':').filter(|(s, _)| is_scheme(s)) {
        // A link is followed by the reader's own will; what a page loads is not.
        return match scheme {
            "data" => None,
            "http" | "https" if tag.name != "a" => Some("is loaded from another place".to_owned()),
            "http" | "https" => address_fault(link),
            _ => Some(format!("has the scheme `{scheme}`")),
        };
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().unwrap_or_default();
    if path.starts_with('/') {
        return Some("does not work below a folder: it begins with a slash".to_owned());
    }
    let target = if path.is_empty() {
        Some(page.to_path_buf())
    } else {
        resolve(page.parent().unwrap_or(Path::new("")), &decoded(path))
    };
    let Some(target) = target else {
        let outside = decoded(path);
        let outside = outside.trim_start_matches("../");
        let known = BESIDE.iter().any(|known| outside.starts_with(known));
        return (!known).then(|| "leaves the book".to_owned());
    };
    let target = if book.join(&target).is_dir() {
        target.join("index.html")
    } else {
        target
    };
    if !book.join(&target).is_file() {
        return Some("leads to no file".to_owned());
    }
    let anchor = decoded(anchor);
    let known = |page: &Page| page.anchors.contains(&anchor);
    if anchor.is_empty() || pages.get(&target).is_none_or(known) {
        return None;
    }
    Some("leads to no place of that page".to_owned())
}

fn is_scheme(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(letter)
}

fn address_fault(link: &str) -> Option<String> {
    let rest = link.split_once("//").map_or("", |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let named = host == "localhost" || (host.contains('.') && !host.starts_with('.'));
    let plain = !link.contains(|c: char| c.is_whitespace() || c == '<' || c == '"');
    (!named || !plain).then(|| "is no address".to_owned())
}

/// A path from the top of the book; none if it leaves the book.
fn resolve(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut place = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir if !place.pop() => return None,
            Component::Normal(name) => place.push(name),
            _ => {}
        }
    }
    Some(place)
}

/// `%20` and its relatives as what they stand for.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|c| std::str::from_utf8(c).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        if let (b'%', Some(code)) = (first, code) {
            bytes.push(code);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(page: &str) -> String {
        let name = format!("pno-links-{}-{}", std::process::id(), page.len());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("a b")).expect("a folder");
        fs::write(folder.join("a b/index.html"), "<h1 id='über'>x</h1>").expect("written");
        fs::write(folder.join("a b/page.html"), page).expect("written");
        fs::write(folder.join("one.png"), "").expect("written");
        let checked = check(&folder);
        fs::remove_dir_all(&folder).expect("removed");
        match checked {
            Ok(count) => format!("{} of {}", count.links, count.pages),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        let page = "<a href='../a%20b/#%C3%BCber'></a><img src='../one.png?x'><a id=q href='#q'></a>\
                    <a href='https://example.org/x#y'></a><script src='../../pno-forecast.js'></script>";
        assert_eq!(told(page), "5 of 2");
    }

    #[test]
    fn every_kind_of_broken_link_is_told_with_its_page() {
        for (page, wanted) in [
            ("<a href='two.html'>", "`two.html` leads to no file"),
            ("<a href='index.html#x'>", "leads to no place"),
            ("<a href='#none-of-it'>", "leads to no place"),
            ("<a href='../../README.md'>", "leaves the book"),
            ("<a href='/one.png'>", "begins with a slash"),
            ("<a href='http://nowhere'>", "is no address"),
            ("<a href='javascript:x()'>", "the scheme `javascript`"),
            (
                "<script src='https://cdn.example.org/x.js'>",
                "another place",
            ),
            (
                "<link href='//cdn.example.org/x.css'>",
                "begins with a slash",
            ),
        ] {
            let told = told(page);
            assert!(
                told.contains("page.html") && told.contains(wanted),
                "{told}"
            );
        }
    }
}
