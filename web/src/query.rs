//! The query part of an address: `key=value` pairs, percent-encoded.

use std::fmt::Write;

/// Splits a query (with or without its `?`) into decoded pairs.
pub fn pairs(query: &str) -> Vec<(String, String)> {
    query
        .trim_start_matches('?')
        .split('&')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(key), decode(value))
        })
        .collect()
}

/// Joins pairs into a query without its `?`.
pub fn join(pairs: &[(&str, String)]) -> String {
    let parts: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{}={}", encode(key), encode(value)))
        .collect();
    parts.join("&")
}

/// Percent-encodes everything but letters, digits and the marks that a query may hold as they are.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:,;@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Decodes percent signs and pluses; what is no valid escape stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = escaped {
            out.push(byte);
            at += 3;
        } else {
            out.push(if bytes[at] == b'+' { b' ' } else { bytes[at] });
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_is_read_back() {
        for value in [
            "",
            "a b",
            "50%",
            "ä&=?#+",
            "https://example.org/m.pno?x=1&y=2",
            "%zz%",
        ] {
            let query = join(&[("model", value.to_owned()), ("seed", "7".to_owned())]);
            assert!(!query.contains(' ') && !query.contains('#'), "{query}");
            let wanted =
                [("model", value), ("seed", "7")].map(|(k, v)| (k.to_owned(), v.to_owned()));
            assert_eq!(pairs(&format!("?{query}")), wanted);
        }
    }

    #[test]
    fn broken_escapes_stay_as_they_are() {
        assert_eq!(pairs("a=%4"), [("a".to_owned(), "%4".to_owned())]);
        assert_eq!(pairs("a=%g1+b"), [("a".to_owned(), "%g1 b".to_owned())]);
        assert_eq!(pairs("&&flag"), [("flag".to_owned(), String::new())]);
    }
}
