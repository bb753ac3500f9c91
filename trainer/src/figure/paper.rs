//! What all drawings have in common: the sheet they are on, its ink, and words on it.

use std::fmt::Write;

/// Colour of lines and words.
pub const INK: &str = "#1c2430";
/// Colour of what is said in passing.
pub const QUIET: &str = "#5b6675";
/// Height of the title's line.
const TITLE: f64 = 32.0;

/// Begins a drawing of this size: a white sheet with a title.
pub fn sheet([width, height]: [f64; 2], left: f64, font_size: u32, title: &str) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"'Source Sans 3', 'Helvetica Neue', Arial, sans-serif\" font-size=\"{font_size}\" fill=\"{INK}\">\n\
         <title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        title = escape(title),
    );
    let style = "font-size=\"17\" font-weight=\"600\"";
    text(&mut out, (left, TITLE), title, style);
    out
}

/// Words at a place.
pub fn text(out: &mut String, (x, y): (f64, f64), words: &str, style: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{}</text>",
        escape(words)
    );
}

/// Words as they may stand in a drawing.
pub fn escape(words: &str) -> String {
    words
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_the_language_are_written_out() {
        let drawing = sheet([10.0, 20.0], 5.0, 12, "a < b & c");
        assert_eq!(drawing.matches("a &lt; b &amp; c").count(), 2, "{drawing}");
        assert!(!drawing.contains("a < b"), "{drawing}");
    }
}
