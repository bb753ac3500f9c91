//! Everything that is drawn of a point, from what the page has of a run.

use super::{Course, boxes, distribution, fan, histogram};
use crate::ensemble::{Case, Ensemble, along};
use crate::field::{self, Lead, Probe};
use crate::figure::Figure;
use crate::verify::Names;

/// Members drawn as single lines; more would only darken the band.
const LINES: usize = 48;
/// Where a line has many points, a few are enough to see its character.
const LINES_OF_MANY: usize = 5;
const MANY: usize = 60;
/// A locked axis of which a point uses less would show a flat line.
const USED: f64 = 0.3;
/// Room beside the outermost member, as a part of the range.
const AIR: f64 = 0.05;

/// The ensemble at the probe, in the unit that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct AtPoint {
    /// Words around the numbers.
    pub names: Names,
    /// Where the point is, in words.
    pub place: String,
    /// When, in words; empty where there is one moment only.
    pub moment: String,
    /// Members in rising order.
    pub sorted: Vec<f32>,
    /// What happened; `None` where nobody knows.
    pub truth: Option<f32>,
    /// Lines through the point: over time first, where there is time.
    pub lines: Vec<Line>,
}

/// A line through the point.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Which one.
    pub line: field::Line,
    /// Whether it is lead time.
    pub is_time: bool,
    /// Members, truth and what was seen.
    pub course: Course,
    /// Where the point is on it.
    pub here: f64,
    /// Where on the other axes it runs, in words.
    pub through: String,
}

/// What is at the probe; `None` if it is not of this case.
pub fn at_point(case: &Case, ensemble: Option<&Ensemble>, probe: Probe) -> Option<AtPoint> {
    let scene = &case.scene;
    let unit = scene.units.get(probe.channel)?;
    let shown = |value: f32| unit.shown(f64::from(value)) as f32;
    let all = |values: Vec<f32>| values.into_iter().map(shown).collect::<Vec<f32>>();
    let value = probe.value(&scene.shape);
    let frame = ensemble.and_then(|ensemble| ensemble.frame(probe.frame));
    let line = |line: field::Line| {
        let span = scene.span(line);
        let (is_time, index) = match line {
            field::Line::Frames => (true, probe.frame),
            field::Line::Rows => (scene.lead == Lead::Row, probe.row),
            field::Line::Columns => (false, probe.column),
        };
        let lines = if span.len() > MANY {
            LINES_OF_MANY
        } else {
            LINES
        };
        let found = along(case, ensemble, line, probe, lines);
        let row = || scene.row.place(probe.row);
        let column = || scene.column.place(probe.column);
        let through = match line {
            field::Line::Frames => scene.words(probe),
            field::Line::Rows => column(),
            field::Line::Columns if scene.shape.rows == 1 => String::new(),
            field::Line::Columns => row(),
        };
        Line {
            line,
            is_time,
            here: span.coordinates.get(index).copied().unwrap_or_default(),
            through,
            course: Course {
                across: (!is_time).then(|| span.clone()),
                times: found.coordinates,
                sorted: all(found.sorted),
                truth: all(found.truth),
                members: all(found.members),
                history: found.seen.into_iter().zip(all(found.history)).collect(),
                start: found.start.map(shown),
            },
        }
    };
    Some(AtPoint {
        names: Names::of(scene, unit),
        place: scene.words(probe),
        moment: match scene.lead {
            Lead::Frame => scene.lead_words(probe.frame + 1).unwrap_or_default(),
            _ => String::new(),
        },
        sorted: frame.map_or_else(Vec::new, |frame| all(frame.column(value).to_vec())),
        truth: case.truth(probe.frame).map(|truth| shown(truth[value])),
        lines: scene.lines().into_iter().map(line).collect(),
    })
}

