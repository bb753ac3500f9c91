//! What one side has to be verified: members and truth as they arrive, and what was found of them so far.
//!
//! Forecasts that are stepped on come hour by hour, all others at once. Work is cut into steps of one frame, so that a
//! newer request never waits long, and frames that were looked at are not looked at again.

use std::rc::Rc;

use super::{Beside, Fields, Reference, Reliability, Report, Spectrum, Tally, Verified};
use crate::field::{Lead, Order, Scene};

/// Pairs of members at points of a frame that a step may take: a quarter of a second or so.
const MOST_PAIRS: usize = 1 << 27;
/// Values whose spectra are taken.
const MOST_WAVES: usize = 1 << 20;
/// Values that a reliability is made of.
const MOST_EVENTS: usize = 1 << 22;

/// How the frames of lead time lie in a run's arrays.
#[derive(Debug, Clone, PartialEq)]
pub struct Lie {
    /// Points of a frame.
    pub points: usize,
    /// Points that lie in a row of memory.
    pub columns: usize,
    /// Quantities at every point.
    pub channels: usize,
    /// How much a point counts; empty where all count the same.
    pub weights: Vec<f64>,
    /// Lead times; empty where steps come one after the other.
    pub lead_times: Vec<f64>,
    /// How long a step is.
    pub step: f64,
}

impl Lie {
    /// Of a scene. Points of a sphere count by `weights`, which are empty elsewhere.
    pub fn of(scene: &Scene, weights: Vec<f64>) -> Self {
        let shape = &scene.shape;
        let columns = match shape.order {
            Order::Columns => shape.rows,
            _ => shape.columns,
        };
        let (points, lead_times) = match scene.lead {
            _ if scene.rollout => (shape.points(), vec![]),
            Lead::None => (shape.points() * shape.frames, vec![0.0]),
            Lead::Frame => (shape.points(), scene.lead_times()),
            Lead::Row => (shape.columns, scene.lead_times()),
        };
        Self {
            points,
            columns,
            channels: shape.channels,
            weights,
            lead_times,
            step: scene.step(),
        }
    }

    fn lead_time(&self, frame: usize) -> f64 {
        let after = (frame + 1) as f64 * self.step;
        self.lead_times.get(frame).copied().unwrap_or(after)
    }

    fn goes_on(&self) -> bool {
        self.lead_times.is_empty()
    }
}

/// Frames that came together.
#[derive(Debug, Default)]
struct Part {
    /// `[member, frame, point, channel]`.
    members: Vec<f32>,
    /// `[frame, point, channel]`.
    truth: Vec<f32>,
}

impl Part {
    fn count(&self) -> usize {
        self.members.len() / self.truth.len()
    }
}

/// What was found of so many members of a channel.
#[derive(Debug)]
struct Found {
    channel: usize,
    count: usize,
    tally: Tally,
    /// What the baselines score, in the frames that were looked at.
    beside: Vec<Beside>,
    frames: usize,
    /// The spectrum, and after how many frames.
    spectrum: Option<(usize, Option<Spectrum>)>,
}

/// The members of one side beside their truth.
#[derive(Debug)]
pub struct Held {
    lie: Lie,
    parts: Vec<Part>,
    references: Rc<[Reference]>,
    found: Option<Found>,
}

impl Held {
    /// Nothing yet.
    pub fn new(lie: Lie) -> Self {
        Self {
            lie,
            parts: vec![],
            references: Rc::default(),
            found: None,
        }
    }

    /// Shows it beside these baselines from now on; those of before come first.
    pub fn compare(&mut self, references: &Rc<[Reference]>) {
        self.references = Rc::clone(references);
    }

    /// Takes in members `[member, frame, point, channel]` of a part (of an hour; of the only one else) beside its truth.
    pub fn push(&mut self, part: usize, truth: &[f32], members: &[f32]) {
        if truth.is_empty() || part > self.parts.len() {
            return;
        }
        if part == self.parts.len() {
            self.parts.push(Part {
                members: vec![],
                truth: truth.to_vec(),
            });
        }
        let held = &mut self.parts[part].members;
        // No more room than members: it is counted.
        held.reserve_exact(members.len());
        held.extend_from_slice(members);
    }

