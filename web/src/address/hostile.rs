//! Addresses that nobody would write: whatever they say, the page opens, and says what it ignored.

use super::{MOST_PROBLEMS, read, table, write};
use crate::query;

/// Numbers without a pattern.
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.next(from.len())]
    }
}

/// What values are made from: marks of every format of the address, words of the table, and things that break programs.
const PARTS: &[&str] = &[
    "0",
    "1",
    "9",
    "64",
    "128",
    "256",
    "257",
    "-",
    "+",
    ".",
    ",",
    ";",
    "e",
    "E308",
    "1e308",
    "-1e-320",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "18446744073709551615",
    "18446744073709551616",
    "0.5,0.5",
    "0.5,0.5,1",
    "0.1234567,1",
    "-0,-0,-0",
    "ks",
    "darcy",
    "sswe",
    "era5",
    "arrays",
    "pno-d",
    "ensemble",
    "all",
    "std",
    "stamps",
    "cpu",
    "webgpu",
    "dark",
    "vik",
    "low",
    "32x64",
    "A",
    "g",
    "gggggggggggggggg",
    "_",
    "__________",
    "é",
    "\u{202e}",
    "\0",
    "\n",
    "%",
    "%00",
    "%ff",
    "%C3%28",
    "&",
    "=",
    "?",
    "#",
    " ",
    "<script>",
    "javascript:alert(1)",
    "data:,x",
    "https://a.b/c.pno",
    "../../x",
    "\u{1f30d}",
];

fn value(chance: &mut Chance) -> String {
    let parts = chance.next(5);
    (0..parts).map(|_| chance.pick(PARTS)).collect()
}

fn address(chance: &mut Chance) -> String {
    let mut keys: Vec<&str> = table().map(|entry| entry.key).collect();
    keys.extend(["", "utm", "members ", "MEMBERS"]);
    let pairs = chance.next(12);
    let mut text = String::from(chance.pick(&["", "?", "??"]));
    for _ in 0..pairs {
        let (key, value) = (chance.pick(&keys), value(chance));
        text += &match chance.next(3) {
            // As a browser would send it, and as somebody types it.
            0 => query::join(&[(key, value)]),
            _ => format!("{key}={value}"),
        };
        text += chance.pick(&["&", "&&", ""]);
    }
    text
}

#[test]
fn any_address_opens_the_page_and_means_the_same_when_written_anew() {
    let mut chance = Chance(7);
    let (mut changed, mut told) = (0, 0);
    for _ in 0..4_000 {
        let text = address(&mut chance);
        let (settings, problems) = read(&text);
        assert!(problems.len() <= MOST_PROBLEMS + 1, "{text:?}");
        for problem in &problems {
            assert!(problem.len() < 600, "{problem}");
            assert!(!problem.contains(char::is_control), "{problem:?}");
            assert!(problem.ends_with('.'), "{problem}");
        }
        let written = write(&settings);
        assert_eq!(
            read(&written),
            (settings.clone(), vec![]),
            "{text:?} as {written}"
        );
        assert!(
            written.is_ascii() && !written.contains(['<', '"', '\'', ' ']),
            "{written}"
        );
        changed += usize::from(settings != read("").0);
        told += usize::from(!problems.is_empty());
    }
    assert!(
        changed > 800 && told > 800,
        "{changed} changed, {told} told"
    );
}

#[test]
fn every_key_refuses_nonsense_in_a_sentence_that_names_it() {
    for entry in table().filter(|entry| !["channel", "model", "model2"].contains(&entry.key)) {
        let key = entry.key;
        let (settings, problems) = read(&format!("{key}=~"));
        assert_eq!(settings, read("").0, "{key}");
        assert_eq!(problems.len(), 1, "{key}");
        assert!(
            problems[0].starts_with(&format!("The address says {key}=~, but {key} must be ")),
            "{}",
            problems[0]
        );
    }
}

#[test]
fn a_model_is_something_that_a_server_answers() {
    for address in [
        "javascript:alert(1)",
        "data:,x",
        "file:///etc/passwd",
        "blob:x",
        "a\nb",
    ] {
        let (settings, problems) = read(&query::join(&[("model", address.to_owned())]));
        assert_eq!(settings.model, None, "{address}");
        assert_eq!(problems.len(), 1, "{address}");
    }
    for address in [
        "a.pno",
        "../a.pno",
        "/b/a.pno",
        "HTTPS://a.b/c.pno",
        "//a.b/c.pno",
        "a?x=y:z",
    ] {
        let (settings, problems) = read(&query::join(&[("model", address.to_owned())]));
        assert_eq!(
            (settings.model.as_deref(), problems.len()),
            (Some(address), 0)
        );
    }
}
