//! What a model's fields are on the screen.

use pno::spec::Experiment;
use pno::task::{Domain, Task};
use serde::{Deserialize, Serialize};

use super::{Layout, Order, Probe, Shape, Span, Unit};
use crate::experiments::{self as table, Step};
use crate::live::Place;

/// Names of an axis that is time.
const TIME: [&str; 4] = ["time", "t", "step", "lead_time"];

/// Which direction is lead time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lead {
    /// The forecast is for one moment.
    None,
    /// Rows of the picture.
    Row,
    /// One picture after the other.
    Frame,
}

/// A line through the probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// From picture to picture.
    Frames,
    /// Upwards.
    Rows,
    /// To the right.
    Columns,
}

/// Layout, sizes, axes and units of a run's output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Which experiment.
    pub experiment: Experiment,
    /// What a picture is.
    pub layout: Layout,
    /// Sizes.
    pub shape: Shape,
    /// From picture to picture.
    pub frame: Span,
    /// Upwards.
    pub row: Span,
    /// To the right.
    pub column: Span,
    /// What is shown at every point.
    pub units: Vec<Unit>,
    /// What the network takes at every point.
    pub inputs: Vec<Unit>,
    /// Which direction is lead time.
    pub lead: Lead,
    /// Coordinates of the input in the direction of time, where that is the rows'.
    pub seen: Option<Span>,
    /// Whether forecasts are stepped on, one picture after the other.
    pub rollout: bool,
}

/// The one place of a direction that is none.
fn one() -> Span {
    Span::counted("", "", 0, 1)
}

impl Scene {
    /// The scene of a task; forecasts that are stepped on have `steps` frames.
    pub fn new(experiment: Experiment, task: &Task, steps: usize) -> Self {
        let coordinates = task.output_coordinates();
        let span = |at: usize| Span::of(&task.output[at], &coordinates[at]);
        let descending = |at: usize| coordinates[at].first() > coordinates[at].last();
        let is_time = |at: usize| TIME.contains(&task.output[at].name.as_str());
        let axes = task.output.len();
        let step = match task.domain {
            Domain::Sphere(_) => Some(Step::HOUR),
            // Of a line somebody must say how long a step is.
            Domain::Flat => table::row(experiment).step.filter(|_| axes == 1),
        };
        let step = step.filter(|_| task.feeds_back());
        let rollout = step.is_some();
        let steps = || step.map_or_else(one, |step| Span::stepped(step, steps.max(1)));
        let mut lead = Lead::None;
        let (layout, order, frame, row, mut column) = match axes {
            1 => {
                lead = if rollout { Lead::Frame } else { Lead::None };
                (Layout::Map, Order::Upwards, steps(), one(), span(0))
            }
            2 if matches!(task.domain, Domain::Sphere(_)) => {
                let order = if descending(0) {
                    Order::Downwards
                } else {
                    Order::Upwards
                };
                lead = if rollout { Lead::Frame } else { Lead::None };
                (Layout::Sphere, order, steps(), span(0), span(1))
            }
            2 if is_time(0) => {
                lead = Lead::Row;
                (Layout::SpaceTime, Order::Upwards, one(), span(0), span(1))
            }
            2 if task.output[0].name == "x" && task.output[1].name == "y" => {
                (Layout::Map, Order::Columns, one(), span(1), span(0))
            }
            _ => {
                // The last two axes are the picture; all before them count pictures.
                let (rows, columns) = (axes - 2, axes - 1);
                let order = if descending(rows) {
                    Order::Downwards
                } else {
                    Order::Upwards
                };
                let outer: usize = task.output[..rows].iter().map(|axis| axis.size).product();
                let frame = match rows {
                    0 => one(),
                    1 => span(0),
                    _ => Span::counted("frame", "", 1, outer),
                };
                lead = if rows == 1 { Lead::Frame } else { Lead::None };
                (Layout::Map, order, frame, span(rows), span(columns))
            }
        };
        column.periodic = layout == Layout::Sphere || table::row(experiment).is_ring;
        Self {
            experiment,
            layout,
            shape: Shape {
                frames: frame.len(),
                rows: row.len(),
                columns: column.len(),
                channels: task.outputs.len(),
                order,
            },
            seen: (lead == Lead::Row)
                .then(|| Span::of(&task.input[0], &task.input[0].coordinates())),
            frame,
            row,
            column,
            units: task.outputs.iter().map(Unit::of).collect(),
            inputs: task.inputs.iter().map(Unit::of).collect(),
            lead,
            rollout,
        }
    }

