//! A start on a line as a line: what it really is, what the network takes for it, and the points that were observed.

use crate::ensemble::Case;
use crate::picture::Bar;

/// Paths are drawn in a square of so many units, which is stretched over the picture.
pub const SIDE: f64 = 1000.0;

/// The paths of a start, as SVG takes them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Start {
    /// What it really is.
    pub exact: String,
    /// What the network takes for it, where that is something else.
    pub seen: String,
    /// The points that were observed, as dots.
    pub points: String,
}

/// The paths of a channel of a case's start on a scale.
pub fn start(case: &Case, channel: usize, bar: Bar) -> Option<Start> {
    let shape = case.scene.input_shape();
    let seen = shape.channel(case.input.as_ref()?, channel);
    let columns = seen.len() as f64;
    let x = |column: usize| SIDE * (column as f64 + 0.5) / columns;
    let y = |value: f32| {
        let share = f64::from((value - bar.lo) / (bar.hi - bar.lo));
        SIDE * (1.0 - share)
    };
    let line = |values: &[f32]| {
        let point = |(column, value): (usize, &f32)| {
            let pen = if column == 0 { 'M' } else { 'L' };
            format!("{pen}{:.1} {:.1}", x(column), y(*value))
        };
        values.iter().enumerate().map(point).collect::<String>()
    };
    let Some(observed) = &case.observed else {
        return Some(Start {
            exact: line(&seen),
            ..Start::default()
        });
    };
    // A line of no length with round ends is a dot, however the square is stretched.
    let dot = |column: usize| format!("M{:.1} {:.1}h0", x(column), y(seen[column]));
    Some(Start {
        exact: line(&shape.channel(&observed.exact, channel)),
        points: (0..seen.len())
            .step_by(observed.observation.every.max(1))
            .map(dot)
            .collect(),
        seen: line(&seen),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Scene;
    use crate::picture::Palette;
    use pno::observation::Observation;
    use pno::spec::Experiment;
    use pno::task::Task;

    #[test]
    fn observed_points_are_dots_on_what_the_network_takes() {
        let scene = Scene::new(Experiment::KsStep, &Task::ks_step().on_grid(&[4]), 1);
        let observation = Observation {
            noise: 0.1,
            every: 2,
        };
        let fields = vec![vec![0.0, 0.5, 1.0, 1.0], vec![0.0; 4]];
        let case = Case::of_observed(scene, fields, observation).expect("whole");
        let bar = Bar {
            lo: 0.0,
            hi: 1.0,
            palette: Palette::Sequential,
        };
        let found = start(&case, 0, bar).expect("a start");
        assert_eq!(found.points, "M125.0 1000.0h0M625.0 0.0h0");
        assert!(found.seen.starts_with("M125.0 1000.0L375.0 500.0L"));
        assert!(found.exact.ends_with("L875.0 1000.0"));
        let exact = Case {
            observed: None,
            ..case
        };
        assert_eq!(start(&exact, 0, bar).expect("a start").points, "");
    }
}
