//! The address is the state: one table says how each setting is written and read.

use std::ops::RangeInclusive;

#[cfg(test)]
mod hostile;
mod live;
mod place;
mod start;

use pno::spec::{Experiment, Method};

use crate::live::Place;
use crate::query;
use crate::settings::{ColourMap, DeviceChoice, MAX_LEAD, MAX_MEMBERS, Settings, Theme};
use crate::views::View;

/// Longest name of a quantity, as in a checkpoint.
const LONGEST_NAME: usize = 64;
/// Largest threshold: no quantity comes near, and what is made from it stays finite.
const LARGEST: f64 = 1e12;
/// Sentences that are shown; whoever writes more nonsense than that knows.
const MOST_PROBLEMS: usize = 8;
/// Longest address of a model.
const LONGEST_ADDRESS: usize = 2048;

/// One row: the key, how the value is written (`None`: left out), and how it is read.
struct Entry {
    key: &'static str,
    write: fn(&Settings) -> Option<String>,
    read: fn(&mut Settings, &str) -> Result<(), String>,
}

/// Experiments the page can show, in the paper's order.
pub const EXPERIMENTS: &[Experiment] = Experiment::ALL;

/// Methods the page can show.
pub const METHODS: &[Method] = Method::ALL;

const TABLE: &[Entry] = &[
    Entry {
        key: "experiment",
        write: |s| Some(s.experiment.to_string()),
        // Read before all others: it decides what they are by default.
        read: |_, _| Ok(()),
    },
    Entry {
        key: "method",
        write: |s| Some(s.method.to_string()),
        read: |s, text| one_of(text, METHODS, Method::name).map(|v| s.method = v),
    },
    Entry {
        key: "method2",
        write: |s| s.method2.map(|v| v.to_string()),
        read: |s, text| one_of(text, METHODS, Method::name).map(|v| s.method2 = Some(v)),
    },
    Entry {
        key: "seed",
        write: |s| Some(s.seed.to_string()),
        read: |s, text| whole(text, 0..=u64::MAX).map(|v| s.seed = v),
    },
    Entry {
        key: "members",
        write: |s| Some(s.members.to_string()),
        read: |s, text| whole(text, 1..=u64::from(MAX_MEMBERS)).map(|v| s.members = v as u32),
    },
    Entry {
        key: "steps",
        write: |s| (s.steps > s.lead as u32 && s.steps > 1).then(|| s.steps.to_string()),
        read: |s, text| whole(text, 1..=MAX_LEAD as u64).map(|v| s.steps = s.steps.max(v as u32)),
    },
    Entry {
        key: "view",
        write: |s| changed(s, |s| s.view, |v| v.name().to_owned()),
        read: |s, text| one_of(text, View::ALL, View::name).map(|v| s.view = v),
    },
    Entry {
        key: "lead",
        write: |s| changed(s, |s| s.lead, |v| v.to_string()),
        read: |s, text| whole(text, 1..=MAX_LEAD as u64).map(|v| s.lead = v as usize),
    },
    Entry {
        key: "at",
        write: |s| changed(s, |s| s.place, Place::encode),
        read: |s, text| {
            let place = Place::decode(text).map(|place| s.place = place);
            place.ok_or_else(|| "two numbers from 0 to 1 with a comma between".to_owned())
        },
    },
    Entry {
        key: "channel",
        write: |s| (!s.channel.is_empty()).then(|| s.channel.clone()),
        read: |s, text| {
            if text.len() > LONGEST_NAME || text.chars().any(char::is_control) {
                return Err(format!(
                    "the name of a quantity, up to {LONGEST_NAME} letters"
                ));
            }
            text.clone_into(&mut s.channel);
            Ok(())
        },
    },
    Entry {
        key: "member",
        write: |s| changed(s, |s| s.member, |v| v.to_string()),
        read: |s, text| whole(text, 0..=u64::from(MAX_MEMBERS) - 1).map(|v| s.member = v as u32),
    },
    Entry {
        key: "quantile",
        write: |s| changed(s, |s| s.quantile, |v| v.to_string()),
        read: |s, text| whole(text, 0..=100).map(|v| s.quantile = v as u32),
    },
    Entry {
        key: "level",
        write: |s| changed(s, |s| s.level, |v| v.to_string()),
        read: |s, text| whole(text, 1..=99).map(|v| s.level = v as u32),
    },
    Entry {
        key: "threshold",
        write: |s| s.threshold.map(|v| v.to_string()),
        read: |s, text| {
            let value = text.parse::<f64>().ok().filter(|v| v.abs() <= LARGEST);
            let value = value.map(|value| s.threshold = Some(value));
            value.ok_or_else(|| format!("a number of at most {LARGEST:e}"))
        },
    },
    Entry {
        key: "play",
        write: |s| s.play.then(|| "1".to_owned()),
        read: |s, text| whole(text, 0..=1).map(|v| s.play = v == 1),
    },
    Entry {
        key: "device",
        write: |s| changed(s, |s| s.device, |v| v.name().to_owned()),
        read: |s, text| one_of(text, DeviceChoice::ALL, DeviceChoice::name).map(|v| s.device = v),
    },
    Entry {
        key: "map",
        write: |s| changed(s, |s| s.map, |v| v.name().to_owned()),
        read: |s, text| one_of(text, ColourMap::ALL, ColourMap::name).map(|v| s.map = v),
    },
    Entry {
        key: "theme",
        write: |s| changed(s, |s| s.theme, |v| v.name().to_owned()),
        read: |s, text| one_of(text, Theme::ALL, Theme::name).map(|v| s.theme = v),
    },
    Entry {
        key: "model",
        write: |s| s.model.clone(),
        read: |s, text| model(text).map(|v| s.model = v),
    },
    Entry {
        key: "model2",
        write: |s| s.model2.clone(),
        read: |s, text| model(text).map(|v| s.model2 = v),
    },
];