impl AtPoint {
    /// Lowest and highest number at the point itself.
    pub fn reach(&self) -> (f64, f64) {
        let all = self.sorted.iter().chain(&self.truth);
        let all = all.map(|v| f64::from(*v)).filter(|v| v.is_finite());
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
            (lo.min(v), hi.max(v))
        })
    }

    /// A line through it.
    pub fn line(&self, line: field::Line) -> Option<&Line> {
        self.lines.iter().find(|found| found.line == line)
    }

    /// Histogram of the members; `other` stands on the same axis.
    pub fn histogram(&self, other: Option<&Self>) -> Figure {
        let range = self.range_here(other);
        let figure = histogram(&self.names, &self.sorted, self.truth, range);
        self.titled(figure, "Histogram")
    }

    /// Their distribution function; `other` stands on the same axis.
    pub fn distribution(&self, other: Option<&Self>) -> Figure {
        let range = self.range_here(other);
        let figure = distribution(&self.names, &self.sorted, self.truth, range);
        self.titled(figure, "Distribution")
    }

    /// Fan chart of a line; `other` stands on the same axis, which is the locked one where that fits.
    pub fn fan(
        &self,
        line: field::Line,
        other: Option<&Self>,
        locked: Option<(f64, f64)>,
    ) -> Option<Figure> {
        let found = self.line(line)?;
        let range = self.range(line, other, locked);
        let mut figure = fan(&self.names, &found.course, range);
        if line == field::Line::Rows && !found.is_time {
            figure.name = "upwards";
        }
        if !found.through.is_empty() {
            figure.title = format!("{} at {}", figure.title, found.through);
        }
        Some(figure)
    }

    /// Box meteogram over time, on the axis of the fan chart.
    pub fn meteogram(
        &self,
        line: field::Line,
        other: Option<&Self>,
        locked: Option<(f64, f64)>,
    ) -> Option<Figure> {
        let found = self.line(line)?;
        let range = self.range(line, other, locked);
        let mut figure = boxes(&self.names, &found.course, range);
        figure.title = format!("Box meteogram at {}", found.through);
        Some(figure)
    }

    fn titled(&self, mut figure: Figure, title: &str) -> Figure {
        figure.title = match (self.place.is_empty(), self.moment.is_empty()) {
            (true, _) => title.to_owned(),
            (_, true) => format!("{title} at {}", self.place),
            // Where it is stands above.
            _ => format!("{title} {}", self.moment),
        };
        figure
    }

    /// All numbers of both sides at the point, with some air.
    fn range_here(&self, other: Option<&Self>) -> Option<(f64, f64)> {
        let (lo, hi) = union(self.reach(), other.map(Self::reach))?;
        let air = AIR * (hi - lo);
        (air > 0.0).then_some((lo - air, hi + air))
    }

    fn range(
        &self,
        line: field::Line,
        other: Option<&Self>,
        locked: Option<(f64, f64)>,
    ) -> Option<(f64, f64)> {
        let reach = |at: &Self| at.line(line).map(|line| line.course.reach());
        let (lo, hi) = union(reach(self)?, other.and_then(reach))?;
        match locked {
            Some((least, most)) if hi - lo > USED * (most - least) => {
                Some((lo.min(least), hi.max(most)))
            }
            _ => Some((lo, hi)),
        }
    }
}

