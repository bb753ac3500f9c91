//! What is measured: ours and the peer in turns, and the table of it.

use std::fmt::Write;

use anyhow::Result;
use serde::Serialize;

use super::cores::Secs;
use super::peer::{Peer, Ready};

/// One measurement.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Of what: an equation, or the size of an ensemble.
    pub what: String,
    /// Seconds for one on all cores.
    pub ours: Secs,
    /// Seconds for one on one core.
    pub one_core: Secs,
    /// The same by another program, in turns with ours.
    pub peer: Option<Compared>,
}

/// A peer on the same cores.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// What it is and how it was run.
    #[serde(flatten)]
    pub ready: Ready,
    /// Seconds for one on all cores.
    pub secs: Secs,
    /// How many times as long as ours, on the clock.
    pub ratio: f64,
    /// How many times as long as ours, on the cores.
    pub core_ratio: Option<f64>,
    /// How far its numbers are from ours, from the same start.
    pub differences: Vec<Difference>,
}

/// How far the numbers of two programs are from each other.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    /// Of what, or when.
    pub of: String,
    /// Its size.
    pub relative: f64,
}

impl Row {
    /// Takes turns: one core, all cores, the peer, and from the beginning.
    pub fn measure(
        what: &str,
        turns: usize,
        mut one: impl FnMut() -> Secs,
        mut all: impl FnMut() -> Secs,
        mut peer: Option<&mut Peer>,
    ) -> Result<Self> {
        // The first run of anything finds cold caches.
        all();
        let (mut ones, mut together, mut peers) = (vec![], vec![], vec![]);
        for _ in 0..turns {
            ones.push(one());
            together.push(all());
            if let Some(peer) = &mut peer {
                peers.push(peer.go()?);
            }
        }
        let ours = Secs::median(&together);
        let peer = peer.map(|peer| {
            let secs = Secs::median(&peers);
            Compared {
                ready: peer.ready.clone(),
                secs,
                ratio: secs.clock / ours.clock,
                core_ratio: secs
                    .cores
                    .zip(ours.cores)
                    .map(|(theirs, ours)| theirs / ours),
                differences: vec![],
            }
        });
        Ok(Self {
            what: what.to_owned(),
            ours,
            one_core: Secs::median(&ones),
            peer,
        })
    }
}

impl Difference {
    /// Compares two fields: the root mean square of the difference over the standard deviation.
    pub fn new(of: &str, ours: &[f32], theirs: &[f32]) -> Self {
        let n = theirs.len().max(1) as f64;
        let mean = theirs.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
        let variance = theirs.iter().map(|&v| (f64::from(v) - mean).powi(2));
        let squares = ours.iter().zip(theirs);
        let squares = squares.map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2));
        Self {
            of: of.to_owned(),
            relative: (squares.sum::<f64>() / variance.sum::<f64>()).sqrt(),
        }
    }
}

/// What a table speaks of.
pub struct Words {
    /// What the times are for.
    pub unit: &'static str,
    /// Before the differences.
    pub differ: &'static str,
    /// After them.
    pub of: &'static str,
}

/// The rows as text.
pub fn table(cores: usize, rows: &[Row], words: &Words) -> String {
    let mut text = format!("on {cores} cores; times are per {}\n", words.unit);
    // Writing to a text cannot fail.
    let _ = writeln!(
        text,
        "{:<36} {:>9} {:>10} {:>10} {:>8} {:>10} {:>7} {:>9}",
        "what", "ours ms", "1 core /s", "all /s", "scaling", "peer ms", "ratio", "on cores"
    );
    for row in rows {
        let _ = write!(
            text,
            "{:<36} {:>9.2} {:>10.1} {:>10.1} {:>8.2}",
            row.what,
            1e3 * row.ours.clock,
            1.0 / row.one_core.clock,
            1.0 / row.ours.clock,
            row.one_core.clock / row.ours.clock
        );
        let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.1}"));
        let peer = row.peer.as_ref();
        let _ = writeln!(
            text,
            " {:>10} {:>7} {:>9}",
            number(peer.map(|peer| 1e3 * peer.secs.clock)),
            number(peer.map(|peer| peer.ratio)),
            number(peer.and_then(|peer| peer.core_ratio))
        );
    }
    for row in rows {
        if let Some(peer) = &row.peer {
            let _ = writeln!(text, "{}: {}", row.what, peer.sentence(words));
        }
    }
    text
}

impl Compared {
    fn sentence(&self, words: &Words) -> String {
        let differences = self.differences.iter();
        let differences: Vec<String> = differences
            .map(|d| format!("{:.1e} ({})", d.relative, d.of))
            .collect();
        format!(
            "the peer is {} ({}; {:.0} s to get ready are not measured); {} {}{}",
            self.ready.versions.join(" with "),
            self.ready.setting,
            self.ready.warm_up_secs,
            words.differ,
            differences.join(", "),
            words.of
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(clock: f64) -> Secs {
        Secs {
            clock,
            cores: Some(2.0 * clock),
        }
    }

    fn row() -> Row {
        Row {
            what: "ks, t = 0..78".into(),
            ours: secs(0.002),
            one_core: secs(0.0035),
            peer: Some(Compared {
                ready: Ready {
                    versions: vec!["py-pde 0.52.0".into(), "numba 0.68.1".into()],
                    setting: "processes: 2".into(),
                    warm_up_secs: 21.4,
                },
                secs: secs(0.09),
                ratio: 45.0,
                core_ratio: Some(44.0),
                differences: vec![Difference::new("t = 2", &[1.0, 2.0], &[1.0, 3.0])],
            }),
        }
    }

    #[test]
    fn the_table_has_a_line_for_each_row_and_a_sentence_for_each_peer() {
        let alone = Row {
            what: "darcy, fixed".into(),
            peer: None,
            ..row()
        };
        let text = table(2, &[row(), alone], &crate::bench::data::WORDS);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        let words: Vec<&str> = lines[2].split_whitespace().collect();
        assert_eq!(
            words[4..],
            ["2.00", "285.7", "500.0", "1.75", "90.0", "45.0", "44.0"],
            "{text}"
        );
        assert!(lines[3].ends_with('-'), "{text}");
        // Mean 2, deviations -1 and 1; one value is 1 away.
        assert_eq!(
            lines[4],
            "ks, t = 0..78: the peer is py-pde 0.52.0 with numba 0.68.1 (processes: 2; 21 s to get ready are not \
             measured); fields differ by 7.1e-1 (t = 2) of their standard deviation"
        );
    }

    #[test]
    fn turns_are_taken_in_order_and_medians_are_kept() {
        let told = std::cell::RefCell::new(String::new());
        let tell = |who: char, secs: &[f64]| {
            let mut told = told.borrow_mut();
            told.push(who);
            super::tests::secs(secs[told.matches(who).count() - 1])
        };
        let row = Row::measure(
            "x",
            3,
            || tell('1', &[0.004, 0.009, 0.001]),
            || tell('a', &[9.0, 0.001, 0.002, 0.003]),
            None,
        );
        let row = row.expect("a row");
        assert_eq!(told.borrow().as_str(), "a1a1a1a");
        assert_eq!((row.one_core, row.ours), (secs(0.004), secs(0.002)));
    }
}
