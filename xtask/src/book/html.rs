//! Just enough HTML to check links: the tags of a page with their attributes.

/// Elements whose content is not HTML.
const RAW: [&str; 2] = ["script", "style"];

/// An opening tag.
#[derive(Debug, PartialEq)]
pub struct Tag {
    /// Its name, in lower case.
    pub name: String,
    /// Its attributes, references resolved.
    pub attributes: Vec<(String, String)>,
}

impl Tag {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        attributes
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// All opening tags of a page, in order.
pub fn tags(page: &str) -> Vec<Tag> {
    let mut tags = vec![];
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let (tag, after) = tag(rest);
        rest = after;
        if RAW.contains(&tag.name.as_str()) {
            let end = format!("</{}", tag.name);
            rest = rest.find(&end).map_or("", |at| &rest[at..]);
        }
        tags.push(tag);
    }
    tags
}

/// The tag that begins here, and what follows it.
fn tag(text: &str) -> (Tag, &str) {
    let end = |c: char| c.is_whitespace() || c == '>' || c == '/';
    let name = &text[..text.find(end).unwrap_or(text.len())];
    let mut rest = &text[name.len()..];
    let mut attributes = vec![];
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() || rest.starts_with('>') {
            break;
        }
        let end = |c: char| c.is_whitespace() || c == '=' || c == '>';
        let key = &rest[..rest.find(end).unwrap_or(rest.len())];
        rest = rest[key.len()..].trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            (value, rest) = quoted(after.trim_start());
        }
        // A stray quote would otherwise never be passed.
        if key.is_empty() {
            rest = rest.get(1..).unwrap_or_default();
        }
        attributes.push((key.to_ascii_lowercase(), resolved(value)));
    }
    let name = name.to_ascii_lowercase();
    (
        Tag { name, attributes },
        rest.strip_prefix('>').unwrap_or(rest),
    )
}

/// The value of an attribute, and what follows it.
fn quoted(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote).unwrap_or((inside, ""));
        }
    }
    let end = text.find(|c: char| c.is_whitespace() || c == '>');
    text.split_at(end.unwrap_or(text.len()))
}

fn resolved(value: &str) -> String {
    value
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_with_their_attributes() {
        let page = "<!-- <a href='no'> --><a class=x href=\"b.html?a=1&amp;b=2#c\" hidden>1 < 2</a><IMG src='p.png'/>";
        let found = tags(page);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].get("href"), Some("b.html?a=1&b=2#c"));
        assert_eq!(
            (found[0].get("class"), found[0].get("hidden")),
            (Some("x"), Some(""))
        );
        assert_eq!(
            (found[1].name.as_str(), found[1].get("src")),
            ("img", Some("p.png"))
        );
    }

    #[test]
    fn scripts_are_not_read_as_html_and_broken_pages_end() {
        let found = tags("<script>if (a <b c='</a>') {}</script><p id=q>");
        let names: Vec<&str> = found.iter().map(|tag| tag.name.as_str()).collect();
        assert_eq!(names, ["script", "p"]);
        for broken in [
            "<", "<a", "<a b", "<a b=", "<a b='", "<a =", "<!--", "<a \"'>", "<script>",
        ] {
            tags(broken);
        }
    }
}