    /// Takes all members of a part so far in place of those it had.
    pub fn replace(&mut self, part: usize, truth: &[f32], members: Vec<f32>) {
        self.push(part, truth, &[]);
        if let Some(part) = self.parts.get_mut(part) {
            part.members = members;
        }
    }

    /// Members that can be verified, and in how many frames.
    pub fn state(&self) -> (usize, usize) {
        let count = self.parts.first().map_or(0, Part::count);
        let frame = self.lie.points * self.lie.channels;
        let frames = self.whole(count).map(|part| part.truth.len() / frame).sum();
        (count, frames)
    }

    /// An hour takes part when its last member is there.
    fn whole(&self, count: usize) -> impl Iterator<Item = &Part> {
        self.parts
            .iter()
            .take_while(move |part| part.count() == count)
    }

    fn fields(&self, channel: usize) -> Option<Fields<'_>> {
        let parts = self.whole(self.state().0);
        let parts = parts.map(|part| (part.members.as_slice(), part.truth.as_slice()));
        let Lie {
            points,
            channels,
            weights,
            ..
        } = &self.lie;
        Fields::of_parts(parts, *points, [channel, *channels], weights).ok()
    }

    /// Looks at one frame more; false if there is none.
    pub fn step(&mut self, channel: usize) -> bool {
        let (count, frames) = self.state();
        let known = self.found.take();
        let Some(fields) = self.fields(channel) else {
            return false;
        };
        let mut found = known
            .filter(|found| (found.channel, found.count) == (channel, count))
            .unwrap_or_else(|| Found {
                channel,
                count,
                tally: Tally::new(count),
                beside: vec![],
                frames: 0,
                spectrum: None,
            });
        let goes_on = if found.frames < frames {
            let at = self.lie.lead_time(found.frames);
            let every = self.every(count);
            found.tally.push(&fields, found.frames, at, every);
            found.frames += 1;
            true
        } else if self.catch_up(&mut found, &fields) {
            true
        } else if found.spectrum.as_ref().is_none_or(|(of, _)| *of < frames) {
            found.spectrum = Some((frames, self.spectrum(&fields)));
            true
        } else {
            false
        };
        self.found = Some(found);
        goes_on
    }

    /// Scores one frame more of a baseline; false if all are where the members are.
    fn catch_up(&self, found: &mut Found, fields: &Fields) -> bool {
        let new = self.references.iter().skip(found.beside.len());
        found.beside.extend(new.map(Beside::new));
        let mut pairs = found.beside.iter_mut().zip(self.references.iter());
        let Some((beside, reference)) = pairs.find(|(beside, _)| beside.frames() < found.frames)
        else {
            return false;
        };
        beside.push(reference, fields, beside.frames(), self.every(found.count));
        true
    }

    /// What was found, with the reliability of exceeding a threshold.
    pub fn report(&self, side: u8, channel: usize, threshold: f32) -> Option<Report> {
        let found = self.found.as_ref()?;
        let fields = self.fields(channel)?;
        let spectrum = found
            .spectrum
            .as_ref()
            .and_then(|(_, spectrum)| spectrum.clone());
        let mut verified = Verified::new(&found.tally, spectrum);
        if let Some(verified) = &mut verified {
            verified.spread_skill.beside.clone_from(&found.beside);
        }
        let reliability = verified
            .is_some()
            .then(|| Reliability::new(&fields, None, threshold, MOST_EVENTS));
        Some(Report {
            side,
            channel: channel as u32,
            frames: found.frames as u32,
            every: self.every(found.count) as u32,
            verified,
            reliability,
        })
    }

    /// Steps differ: the last one is what the members have come to.
    fn spectrum(&self, fields: &Fields) -> Option<Spectrum> {
        let (all, columns) = (fields.frames(), self.lie.columns);
        let first = if self.lie.goes_on() { all - 1 } else { 0 };
        let frames: Vec<usize> = (first..all).collect();
        let values = frames.len() * fields.points() * (fields.count() + 1);
        Spectrum::new(fields, columns, &frames, values.div_ceil(MOST_WAVES))
    }

    /// Of many points every n-th is enough. Columns are taken in turns.
    fn every(&self, count: usize) -> usize {
        let pairs = self.lie.points.saturating_mul((count + 1) * (count + 1));
        let least = pairs.div_ceil(MOST_PAIRS).max(1);
        let in_turns = |step: &usize| coprime(*step, self.lie.columns);
        // Of any so many neighbours one has no factor in common with the columns.
        (least..least + self.lie.columns.max(1))
            .find(in_turns)
            .unwrap_or(least)
    }
}

