//! What the page holds of a run: the case, and the members so far with a sorted copy of them.
//!
//! From sorted members every statistic of a point is a few additions: moving a slider needs no message.

pub mod column;
mod extent;
mod line;
mod sorted;

pub use extent::{Extent, extents};
pub use line::{Along, along};
pub use sorted::merged;

use pno::observation::Observation;
use pno::score::Scores;

use crate::field::Scene;
use crate::message::Progress;

/// The input and what really happens, in physical units.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Where values lie.
    pub scene: Scene,
    /// What the network sees, `[frame, point, channel]`; `None` where nothing was given yet.
    pub input: Option<Vec<f32>>,
    /// Frames of the truth that are known, in order, each `[point, channel]`.
    pub truth: Vec<Vec<f32>>,
    /// How well the input is known, and what it really is.
    pub observed: Option<Observed>,
}

/// An input that was observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// How well.
    pub observation: Observation,
    /// What it really is, as the input.
    pub exact: Vec<f32>,
}

impl Case {
    /// Takes the worker's fields: the input, then frames of the truth. `None` if a size does not fit the scene.
    pub fn from_fields(scene: Scene, fields: Vec<Vec<f32>>) -> Option<Self> {
        let input_shape = scene.input_shape();
        let mut fields = fields.into_iter();
        let input = fields.next();
        let whole = |field: &Vec<f32>| field.len() == input_shape.frames * input_shape.values();
        if !input.as_ref().is_none_or(whole) {
            return None;
        }
        let truth = fields.collect::<Vec<_>>();
        let fits = truth.len() <= scene.shape.frames
            && truth
                .iter()
                .all(|frame| frame.len() == scene.shape.values());
        fits.then_some(Self {
            scene,
            input,
            truth,
            observed: None,
        })
    }

    /// The same where the input was observed: the first of the worker's fields behind it is what it really is.
    pub fn of_observed(
        scene: Scene,
        mut fields: Vec<Vec<f32>>,
        observation: Observation,
    ) -> Option<Self> {
        if observation.is_exact() || fields.len() < 2 {
            return Self::from_fields(scene, fields);
        }
        let exact = fields.remove(1);
        let case = Self::from_fields(scene, fields)?;
        let fits = case.input.as_ref().map(Vec::len) == Some(exact.len());
        fits.then_some(Self {
            observed: Some(Observed { observation, exact }),
            ..case
        })
    }

    /// What the input really is, as far as anybody knows.
    pub fn start(&self) -> Option<&[f32]> {
        let exact = self.observed.as_ref().map(|observed| &observed.exact);
        exact.or(self.input.as_ref()).map(Vec::as_slice)
    }

    /// The truth of a frame, where it is known.
    pub fn truth(&self, frame: usize) -> Option<&[f32]> {
        self.truth.get(frame).map(Vec::as_slice)
    }
}

/// Members of one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// `[member, point, channel]`.
    pub members: Vec<f32>,
    /// `[point, channel, member]`, rising.
    pub sorted: Vec<f32>,
    /// Members so far.
    pub count: usize,
    /// Scores of the members so far, in network units; of all frames where they come together.
    pub scores: Option<Scores>,
    /// Ranges of every channel.
    pub extents: Vec<Extent>,
}

impl Frame {
    /// One member's values `[point, channel]`; the last there is, if it has not been drawn yet.
    pub fn member(&self, index: usize) -> Option<&[f32]> {
        let values = self.members.len().checked_div(self.count)?;
        let index = index.min(self.count - 1);
        self.members.get(index * values..(index + 1) * values)
    }

    /// The sorted members of a value of the frame.
    pub fn column(&self, value: usize) -> &[f32] {
        &self.sorted[value * self.count..(value + 1) * self.count]
    }

    /// Something of every point of a channel, from its sorted members.
    pub fn map(&self, channels: usize, channel: usize, of: impl Fn(&[f32]) -> f32) -> Vec<f32> {
        let columns = self.sorted.chunks_exact(self.count.max(1)).skip(channel);
        columns.step_by(channels).map(of).collect()
    }
}

/// The members so far of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble {
    /// The run that they belong to.
    pub run: u32,
    /// Frames that have members, in order.
    pub frames: Vec<Frame>,
    /// How far the run is.
    pub progress: Progress,
}

/// What arrives: new members of a frame, and all of them sorted.
#[derive(Debug, Clone, PartialEq)]
pub struct News {
    /// The run.
    pub run: u32,
    /// Which frame.
    pub frame: usize,
    /// How far the run is.
    pub progress: Progress,
    /// Scores of the members so far.
    pub scores: Option<Scores>,
    /// Ranges of every channel.
    pub extents: Vec<Extent>,
}