/// An address of a model: nothing is no address, and only what a server answers is one.
fn model(text: &str) -> Result<Option<String>, String> {
    let scheme = text.split(['/', '?', '#']).next().unwrap_or_default();
    let served = match scheme.split_once(':') {
        Some((scheme, _)) => ["http", "https"]
            .iter()
            .any(|s| scheme.eq_ignore_ascii_case(s)),
        None => true,
    };
    if text.len() > LONGEST_ADDRESS || !served || text.chars().any(char::is_control) {
        return Err(format!(
            "an address on this server or one that begins with https://, of at most {LONGEST_ADDRESS} letters"
        ));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// The settings of a query, and one sentence for each value that was not understood.
/// Unknown keys are left alone: other tools add their own.
pub fn read(query: &str) -> (Settings, Vec<String>) {
    let pairs = query::pairs(query);
    let mut problems = Vec::new();
    let mut settings = Settings::default();
    if let Some((_, name)) = pairs.iter().rfind(|(key, _)| key == "experiment") {
        match one_of(name, EXPERIMENTS, Experiment::name) {
            Ok(experiment) => settings = Settings::of(experiment),
            Err(wanted) => problems.push(sentence("experiment", name, &wanted, "ks")),
        }
    }
    for (key, value) in pairs {
        let Some(entry) = table().find(|entry| entry.key == key) else {
            continue;
        };
        if let Err(wanted) = (entry.read)(&mut settings, &value) {
            let used = (entry.write)(&settings).unwrap_or_else(|| "the default".to_owned());
            problems.push(sentence(&key, &value, &wanted, &used));
        }
    }
    settings.steps = settings.steps.max(settings.lead as u32);
    settings.settle_view();
    let more = problems.len().saturating_sub(MOST_PROBLEMS);
    if more > 0 {
        problems.truncate(MOST_PROBLEMS);
        problems.push(format!(
            "The address has {more} more values that mean nothing here."
        ));
    }
    (settings, problems)
}

/// The beginning of what somebody sent, fit to be quoted.
pub fn excerpt(text: &str, most: usize) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(most).map(shown).collect()
}

fn sentence(key: &str, value: &str, wanted: &str, used: &str) -> String {
    let (value, used) = (excerpt(value, 60), excerpt(used, 60));
    format!("The address says {key}={value}, but {key} must be {wanted}; {used} is used.")
}

/// The query that [`read`] turns back into `settings`.
pub fn write(settings: &Settings) -> String {
    let pairs: Vec<(&str, String)> = table()
        .filter_map(|entry| Some((entry.key, (entry.write)(settings)?)))
        .collect();
    query::join(&pairs)
}

/// Every key, in the order in which they are written.
pub fn keys() -> impl Iterator<Item = &'static str> {
    table().map(|entry| entry.key)
}

fn table() -> impl Iterator<Item = &'static Entry> {
    let more = place::TABLE.iter().chain(live::TABLE);
    TABLE.iter().chain(more).chain(start::TABLE)
}

