//! Settings of the experiments that are solved live.

use std::sync::Arc;

use pno::spec::Experiment;

use super::{Entry, changed, one_of, whole};
use crate::live::{Channel, DarcyGrid, LAST_HOUR, Live, Paint, Place, SphereGrid, WIDEST_BRUSH};
use crate::painting::Painting;
use crate::settings::Settings;

/// A value of one experiment that differs from the default: others are left out of the address.
fn of<T: PartialEq>(
    experiment: Experiment,
    settings: &Settings,
    value: fn(&Live) -> T,
    text: fn(&T) -> String,
) -> Option<String> {
    let found = value(&settings.live);
    let told = settings.shown() == experiment && found != value(&Live::default());
    told.then(|| text(&found))
}

pub(super) const TABLE: &[Entry] = &[
    Entry {
        key: "cells",
        write: |s| of(Experiment::Darcy, s, |l| l.grid, |v| v.name().to_owned()),
        read: |s, text| one_of(text, DarcyGrid::ALL, DarcyGrid::name).map(|v| s.live.grid = v),
    },
    Entry {
        key: "brush",
        write: |s| of(Experiment::Darcy, s, |l| l.brush, ToString::to_string),
        read: |s, text| whole(text, 1..=u64::from(WIDEST_BRUSH)).map(|v| s.live.brush = v as u32),
    },
    Entry {
        key: "paint",
        write: |s| of(Experiment::Darcy, s, |l| l.paint, |v| v.name().to_owned()),
        read: |s, text| one_of(text, Paint::ALL, Paint::name).map(|v| s.live.paint = v),
    },
    Entry {
        key: "grid",
        write: |s| of(Experiment::Sswe, s, |l| l.sphere, |v| v.name().to_owned()),
        read: |s, text| one_of(text, SphereGrid::ALL, SphereGrid::name).map(|v| s.live.sphere = v),
    },
    Entry {
        key: "channel",
        write: |s| of(Experiment::Sswe, s, |l| l.channel, |v| v.name().to_owned()),
        read: |s, text| one_of(text, Channel::ALL, Channel::name).map(|v| s.live.channel = v),
    },
    Entry {
        key: "hour",
        write: |s| of(Experiment::Sswe, s, |l| l.hour, ToString::to_string),
        read: |s, text| whole(text, 0..=u64::from(LAST_HOUR)).map(|v| s.live.hour = v as u32),
    },
    Entry {
        key: "at",
        write: |s| {
            let place = changed(s.live.place, Live::default().place, Place::encode);
            place.filter(|_| s.shown() != Experiment::Ks)
        },
        read: |s, text| {
            let place = Place::decode(text).map(|place| s.live.place = place);
            place.ok_or_else(|| "two numbers from 0 to 1 with a comma between".to_owned())
        },
    },
    Entry {
        key: "painting",
        write: |s| {
            let painting = s.live.painting.as_ref();
            let painting = painting.filter(|_| s.shown() == Experiment::Darcy);
            painting.map(|painting| painting.encode())
        },
        read: |s, text| {
            let sizes: Vec<usize> = DarcyGrid::ALL.iter().map(|grid| grid.cells()).collect();
            let painting = Painting::decode(text, &sizes);
            let painting = painting.map(|painting| s.live.painting = Some(Arc::new(painting)));
            painting.ok_or_else(|| "the whole text of a painting, as the page writes it".to_owned())
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{read, write};

    fn painted() -> Live {
        let mut painting = Painting::filled(64, true);
        painting.stroke((0.1, 0.2), (0.7, 0.9), 0.1, false);
        Live {
            grid: DarcyGrid::Coarse,
            painting: Some(Arc::new(painting)),
            brush: 3,
            paint: Paint::Low,
            place: Place::decode("0.125,0.750").expect("a place"),
            ..Live::default()
        }
    }

    #[test]
    fn every_live_setting_survives_the_address() {
        let weather = Live {
            sphere: SphereGrid::Fine,
            channel: Channel::Divergence,
            hour: LAST_HOUR,
            place: Place::decode("1.000,0.000").expect("a place"),
            ..Live::default()
        };
        for (experiment, live) in [(Experiment::Darcy, painted()), (Experiment::Sswe, weather)] {
            let settings = Settings {
                experiment,
                seed: 12,
                live,
                ..Settings::default()
            };
            let query = write(&settings);
            assert_eq!(read(&query), (settings, vec![]), "{query}");
        }
    }

    #[test]
    fn an_address_holds_only_what_its_experiment_uses() {
        let mut settings = Settings {
            experiment: Experiment::Sswe,
            live: painted(),
            ..Settings::default()
        };
        assert_eq!(write(&settings), "experiment=sswe&seed=7&at=0.125,0.750");
        settings.experiment = Experiment::Ks;
        settings.live = Live::default();
        assert_eq!(
            write(&settings),
            "experiment=ks&method=pno-d&seed=7&members=64"
        );
    }

    #[test]
    fn live_values_out_of_range_are_told() {
        let query = "experiment=darcy&cells=100&brush=0&hour=241&at=2,0&painting=AB&paint=low";
        let (settings, problems) = read(query);
        assert_eq!(settings.live.paint, Paint::Low);
        assert_eq!(problems.len(), 5, "{problems:?}");
        assert!(problems[0].contains("cells must be one of 128, 64"));
        assert!(problems[4].contains("painting must be the whole text of a painting"));
    }
}
