//! What the page and the worker say to each other.
//!
//! A message is a small typed value (postcard) beside the large fields it announces, which are moved, not copied.

use pno::checkpoint::Header;
use pno::score::Scores;
use serde::{Deserialize, Serialize};

use crate::settings::DeviceChoice;

mod solve;

pub use solve::{Hour, Problem, Solve, Solved};

/// From the page to the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Solve a trajectory and draw an ensemble beside it; ends any run before it.
    Start(Run),
    /// Go on, or wait until told: the page is out of sight.
    Pause(bool),
    /// Draw members of any model from a given input; ends any run before it.
    /// Fields: the input `[points, channel]` in physical units.
    Draw(Draw),
    /// Solve an equation, with no model; ends any run before it. Fields: see [`Problem`].
    Solve(Solve),
}

/// One ensemble to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Number of the run: every answer carries it, so that late ones can be dropped.
    pub id: u32,
    /// Absolute address of the checkpoint.
    pub model: String,
    /// Seed of the members' noise, and of the truth's start where one is solved.
    pub seed: u64,
    /// How many members to draw.
    pub members: u32,
    /// Where to compute.
    pub device: DeviceChoice,
}

/// An ensemble of a given input, whatever the model was made for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// Which model, and how many members where.
    pub run: Run,
    /// Points along each axis of the input, outermost first: the model's own grid, or another over the same extent.
    pub grid: Vec<usize>,
}

/// From the worker to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The worker listens. Nothing may be sent before.
    Ready,
    /// What a run is doing.
    Stage(u32, Stage),
    /// The truth is solved, from the given time on. Fields: input, truth.
    Truth(u32, f64),
    /// The checkpoint is read.
    Model(u32, Box<Model>),
    /// The device is chosen.
    Device(u32, Device),
    /// More members, and the scores of all so far in network units.
    /// Fields: the new members, then mean, standard deviation, lower and upper bound of all so far.
    Members(u32, Progress, Scores),
    /// The run ended with an error, in one sentence.
    Failed(u32, String),
    /// More members of a given input. Fields: the new members, `[member, points, channel]` in physical units.
    Drawn(u32, Progress),
    /// A pressure. Fields: the permeability it belongs to, the pressure; both `[x, y]`.
    Flow(u32, Solved),
    /// The shallow water at an hour. Fields: the frame `[lat, lon, channel]`.
    Weather(u32, Hour),
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
            | Self::Model(run, _)
            | Self::Device(run, _)
            | Self::Members(run, ..)
            | Self::Failed(run, _)
            | Self::Drawn(run, _)
            | Self::Flow(run, _)
            | Self::Weather(run, _) => Some(*run),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run {
            id: 3,
            model: "models/ks-pno-d.pno".to_owned(),
            seed: u64::MAX,
            members: 64,
            device: DeviceChoice::WebGpu,
        }
    }

    fn solve(problem: Problem) -> Request {
        Request::Solve(Solve { id: 300, problem })
    }

    fn survives<T>(message: T)
    where
        T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let bytes = postcard::to_stdvec(&message).expect("encodes");
        assert_eq!(postcard::from_bytes::<T>(&bytes), Ok(message));
    }

    #[test]
    fn messages_survive_the_wire() {
        let grid = vec![4, 6, 8];
        for request in [
            Request::Start(run()),
            Request::Pause(true),
            Request::Draw(Draw { run: run(), grid }),
            solve(Problem::RandomFlow { seed: 7, cells: 64 }),
            solve(Problem::PaintedFlow {
                cells: 128,
                exact: true,
            }),
            solve(Problem::Weather {
                seed: u64::MAX,
                latitudes: 32,
                longitudes: 64,
                hour: 240,
            }),
        ] {
            survives(request);
        }
        let stage = Stage::Download {
            bytes: 5,
            total: None,
        };
        let progress = Progress {
            drawn: 2,
            wanted: 64,
            ms_per_member: 0.5,
        };
        let solved = Solved {
            cells: 64,
            iterations: 9,
            residual: 1e-11,
            milliseconds: 3.5,
        };
        let hour = Hour {
            hour: 5,
            latitudes: 32,
            longitudes: 64,
            steps: 6,
            ms_per_hour: 2.5,
            mass_drift: -1e-16,
            energy_drift: -0.01,
        };
        for reply in [
            Reply::Ready,
            Reply::Truth(4, 100.0),
            Reply::Flow(5, solved),
            Reply::Weather(6, hour),
            Reply::Stage(1, stage),
            Reply::Failed(2, "no".to_owned()),
            Reply::Drawn(3, progress),
        ] {
            survives(reply);
        }
    }

    /// `web/tests/wire.mjs` writes and reads the same bytes.
    #[test]
    fn the_wire_of_a_draw_is_what_the_browser_tests_speak() {
        let draw = Draw {
            run: Run {
                id: 300,
                model: "m".to_owned(),
                seed: 5,
                members: 2,
                device: DeviceChoice::Cpu,
            },
            grid: vec![4, 256],
        };
        let bytes = postcard::to_stdvec(&Request::Draw(draw)).expect("encodes");
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
        ] {
            let bytes = postcard::to_stdvec(&reply).expect("encodes");
            assert_eq!(bytes[..start.len()], start, "{reply:?}");
        }
    }
}
