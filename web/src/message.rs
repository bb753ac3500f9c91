//! What the page and the worker say to each other.
//!
//! A message is a small typed value (postcard) beside the large fields it announces, which are moved, not copied.

use pno::checkpoint::Header;
use pno::observation::Observation;
use pno::score::Scores;
use pno::spec::Experiment;
use pno::task::Task;
use serde::{Deserialize, Serialize};

use crate::ensemble::Extent;
use crate::guard::memory::Reduced;
use crate::verify::Report;

mod run;
mod solve;

pub use run::{Checkpoint, Draw, Look, Problem, Run};
pub use solve::{Hour, Solved, Solver};

/// From the page to the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Solve a case and draw ensembles beside it; ends any run before it. Fields: see [`Problem`].
    Start(Run),
    /// Go on, or wait until told: the page is out of sight.
    Pause(bool),
    /// Draw members of any model from a given input; ends any run before it.
    /// Fields: the input `[points, channel]` in physical units.
    Draw(Draw),
    /// Verify the members of the current run, now and as more arrive. A later one replaces it.
    Look(Look),
}

/// From the worker to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The worker listens. Nothing may be sent before.
    Ready,
    /// What a run is doing.
    Stage(u32, Stage),
    /// The case. Fields: the input where there is one, then the frames of the truth that are known.
    Truth(u32, Box<Opening>),
    /// The checkpoint of a side is read.
    Model(u32, u8, Box<Model>),
    /// The device is chosen.
    Device(u32, Device),
    /// More members of a frame. Fields: the new members `[member, point, channel]` (or all of them anew), all so far `[point, channel, member]`
    /// in rising order.
    Members(u32, Box<Arrived>),
    /// The run ended with an error, in one sentence.
    Failed(u32, String),
    /// More members of a given input. Fields: the new members, `[member, points, channel]` in physical units.
    Drawn(u32, Progress),
    /// The next frame of the truth, by its number. Fields: the frame.
    Later(u32, u32, Solver),
    /// The case cannot be had from a solver, for this reason; a given input can be forecast.
    NoTruth(u32, String),
    /// How good the members of a side are so far.
    Verified(u32, Box<Report>),
    /// The run ended: WebGPU was asked for by name and does not work. One sentence.
    NoGpu(u32, String),
    /// Fewer members are drawn than were asked for.
    Reduced(u32, Reduced),
    /// The run ended: the server does not have a model that the page's list has. One sentence, unless the page knows why.
    Missing(u32, String),
}

/// What a case is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// Which experiment.
    pub experiment: Experiment,
    /// Grid, quantities and units.
    pub task: Task,
    /// Frames of a forecast that is stepped on.
    pub steps: u32,
    /// Whether the frames that the page has still hold.
    pub continued: bool,
    /// How the truth was found.
    pub solver: Option<Solver>,
    /// How well the input is known; where it is not exact, a field behind it is what it really is.
    pub observation: Observation,
}

/// What arrived with new members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arrived {
    /// Which side.
    pub side: u8,
    /// Which frame.
    pub frame: u32,
    /// How far the run is.
    pub progress: Progress,
    /// Scores of the members so far in network units, where there is a truth.
    pub scores: Option<Scores>,
    /// Ranges of every channel.
    pub extents: Vec<Extent>,
}

/// What the worker is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Integrating the equation.
    Solving,
    /// Fetching the checkpoint.
    Download {
        /// Bytes so far.
        bytes: u64,
        /// Bytes in all, where the server says so.
        total: Option<u64>,
    },
    /// Looking for a GPU.
    Device,
    /// Moving the weights to the device and running what all members share.
    Compile,
    /// The first pass, which also builds the kernels.
    WarmUp,
    /// Drawing members.
    Running,
    /// Waiting: the page is out of sight.
    Paused,
    /// Every member is there.
    Done,
}

/// What the page tells about a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The checkpoint's header.
    pub header: Header,
    /// Size of the file.
    pub bytes: u64,
    /// Hash of the file.
    pub fingerprint: String,
}

/// Where the network runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// `CPU` or `WebGPU`.
    pub kind: DeviceKind,
    /// What the browser tells about it.
    pub name: String,
    /// Why it is not what one might expect.
    pub note: Option<String>,
}

/// The two backends of the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceKind {
    /// WebAssembly with SIMD.
    Cpu,
    /// The browser's GPU interface.
    WebGpu,
}

impl DeviceKind {
    /// What the visitor reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::WebGpu => "WebGPU",
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Members so far.
    pub drawn: u32,
    /// Members asked for.
    pub wanted: u32,
    /// Mean time of a member, warm-up left out.
    pub ms_per_member: f64,
}

impl Reply {
    /// The run it belongs to; `None` for what concerns all.
    pub fn run(&self) -> Option<u32> {
        match self {
            Self::Ready => None,
            Self::Stage(run, _)
            | Self::Truth(run, _)
            | Self::Model(run, ..)
            | Self::Device(run, _)
            | Self::Members(run, ..)
            | Self::Failed(run, _)
            | Self::Drawn(run, _)
            | Self::Later(run, ..)
            | Self::NoTruth(run, _)
            | Self::Verified(run, _)
            | Self::NoGpu(run, _)
            | Self::Reduced(run, _)
            | Self::Missing(run, _) => Some(*run),
        }
    }

