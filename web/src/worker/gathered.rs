//! The members of one frame so far, or of all frames that come together.

use pno::ensemble::conformal::Factors;
use pno::score::{EnergyScore, Measure, Scores, score_stream};
use pno::task::Task;

use super::post::reply;
use crate::ensemble::{extents, merged};
use crate::message::{Arrived, Progress, Reply};

/// Beyond so many values a score of all pairs of members would keep the visitor waiting.
const MOST_SCORED: usize = 8 << 20;

/// A growing ensemble beside its truth.
pub struct Gathered {
    /// Number of its first frame, and values of each.
    first: usize,
    values: usize,
    channels: usize,
    frames: Vec<Sorted>,
    /// The truth in network units, where it is whole.
    truth: Option<Vec<f32>>,
    scores: Option<EnergyScore>,
    task: Task,
    calibrated: Option<Calibrated>,
}

/// The sorted members of one frame, and its truth.
struct Sorted {
    members: Vec<f32>,
    count: usize,
    truth: Option<Vec<f32>>,
}

/// Members that are spread around their mean: with every new one the mean moves, and all the others with it.
struct Calibrated {
    factors: Factors,
    /// As the model draws them.
    plain: Vec<f32>,
}

impl Gathered {
    /// No member yet, of frames from `first` on; `truth` has the frames that are known.
    pub fn new(task: &Task, first: usize, frames: usize, truth: &[Vec<f32>]) -> Self {
        let whole = truth.len() == frames;
        let sorted = |frame: usize| Sorted {
            members: vec![],
            count: 0,
            truth: truth.get(frame).cloned(),
        };
        let mut gathered = Self {
            first,
            values: task.output_values() / frames,
            channels: task.outputs.len(),
            frames: (0..frames).map(sorted).collect(),
            truth: whole.then(|| task.network_output(&truth.concat())),
            scores: None,
            task: task.clone(),
            calibrated: None,
        };
        gathered.begin();
        gathered
    }

    /// The same with members spread as a model's calibration says.
    #[must_use]
    pub fn spread_by(mut self, factors: Option<Factors>) -> Self {
        self.calibrated = factors.map(|factors| Calibrated {
            factors,
            plain: vec![],
        });
        self
    }

    /// Forgets all members.
    fn begin(&mut self) {
        let measure = || Measure::of(&self.task);
        let truth = self.truth.clone();
        self.scores = truth.map(|truth| EnergyScore::with_measure(truth, measure()));
        for frame in &mut self.frames {
            // Not only emptied: its room is needed for the same anew.
            frame.members = vec![];
            frame.count = 0;
        }
    }

    /// Takes in members `[member, frame, point, channel]` in physical units, and shows them. Where a calibration spreads
    /// them, it gives all members so far as they are now.
    pub fn push(
        &mut self,
        id: u32,
        side: usize,
        members: &[f32],
        progress: Progress,
    ) -> Option<Vec<f32>> {
        if let Some(calibrated) = &mut self.calibrated {
            // No more room than members: it is counted.
            calibrated.plain.reserve_exact(members.len());
            calibrated.plain.extend_from_slice(members);
            let mut all = calibrated.plain.clone();
            calibrated.factors.spread(&mut all);
            self.begin();
            self.add(id, side, &all, progress);
            Some(all)
        } else {
            self.add(id, side, members, progress);
            None
        }
    }

    fn add(&mut self, id: u32, side: usize, members: &[f32], progress: Progress) {
        let frames = self.frames.len();
        let whole = self.values * frames;
        let small = |scores: &EnergyScore| scores.count() * whole + members.len() <= MOST_SCORED;
        // Members of a score that will not be told need no room.
        self.scores = self.scores.take().filter(small);
        if let Some(scores) = &mut self.scores {
            scores.push(&self.task.network_output(members));
        }
        let scores = self.scores();
        for (index, frame) in self.frames.iter_mut().enumerate() {
            let slice =
                |member: &[f32]| member[index * self.values..(index + 1) * self.values].to_vec();
            let new: Vec<f32> = members.chunks_exact(whole).flat_map(slice).collect();
            frame.members = merged(&frame.members, frame.count, &new, self.values);
            frame.count += new.len() / self.values;
            let arrived = Arrived {
                side: side as u8,
                frame: (self.first + index) as u32,
                progress,
                scores,
                extents: extents(
                    &frame.members,
                    frame.count,
                    frame.truth.as_deref(),
                    self.channels,
                ),
            };
            reply(
                &Reply::Members(id, Box::new(arrived)),
                &[&new, &frame.members],
            );
        }
    }

    fn scores(&self) -> Option<Scores> {
        self.scores.as_ref().map(score_stream)
    }
}
