//! Whether a network can work on a grid.

use super::{ModelSpec, Operator, SpecError};
use crate::task::{Domain, MAX_POINTS, Task};

/// Most values of one table of a transform or of a resizing, so that a file cannot choose an allocation.
const MAX_TABLE: u128 = 1 << 26;

impl ModelSpec {
    /// Whether the network's channels, axes and grids are those of a task. Both must be valid on their own.
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
        self.fits_grid(&task.input_shape())
    }

    /// Refuses grids inside the network, or tables for them, that are beyond any use.
    fn fits_grid(&self, sizes: &[usize]) -> Result<(), SpecError> {
        let mut before = sizes.to_vec();
        for (block, after) in self.blocks().iter().zip(self.grids(sizes)) {
            let points: u128 = after.iter().map(|&n| n as u128).product();
            if points > MAX_POINTS as u128 {
                return Err(SpecError::Range {
                    field: "a grid inside the network",
                    found: format!("{after:?}"),
                    wanted: "at most 2^24 points".to_owned(),
                });
            }
            for (axis, (&n_in, &n_out)) in before.iter().zip(&after).enumerate() {
                let (n_in, n_out) = (n_in as u128, n_out as u128);
                let mut modes = block.modes[axis] as u128;
                if self.operator == Operator::Sfno {
                    modes *= block.modes[1 - axis] as u128;
                }
                let resizing = if n_in == n_out { 0 } else { n_in * n_out };
                let largest = (4 * modes * n_in.max(n_out)).max(resizing);
                if largest > MAX_TABLE {
                    return Err(SpecError::Range {
                        field: "a table of the transform",
                        found: format!("{largest} values"),
                        wanted: format!("at most {MAX_TABLE}; fewer modes or fewer points"),
                    });
                }
            }
            before = after;
        }
        Ok(())
    }
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
        assert!(tables.contains("a table of the transform"), "{tables}");
    }
}