fn coprime(a: usize, b: usize) -> bool {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::synthetic::{Kind, Synthetic};
    use pno::score::{Measure, Options, Verification};
    use pno::spec::Experiment;
    use pno::task::Task;

    fn finished(held: &mut Held, channel: usize, threshold: f32) -> Report {
        while held.step(channel) {}
        held.report(0, channel, threshold).expect("members")
    }

    /// Members `[member, …]` in passes of 1, 2, 4, …
    fn passes(held: &mut Held, part: usize, truth: &[f32], members: &[f32], looks: bool) {
        let (mut at, mut size) = (0, 1);
        let all = members.len() / truth.len();
        while at < all {
            let end = all.min(at + size);
            held.push(part, truth, &members[at * truth.len()..end * truth.len()]);
            while looks && held.step(0) {}
            (at, size) = (end, 2 * size);
        }
    }

    #[test]
    fn members_in_passes_give_what_they_give_at_once() {
        let scene = Scene::new(Experiment::Ks, &Task::ks().on_grid(&[8, 64]), 1);
        let lie = Lie::of(&scene, vec![]);
        assert_eq!((lie.points, lie.columns, lie.channels), (64, 64, 1));
        assert_eq!(lie.lead_times.len(), 8);
        let data = Synthetic::new(Kind::TooNarrow, 3, 10, 8, 64);
        let mut held = Held::new(lie.clone());
        passes(&mut held, 0, &data.truth, &data.members, true);
        let report = finished(&mut held, 0, 0.5);
        let fields = Fields::new(&data.members, &data.truth, 64, [0, 1], &[]).expect("sizes fit");
        assert_eq!(
            report.verified,
            Verified::of(&fields, &lie.lead_times, 64, 1)
        );
        let wanted = Reliability::new(&fields, None, 0.5, 1 << 20);
        assert_eq!(report.reliability, Some(wanted));
        assert_eq!((report.frames, report.every), (8, 1));
        assert!(!held.step(0), "all is known");
    }

    #[test]
    fn members_that_a_calibration_moved_take_the_place_of_those_before() {
        let scene = Scene::new(Experiment::Ks, &Task::ks().on_grid(&[8, 64]), 1);
        let lie = Lie::of(&scene, vec![]);
        let data = Synthetic::new(Kind::TooNarrow, 3, 10, 8, 64);
        let mut held = Held::new(lie.clone());
        let half = data.members.len() / 2;
        let far: Vec<f32> = data.members[..half].iter().map(|x| 3.0 * x).collect();
        held.replace(0, &data.truth, far);
        while held.step(0) {}
        held.replace(0, &data.truth, data.members.clone());
        let fields = Fields::new(&data.members, &data.truth, 64, [0, 1], &[]).expect("sizes fit");
        assert_eq!(
            finished(&mut held, 0, 0.5).verified,
            Verified::of(&fields, &lie.lead_times, 64, 1)
        );
    }

    #[test]
    fn waves_are_verified_by_how_far_they_are_ahead() {
        let scene = Scene::new(Experiment::Ks, &Task::ks(), 1);
        let lead_times = Lie::of(&scene, vec![]).lead_times;
        assert_eq!(
            (lead_times[0], lead_times[9], lead_times[19]),
            (2.0, 20.0, 40.0)
        );
        let flow = Lie::of(&Scene::new(Experiment::Darcy, &Task::darcy(), 1), vec![]);
        assert_eq!((flow.points, flow.lead_times), (64 * 64, vec![0.0]));
        let maps = Lie::of(&Scene::new(Experiment::Era5, &Task::era5(), 1), vec![]);
        assert_eq!((maps.lead_times[1], maps.columns), (12.0, 220));
    }

    #[test]
    fn hours_of_a_sphere_count_by_area_as_in_the_program() {
        let task = Task::sswe().on_grid(&[6, 12]);
        let scene = Scene::new(Experiment::Sswe, &task, 2);
        let lie = Lie::of(&scene, task.grid().weights());
        let values = 6 * 12 * 3;
        let data = Synthetic::new(Kind::Calibrated, 5, 7, 3, values);
        let hour = |h: usize| -> (Vec<f32>, Vec<f32>) {
            let part = |field: &[f32]| field[h * values..(h + 1) * values].to_vec();
            let members = data.members.chunks(3 * values).flat_map(part).collect();
            (members, part(&data.truth))
        };
        let mut held = Held::new(lie);
        for h in 0..2 {
            let (members, truth) = hour(h);
            passes(&mut held, h, &truth, &members, true);
        }
        // The third hour is on its way.
        let (members, truth) = hour(2);
        held.push(2, &truth, &members[..values]);
        assert_eq!(held.state(), (7, 2));
        for channel in [2, 0] {
            let report = finished(&mut held, channel, 0.0);
            let verified = report.verified.expect("sound numbers");
            assert_eq!(verified.spread_skill.leads.len(), 2);
            for h in 0..2 {
                let (members, truth) = hour(h);
                let one = |all: &[f32]| {
                    all.iter()
                        .skip(channel)
                        .step_by(3)
                        .copied()
                        .collect::<Vec<_>>()
                };
                let measure = Measure::grid(&[1, 6, 12])
                    .with_weights(task.grid().weights())
                    .with_time();
                let mut program = Verification::new(measure, Options::default());
                program
                    .push(&one(&members), &one(&truth))
                    .expect("fields of the grid");
                let wanted = program.finish().0.leads[0];
                let lead = &verified.spread_skill.leads[h];
                let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-4 * b.abs(), "{a} for {b}");
                close(lead.crps.found, wanted.crps);
                close(lead.error.found, wanted.rmse);
                close(lead.energy_score.found, wanted.energy_score.expect("asked"));
                assert_eq!(lead.at, (h + 1) as f64);
            }
        }
    }

    #[test]
    fn one_member_or_no_truth_is_nothing_to_verify() {
        let scene = Scene::new(Experiment::Darcy, &Task::darcy().on_grid(&[4, 4]), 1);
        let mut held = Held::new(Lie::of(&scene, vec![]));
        held.push(0, &[], &[1.0; 32]);
        assert_eq!(held.state(), (0, 0));
        held.push(0, &[0.0; 16], &[1.0; 16]);
        assert!(!held.step(0));
        assert_eq!(held.report(0, 0, 0.0), None);
        held.push(0, &[0.0; 16], &[2.0; 16]);
        assert!(finished(&mut held, 0, 0.0).verified.is_some());
        assert!(!held.step(9), "there is no such channel");
    }

    #[test]
    fn of_many_points_columns_are_taken_in_turns() {
        let lie = Lie {
            points: 128 * 256,
            columns: 256,
            channels: 1,
            weights: vec![],
            lead_times: vec![],
            step: 1.0,
        };
        let held = Held::new(lie);
        assert_eq!(held.every(16), 1);
        let every = held.every(255);
        assert!(every > 16 && every % 2 == 1, "{every}");
        assert!(coprime(9, 220) && !coprime(10, 220));
    }
}
