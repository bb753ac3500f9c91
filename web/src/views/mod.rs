//! What can be seen of a run: one view per file, each with its words, its field and the kind of its scale.

mod coarse;
mod crps;
mod difference;
mod error;
mod exceedance;
mod hit;
mod input;
mod mean;
mod member;
mod quantile;
mod stack;
mod stamps;
mod start;
mod std;
mod truth;
mod width;
mod words;

pub use coarse::{Coarse, coarse};
pub use stack::pictured;
pub use stamps::{Sheet, sheet};
pub use start::{SIDE, Start, start};
pub use words::{number, sentence, value};

use crate::ensemble::{Case, Ensemble, Frame};
use crate::field::Unit;
use crate::settings::choices;

choices!(
    /// What is shown.
    View {
        /// The six most useful views, side by side.
        #[default]
        All = "all",
        /// What the network sees.
        Input = "input",
        /// What really happened.
        Truth = "truth",
        /// Mean of the members.
        Mean = "mean",
        /// Distance of the mean from the truth.
        Error = "error",
        /// Standard deviation of the members.
        Std = "std",
        /// One member.
        Member = "member",
        /// A quantile of the members.
        Quantile = "quantile",
        /// Width of the central interval.
        Width = "width",
        /// Probability of more than a threshold.
        Exceedance = "exceedance",
        /// Where the truth lies inside the interval.
        Hit = "hit",
        /// Continuous ranked probability score, point by point.
        Crps = "crps",
        /// Many members, small.
        Stamps = "stamps",
        /// How far the means of the two sides are apart.
        Difference = "difference",
    }
);

/// Views that stand side by side where one has not chosen.
pub const OVERVIEW: [View; 6] = [
    View::Truth,
    View::Mean,
    View::Error,
    View::Member,
    View::Std,
    View::Hit,
];

/// Which scale a view is drawn on. All views of a kind share one, on both sides and at all times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Of what the network sees.
    Input,
    /// Of the quantity itself.
    Field,
    /// Of standard deviations, errors and scores.
    Spread,
    /// Of interval widths.
    Width,
    /// From 0 to 1.
    Probability,
    /// Below, inside, above.
    Interval,
    /// Around zero.
    Difference,
}

/// What the sliders say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knobs {
    /// Which member, from 0.
    pub member: usize,
    /// Which quantile, 0 to 1.
    pub quantile: f64,
    /// Level of the interval, 0 to 1.
    pub level: f64,
    /// What is to be exceeded, in physical units.
    pub threshold: f64,
}

/// What a view is made from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Input and truth.
    pub case: &'a Case,
    /// Members of this side.
    pub ensemble: Option<&'a Ensemble>,
    /// Members of the other side.
    pub other: Option<&'a Ensemble>,
    /// Which frame.
    pub frame: usize,
    /// Which channel.
    pub channel: usize,
    /// What the sliders say.
    pub knobs: Knobs,
}

impl Source<'_> {
    fn members(&self) -> Option<&Frame> {
        self.ensemble?.frame(self.frame)
    }

    fn truth(&self) -> Option<Vec<f32>> {
        let shape = &self.case.scene.shape;
        Some(shape.channel(self.case.truth(self.frame)?, self.channel))
    }

    /// Something of every point, from its sorted members.
    fn map(&self, of: impl Fn(&[f32]) -> f32) -> Option<Vec<f32>> {
        let channels = self.case.scene.shape.channels;
        Some(self.members()?.map(channels, self.channel, of))
    }

    /// Something of every point, from its sorted members and the truth.
    fn compared(&self, of: impl Fn(&[f32], f32) -> f32) -> Option<Vec<f32>> {
        let frame = self.members()?;
        let columns = frame.sorted.chunks_exact(frame.count).skip(self.channel);
        let columns = columns.step_by(self.case.scene.shape.channels);
        let pairs = columns.zip(self.truth()?);
        Some(pairs.map(|(column, truth)| of(column, truth)).collect())
    }
}

/// The words and the field of a view.
pub struct Page {
    /// Heading.
    pub title: fn(&Knobs, &Unit) -> String,
    /// One line beside the heading.
    pub caption: &'static str,
    /// Which scale it is drawn on.
    pub kind: Kind,
    /// Its field `[point]` in physical units; `None` while it is not there.
    pub field: fn(&Source) -> Option<Vec<f32>>,
}

impl View {
    /// What the view shows.
    pub fn page(self) -> Page {
        match self {
            Self::Input => input::PAGE,
            Self::All | Self::Truth => truth::PAGE,
            Self::Mean => mean::PAGE,
            Self::Error => error::PAGE,
            Self::Std => std::PAGE,
            Self::Member => member::PAGE,
            Self::Quantile => quantile::PAGE,
            Self::Width => width::PAGE,
            Self::Exceedance => exceedance::PAGE,
            Self::Hit => hit::PAGE,
            Self::Crps => crps::PAGE,
            Self::Stamps => stamps::PAGE,
            Self::Difference => difference::PAGE,
        }
    }

