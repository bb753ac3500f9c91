//! What a figure and the page around it say to each other.
//!
//! Every message is a plain object with `pno`, the version, and `type`. A figure hears only the page that frames it,
//! and only if that page's origin is the `host` of the figure's address ([`super::Host`]).
//!
//! | to the figure | |
//! |---|---|
//! | `set` | `query`: change these settings, leave the others |
//! | `show` | `query`: these settings, all others as the experiment begins |
//! | `run`, `pause` | begin or go on; rest |
//!
//! | from the figure | |
//! |---|---|
//! | `hello` | its page is there (sent by its first script) |
//! | `listening` | it hears what is said from now on |
//! | `ready` | the first forecast is complete |
//! | `change` | `query`, `state`, `stage`, and the numbers at the `probe` |
//! | `size` | `height` that its contents need, in pixels |
//! | `error` | `sentence` |

use serde::Serialize;

use crate::address;
use crate::ensemble::{Case, Ensemble, column};
use crate::field::Probe;
use crate::query;
use crate::settings::Settings;

/// The version of these messages.
pub const VERSION: u32 = 1;
/// Longest query that is read: a painting of the finest grid has about 6000 letters.
pub const LONGEST_QUERY: usize = 16_384;

/// What the page around asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Change these settings.
    Set(String),
    /// Exactly these settings.
    Show(String),
    /// Begin, or go on.
    Run,
    /// Rest.
    Pause,
}

/// Reads a message from its parts. A sentence says what is wrong with it.
pub fn command(version: Option<f64>, kind: &str, query: Option<&str>) -> Result<Command, String> {
    if version != Some(f64::from(VERSION)) {
        let found = version.map_or_else(|| "no version".to_owned(), |v| format!("version {v}"));
        return Err(format!(
            "The page around this figure speaks {found} of its messages, but the figure speaks version {VERSION}."
        ));
    }
    let text = || match query {
        Some(query) if query.len() <= LONGEST_QUERY => Ok(query.to_owned()),
        Some(query) => Err(format!(
            "A message of type {kind} has a query of {} letters, but at most {LONGEST_QUERY} are read.",
            query.len()
        )),
        None => Err(format!("A message of type {kind} has no text `query`.")),
    };
    match kind {
        "set" => text().map(Command::Set),
        "show" => text().map(Command::Show),
        "run" => Ok(Command::Run),
        "pause" => Ok(Command::Pause),
        other => {
            let other = address::excerpt(other, 30);
            Err(format!(
                "The page around this figure sent a message of type `{other}`, but set, show, run or pause were expected."
            ))
        }
    }
}

/// The settings after a query was put upon them, and sentences about what was not understood, which changes nothing.
pub fn changed(settings: &Settings, change: &str) -> (Settings, Vec<String>) {
    let pairs = query::pairs(change);
    let alone = |(key, value): &(String, String)| {
        address::read(&query::join(&[(key.as_str(), value.clone())]))
    };
    let valid = |pair: &(String, String)| alone(pair).1.is_empty();
    let named = pairs.iter().rfind(|(key, _)| key == "experiment");
    let mut start = settings.clone();
    if let Some(pair) = named.filter(|pair| valid(pair)) {
        let experiment = alone(pair).0.experiment;
        if experiment != settings.experiment {
            // What belongs to the experiment begins anew.
            start.switch(experiment);
        }
    }
    let before = query::pairs(&address::write(&start));
    let replaced = |key: &str| pairs.iter().any(|pair| pair.0 == key && valid(pair));
    let kept = before.iter().filter(|(key, _)| !replaced(key));
    // An experiment that nobody knows would end the one that is shown.
    let new = pairs
        .iter()
        .filter(|pair| pair.0 != "experiment" || valid(pair));
    let all: Vec<(&str, String)> = kept
        .chain(new)
        .map(|(key, value)| (key.as_str(), value.clone()))
        .collect();
    let (after, mut problems) = address::read(&query::join(&all));
    let unknown = named.filter(|pair| !valid(pair));
    problems.extend(unknown.into_iter().flat_map(|pair| alone(pair).1));
    (after, problems)
}

