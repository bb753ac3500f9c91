//! The lines that put the view on the screen into somebody's documentation.
//!
//! Every value passes through the escaping of the language it stands in: an address may hold quotes, brackets and
//! ampersands, and a title comes from a model's file.

use super::Chrome;
use crate::query;
use crate::settings::choices;

choices!(
    /// Where a figure goes.
    System {
        /// Any page of HTML.
        #[default]
        Iframe = "iframe",
        /// A page that loads one script: figures share a worker, and the page can talk with them.
        Element = "element",
        /// A chapter of an mdBook.
        MdBook = "mdbook",
        /// A MyST page of Sphinx or Jupyter Book.
        Myst = "myst",
        /// An MDX page of Docusaurus.
        Docusaurus = "docusaurus",
        /// A cell of a notebook.
        Jupyter = "jupyter",
    }
);

impl System {
    /// What one reads on its button.
    pub fn label(self) -> &'static str {
        match self {
            Self::Iframe => "HTML",
            Self::Element => "Element",
            Self::MdBook => "mdBook",
            Self::Myst => "Sphinx, MyST",
            Self::Docusaurus => "Docusaurus",
            Self::Jupyter => "Jupyter",
        }
    }

    /// Where to put it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Iframe => "Into any page of HTML.",
            Self::Element => {
                "Into a page of HTML that may load one script: several figures share one worker, and the page can follow and set them."
            }
            Self::MdBook => "Into a chapter, between blank lines.",
            Self::Myst => "Into a MyST page of Sphinx or Jupyter Book.",
            Self::Docusaurus => "Into an .mdx page.",
            Self::Jupyter => "Into a code cell; it stays live in an exported HTML page.",
        }
    }
}

/// A figure that is to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure<'a> {
    /// Address of the folder that holds `embed.html`, with a slash at its end.
    pub base: &'a str,
    /// All settings, as in an address.
    pub query: &'a str,
    /// How much is around the picture.
    pub chrome: Chrome,
    /// What it is, for those who do not see it.
    pub title: &'a str,
    /// Height in pixels.
    pub height: u32,
}

impl Figure<'_> {
    /// The lines for a system.
    pub fn snippet(&self, system: System) -> String {
        match system {
            System::Iframe => self.iframe(),
            System::Element | System::MdBook => self.element(),
            System::Myst => {
                let inside = self.element();
                format!("```{{raw}} html\n{inside}\n```")
            }
            System::Docusaurus => format!(
                "<iframe\n  src=\"{}\"\n  title=\"{}\"\n  loading=\"lazy\"\n  style={{{{ width: '100%', height: {}, border: 0 }}}}\n/>",
                html(&self.address()),
                html(self.title),
                self.height
            ),
            System::Jupyter => format!(
                "from IPython.display import IFrame\nIFrame(\"{}\", width=\"100%\", height={})",
                python(&self.address()),
                self.height
            ),
        }
    }

    /// Address of the figure by itself.
    pub fn address(&self) -> String {
        format!(
            "{}embed.html?{}&embed={}",
            self.base,
            self.query,
            self.chrome.name()
        )
    }

    fn iframe(&self) -> String {
        format!(
            "<iframe src=\"{}\" title=\"{}\" loading=\"lazy\" style=\"width:100%;height:{}px;border:0\"></iframe>",
            html(&self.address()),
            html(self.title),
            self.height
        )
    }

    /// No blank line inside: Markdown would end the HTML there.
    fn element(&self) -> String {
        let attributes: Vec<String> = query::pairs(self.query)
            .iter()
            .map(|(key, value)| format!("{key}=\"{}\"", html(value)))
            .collect();
        let page = format!("{}?{}", self.base, self.query);
        format!(
            "<script src=\"{}pno-forecast.js\" defer></script>\n\
             <pno-forecast {} embed=\"{}\" style=\"height:{}px\">\n\
             <a href=\"{}\">{}</a>\n\
             </pno-forecast>",
            html(self.base),
            attributes.join(" "),
            self.chrome.name(),
            self.height,
            html(&page),
            html(self.title)
        )
    }
}

/// Text inside a quoted attribute or between tags, in HTML and in JSX. A line's end becomes a space.
fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Braces begin an expression in MDX, backticks and dollars mean something in Markdown.
            '{' => out.push_str("&#123;"),
            '}' => out.push_str("&#125;"),
            '`' => out.push_str("&#96;"),
            '$' => out.push_str("&#36;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Text inside double quotes of Python.
fn python(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURE: Figure = Figure {
        base: "https://example.org/pno/",
        query: "experiment=ks&method=pno-d&seed=7&view=std",
        chrome: Chrome::Figure,
        title: "Standard deviation",
        height: 420,
    };

    #[test]
    fn the_iframe_shows_exactly_the_view() {
        assert_eq!(
            FIGURE.snippet(System::Iframe),
            "<iframe src=\"https://example.org/pno/embed.html?experiment=ks&amp;method=pno-d&amp;seed=7&amp;view=std&amp;embed=figure\" \
             title=\"Standard deviation\" loading=\"lazy\" style=\"width:100%;height:420px;border:0\"></iframe>"
        );
    }

    #[test]
    fn the_element_has_one_attribute_for_every_key() {
        let text = FIGURE.snippet(System::Element);
        let tag = "<pno-forecast experiment=\"ks\" method=\"pno-d\" seed=\"7\" view=\"std\" embed=\"figure\"";
        assert!(text.contains(tag), "{text}");
        assert!(text.contains("src=\"https://example.org/pno/pno-forecast.js\""));
        assert!(!text.contains("\n\n"), "Markdown would end the HTML");
        let raw = FIGURE.snippet(System::Myst);
        assert!(raw.starts_with("```{raw} html\n<script") && raw.ends_with("\n```"));
    }

    #[test]
    fn nothing_in_an_address_or_title_leaves_its_quotes() {
        let query = query::join(&[
            ("experiment", "ks".to_owned()),
            ("model", "\"><script>alert('{1}')</script>`\\\n".to_owned()),
        ]);
        let nasty = Figure {
            base: "https://example.org/\"><b>{`$\\/",
            query: &query,
            title: "\"></iframe><script>{1+1}</script>\n\n```",
            ..FIGURE
        };
        for &system in System::ALL {
            let text = nasty.snippet(system);
            let own = usize::from(text.contains("pno-forecast"));
            assert_eq!(text.matches("<script").count(), own, "{text}");
            assert!(!text.contains("<b>") || system == System::Jupyter, "{text}");
            assert!(!text.contains("{1"), "{text}");
            assert!(!text.contains("\n\n"), "{text}");
            let fences = if system == System::Myst { 2 } else { 0 };
            assert_eq!(text.matches("```").count(), fences, "{text}");
        }
        let python = nasty.snippet(System::Jupyter);
        assert!(
            python.contains("https://example.org/\\\"><b>{`$\\\\/embed"),
            "{python}"
        );
    }
}
