//! The query of the page's address: whatever stands there, the settings that come out can be written and read again.

use super::page::{address, embed, query};

/// Longest sentence about a value that was not understood.
const LONGEST_SENTENCE: usize = 1000;

/// Reads a query, writes what it says, and reads that.
pub fn target(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (settings, problems) = address::read(&text);
    sentences(&problems);
    let written = address::write(&settings);
    let (again, none) = address::read(&written);
    assert_eq!(none, [""; 0], "{written}");
    assert_eq!(again, settings, "{written}");
    assert_eq!(address::write(&again), written);

    let frame = embed::frame(&text);
    let heard = frame
        .host
        .target()
        .is_some_and(|origin| frame.host.hears(origin));
    assert_eq!(heard, frame.host != embed::Host::None);

    let pairs = query::pairs(&text);
    let named: Vec<(&str, String)> = pairs.iter().map(|(k, v)| (k.as_str(), v.clone())).collect();
    assert_eq!(query::pairs(&query::join(&named)), pairs);
}

/// Sentences are short, few and plain.
pub fn sentences(problems: &[String]) {
    assert!(problems.len() <= 16, "{} sentences", problems.len());
    for problem in problems {
        assert!(problem.len() <= LONGEST_SENTENCE, "{problem}");
        assert!(!problem.chars().any(char::is_control), "{problem:?}");
    }
}
