//! No script stands in the page itself: its content security policy allows files of its own origin alone.
//!
//! Trunk writes the lines that start the interface into `index.html`. They become a file, whose name tells its contents,
//! so that no browser takes an old one from its store.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::models::version;

const BEGIN: &str = "<script type=\"module\">";
const END: &str = "</script>";
const POLICY: &str = "http-equiv=\"Content-Security-Policy\"";

/// Moves the page's inline script to a file.
pub fn enforce(dist: &Path) -> Result<()> {
    let page = dist.join("index.html");
    let html =
        fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    let (html, name, script) =
        without_inline(&html).with_context(|| format!("{} cannot be made safe", page.display()))?;
    let file = dist.join(&name);
    fs::write(&file, script).with_context(|| format!("cannot write {}", file.display()))?;
    fs::write(&page, html).with_context(|| format!("cannot write {}", page.display()))
}

/// The page with its one script in a file: the new page, and name and contents of the file.
fn without_inline(html: &str) -> Result<(String, String, String)> {
    ensure!(
        html.contains(POLICY),
        "it has no content security policy: wanted a <meta {POLICY} …>"
    );
    let Some((before, rest)) = html.split_once(BEGIN) else {
        bail!("it has no {BEGIN}, which Trunk writes to start the interface");
    };
    let Some((script, after)) = rest.split_once(END) else {
        bail!("its {BEGIN} has no end");
    };
    let script = format!("{}\n", script.trim());
    let name = format!("start-{:016x}.js", version(script.as_bytes()));
    let page = format!("{before}<script type=\"module\" src=\"./{name}\">{END}{after}");
    let others = page.matches("<script").count() - page.matches(" src=\"./").count();
    ensure!(
        others == 0,
        "it has {others} more inline scripts, which its content security policy forbids"
    );
    Ok((page, name, script))
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"\">";

    #[test]
    fn the_inline_script_becomes_a_file_named_by_its_contents() {
        let page = |script: &str| format!("{META}<script type=\"module\">\n{script}\n</script><p>");
        let (html, name, script) = without_inline(&page("import './a.js';")).expect("one script");
        assert_eq!(script, "import './a.js';\n");
        assert_eq!(
            html,
            format!("{META}<script type=\"module\" src=\"./{name}\"></script><p>")
        );
        let (_, other, _) = without_inline(&page("import './b.js';")).expect("one script");
        assert_ne!(name, other);
    }

    #[test]
    fn a_page_that_the_policy_would_break_is_refused() {
        let script = "<script type=\"module\">a</script>";
        let cases = [
            (script.to_owned(), "no content security policy"),
            (META.to_owned(), "which Trunk writes"),
            (format!("{META}{script}<script>b</script>"), "1 more inline"),
            (format!("{META}<script type=\"module\">a"), "has no end"),
        ];
        for (html, wanted) in cases {
            let why = without_inline(&html).expect_err(wanted).to_string();
            assert!(why.contains(wanted), "{why}");
        }
    }

    #[test]
    fn the_policy_of_the_page_allows_no_inline_script_and_no_other_origin() {
        let root = crate::workspace::Workspace::locate().expect("found").root;
        let html = fs::read_to_string(root.join("index.html")).expect("the page");
        let (_, rest) = html.split_once(POLICY).expect("a policy");
        let (_, rest) = rest.split_once("content=\"").expect("its text");
        let (policy, _) = rest.split_once('"').expect("its end");
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        for word in ["unsafe-inline", "'unsafe-eval'", "http:", "https:", "*"] {
            assert!(!policy.contains(word), "{word} in {policy}");
        }
    }
}
