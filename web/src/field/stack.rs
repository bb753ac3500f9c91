//! Forecasts of a line that go on: their steps are the rows of one picture, the start at the bottom.

use super::{Layout, Lead, Probe, Scene, Shape, Span};

/// A picture has room for so many steps, and for as many more when these are full.
const ROOM: usize = 20;

impl Scene {
    /// Whether its frames are rows of one picture.
    pub fn is_stacked(&self) -> bool {
        self.rollout && self.shape.rows == 1
    }

    /// Rows of that picture: the start, the steps so far, and the room above them.
    pub fn stacked_rows(&self) -> usize {
        self.shape.frames.max(1).div_ceil(ROOM) * ROOM + 1
    }

    /// The scene of the pictures of a forecast, and not of its frames: the same, unless they are stacked.
    #[must_use]
    pub fn picture(&self) -> Self {
        if !self.is_stacked() {
            return self.clone();
        }
        let rows = self.stacked_rows();
        let step = self.step();
        Self {
            layout: Layout::SpaceTime,
            shape: Shape {
                frames: 1,
                rows,
                ..self.shape
            },
            frame: Span::counted("", "", 0, 1),
            row: Span {
                coordinates: (0..rows).map(|row| row as f64 * step).collect(),
                ..self.frame.clone()
            },
            lead: Lead::Row,
            rollout: false,
            ..self.clone()
        }
    }

    /// A probe of a frame in the picture of the forecast.
    pub fn in_picture(&self, probe: Probe) -> Probe {
        if !self.is_stacked() {
            return probe;
        }
        Probe {
            frame: 0,
            row: probe.frame + 1,
            ..probe
        }
    }

    /// Time from one frame of a forecast that goes on to the next.
    pub fn step(&self) -> f64 {
        self.frame.coordinates.first().copied().unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Place;
    use pno::spec::Experiment;
    use pno::task::Task;

    #[test]
    fn steps_of_a_line_are_rows_above_its_start() {
        let scene = Scene::new(Experiment::KsStep, &Task::ks_step(), 7);
        assert!(scene.is_stacked() && scene.column.periodic);
        assert_eq!((scene.shape.frames, scene.shape.points()), (7, 256));
        assert_eq!(scene.lead_words(3).as_deref(), Some("6 time units ahead"));
        let picture = scene.picture();
        assert_eq!((picture.shape.frames, picture.shape.rows), (1, 21));
        assert_eq!(picture.row.coordinates[..3], [0.0, 2.0, 4.0]);
        let probe = scene.probe(Place::MIDDLE, 3, "");
        assert_eq!((probe.frame, probe.row, probe.column), (2, 0, 128));
        let there = scene.in_picture(probe);
        assert_eq!((there.frame, there.row, there.column), (0, 3, 128));
        assert_eq!(picture.words(there), "time 6, x 50");
    }

    #[test]
    fn a_picture_that_is_full_grows_by_as_much() {
        let rows = |steps| Scene::new(Experiment::KsStep, &Task::ks_step(), steps).stacked_rows();
        assert_eq!([1, 20, 21, 40].map(rows), [21, 21, 41, 41]);
    }

    #[test]
    fn other_forecasts_are_their_own_pictures() {
        let water = Scene::new(Experiment::Sswe, &Task::sswe().on_grid(&[4, 8]), 3);
        assert!(!water.is_stacked());
        assert_eq!(water.picture(), water);
        let line = Scene::new(Experiment::Arrays, &Task::ks_step(), 3);
        assert!(!line.is_stacked(), "nobody said how long a step of it is");
    }
}
