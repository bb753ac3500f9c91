//! Settings of the problems that are solved live.

use std::sync::Arc;

use super::{Entry, one_of, whole};
use crate::experiments::{Grid, Hand, Row, named, row};
use crate::live::{DarcyGrid, Live, Paint, SphereGrid, WIDEST_BRUSH};
use crate::nudge;
use crate::painting::Painting;
use crate::settings::Settings;

/// A value of some experiments that differs from the default: others are left out of the address.
fn of<T: PartialEq>(
    takes: fn(&Row) -> bool,
    settings: &Settings,
    value: fn(&Live) -> T,
    text: fn(&T) -> String,
) -> Option<String> {
    let found = value(&settings.live);
    let told = takes(row(settings.experiment)) && found != value(&Live::default());
    told.then(|| text(&found))
}

/// Refuses what belongs to other experiments: it would be lost when the address is written anew.
pub(super) fn only(takes: fn(&Row) -> bool, settings: &Settings) -> Result<(), String> {
    if takes(row(settings.experiment)) {
        return Ok(());
    }
    Err(format!(
        "left out with {}: it is a setting of {}",
        settings.experiment,
        named(takes)
    ))
}

fn is_painted(row: &Row) -> bool {
    row.hand == Hand::Paints
}

fn is_nudged(row: &Row) -> bool {
    row.hand == Hand::Nudges
}

fn has_spheres(row: &Row) -> bool {
    row.grid == Grid::Sphere
}

pub(super) const TABLE: &[Entry] = &[
    Entry {
        key: "cells",
        write: |s| of(is_painted, s, |l| l.grid, |v| v.name().to_owned()),
        read: |s, text| {
            only(is_painted, s)?;
            one_of(text, DarcyGrid::ALL, DarcyGrid::name).map(|v| s.live.grid = v)
        },
    },
    Entry {
        key: "brush",
        write: |s| of(is_painted, s, |l| l.brush, ToString::to_string),
        read: |s, text| {
            only(is_painted, s)?;
            whole(text, 1..=u64::from(WIDEST_BRUSH)).map(|v| s.live.brush = v as u32)
        },
    },
    Entry {
        key: "paint",
        write: |s| of(is_painted, s, |l| l.paint, |v| v.name().to_owned()),
        read: |s, text| {
            only(is_painted, s)?;
            one_of(text, Paint::ALL, Paint::name).map(|v| s.live.paint = v)
        },
    },
    Entry {
        key: "grid",
        write: |s| of(has_spheres, s, |l| l.sphere, |v| v.name().to_owned()),
        read: |s, text| {
            only(has_spheres, s)?;
            one_of(text, SphereGrid::ALL, SphereGrid::name).map(|v| s.live.sphere = v)
        },
    },
    Entry {
        key: "painting",
        write: |s| {
            let painting = s.live.painting.as_ref();
            let painting = painting.filter(|_| is_painted(row(s.experiment)));
            painting.map(|painting| painting.encode())
        },
        read: |s, text| {
            only(is_painted, s)?;
            let sizes: Vec<usize> = DarcyGrid::ALL.iter().map(|grid| grid.cells()).collect();
            let painting = Painting::decode(text, &sizes);
            let painting = painting.map(|painting| s.live.painting = Some(Arc::new(painting)));
            painting.ok_or_else(|| "the whole text of a painting, as the page writes it".to_owned())
        },
    },
    Entry {
        key: "nudge",
        write: |s| {
            (is_nudged(row(s.experiment)) && !s.nudges.is_empty()).then(|| nudge::encode(&s.nudges))
        },
        read: |s, text| {
            only(is_nudged, s)?;
            let nudges = nudge::decode(text).map(|nudges| s.nudges = nudges);
            nudges.ok_or_else(|| {
                format!(
                    "up to {} of `across,upwards,amount` with semicolons between",
                    nudge::MOST
                )
            })
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{read, write};
    use crate::live::Place;
    use crate::nudge::Nudge;
    use pno::spec::Experiment;

    fn painted() -> Live {
        let mut painting = Painting::filled(64, true);
        painting.stroke((0.1, 0.2), (0.7, 0.9), 0.1, false);
        Live {
            grid: DarcyGrid::Coarse,
            painting: Some(Arc::new(painting)),
            brush: 3,
            paint: Paint::Low,
            ..Live::default()
        }
    }

    #[test]
    fn every_live_setting_survives_the_address() {
        let weather = Live {
            sphere: SphereGrid::Fine,
            ..Live::default()
        };
        for (experiment, live) in [(Experiment::Darcy, painted()), (Experiment::Sswe, weather)] {
            let settings = Settings {
                seed: 12,
                live,
                ..Settings::of(experiment)
            };
            let query = write(&settings);
            assert_eq!(read(&query), (settings, vec![]), "{query}");
        }
        let settings = Settings {
            nudges: vec![Nudge::at(Place::MIDDLE, -1.5)],
            ..Settings::default()
        };
        let query = write(&settings);
        assert_eq!(read(&query), (settings, vec![]), "{query}");
    }

    #[test]
    fn an_address_holds_only_what_its_experiment_uses() {
        let settings = Settings {
            live: painted(),
            ..Settings::of(Experiment::Sswe)
        };
        assert_eq!(
            write(&settings),
            "experiment=sswe&method=pno-d&seed=7&members=16"
        );
    }

    #[test]
    fn live_values_out_of_range_are_told() {
        let query = "experiment=darcy&cells=100&brush=0&nudge=1&painting=AB&paint=low";
        let (settings, problems) = read(query);
        assert_eq!(settings.live.paint, Paint::Low);
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert!(problems[0].contains("cells must be one of 128, 64"));
        assert!(problems[2].contains(
            "nudge must be left out with darcy: it is a setting of ks, sswe and ks-step"
        ));
        assert!(problems[3].contains("painting must be the whole text of a painting"));
        let (settings, problems) = read("nudge=1&cells=64");
        assert_eq!(settings, Settings::default());
        assert!(problems[0].contains("nudge must be up to 16"));
        assert!(problems[1].contains("cells must be left out with ks"));
    }
}