impl Ensemble {
    /// Joins what arrived to what was there before; members of another run are dropped. Where as many are new as there
    /// are, they are all: calibrated members move with every new one.
    /// `None` if the sizes do not fit a frame of `values`, or a frame before it is missing.
    pub fn extended(
        before: Option<Self>,
        news: News,
        values: usize,
        fields: Vec<Vec<f32>>,
    ) -> Option<Self> {
        let [new, sorted] = <[_; 2]>::try_from(fields).ok()?;
        let mut ensemble = before
            .filter(|ensemble| ensemble.run == news.run)
            .unwrap_or(Self {
                run: news.run,
                frames: vec![],
                progress: news.progress,
            });
        if news.frame == ensemble.frames.len() {
            ensemble.frames.push(Frame::default());
        }
        let frame = ensemble.frames.get_mut(news.frame)?;
        if new.len() == sorted.len() {
            frame.members = new;
        } else {
            // Room for all at once, and no more: what grows is copied, and copies are counted.
            let all = (news.progress.wanted as usize).saturating_mul(values);
            let rest = all.saturating_sub(frame.members.len());
            frame.members.reserve_exact(rest.max(new.len()));
            frame.members.extend(new);
        }
        let whole = values > 0 && frame.members.len().is_multiple_of(values);
        if !whole || frame.members.len() != sorted.len() {
            return None;
        }
        frame.count = frame.members.len() / values;
        frame.sorted = sorted;
        frame.scores = news.scores;
        frame.extents = news.extents;
        ensemble.progress = news.progress;
        Some(ensemble)
    }

    /// A frame that has members.
    pub fn frame(&self, frame: usize) -> Option<&Frame> {
        self.frames.get(frame).filter(|frame| frame.count > 0)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pno::spec::Experiment;
    use pno::task::Task;

    /// An ensemble of one frame from members `[member, value]`.
    pub(crate) fn of_members(members: Vec<f32>, values: usize) -> Ensemble {
        let count = members.len() / values;
        let sorted = merged(&[], 0, &members, values);
        let progress = Progress {
            drawn: count as u32,
            wanted: count as u32,
            ms_per_member: 1.0,
        };
        let news = News {
            run: 1,
            frame: 0,
            progress,
            scores: None,
            extents: vec![],
        };
        Ensemble::extended(None, news, values, vec![members, sorted]).expect("whole fields")
    }

    fn news(run: u32, frame: usize) -> News {
        News {
            run,
            frame,
            progress: Progress {
                drawn: 1,
                wanted: 2,
                ms_per_member: 1.0,
            },
            scores: None,
            extents: vec![],
        }
    }

    #[test]
    fn members_are_joined_frame_by_frame() {
        let first = Ensemble::extended(None, news(3, 0), 2, vec![vec![5.0, 1.0], vec![5.0, 1.0]]);
        let fields = vec![vec![4.0, 2.0], vec![4.0, 5.0, 1.0, 2.0]];
        let second = Ensemble::extended(first, news(3, 0), 2, fields).expect("whole");
        let frame = second.frame(0).expect("a frame");
        assert_eq!(frame.count, 2);
        assert_eq!(frame.column(0), [4.0, 5.0]);
        assert_eq!(frame.member(0), Some([5.0, 1.0].as_slice()));
        assert_eq!(frame.member(9), Some([4.0, 2.0].as_slice()), "the last");
        assert_eq!(frame.map(2, 1, |column| column[0]), [1.0]);
        let third = Ensemble::extended(Some(second.clone()), news(3, 1), 2, vec![vec![0.0; 2]; 2]);
        assert_eq!(third.expect("the next frame").frames.len(), 2);
        let other = Ensemble::extended(Some(second), news(4, 0), 2, vec![vec![0.0; 2]; 2]);
        assert_eq!(other.expect("another run").frames[0].count, 1);
    }

    #[test]
    fn all_members_at_once_replace_those_before() {
        let first = Ensemble::extended(None, news(3, 0), 2, vec![vec![5.0, 1.0], vec![5.0, 1.0]]);
        let fields = vec![vec![6.0, 0.0, 4.0, 2.0], vec![4.0, 6.0, 0.0, 2.0]];
        let second = Ensemble::extended(first, news(3, 0), 2, fields).expect("whole");
        let frame = second.frame(0).expect("a frame");
        assert_eq!(frame.count, 2);
        assert_eq!(frame.member(0), Some([6.0, 0.0].as_slice()));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let fits = |news, fields| Ensemble::extended(None, news, 2, fields).is_some();
        assert!(
            !fits(news(1, 0), vec![vec![0.0; 3], vec![0.0; 3]]),
            "half a field"
        );
        assert!(
            !fits(news(1, 0), vec![vec![0.0; 2], vec![0.0; 4]]),
            "other sorted"
        );
        assert!(!fits(news(1, 0), vec![vec![0.0; 2]]), "nothing sorted");
        assert!(
            !fits(news(1, 1), vec![vec![0.0; 2]; 2]),
            "a frame is missing"
        );
    }

    #[test]
    fn a_case_has_the_sizes_of_its_scene() {
        let scene = Scene::new(Experiment::Sswe, &Task::sswe().on_grid(&[4, 8]), 2);
        let field = || vec![0.0; 96];
        let case = |fields| Case::from_fields(scene.clone(), fields);
        assert!(case(vec![field(), field(), field()]).is_some());
        assert_eq!(case(vec![]).and_then(|case| case.input), None);
        assert_eq!(case(vec![field(); 4]), None, "a frame too many");
        assert_eq!(case(vec![vec![0.0; 95]]), None);
        assert_eq!(case(vec![field(), vec![0.0; 32]]), None);
        let noisy = Observation::noisy(0.1);
        let observed = |fields| Case::of_observed(scene.clone(), fields, noisy);
        let found = observed(vec![field(), vec![1.0; 96], field()]).expect("whole");
        assert_eq!(found.start(), Some(&[1.0; 96][..]));
        assert_eq!(found.truth.len(), 1);
        assert_eq!(observed(vec![field(), vec![1.0; 32]]), None);
    }
}