    /// The shape of the input: the same points, with the quantities that the network takes.
    pub fn input_shape(&self) -> Shape {
        Shape {
            frames: if self.rollout { 1 } else { self.shape.frames },
            channels: self.inputs.len(),
            ..self.shape
        }
    }

    /// Number of lead times; 0 where there is none.
    pub fn leads(&self) -> usize {
        match self.lead {
            Lead::None => 0,
            Lead::Row => self.shape.rows,
            Lead::Frame => self.shape.frames,
        }
    }

    /// Lead times, by how far they are ahead of what was seen; empty where there is none.
    pub fn lead_times(&self) -> Vec<f64> {
        match self.lead {
            Lead::None => vec![],
            Lead::Frame => self.frame.coordinates.clone(),
            Lead::Row => {
                let seen = self.seen.as_ref().and_then(|seen| seen.coordinates.last());
                let seen = seen.copied().unwrap_or_default();
                self.row.coordinates.iter().map(|at| at - seen).collect()
            }
        }
    }

    /// A lead time in words, from 1.
    pub fn lead_words(&self, lead: usize) -> Option<String> {
        let index = lead.clamp(1, self.leads().max(1)) - 1;
        match self.lead {
            Lead::None => None,
            Lead::Row => {
                let ahead = crate::scale::short(self.lead_times()[index]);
                Some(format!("{}, {ahead} ahead", self.row.place(index)))
            }
            Lead::Frame if self.is_stacked() => {
                let ahead = crate::scale::short(self.lead_times()[index]);
                Some(format!("{ahead} time units ahead"))
            }
            Lead::Frame if self.rollout && index == 0 => Some("after 1 hour".to_owned()),
            Lead::Frame if self.rollout => Some(format!("after {} hours", index + 1)),
            Lead::Frame => Some(format!("{} ahead", self.frame.words(index))),
        }
    }

    /// Number of a channel by its name; the first for a name that is not there.
    pub fn channel(&self, name: &str) -> usize {
        let found = self.units.iter().position(|unit| unit.name == name);
        found.unwrap_or_default()
    }

    /// The probe at a place, a lead time (from 1) and a channel.
    pub fn probe(&self, place: Place, lead: usize, channel: &str) -> Probe {
        let Shape { rows, columns, .. } = self.shape;
        let (column, row) = place.cell(columns, rows);
        let lead = lead.clamp(1, self.leads().max(1)) - 1;
        Probe {
            frame: if self.lead == Lead::Frame { lead } else { 0 },
            row: if self.lead == Lead::Row { lead } else { row },
            column,
            channel: self.channel(channel),
        }
    }

    /// The place of a probe.
    pub fn place(&self, probe: Probe) -> Place {
        Place::of_cell(probe.column, probe.row, self.shape.columns, self.shape.rows)
    }

    /// Where a probe is, in words.
    pub fn words(&self, probe: Probe) -> String {
        let column = self.column.place(probe.column);
        let row = self.row.place(probe.row);
        match self.layout {
            _ if self.shape.rows == 1 => column,
            Layout::Map if self.shape.order == Order::Columns => format!("{column}, {row}"),
            _ => format!("{row}, {column}"),
        }
    }