    /// Whether it is the last of its run.
    pub fn is_end(&self) -> bool {
        matches!(
            self,
            Self::Stage(_, Stage::Done) | Self::Failed(..) | Self::NoGpu(..) | Self::Missing(..)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Place;
    use crate::nudge::Nudge;
    use crate::settings::DeviceChoice;

    fn run(problem: Problem) -> Run {
        Run {
            id: 3,
            experiment: Experiment::Sswe,
            sides: vec![Checkpoint {
                version: Some("1-a".to_owned()),
                bytes: Some(5),
                agreed: true,
                address: "models/ks-pno-d.pno".to_owned(),
                name: "d".to_owned(),
            }],
            problem,
            grid: vec![32, 64],
            seed: u64::MAX,
            members: 64,
            steps: 9,
            device: DeviceChoice::WebGpu,
            quick: true,
            resume: false,
            observation: Observation::noisy(0.1),
            finer: true,
        }
    }

    fn survives<T>(message: T)
    where
        T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let bytes = postcard::to_stdvec(&message).expect("encodes");
        assert_eq!(postcard::from_bytes::<T>(&bytes), Ok(message));
    }

    fn draw() -> Draw {
        Draw {
            id: 300,
            model: "m".to_owned(),
            seed: 5,
            members: 2,
            device: DeviceChoice::Cpu,
            grid: vec![4, 256],
        }
    }

    #[test]
    fn messages_survive_the_wire() {
        let given = Problem::Given {
            shape: vec![4, 6],
            name: "in.npy".to_owned(),
            task: Some(Box::new(Task::era5())),
        };
        let nudge = Nudge::at(Place::MIDDLE, 1.0);
        for problem in [Problem::Seed(vec![nudge]), Problem::Painted, given] {
            survives(Request::Start(run(problem)));
        }
        survives(Request::Pause(true));
        survives(Request::Draw(draw()));
        survives(Request::Look(Look {
            id: 3,
            channel: 2,
            threshold: -1.5,
        }));
        let report = Report {
            side: 1,
            channel: 0,
            frames: 3,
            every: 1,
            verified: None,
            reliability: None,
        };
        let stage = Stage::Download {
            bytes: 5,
            total: None,
        };
        let progress = Progress {
            drawn: 2,
            wanted: 64,
            ms_per_member: 0.5,
        };
        let opening = Opening {
            experiment: Experiment::Ks,
            task: Task::ks(),
            steps: 1,
            continued: false,
            solver: Some(Solver::Waves(3.5)),
            observation: Observation::EXACT,
        };
        let arrived = Arrived {
            side: 1,
            frame: 4,
            progress,
            scores: None,
            extents: vec![Extent::of([1.0, 2.0])],
        };
        let size = crate::guard::memory::Size::rollout(1 << 20, 240, 2);
        let (_, reduced) = crate::guard::memory::within_budget(256, size);
        let reduced = reduced.expect("fewer");
        for reply in [
            Reply::Ready,
            Reply::Truth(4, Box::new(opening)),
            Reply::Members(5, Box::new(arrived)),
            Reply::Later(6, 2, Solver::Waves(1.0)),
            Reply::NoTruth(7, "no".to_owned()),
            Reply::Verified(8, Box::new(report)),
            Reply::Stage(1, stage),
            Reply::Failed(2, "no".to_owned()),
            Reply::Drawn(3, progress),
            Reply::NoGpu(9, "no".to_owned()),
            Reply::Reduced(10, reduced),
            Reply::Missing(11, "no".to_owned()),
        ] {
            survives(reply);
        }
    }

    #[test]
    fn only_a_run_that_is_the_same_but_longer_goes_on() {
        let before = run(Problem::Seed(vec![]));
        let longer = Run {
            id: 4,
            steps: 12,
            resume: true,
            ..before.clone()
        };
        assert!(longer.continues(&before));
        let other = Run {
            members: 8,
            ..longer
        };
        assert!(!other.continues(&before));
    }

    /// `web/tests/wire.mjs` writes and reads the same bytes.
    #[test]
    fn the_wire_of_a_draw_is_what_the_browser_tests_speak() {
        let bytes = postcard::to_stdvec(&Request::Draw(draw())).expect("encodes");
        assert_eq!(bytes, [2, 0xac, 2, 1, b'm', 5, 2, 1, 2, 4, 0x80, 2]);
        let progress = Progress {
            drawn: 1,
            wanted: 2,
            ms_per_member: 0.0,
        };
        for (reply, start) in [
            (Reply::Ready, vec![0]),
            (Reply::Stage(1, Stage::Done), vec![1, 1, 7]),
            (Reply::Failed(2, "no".to_owned()), vec![6, 2, 2, b'n', b'o']),
            (Reply::Drawn(300, progress), vec![7, 0xac, 2, 1, 2]),
            (Reply::NoGpu(2, "no".to_owned()), vec![11, 2, 2, b'n', b'o']),
        ] {
            let bytes = postcard::to_stdvec(&reply).expect("encodes");
            assert_eq!(bytes[..start.len()], start, "{reply:?}");
        }
    }
}