/// The numbers at the point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reading {
    /// Where and when, in words.
    pub words: String,
    /// Name of the quantity.
    pub quantity: String,
    /// What its values are counted in; empty for model units.
    pub unit: String,
    /// What really happened, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<f64>,
    /// One per side.
    pub sides: Vec<Spread>,
}

/// An ensemble at a point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spread {
    /// Members so far.
    pub members: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub std: f64,
    /// Level of the interval, in per cent.
    pub level: u32,
    /// Both ends of the central interval.
    pub interval: [f64; 2],
}

/// Reads the numbers of a case and its ensembles at a point.
pub fn reading(case: &Case, sides: &[Option<&Ensemble>], probe: Probe, level: u32) -> Reading {
    let scene = &case.scene;
    let unit = &scene.units[probe.channel];
    let at = probe.value(&scene.shape);
    let shown = |value: f32| unit.shown(f64::from(value));
    let spread = |ensemble: &Ensemble| {
        let frame = ensemble.frame(probe.frame)?;
        let sorted = frame.column(at);
        let (lower, upper) = column::interval(sorted, f64::from(level) / 100.0);
        let spread = f64::from(column::std(sorted));
        Some(Spread {
            members: frame.count,
            mean: shown(column::mean(sorted)),
            std: unit.shown(spread) - unit.shown(0.0),
            level,
            interval: [shown(lower), shown(upper)],
        })
    };
    Reading {
        words: scene.words(probe),
        quantity: unit.title.clone(),
        unit: unit.unit.clone(),
        truth: case.truth(probe.frame).map(|truth| shown(truth[at])),
        sides: sides.iter().filter_map(|side| spread((*side)?)).collect(),
    }
}

/// What the figure says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Event {
    /// It hears.
    Listening,
    /// The first forecast is complete.
    Ready(State),
    /// Something on the screen is not what it was.
    Change(State),
    /// Height of its contents.
    Size {
        /// In pixels.
        height: u32,
    },
    /// Something went wrong.
    Error {
        /// What, in one sentence.
        sentence: String,
    },
}

/// What is on the screen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct State {
    /// All settings as a query.
    pub query: String,
    /// The same by name.
    pub state: serde_json::Map<String, serde_json::Value>,
    /// What is being done: `run`, `done`, …
    pub stage: String,
    /// The numbers at the point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<Reading>,
}

impl State {
    /// The state of settings.
    pub fn new(settings: &Settings, stage: &str, probe: Option<Reading>) -> Self {
        let query = address::write(settings);
        let pairs = query::pairs(&query).into_iter();
        Self {
            state: pairs.map(|(key, value)| (key, value.into())).collect(),
            query,
            stage: stage.to_owned(),
            probe,
        }
    }
}

