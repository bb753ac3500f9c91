//! Settings of what is shown of a planet: which case, globe or map, and from where.

use super::live::only;
use super::{Entry, changed, one_of};
use crate::experiments::{Row, row};
use crate::globe::{Eye, Projection};
use crate::settings::Settings;

/// Longest name of a case.
const LONGEST_CASE: usize = 64;

fn may_be_sphere(row: &Row) -> bool {
    row.may_be_sphere
}

fn on_sphere(settings: &Settings) -> bool {
    may_be_sphere(row(settings.experiment))
}

fn is_case(text: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
    !text.is_empty() && text.len() <= LONGEST_CASE && text.chars().all(known)
}

pub(super) const TABLE: &[Entry] = &[
    Entry {
        key: "case",
        write: |s| (!s.case.is_empty()).then(|| s.case.clone()),
        read: |s, text| {
            if !is_case(text) {
                return Err(format!(
                    "the name of a case, up to {LONGEST_CASE} letters and digits"
                ));
            }
            text.clone_into(&mut s.case);
            Ok(())
        },
    },
    Entry {
        key: "surface",
        write: |s| {
            let name = changed(s, |s| s.projection, |v| v.name().to_owned());
            name.filter(|_| on_sphere(s))
        },
        read: |s, text| {
            only(may_be_sphere, s)?;
            one_of(text, Projection::ALL, Projection::name).map(|v| s.projection = v)
        },
    },
    Entry {
        key: "eye",
        write: |s| changed(s, |s| s.eye, Eye::encode).filter(|_| on_sphere(s)),
        read: |s, text| {
            only(may_be_sphere, s)?;
            let eye = Eye::decode(text).map(|eye| s.eye = eye);
            eye.ok_or_else(|| "whole degrees north and east with a comma between".to_owned())
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{read, write};
    use pno::spec::Experiment;

    #[test]
    fn globe_or_map_and_the_eye_survive_the_address() {
        let settings = Settings {
            projection: Projection::Map,
            eye: Eye { lat: -30, lon: 359 },
            ..Settings::of(Experiment::Sswe)
        };
        let query = write(&settings);
        assert_eq!(read(&query), (settings, vec![]), "{query}");
        assert!(query.ends_with("surface=map&eye=-30,359"), "{query}");
        let west = read("experiment=sswe&eye=10,-90").0;
        assert_eq!(west.eye, Eye { lat: 10, lon: 270 });
    }

    #[test]
    fn a_case_survives_the_address_and_nothing_else_does() {
        let settings = Settings {
            case: "2014-02-24".to_owned(),
            ..Settings::of(Experiment::Era5)
        };
        assert_eq!(read(&write(&settings)), (settings, vec![]));
        let query = "experiment=sswe&case=../x&surface=cube&eye=91,0";
        let (settings, problems) = read(query);
        assert_eq!(settings, Settings::of(Experiment::Sswe));
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[1].contains("surface must be one of globe, map"));
        let flat = Settings {
            projection: Projection::Map,
            ..Settings::of(Experiment::Ks)
        };
        assert!(!write(&flat).contains("surface"), "waves have no surface");
        let (flat, problems) = read("experiment=ks&surface=map&eye=10,20");
        assert_eq!(flat, Settings::of(Experiment::Ks));
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("it is a setting of sswe and arrays"));
    }
}
