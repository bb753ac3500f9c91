//! A network for any task: what one would try first on a problem that is not of the paper.

use super::{Experiment, Method, ModelSpec, Operator, Output, Profile};
use crate::task::{Domain, Task};

/// Most modes along an axis: as many as fit a smooth field, few enough that the weights stay small.
const MODES: [usize; 3] = [64, 24, 12];

/// Channels of functional noise, and the wavenumber of the coarsest.
const USUAL_NOISE: usize = 4;
const COARSEST: f32 = 1.5;

impl ModelSpec {
    /// An FNO for a box, an SFNO for a sphere, with channels and modes that suit the task's grid.
    pub fn for_task(experiment: Experiment, method: Method, task: &Task) -> Self {
        let sphere = matches!(task.domain, Domain::Sphere(_));
        let sizes = task.input_shape();
        let most = MODES[sizes.len().clamp(1, 3) - 1];
        let modes = if sphere {
            // A grid with poles carries half as many degrees as it has circles.
            let degrees = (sizes[0] / 2).clamp(1, 32);
            vec![degrees, degrees.max(2)]
        } else {
            sizes.iter().map(|&n| n.min(most)).collect()
        };
        let dropout = match method {
            Method::PnoD => 0.1,
            Method::PnoR | Method::Mcd => 0.05,
            Method::Det | Method::Laplace | Method::Ensemble | Method::Perturbed => 0.01,
            Method::PnoF => 0.0,
        };
        let mut spec = Self {
            experiment,
            method,
            operator: if sphere {
                Operator::Sfno
            } else {
                Operator::Fno
            },
            profile: Profile::Fixed,
            in_channels: task.network_channels(),
            out_channels: task.outputs.len(),
            width: 20,
            lifting: 32,
            projection: 64,
            layers: 4,
            modes,
            levels: vec![],
            dropout,
            fourier_dropout: dropout,
            networks: method.networks(),
            output: Output::Field,
            mlp: 0,
            noise: vec![],
            observed: None,
        };
        spec.noise = spec.usual_noise();
        spec
    }

    /// Scales of the functional noise where nothing else is asked for: from waves that fill the domain to the middle of the
    /// kept modes, each as many times finer as the next, to a tenth. Other methods take none.
    pub fn usual_noise(&self) -> Vec<f32> {
        if !self.method.takes_functions() {
            return vec![];
        }
        let edges = self.noise_modes().iter().map(|&n| n / 2);
        let finest = (edges.max().unwrap_or(1) as f32 / 2.0).max(COARSEST);
        let steps = (USUAL_NOISE - 1) as f32;
        let ratio = (finest / COARSEST).powf(1.0 / steps);
        (0..USUAL_NOISE as i32)
            .map(|i| (10.0 * COARSEST * ratio.powi(i)).round() / 10.0)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fits_the_tasks_of_the_paper_and_small_ones() {
        let tasks = [Task::darcy(), Task::ks(), Task::sswe(), Task::era5()];
        let small = [
            Task::darcy().on_grid(&[5, 4]),
            Task::sswe().on_grid(&[5, 8]),
            Task::ks().on_grid(&[1, 3]),
        ];
        for task in tasks.iter().chain(&small) {
            let spec = ModelSpec::for_task(Experiment::Arrays, Method::PnoD, task);
            spec.validate().expect("valid");
            spec.fits(task).expect("fits");
        }
    }
}
