//! Settings of where a forecast begins: how well that is known, and on how fine a grid.

use pno::observation::Observation;

use super::live::only;
use super::{Entry, whole};
use crate::experiments::{Row, row};

/// Loudest noise, in standard deviations of the quantity, and thinnest observations.
const LOUDEST: f32 = 1.0;
const THINNEST: usize = 64;

/// `0.1` is noise on every value, `0.1,4` noise and a value at every fourth point only.
fn encode(observation: Observation) -> String {
    match observation.every {
        1 => observation.noise.to_string(),
        every => format!("{},{every}", observation.noise),
    }
}

/// Reads what [`encode`] wrote.
fn decode(text: &str) -> Option<Observation> {
    let (noise, every) = text.split_once(',').unwrap_or((text, "1"));
    let found = Observation {
        noise: noise.parse().ok()?,
        every: every.parse().ok()?,
    };
    let fits = found.validate().is_ok() && found.noise <= LOUDEST && found.every <= THINNEST;
    fits.then_some(found)
}

fn refines(row: &Row) -> bool {
    row.refines
}

pub(super) const TABLE: &[Entry] = &[
    Entry {
        key: "observe",
        write: |s| (!s.observe.is_exact()).then(|| encode(s.observe)),
        read: |s, text| {
            let found = decode(text).map(|found| s.observe = found);
            found.ok_or_else(|| {
                format!("the noise, from 0 to {LOUDEST}, and after a comma which points are observed, every 1st to every {THINNEST}th")
            })
        },
    },
    Entry {
        key: "finer",
        write: |s| (s.finer && refines(row(s.experiment))).then(|| "1".to_owned()),
        read: |s, text| {
            only(refines, s)?;
            whole(text, 0..=1).map(|v| s.finer = v == 1)
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{read, write};
    use crate::settings::Settings;
    use pno::spec::Experiment;

    #[test]
    fn an_observation_survives_the_address_and_what_is_none_does_not() {
        for (noise, every, text) in [(0.07, 1, "0.07"), (0.3, 4, "0.3,4"), (0.0, 2, "0,2")] {
            let observation = Observation { noise, every };
            assert_eq!(encode(observation), text);
            assert_eq!(decode(text), Some(observation));
        }
        for text in [
            "",
            "-0.1",
            "1.1",
            "NaN",
            "0.1,0",
            "0.1,65",
            "0.1,x",
            "noise=0.1",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
        let settings = Settings {
            observe: Observation::noisy(0.1),
            finer: true,
            ..Settings::of(Experiment::KsStep)
        };
        let query = write(&settings);
        assert!(query.ends_with("observe=0.1&finer=1"), "{query}");
        assert_eq!(read(&query), (settings, vec![]));
    }

    #[test]
    fn nonsense_is_told() {
        let (settings, problems) = read("experiment=ks&observe=much&finer=1");
        assert_eq!(settings, Settings::default());
        assert!(problems[0].contains("observe must be the noise, from 0 to 1"));
        assert!(problems[1].contains("finer must be left out with ks: it is a setting of ks-step"));
    }
}