    /// Lines through the probe that are worth a chart: along lead time first, then across space.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = match self.lead {
            Lead::Frame if self.shape.frames > 1 => vec![Line::Frames],
            Lead::Row => vec![Line::Rows],
            _ => vec![],
        };
        lines.push(Line::Columns);
        if lines.len() < 2 && self.shape.rows > 1 {
            lines.push(Line::Rows);
        }
        lines
    }

    /// Coordinates along a line.
    pub fn span(&self, line: Line) -> &Span {
        match line {
            Line::Frames => &self.frame,
            Line::Rows => &self.row,
            Line::Columns => &self.column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(across: f64, upwards: f64) -> Place {
        Place { across, upwards }
    }

    #[test]
    fn waves_are_a_picture_of_space_and_time() {
        let scene = Scene::new(Experiment::Ks, &Task::ks(), 1);
        assert_eq!(scene.layout, Layout::SpaceTime);
        assert_eq!(
            (scene.shape.frames, scene.shape.rows, scene.shape.columns),
            (1, 20, 256)
        );
        assert!(scene.column.periodic && !scene.row.periodic);
        assert_eq!(scene.lead_words(10).as_deref(), Some("time 58, 20 ahead"));
        let probe = scene.probe(place(0.5, 0.1), 20, "");
        assert_eq!((probe.row, probe.column), (19, 128));
        assert_eq!(scene.words(probe), "time 78, x 50");
        assert_eq!(scene.lines(), [Line::Rows, Line::Columns]);
    }

    #[test]
    fn a_flow_is_a_square_with_x_to_the_right() {
        let scene = Scene::new(Experiment::Darcy, &Task::darcy(), 1);
        assert_eq!(scene.layout, Layout::Map);
        assert_eq!(scene.shape.order, Order::Columns);
        assert_eq!((scene.leads(), scene.lead_words(1)), (0, None));
        let probe = scene.probe(place(0.0, 0.99), 5, "u");
        assert_eq!((probe.frame, probe.row, probe.column), (0, 63, 0));
        assert_eq!(scene.words(probe), "x 0.00391, y 0.988");
        assert_eq!(scene.inputs[0].title, "Permeability");
    }

    #[test]
    fn shallow_water_is_a_sphere_that_goes_on_hour_by_hour() {
        let task = Task::sswe().on_grid(&[32, 64]);
        let scene = Scene::new(Experiment::Sswe, &task, 5);
        assert_eq!(scene.layout, Layout::Sphere);
        assert!(scene.rollout && scene.column.periodic);
        assert_eq!((scene.shape.frames, scene.shape.channels), (5, 3));
        assert_eq!(scene.shape.order, Order::Downwards);
        assert_eq!(scene.input_shape().frames, 1);
        let probe = scene.probe(place(0.25, 0.999), 9, "vorticity");
        assert_eq!(
            (probe.frame, probe.row, probe.column, probe.channel),
            (4, 31, 16, 1)
        );
        assert_eq!(scene.words(probe), "90° N, 90° E");
        assert_eq!(scene.lead_words(2).as_deref(), Some("after 2 hours"));
    }

    #[test]
    fn temperature_is_a_map_at_ten_times() {
        let scene = Scene::new(Experiment::Era5, &Task::era5(), 1);
        assert_eq!(scene.layout, Layout::Map);
        assert_eq!(
            (scene.shape.frames, scene.shape.rows, scene.shape.columns),
            (10, 160, 220)
        );
        assert_eq!(scene.shape.order, Order::Upwards, "from the south");
        assert_eq!(scene.lead_words(2).as_deref(), Some("12 h ahead"));
        assert!(!scene.rollout);
        assert_eq!(scene.lines(), [Line::Frames, Line::Columns]);
    }

    #[test]
    fn a_problem_of_ones_own_is_shown_whatever_its_axes() {
        use pno::task::Axis;
        let mut task = Task::darcy();
        let axes = vec![
            Axis::new("depth", 3, 0.0, 1.0, "m"),
            Axis::new("width", 4, 0.0, 1.0, ""),
        ];
        (task.input, task.output) = (axes.clone(), axes);
        let scene = Scene::new(Experiment::Arrays, &task, 1);
        assert_eq!((scene.shape.rows, scene.shape.columns), (3, 4));
        task.input.truncate(1);
        task.output.truncate(1);
        let scene = Scene::new(Experiment::Arrays, &task, 1);
        assert_eq!((scene.shape.rows, scene.shape.columns), (1, 3));
        assert_eq!(scene.words(scene.probe(place(0.9, 0.5), 1, "")), "depth 2");
    }
}