    /// What the menu of views calls it.
    pub fn label(self) -> &'static str {
        match self {
            Self::All => "Overview",
            Self::Input => "Input",
            Self::Truth => "Truth",
            Self::Mean => "Mean",
            Self::Error => "Error",
            Self::Std => "Spread",
            Self::Member => "Member",
            Self::Quantile => "Quantile",
            Self::Width => "Interval width",
            Self::Exceedance => "Exceedance",
            Self::Hit => "Hit or miss",
            Self::Crps => "CRPS",
            Self::Stamps => "Stamps",
            Self::Difference => "A − B",
        }
    }

    /// Whether it shows the same on both sides.
    pub fn is_shared(self) -> bool {
        matches!(self, Self::Input | Self::Truth | Self::Difference)
    }

    /// Whether it needs the truth.
    pub fn needs_truth(self) -> bool {
        matches!(self, Self::Truth | Self::Error | Self::Hit | Self::Crps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::tests::of_members;
    use crate::field::Scene;
    use pno::score::Maps;
    use pno::spec::Experiment;
    use pno::task::Task;

    const KNOBS: Knobs = Knobs {
        member: 1,
        quantile: 0.25,
        level: 0.5,
        threshold: 0.3,
    };

    fn case() -> (Case, Ensemble, Vec<f32>) {
        let scene = Scene::new(Experiment::Ks, &Task::ks().on_grid(&[3, 5]), 1);
        let wave = |m: usize| (0..15).map(move |i| ((i * 3 + m * 7) as f32).sin());
        let members: Vec<f32> = (0..6).flat_map(wave).collect();
        let fields = vec![wave(20).collect(), wave(9).collect()];
        let case = Case::from_fields(scene, fields).expect("whole");
        (case, of_members(members.clone(), 15), members)
    }

    fn field(view: View) -> Vec<f32> {
        let (case, ensemble, _) = case();
        let source = Source {
            case: &case,
            ensemble: Some(&ensemble),
            other: Some(&ensemble),
            frame: 0,
            channel: 0,
            knobs: KNOBS,
        };
        (view.page().field)(&source).expect("everything is there")
    }

    #[test]
    fn maps_are_those_of_the_shared_code() {
        let (case, _, members) = case();
        let maps = Maps::new(&members, &case.truth[0], 1.0 - KNOBS.level);
        let close = |found: Vec<f32>, wanted: &[f32]| {
            found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6)
        };
        assert!(close(field(View::Mean), &maps.mean));
        assert!(close(field(View::Std), &maps.std));
        assert!(close(field(View::Error), &maps.absolute_error));
        assert!(close(field(View::Quantile), &maps.lower), "half of half");
        let widths: Vec<f32> = maps
            .upper
            .iter()
            .zip(&maps.lower)
            .map(|(u, l)| u - l)
            .collect();
        assert!(close(field(View::Width), &widths));
        let hits = field(View::Hit)
            .iter()
            .map(|side| *side == 0.0)
            .collect::<Vec<_>>();
        assert_eq!(hits, maps.hits);
        let score = pno::score::score_case(&members, &case.truth[0]);
        let crps = field(View::Crps);
        let mean = crps.iter().map(|v| f64::from(*v)).sum::<f64>() / 15.0;
        assert!((mean - score.crps).abs() < 1e-6);
        let above = members
            .iter()
            .skip(4)
            .step_by(15)
            .filter(|v| **v > 0.3)
            .count();
        assert_eq!(field(View::Exceedance)[4], above as f32 / 6.0);
    }

    #[test]
    fn single_fields_are_what_they_say() {
        let (case, _, members) = case();
        assert_eq!(field(View::Truth), case.truth[0]);
        assert_eq!(Some(field(View::Input)), case.input);
        assert_eq!(field(View::Member), members[15..30]);
        assert_eq!(
            field(View::Difference),
            vec![0.0; 15],
            "of a side and itself"
        );
    }

    #[test]
    fn what_needs_members_or_truth_waits_for_them() {
        let (mut case, ensemble, _) = case();
        let shown = |case: &Case, ensemble: Option<&Ensemble>, view: View| {
            let source = Source {
                case,
                ensemble,
                other: None,
                frame: 0,
                channel: 0,
                knobs: KNOBS,
            };
            (view.page().field)(&source).is_some()
        };
        for &view in View::ALL {
            let alone = matches!(view, View::Truth | View::Input | View::All);
            assert_eq!(shown(&case, None, view), alone, "{view:?}");
        }
        assert!(
            !shown(&case, Some(&ensemble), View::Difference),
            "one side only"
        );
        case.truth.clear();
        for &view in View::ALL {
            let needs = view.needs_truth() || matches!(view, View::All | View::Difference);
            assert_eq!(shown(&case, Some(&ensemble), view), !needs, "{view:?}");
        }
    }
}
