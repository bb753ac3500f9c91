//! Whether a network can work on a grid.

use super::budget::product;
use super::{Limits, ModelSpec, Operator, Output, SpecError};
use crate::task::{Domain, MAX_POINTS, Task};

impl ModelSpec {
    /// Whether the network's channels, axes and grids are those of a task, and whether what it asks for on the task's
    /// grid is within the limits of this machine ([`Limits::HERE`]). Both must be valid on their own.
    pub fn fits(&self, task: &Task) -> Result<(), SpecError> {
        let same = |field: &'static str, found: usize, wanted: usize, of: &str| {
            if found == wanted {
                return Ok(());
            }
            Err(SpecError::Range {
                field,
                found: found.to_string(),
                wanted: format!("{wanted}, {of}"),
            })
        };
        let axes = "the axes of the network";
        same(
            "axes of the input",
            task.input.len(),
            self.dimensions(),
            axes,
        )?;
        let channels = "the fields and coordinates of the task";
        same(
            "in_channels",
            self.in_channels,
            task.network_channels(),
            channels,
        )?;
        let channels = "the output fields of the task";
        same(
            "out_channels",
            self.out_channels,
            task.outputs.len(),
            channels,
        )?;
        if self.output == Output::Increment {
            increments_are_known(task)?;
        }
        if self.observed.is_some() && !task.feeds_back() {
            return Err(SpecError::Range {
                field: "the observation of the input",
                found: "given".to_owned(),
                wanted: "left out, because the task's output cannot be its next input".to_owned(),
            });
        }
        let sphere = matches!(task.domain, Domain::Sphere(_));
        if sphere != (self.operator == Operator::Sfno) {
            return Err(SpecError::Range {
                field: "the operator",
                found: self.operator.to_string(),
                wanted: if sphere {
                    "sfno, because the grid is a sphere".to_owned()
                } else {
                    "fno or uno, because the grid is flat".to_owned()
                },
            });
        }
        self.grids_are_of_use(&task.input_shape())?;
        self.demand(&task.grid()).check(&Limits::HERE)
    }

    /// Refuses grids inside the network with more points than any task has.
    fn grids_are_of_use(&self, sizes: &[usize]) -> Result<(), SpecError> {
        let most = MAX_POINTS as u64;
        match self
            .grids(sizes)
            .into_iter()
            .find(|grid| product(grid.iter().copied()) > most)
        {
            None => Ok(()),
            Some(grid) => Err(SpecError::Range {
                field: "a grid inside the network",
                found: format!("{grid:?}"),
                wanted: "at most 2^24 points".to_owned(),
            }),
        }
    }
}

/// Refuses a task whose output is no change of its input, or whose changes have no known size.
fn increments_are_known(task: &Task) -> Result<(), SpecError> {
    let refused = |why: String| SpecError::Range {
        field: "the output of the network",
        found: Output::Increment.to_string(),
        wanted: format!("field, because {why}"),
    };
    if !task.feeds_back() {
        return Err(refused(
            "the task's output is not of the quantities, axes and times of its input".to_owned(),
        ));
    }
    let unknown = task.outputs.iter().find(|field| field.increment.is_none());
    if let Some(field) = unknown {
        return Err(refused(format!(
            "the size of the changes of `{}` is not known",
            field.name
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Experiment, Method, Profile};

    fn refused(change: fn(&mut ModelSpec, &mut Task)) -> String {
        let mut task = Task::ks();
        let uno = ModelSpec::paper(Experiment::Ks, Operator::Uno, Method::PnoD, Profile::Fixed);
        let mut spec = uno.expect("a UNO");
        spec.fits(&task).expect("fits");
        change(&mut spec, &mut task);
        spec.fits(&task).unwrap_err().to_string()
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert!(refused(|s, _| s.in_channels = 4).contains("in_channels is 4"));
        assert!(refused(|s, _| s.out_channels = 2).contains("out_channels is 2"));
        assert!(refused(|_, t| t.input.truncate(1)).contains("axes of the input is 1"));
        assert!(
            refused(|_, t| t.domain = Domain::Sphere(crate::sphere::Latitudes::Gauss))
                .contains("sphere")
        );
    }

    #[test]
    fn a_network_that_would_grow_without_limit_is_refused() {
        let grown = refused(|s, _| s.levels.iter_mut().for_each(|l| l.scale = vec![16.0; 2]));
        assert!(grown.contains("inside the network"), "{grown}");
        let tables = refused(|s, t| {
            t.input[1].size = 1 << 19;
            s.levels[0].modes[1] = 4096;
        });
        assert!(tables.contains("the transform tables"), "{tables}");
    }
}
