//! Messages to an embedded figure: refused with a sentence, or settings that can be written and read again.

use super::address::sentences;
use super::page::embed::protocol::{Command, Event, State, changed, command};
use super::page::{address, settings::Settings};

/// The input is a byte that chooses the version, a line with the type, and lines with the settings before and the query.
pub fn target(bytes: &[u8]) {
    let Some((&how, rest)) = bytes.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(rest);
    let mut lines = text.splitn(3, '\n');
    let kind = lines.next().unwrap_or_default();
    let before = lines.next().unwrap_or_default();
    let query = lines.next();
    let version = match how {
        b'0' => None,
        b'2' => Some(f64::NAN),
        b'3' => Some(f64::from(how) / 7.0),
        _ => Some(1.0),
    };
    let settings = address::read(before).0;
    match command(version, kind, query) {
        Ok(Command::Set(query)) => {
            let (after, problems) = changed(&settings, &query);
            shown(&after, &problems);
        }
        Ok(Command::Show(query)) => {
            let (after, problems) = address::read(&query);
            shown(&after, &problems);
        }
        Ok(Command::Run | Command::Pause) => shown(&settings, &[]),
        Err(sentence) => sentences(&[sentence]),
    }
}

/// What the figure says about its settings is JSON, and says them.
fn shown(settings: &Settings, problems: &[String]) {
    sentences(problems);
    let state = State::new(settings, "done", None);
    let (read, none) = address::read(&state.query);
    assert_eq!((&read, none), (settings, vec![]), "{}", state.query);
    let json = Event::Change(state).json();
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value["type"], "change");
}
