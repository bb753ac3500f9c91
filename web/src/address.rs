//! The address is the state: one table says how each setting is written and read.

use std::ops::RangeInclusive;

mod live;

use pno::pde::ks;
use pno::spec::{Experiment, Method};

use crate::query;
use crate::settings::{DeviceChoice, MAX_MEMBERS, Settings, Theme, View};

/// One row: the key, how the value is written (`None`: left out), and how it is read.
struct Entry {
    key: &'static str,
    write: fn(&Settings) -> Option<String>,
    read: fn(&mut Settings, &str) -> Result<(), String>,
}

/// Experiments the page can show, in the paper's order.
pub const EXPERIMENTS: &[Experiment] = &[Experiment::Darcy, Experiment::Ks, Experiment::Sswe];

/// Methods the page can show.
pub const METHODS: &[Method] = &[Method::PnoD, Method::PnoR];

const TABLE: &[Entry] = &[
    Entry {
        key: "experiment",
        write: |s| Some(s.experiment.to_string()),
        read: |s, text| one_of(text, EXPERIMENTS, Experiment::name).map(|v| s.experiment = v),
    },
    Entry {
        key: "method",
        write: |s| forecast(s).then(|| s.method.to_string()),
        read: |s, text| one_of(text, METHODS, Method::name).map(|v| s.method = v),
    },
    Entry {
        key: "seed",
        write: |s| Some(s.seed.to_string()),
        read: |s, text| whole(text, 0..=u64::MAX).map(|v| s.seed = v),
    },
    Entry {
        key: "members",
        write: |s| forecast(s).then(|| s.members.to_string()),
        read: |s, text| whole(text, 1..=u64::from(MAX_MEMBERS)).map(|v| s.members = v as u32),
    },
    Entry {
        key: "member",
        write: |s| changed(s.member, 0, |v| v.to_string()),
        read: |s, text| whole(text, 0..=u64::from(MAX_MEMBERS) - 1).map(|v| s.member = v as u32),
    },
    Entry {
        key: "view",
        write: |s| (s.view != View::All).then(|| s.view.name().to_owned()),
        read: |s, text| one_of(text, View::ALL, View::name).map(|v| s.view = v),
    },
    Entry {
        key: "lead",
        write: |s| changed(s.lead, Settings::default().lead, |v| v.to_string()),
        read: |s, text| whole(text, 1..=ks::WINDOW as u64).map(|v| s.lead = v as usize),
    },
    Entry {
        key: "point",
        write: |s| changed(s.point, Settings::default().point, |v| v.to_string()),
        read: |s, text| whole(text, 0..=ks::CELLS as u64 - 1).map(|v| s.point = v as usize),
    },
    Entry {
        key: "device",
        write: |s| (s.device != DeviceChoice::Auto).then(|| s.device.name().to_owned()),
        read: |s, text| one_of(text, DeviceChoice::ALL, DeviceChoice::name).map(|v| s.device = v),
    },
    Entry {
        key: "theme",
        write: |s| (s.theme != Theme::Auto).then(|| s.theme.name().to_owned()),
        read: |s, text| one_of(text, Theme::ALL, Theme::name).map(|v| s.theme = v),
    },
    Entry {
        key: "model",
        write: |s| s.model.clone(),
        read: |s, text| {
            s.model = (!text.is_empty()).then(|| text.to_owned());
            Ok(())
        },
    },
];

/// The settings of a query, and one sentence for each value that was not understood.
/// Unknown keys are left alone: other tools add their own.
pub fn read(query: &str) -> (Settings, Vec<String>) {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    for (key, value) in query::pairs(query) {
        let Some(entry) = table().find(|entry| entry.key == key) else {
            continue;
        };
        if let Err(wanted) = (entry.read)(&mut settings, &value) {
            let used = (entry.write)(&settings).unwrap_or_else(|| "the default".to_owned());
            problems.push(format!(
                "The address says {key}={value}, but {key} must be {wanted}; {used} is used."
            ));
        }
    }
    (settings, problems)
}

/// The query that [`read`] turns back into `settings`.
pub fn write(settings: &Settings) -> String {
    let pairs: Vec<(&str, String)> = table()
        .filter_map(|entry| Some((entry.key, (entry.write)(settings)?)))
        .collect();
    query::join(&pairs)
}

fn table() -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().chain(live::TABLE)
}

/// Whether members are drawn: without them, how they are drawn does not belong into the address.
fn forecast(settings: &Settings) -> bool {
    settings.shown() == Experiment::Ks
}

fn changed<T: Copy + PartialEq>(value: T, default: T, text: fn(T) -> String) -> Option<String> {
    (value != default).then(|| text(value))
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
            experiment: Experiment::Ks,
            method: Method::PnoR,
            seed: u64::MAX,
            members: 17,
            member: 3,
            view: View::Std,
            lead: 1,
            point: 255,
            device: DeviceChoice::WebGpu,
            theme: Theme::Dark,
            model: Some("https://example.org/a b.pno?v=1&w=2#x".to_owned()),
            ..Settings::default()
        };
        let query = write(&settings);
        assert_eq!(read(&query), (settings, vec![]), "{query}");
    }

    #[test]
    fn an_empty_address_is_the_default_and_stays_short() {
        assert_eq!(read(""), (Settings::default(), vec![]));
        assert_eq!(
            write(&Settings::default()),
            "experiment=ks&method=pno-d&seed=7&members=64"
        );
    }

    #[test]
    fn each_choice_survives_on_its_own() {
        let set = |change: &dyn Fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            assert_eq!(read(&write(&settings)).0, settings);
        };
        for &view in View::ALL {
            set(&|s| s.view = view);
        }
        for &device in DeviceChoice::ALL {
            set(&|s| s.device = device);
        }
        for &theme in Theme::ALL {
            set(&|s| s.theme = theme);
        }
        for &method in METHODS {
            set(&|s| s.method = method);
        }
    }

    #[test]
    fn values_out_of_range_are_told_and_the_rest_is_kept() {
        let (settings, problems) =
            read("?seed=-1&members=0&method=pno-x&lead=21&point=3&experiment=era5&utm=1");
        assert_eq!(
            settings,
            Settings {
                point: 3,
                ..Settings::default()
            }
        );
        assert_eq!(problems.len(), 5);
        assert_eq!(
            problems[1],
            "The address says members=0, but members must be a whole number from 1 to 1024; 64 is used."
        );
        assert!(problems[2].contains("pno-x") && problems[2].contains("pno-d, pno-r"));
        assert!(problems[4].contains("must be one of darcy, ks, sswe; ks is used"));
    }
}
