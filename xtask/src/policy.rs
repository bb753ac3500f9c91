//! No script stands in the pages themselves: their content security policy allows files of their own origin alone.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

const PAGES: [&str; 2] = ["index.html", "embed.html"];
const POLICY: &str = "http-equiv=\"Content-Security-Policy\"";

/// Whether the built pages work under their policy.
pub fn check(dist: &Path) -> Result<()> {
    for name in PAGES {
        let page = dist.join(name);
        let html =
            fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
        check_page(&html).with_context(|| format!("{} is not safe", page.display()))?;
    }
    Ok(())
}

fn check_page(html: &str) -> Result<()> {
    ensure!(
        html.contains(POLICY),
        "it has no content security policy: wanted a <meta {POLICY} …>"
    );
    let tags = html.split("<script").skip(1);
    let tags = tags.map(|rest| rest.split('>').next().unwrap_or_default());
    let inline = tags.filter(|tag| !tag.contains(" src=\"./")).count();
    ensure!(
        inline == 0,
        "its content security policy forbids scripts in its text and from elsewhere, but it has {inline}"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"\">";

    #[test]
    fn a_page_that_the_policy_would_break_is_refused() {
        let script = "<script type=\"module\" src=\"./start.js\"></script>";
        check_page(&format!("{META}{script}<img src=\"./a\">")).expect("only a file");
        let cases = [
            (script.to_owned(), "no content security policy"),
            (format!("{META}{script}<script>b</script>"), "it has 1"),
            (
                format!(
                    "{META}<script src=\"https://a/b.js\"></script><script>b</script><img src=\"./a\">"
                ),
                "it has 2",
            ),
        ];
        for (html, wanted) in cases {
            let why = check_page(&html).expect_err(wanted).to_string();
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