/// A value that differs from what the experiment begins with.
fn changed<T: PartialEq>(
    settings: &Settings,
    value: fn(&Settings) -> T,
    text: fn(T) -> String,
) -> Option<String> {
    let found = value(settings);
    (found != value(&Settings::of(settings.experiment))).then(|| text(found))
}

fn whole(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|value| range.contains(value))
        .ok_or_else(|| format!("a whole number from {} to {}", range.start(), range.end()))
}

fn one_of<T: Copy>(text: &str, known: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    known
        .iter()
        .copied()
        .find(|&value| name(value) == text)
        .ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|&value| name(value)).collect();
            match names.as_slice() {
                [only] => format!("`{only}`"),
                many => format!("one of {}", many.join(", ")),
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_survives_the_address() {
        let settings = Settings {
            method: Method::PnoR,
            method2: Some(Method::Mcd),
            seed: u64::MAX,
            members: 17,
            steps: 9,
            member: 3,
            view: View::Quantile,
            lead: 1,
            place: Place::decode("0.125,0.750").expect("a place"),
            channel: "2m_temperature".to_owned(),
            quantile: 5,
            level: 80,
            threshold: Some(-2.5),
            play: true,
            device: DeviceChoice::WebGpu,
            map: ColourMap::Vik,
            theme: Theme::Dark,
            model: Some("https://example.org/a b.pno?v=1&w=2#x".to_owned()),
            model2: Some("b.pno".to_owned()),
            ..Settings::of(Experiment::Era5)
        };
        let query = write(&settings);
        assert_eq!(read(&query), (settings, vec![]), "{query}");
    }

    #[test]
    fn an_empty_address_is_the_default_and_stays_short() {
        assert_eq!(read("").0.experiment, Experiment::Ks);
        assert_eq!(
            write(&Settings::default()),
            "experiment=ks&method=pno-d&seed=7&members=64"
        );
        for &experiment in EXPERIMENTS {
            let query = format!("experiment={experiment}");
            assert_eq!(read(&query), (Settings::of(experiment), vec![]));
        }
    }

    #[test]
    fn the_book_has_every_key() {
        let book = include_str!("../../docs/start/explore.md");
        let (_, keys_of_book) = book.split_once("| key | values |").expect("a table");
        let (table, _) = keys_of_book.split_once("\n\n").expect("an end");
        for key in keys() {
            assert!(table.contains(&format!("`{key}`")), "no key {key}");
        }
    }

    #[test]
    fn each_choice_survives_on_its_own() {
        let set = |change: &dyn Fn(&mut Settings)| {
            let mut settings = read("").0;
            change(&mut settings);
            assert_eq!(read(&write(&settings)).0, settings);
        };
        for &view in View::ALL {
            set(&|s| {
                s.view = view;
                // One of them shows two sides.
                s.method2 = Some(Method::PnoR);
            });
        }
        for &device in DeviceChoice::ALL {
            set(&|s| s.device = device);
        }
        for &theme in Theme::ALL {
            set(&|s| s.theme = theme);
        }
        for &map in ColourMap::ALL {
            set(&|s| s.map = map);
        }
        for &method in METHODS {
            set(&|s| s.method = method);
        }
    }

    #[test]
    fn a_difference_needs_a_second_side_wherever_it_stands_in_the_address() {
        let view = |query: &str| read(query).0.view;
        assert_eq!(view("view=difference"), View::All);
        for second in ["method2=pno-r", "model2=own.pno"] {
            assert_eq!(view(&format!("view=difference&{second}")), View::Difference);
            assert_eq!(view(&format!("{second}&view=difference")), View::Difference);
        }
    }

    #[test]
    fn values_out_of_range_are_told_and_the_rest_is_kept() {
        let (settings, problems) = read(
            "?seed=-1&members=0&method=pno-x&lead=0&member=3&experiment=mars&level=100&threshold=x&utm=1",
        );
        let wanted = Settings {
            member: 3,
            ..Settings::default()
        };
        assert_eq!(settings, wanted);
        assert_eq!(problems.len(), 7, "{problems:?}");
        assert!(problems[0].contains(
            "experiment must be one of darcy, ks, sswe, era5, arrays, ks-step; ks is used"
        ));
        assert_eq!(
            problems[2],
            "The address says members=0, but members must be a whole number from 1 to 256; 64 is used."
        );
        assert!(problems[3].contains("pno-x") && problems[3].contains("pno-d, pno-r"));
        let long = read(&format!("?channel={}", "a".repeat(5000))).1;
        assert!(long[0].len() < 200, "{}", long[0]);
    }
}