impl Event {
    /// The message as JSON.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Message<'a> {
            pno: u32,
            #[serde(flatten)]
            event: &'a Event,
        }
        let message = Message {
            pno: VERSION,
            event: self,
        };
        serde_json::to_string(&message).expect("plain data with text keys always encodes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Scene;
    use crate::live::Place;
    use crate::settings::Theme;
    use crate::views::View;
    use pno::spec::Experiment;
    use pno::task::Task;

    #[test]
    fn a_message_of_another_version_or_kind_or_size_is_refused_with_a_sentence() {
        let one = Some(1.0);
        let set = Command::Set("seed=3".to_owned());
        assert_eq!(command(one, "set", Some("seed=3")), Ok(set));
        assert_eq!(command(one, "pause", None), Ok(Command::Pause));
        let long = "x".repeat(LONGEST_QUERY + 1);
        for (version, kind, query, word) in [
            (Some(2.0), "set", Some(""), "version 2"),
            (None, "run", None, "no version"),
            (one, "eval", None, "`eval`"),
            (one, "set", None, "no text `query`"),
            (one, "show", Some(long.as_str()), "16385 letters"),
        ] {
            let sentence = command(version, kind, query).expect_err(word);
            assert!(sentence.contains(word), "{sentence}");
        }
        let kind = "k".repeat(100_000);
        assert!(command(one, &kind, None).expect_err("unknown").len() < 200);
    }

    #[test]
    fn a_change_leaves_the_other_settings_alone() {
        let (settings, problems) = address::read("seed=12&theme=dark&view=std&members=8");
        assert!(problems.is_empty());
        let (after, problems) = changed(&settings, "view=mean&members=4");
        assert!(problems.is_empty());
        let wanted = Settings {
            view: View::Mean,
            members: 4,
            ..settings.clone()
        };
        assert_eq!(after, wanted);
        let (after, _) = changed(&settings, "experiment=darcy");
        assert_eq!(after.experiment, Experiment::Darcy);
        assert_eq!((after.theme, after.seed), (Theme::Dark, 12));
        assert_eq!(after.members, Settings::of(Experiment::Darcy).members);
        let (after, problems) = changed(&settings, "members=0&experiment=mars");
        assert_eq!((after.members, after.seed), (8, 12));
        assert_eq!(problems.len(), 2, "{problems:?}");
    }

    #[test]
    fn events_are_plain_versioned_objects() {
        let state = State::new(&Settings::default(), "done", None);
        let json: serde_json::Value =
            serde_json::from_str(&Event::Change(state).json()).expect("JSON");
        assert_eq!(json["pno"], 1);
        assert_eq!(json["type"], "change");
        assert_eq!(json["state"]["experiment"], "ks");
        assert_eq!(
            json["query"],
            "experiment=ks&method=pno-d&seed=7&members=64"
        );
        assert_eq!(json["stage"], "done");
        assert_eq!(
            Event::Size { height: 40 }.json(),
            r#"{"pno":1,"type":"size","height":40}"#
        );
        assert_eq!(Event::Listening.json(), r#"{"pno":1,"type":"listening"}"#);
    }

    #[test]
    fn the_element_knows_every_key_of_the_address_and_the_same_version() {
        let script = include_str!("../../embed/pno-forecast.js");
        for key in address::keys() {
            assert!(script.contains(&format!("\"{key}\"")), "no attribute {key}");
        }
        for key in ["embed", "start"] {
            assert!(script.contains(&format!("\"{key}\"")), "no attribute {key}");
        }
        assert!(script.contains(&format!("const VERSION = {VERSION};")));
        let first = include_str!("../../embed/embed.js");
        assert!(first.contains(&format!("const VERSION = {VERSION};")));
    }

    #[test]
    fn the_probe_is_read_in_the_unit_that_is_shown() {
        let scene = Scene::new(Experiment::Ks, &Task::ks(), 1);
        let values = scene.shape.values();
        let field = |at_probe: f32, probe: Probe| {
            let mut field = vec![0.0; values];
            field[probe.value(&scene.shape)] = at_probe;
            field
        };
        let probe = scene.probe(Place::MIDDLE, 3, "");
        let members = [1.0, 3.0, 2.0].map(|value| field(value, probe)).concat();
        let ensemble = crate::ensemble::tests::of_members(members, values);
        let case = Case {
            observed: None,
            truth: vec![field(5.0, probe)],
            input: None,
            scene: scene.clone(),
        };
        let found = reading(&case, &[Some(&ensemble), None], probe, 50);
        assert_eq!(found.truth, Some(5.0));
        let wanted = Spread {
            members: 3,
            mean: 2.0,
            std: 1.0,
            level: 50,
            interval: [1.5, 2.5],
        };
        assert_eq!(found.sides, [wanted]);
        assert_eq!(found.words, scene.words(probe));
    }
}
