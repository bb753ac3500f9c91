//! A figure in somebody else's page: how much of the page it brings along, whom it talks to, and how it is written.

pub mod protocol;
pub mod snippet;

use crate::query;
use crate::settings::choices;

choices!(
    /// How much is around the picture.
    Chrome {
        /// The picture with its axes, scale, lead time and a status line.
        #[default]
        Figure = "figure",
        /// Also the controls, the numbers and the charts at a point.
        Full = "full",
        /// The picture alone.
        Bare = "bare",
    }
);

/// With whom a figure exchanges messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// With nobody.
    None,
    /// With whoever frames it: its author says so, for pages without an origin such as files.
    Any,
    /// With a page of this origin.
    Origin(String),
}

impl Host {
    /// The target of `postMessage`; `None` where nothing is posted.
    pub fn target(&self) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Any => Some("*"),
            Self::Origin(origin) => Some(origin),
        }
    }

    /// Whether a message from this origin is heard.
    pub fn hears(&self, origin: &str) -> bool {
        match self {
            Self::None => false,
            Self::Any => true,
            Self::Origin(known) => known == origin,
        }
    }
}

/// What an address says about the figure itself, beside the settings of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// How much is around the picture.
    pub chrome: Chrome,
    /// With whom it talks.
    pub host: Host,
    /// Sentences about what was not understood.
    pub problems: Vec<String>,
}

/// Reads `embed` and `host` of a query.
pub fn frame(query: &str) -> Frame {
    let mut frame = Frame {
        chrome: Chrome::default(),
        host: Host::None,
        problems: vec![],
    };
    for (key, value) in query::pairs(query) {
        let value_told: String = value.chars().take(60).collect();
        match key.as_str() {
            "embed" => match Chrome::from_name(&value) {
                Some(chrome) => frame.chrome = chrome,
                None => frame.problems.push(format!(
                    "The address says embed={value_told}, but embed must be full, figure or bare; figure is used."
                )),
            },
            "host" => match host(&value) {
                Some(host) => frame.host = host,
                None => frame.problems.push(format!(
                    "The address says host={value_told}, but host must be an origin such as https://example.org, or *; no messages are exchanged."
                )),
            },
            _ => {}
        }
    }
    frame
}

/// An origin: scheme and authority, and nothing after them.
fn host(text: &str) -> Option<Host> {
    if text == "*" {
        return Some(Host::Any);
    }
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    (!rest.is_empty() && rest.len() <= 255 && rest.chars().all(plain))
        .then(|| Host::Origin(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_talks_only_with_the_host_its_address_names() {
        let origin = "https://docs.example.org:8443";
        let named = frame(&format!("?seed=3&host={origin}&embed=bare"));
        assert_eq!(named.chrome, Chrome::Bare);
        assert_eq!(named.host.target(), Some(origin));
        assert!(named.host.hears(origin));
        for other in ["https://docs.example.org", "null", "", "*"] {
            assert!(!named.host.hears(other), "{other}");
        }
        let silent = frame("");
        assert_eq!(
            (silent.host.target(), silent.host.hears("x")),
            (None, false)
        );
        assert!(frame("host=*").host.hears("null"));
    }

    #[test]
    fn what_is_no_origin_is_told_and_hears_nobody() {
        for text in [
            "javascript:alert(1)",
            "https://",
            "https://a/b",
            "https://a b",
            "null",
            "ftp://a",
        ] {
            let frame = frame(&crate::query::join(&[("host", text.to_owned())]));
            assert_eq!(frame.host, Host::None, "{text}");
            assert_eq!(frame.problems.len(), 1, "{text}");
        }
        let wrong = frame("embed=huge");
        assert_eq!(wrong.chrome, Chrome::Figure);
        assert!(wrong.problems[0].contains("embed=huge") && wrong.problems[0].contains("bare"));
    }
}