/// What holds both; `None` where there is no number.
fn union((lo, hi): (f64, f64), other: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let (least, most) = other.unwrap_or((lo, hi));
    let (lo, hi) = (lo.min(least), hi.max(most));
    (lo <= hi).then_some((lo, hi))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::tests::of_members;
    use crate::field::Scene;
    use crate::live::Place;
    use pno::spec::Experiment;
    use pno::task::Task;

    #[test]
    fn a_point_of_waves_has_time_space_and_its_distribution() {
        let scene = Scene::new(Experiment::Ks, &Task::ks().on_grid(&[3, 8]), 1);
        let field = |add: f32| (0..24_u8).map(|i| f32::from(i) + add).collect::<Vec<f32>>();
        let case = Case::from_fields(scene, vec![field(100.0), field(0.0)]).expect("whole");
        let members = [field(0.5), field(-0.5), field(1.5)].concat();
        let ensemble = of_members(members, 24);
        let probe = case.scene.probe(Place::of_cell(2, 0, 8, 3), 2, "");
        let at = at_point(&case, Some(&ensemble), probe).expect("a point");
        assert_eq!(
            (at.sorted.clone(), at.truth),
            (vec![9.5, 10.5, 11.5], Some(10.0))
        );
        let [time, space] = &at.lines[..] else {
            panic!("two lines, not {}", at.lines.len());
        };
        assert!(time.is_time && time.course.across.is_none());
        assert_eq!(time.course.truth, [2.0, 10.0, 18.0]);
        assert_eq!(time.course.frame(2), [17.5, 18.5, 19.5]);
        assert_eq!(time.course.history.len(), 3);
        assert_eq!(space.course.times.len(), 8);
        assert_eq!(space.here, case.scene.column.coordinates[2]);
        let fan = at.fan(field::Line::Rows, None, None).expect("a fan");
        assert!(fan.title.starts_with("Over time at x "), "{}", fan.title);
        let across = at.fan(field::Line::Columns, None, None).expect("a fan");
        assert!(
            across.title.starts_with("Along x at time "),
            "{}",
            across.title
        );
        assert_eq!(at.fan(field::Line::Frames, None, None), None);
        assert!(at.histogram(None).title.starts_with("Histogram at time "));
    }

    #[test]
    fn numbers_are_in_degrees_celsius() {
        let task = Task::era5().on_grid(&[2, 4, 4]);
        let scene = Scene::new(Experiment::Era5, &task, 1);
        let values = scene.shape.values();
        let field = |value: f32| vec![value; values];
        let input = vec![273.15; 2 * values];
        let fields = vec![input, field(283.15), field(284.15)];
        let case = Case::from_fields(scene, fields).expect("whole");
        let probe = case.scene.probe(Place::MIDDLE, 2, "");
        let at = at_point(&case, None, probe).expect("a point");
        assert!((at.truth.expect("known") - 11.0).abs() < 1e-4);
        let time = &at.lines[0].course;
        assert!((time.truth[0] - 10.0).abs() < 1e-4 && time.history[0].1.abs() < 1e-4);
        assert_eq!(Some(at.moment.clone()), case.scene.lead_words(2));
        assert!(at.sorted.is_empty());
        let title = at.histogram(None).title;
        assert_eq!(title, format!("Histogram {}", at.moment));
        let fan = at.fan(field::Line::Frames, None, None).expect("a fan");
        assert_eq!(fan.layers.len(), 2, "what was seen, and the truth");
    }

    #[test]
    fn both_sides_stand_on_one_axis_which_is_locked_where_that_fits() {
        let scene = Scene::new(Experiment::Darcy, &Task::darcy().on_grid(&[4, 4]), 1);
        let field = |value: f32| vec![value; 16];
        let case = Case::from_fields(scene, vec![field(0.0), field(1.0)]).expect("whole");
        let [a, b] = [2.0, 5.0].map(|add| of_members([field(0.0), field(add)].concat(), 16));
        let probe = case.scene.probe(Place::MIDDLE, 1, "");
        let [a, b] = [a, b].map(|side| at_point(&case, Some(&side), probe).expect("a point"));
        let axis = |figure: Figure| (figure.x.lo, figure.x.hi);
        assert_eq!(axis(a.histogram(Some(&b))), axis(b.histogram(Some(&a))));
        assert_eq!(axis(a.histogram(Some(&b))), (-0.25, 5.25));
        let across = |locked| {
            let fan = a.fan(field::Line::Columns, None, Some(locked));
            let figure = fan.expect("a fan");
            (figure.y.lo, figure.y.hi)
        };
        assert_eq!(across((-2.0, 4.0)), (-2.0, 4.0));
        assert_eq!(across((-100.0, 100.0)), (0.0, 2.0), "a flat line otherwise");
        let lines: Vec<field::Line> = a.lines.iter().map(|line| line.line).collect();
        assert_eq!(lines, [field::Line::Columns, field::Line::Rows]);
    }
}
