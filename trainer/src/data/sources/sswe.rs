//! Spherical shallow water: the equations are solved from a random state.

use std::ops::Range;

use anyhow::{Result, ensure};
use pno::pde::sswe::{BURN_IN_HOURS, CHANNELS, Solver};
use pno::spec::{Experiment, Profile};
use pno::sphere::Latitudes;
use pno::task::{Coordinate, Task};
use serde_json::json;

use super::Generated;
use crate::data::description::{Description, Frames};
use crate::data::source::{Contents, Field, Line, Maker, Rows, Scales, Source};

/// Raised whenever the same seed would give other numbers.
const GENERATOR: &str = "sswe-1";
/// Hourly frames of a trajectory: the input, the hour that is forecast, and one more for two-step training.
const FRAMES: usize = 3;

/// What the network is told of the place: 1 at the north pole, -1 at the south pole. Products of spherical harmonics turn
/// with the sphere, so without it no network can know in which direction the planet does; the published ones are not told.
const LATITUDE: Coordinate = Coordinate {
    axis: 0,
    first: 1.0,
    last: -1.0,
};

/// Trajectories of the equations.
pub struct Sswe {
    seed: u64,
    profile: Profile,
    latitudes: Latitudes,
    sizes: [usize; 2],
    frames: usize,
    contents: Contents,
}

/// What one can choose.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choices {
    /// Latitudes and longitudes.
    pub grid: Option<[usize; 2]>,
    /// Where the latitudes are.
    pub latitudes: Option<Latitudes>,
    /// Hourly frames, the first included.
    pub frames: Option<usize>,
}

impl Sswe {
    /// Trajectories on 64 x 128 points (`fixed`) or the published 128 x 256 (`paper`), if not on another grid.
    pub fn new(generated: &Generated, choices: Choices) -> Result<Self> {
        let sizes = choices.grid.unwrap_or(match generated.profile {
            Profile::Paper => [128, 256],
            Profile::Fixed => [64, 128],
        });
        let frames = choices.frames.unwrap_or(FRAMES);
        ensure!(
            (2..=1000).contains(&frames),
            "{frames} frames per trajectory: an input and a truth are wanted, so 2 to 1000"
        );
        ensure!(
            sizes.iter().all(|n| (8..=1024).contains(n)) && sizes[1].is_multiple_of(2),
            "a grid of {} x {} points: 8 to 1024 of each are wanted, and an even number of longitudes",
            sizes[0],
            sizes[1]
        );
        let latitudes = choices.latitudes.unwrap_or(Latitudes::Equiangular);
        let mut task = Task::sswe().on_grid(&sizes);
        task.domain = pno::task::Domain::Sphere(latitudes);
        if generated.profile == Profile::Fixed {
            task.coordinates = vec![LATITUDE];
        }
        let places = task.output_coordinates();
        let place_latitudes = |axis: &mut pno::task::Axis| {
            axis.start = places[0][0];
            axis.step = (places[0][sizes[0] - 1] - places[0][0]) / (sizes[0] - 1) as f64;
        };
        place_latitudes(&mut task.input[0]);
        place_latitudes(&mut task.output[0]);
        let hours = (0..frames).map(|hour| hour as f64).collect();
        let coordinates = vec![
            Line::new("time", "time since the first frame", "h", hours),
            Line::new("latitude", "latitude", "degrees_north", places[0].clone()),
            Line::new("longitude", "longitude", "degrees_east", places[1].clone()),
        ];
        let arrays = task
            .outputs
            .iter()
            .map(|quantity| Field {
                name: quantity.name.clone(),
                long_name: format!("{} of the shallow water", quantity.name),
                units: quantity.unit.clone(),
                axes: vec![
                    ("time".into(), frames),
                    ("latitude".into(), sizes[0]),
                    ("longitude".into(), sizes[1]),
                ],
            })
            .collect();
        let own = json!({ "grid": sizes, "latitudes": latitudes.to_string(), "frames": frames });
        let contents = Contents {
            experiment: Experiment::Sswe,
            description: Description::of_frames(task, Frames::one(0), Frames::one(1)),
            arrays,
            coordinates,
            rows: Rows::Cases(generated.counts.total()),
            rows_at_once: 1,
            shares: generated.counts.shares(generated.seed),
            scales: match generated.profile {
                Profile::Paper => Scales::Given,
                Profile::Fixed => Scales::OfTraining,
            },
            request: generated.request(GENERATOR, &own),
            attributes: generated.attributes(json!({
                "title": "Shallow water on the rotating sphere from a random state",
                "equation": "vorticity-divergence form of the shallow water equations on a sphere with the Earth's radius and rotation, mean depth 10 km, spherical harmonics below degree ceil(latitudes / 3)",
                "frames": format!("hourly, the first {BURN_IN_HOURS} h after the random state"),
                "latitudes": latitudes.to_string(),
                "generator": GENERATOR,
            })),
        };
        Ok(Self {
            seed: generated.seed,
            profile: generated.profile,
            latitudes,
            sizes,
            frames,
            contents,
        })
    }
}

impl Source for Sswe {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn maker(&self) -> Result<Box<dyn Maker + '_>> {
        let [n_lat, n_lon] = self.sizes;
        Ok(Box::new(Trajectories {
            solver: Solver::new(n_lat, n_lon, self.latitudes, self.profile),
            of: self,
        }))
    }
}

struct Trajectories<'a> {
    solver: Solver,
    of: &'a Sswe,
}

impl Maker for Trajectories<'_> {
    fn rows(&mut self, rows: Range<usize>) -> Result<Vec<Vec<f32>>> {
        let mut arrays = vec![Vec::new(); CHANNELS];
        for row in rows {
            let frames = self
                .solver
                .trajectory(self.of.seed, row as u64, self.of.frames);
            for (channel, array) in arrays.iter_mut().enumerate() {
                array.extend(frames.iter().skip(channel).step_by(CHANNELS));
            }
        }
        Ok(arrays)
    }
}
