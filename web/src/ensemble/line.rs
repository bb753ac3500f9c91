//! Members and truth along a line through the probe.

use super::{Case, Ensemble, Frame};
use crate::field::{Line, Probe, Scene};

/// What a chart draws, all in physical units.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Along {
    /// Coordinates of members and truth.
    pub coordinates: Vec<f64>,
    /// All members in rising order, `[position, member]`; empty before there are any.
    pub sorted: Vec<f32>,
    /// The first members one by one, `[member, position]`.
    pub members: Vec<f32>,
    /// The truth, at all positions or at none.
    pub truth: Vec<f32>,
    /// Coordinates of what the network saw.
    pub seen: Vec<f64>,
    /// What the network saw.
    pub history: Vec<f32>,
    /// What was really there where the network saw the last of it, if that is something else.
    pub start: Option<f32>,
}

/// Where a position of a line is: frame, row, column.
fn at(line: Line, probe: Probe, index: usize) -> Probe {
    match line {
        Line::Frames => Probe {
            frame: index,
            ..probe
        },
        Line::Rows => Probe {
            row: index,
            ..probe
        },
        Line::Columns => Probe {
            column: index,
            ..probe
        },
    }
}

/// What lies along a line through the probe, with `lines` single members.
pub fn along(
    case: &Case,
    ensemble: Option<&Ensemble>,
    line: Line,
    probe: Probe,
    lines: usize,
) -> Along {
    let scene = &case.scene;
    let span = scene.span(line);
    let value = |index: usize| at(line, probe, index).value(&scene.shape);
    let frame = |index: usize| at(line, probe, index).frame;
    // Of a rollout the hours that have all members, or else all that are known.
    let members = |index: usize| ensemble.and_then(|ensemble| ensemble.frame(frame(index)));
    let count = members(0).map_or(0, |frame| frame.count);
    let whole: Vec<_> = (0..span.len())
        .map_while(|index| members(index).filter(|frame| frame.count == count))
        .collect();
    let known = |index: usize| Some(case.truth(frame(index))?[value(index)]);
    let mut truth: Vec<f32> = (0..span.len()).map_while(known).collect();
    let length = if !whole.is_empty() {
        whole.len()
    } else if truth.is_empty() {
        span.len()
    } else {
        truth.len()
    };
    if truth.len() < length {
        truth.clear();
    }
    truth.truncate(length);
    let column = |(index, frame): (usize, &&Frame)| frame.column(value(index)).to_vec();
    let single = |member: usize| {
        let whole = whole.iter().enumerate();
        whole.filter_map(move |(index, frame)| Some(frame.member(member)?[value(index)]))
    };
    let (seen, history) = history(case, scene, line, probe);
    Along {
        coordinates: span.coordinates.iter().take(length).copied().collect(),
        sorted: whole.iter().enumerate().flat_map(column).collect(),
        members: (0..count.min(lines)).flat_map(single).collect(),
        truth,
        seen,
        history,
        start: start(case, line, probe),
    }
}

/// What was really there when a forecast that goes on began, where that was observed.
fn start(case: &Case, line: Line, probe: Probe) -> Option<f32> {
    let goes_on = line == Line::Frames && case.scene.rollout;
    let exact = &case.observed.as_ref().filter(|_| goes_on)?.exact;
    exact.get(probe.value(&case.scene.input_shape())).copied()
}

/// What the network saw along the direction of time.
fn history(case: &Case, scene: &Scene, line: Line, probe: Probe) -> (Vec<f64>, Vec<f32>) {
    let Some(input) = &case.input else {
        return (vec![], vec![]);
    };
    let shape = scene.input_shape();
    let same = scene.inputs.get(probe.channel).map(|unit| &unit.name)
        == scene.units.get(probe.channel).map(|unit| &unit.name);
    match (line, &scene.seen) {
        _ if !same => (vec![], vec![]),
        (Line::Rows, Some(seen)) => {
            let value = |index: usize| input[at(line, probe, index).value(&shape)];
            (
                seen.coordinates.clone(),
                (0..seen.len()).map(value).collect(),
            )
        }
        (Line::Frames, _) if scene.rollout => (vec![0.0], vec![input[probe.value(&shape)]]),
        (Line::Frames, _) => {
            // The frames before have the same spacing, up to now.
            let (count, values) = (shape.frames, shape.values());
            let step = scene.frame.coordinates.first().copied().unwrap_or(1.0);
            let times = (0..count).map(|index| (index as f64 + 1.0 - count as f64) * step);
            let value = |index: usize| input[index * values + probe.value(&shape)];
            (times.collect(), (0..count).map(value).collect())
        }
        _ => (vec![], vec![]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::tests::of_members;
    use crate::live::Place;
    use pno::spec::Experiment;
    use pno::task::Task;

    #[test]
    fn a_line_takes_the_values_of_its_points() {
        let scene = Scene::new(Experiment::Ks, &Task::ks().on_grid(&[3, 4]), 1);
        let field = |add: f32| (0..12).map(|i| i as f32 + add).collect::<Vec<f32>>();
        let case = Case::from_fields(scene, vec![field(100.0), field(0.0)]).expect("whole");
        let ensemble = of_members([field(0.1), field(0.2)].concat(), 12);
        let place = Place::of_cell(1, 0, 4, 3);
        let probe = case.scene.probe(place, 2, "");
        let over_time = along(&case, Some(&ensemble), Line::Rows, probe, 1);
        assert_eq!(over_time.truth, [1.0, 5.0, 9.0]);
        assert_eq!(over_time.members, [1.1, 5.1, 9.1]);
        assert_eq!(over_time.sorted, [1.1, 1.2, 5.1, 5.2, 9.1, 9.2]);
        assert_eq!(over_time.history, [101.0, 105.0, 109.0]);
        assert_eq!(over_time.coordinates.len(), 3);
        let across = along(&case, None, Line::Columns, probe, 1);
        assert_eq!(across.truth, [4.0, 5.0, 6.0, 7.0]);
        assert!(across.members.is_empty() && across.history.is_empty());
    }

    #[test]
    fn hours_that_have_not_come_are_left_out() {
        let scene = Scene::new(Experiment::Sswe, &Task::sswe().on_grid(&[4, 8]), 9);
        let field = |value: f32| vec![value; 96];
        let case =
            Case::from_fields(scene, vec![field(0.0), field(1.0), field(2.0)]).expect("whole");
        let probe = case.scene.probe(Place::of_cell(1, 1, 8, 4), 1, "vorticity");
        let hours = along(&case, None, Line::Frames, probe, 1);
        assert_eq!(hours.coordinates, [1.0, 2.0]);
        assert_eq!(hours.truth, [1.0, 2.0]);
        assert_eq!((hours.seen, hours.history), (vec![0.0], vec![0.0]));
        // Two members of the first hour, one so far of the second.
        let mut ensemble = of_members([field(3.0), field(4.0)].concat(), 96);
        ensemble.frames.extend(of_members(field(5.0), 96).frames);
        let hours = along(&case, Some(&ensemble), Line::Frames, probe, 9);
        assert_eq!(hours.coordinates, [1.0]);
        assert_eq!((hours.sorted, hours.truth), (vec![3.0, 4.0], vec![1.0]));
    }
}
