//! The units of the spectral CRPS: how large the truths of the training data are at each wavenumber.
//!
//! They are counted when a process begins, from so many training cases of the data set, evenly spread and as the data set
//! describes them. Nothing of it is stored: a run goes on only with its own data, the cases are always the same, and the
//! sums are made on the CPU in their order whatever the run computes on. So a resumed run has the same units to the bit,
//! and so have all devices that share a batch.

use anyhow::{Result, bail};
use burn::tensor::{Device, Tensor, TensorData};
use pno::nn::Increments;
use pno::nn::loss::spectral::{Band, Moments, Scales, Spectral};
use pno::spec::{ModelSpec, Output};
use pno::task::{Domain, Task};

use super::settings::{Settings, TrainSettings};
use crate::data::{Dataset, Loaded, Split};

/// Cases that are looked at: the standard deviation of the two coefficients of a wavenumber of a line is known to 3 %.
const CASES: usize = 256;
/// Cases that are transformed at once.
const AT_ONCE: usize = 16;

/// What the term needs on every device.
#[derive(Debug, Clone)]
pub struct Units {
    factor: f32,
    modes: Vec<usize>,
    scales: Scales,
}

/// Refuses a spectral CRPS where fields have no spectrum.
pub fn check(settings: &Settings, data: &Dataset) -> Result<()> {
    if settings.train.spectral > 0.0 && data.task().masks_outputs() {
        bail!(
            "setting `train.spectral` is {}, but {} has points without a value, and such fields have no spectrum: leave it out",
            settings.train.spectral,
            data.path().display()
        );
    }
    Ok(())
}

impl Units {
    /// Those of a run; `None` where its loss has no such term.
    pub fn of(spec: &ModelSpec, train: &TrainSettings, data: &Dataset) -> Result<Option<Self>> {
        if train.spectral == 0.0 {
            return Ok(None);
        }
        let tasks = [Split::Train, Split::Valid].map(|split| data.task_of(split));
        let cases = data.load_some(Split::Train, CASES)?;
        Ok(Some(Self::counted(spec, train, &tasks, &cases)))
    }

    fn counted(spec: &ModelSpec, train: &TrainSettings, tasks: &[Task; 2], cases: &Loaded) -> Self {
        let device = Device::flex();
        let task = &tasks[0];
        let modes = band(spec, tasks);
        let band = Band::new(&task.grid(), &modes, &device);
        let (points, fields) = (task.points(), task.outputs.len());
        let increments = match spec.output {
            Output::Field => None,
            Output::Increment => Increments::new(task, &device),
        };
        let mut moments = Moments::new(&band, fields, points);
        let all: Vec<usize> = (0..cases.len()).collect();
        for some in all.chunks(AT_ONCE) {
            let (mut inputs, mut truths) = (vec![], vec![]);
            for case in some.iter().map(|&index| cases.case(index)) {
                inputs.extend(task.network_input(&case.input));
                truths.extend(task.network_target(&case.truth));
            }
            let tensor = |values, channels| {
                let shape = [some.len(), points, channels];
                Tensor::<3>::from_data(TensorData::new(values, shape), &device)
            };
            let truths = tensor(truths, fields);
            let targets = match &increments {
                Some(increments) => {
                    increments.between(&tensor(inputs, task.network_channels()), truths)
                }
                None => truths,
            };
            let spectra = band.of(targets.reshape([some.len(), points * fields]));
            let spectra: Vec<f32> = spectra.into_data().try_to_vec().expect("numbers of f32");
            moments.push(&spectra);
        }
        Self {
            factor: train.spectral as f32,
            scales: moments.scales(&band),
            modes,
        }
    }

    /// The term on the grid of a task.
    pub fn term(&self, task: &Task, device: &Device) -> Spectral {
        let band = Band::new(&task.grid(), &self.modes, device);
        Spectral::new(band, &self.scales, self.factor, device)
    }
}

/// The modes of the first block, as far as the grids of training and validation carry them: beyond them the network has
/// no weights of its own.
fn band(spec: &ModelSpec, tasks: &[Task; 2]) -> Vec<usize> {
    let mut modes = spec.noise_modes().to_vec();
    for task in tasks.iter().filter(|task| task.domain == Domain::Flat) {
        for (modes, size) in modes.iter_mut().zip(task.input_shape()) {
            *modes = (*modes).min(size);
        }
    }
    modes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use pno::spec::{Experiment, Method, Operator, Profile};
    use std::f64::consts::TAU;

    /// Waves of one wavenumber whose amplitude is the number of the case, on either side of the step.
    fn waves(task: &Task, cases: usize, wavenumber: usize, amplitude: f64) -> Vec<f32> {
        let size = task.points();
        let values = (0..cases * size).map(|i| {
            let sign = if (i / size).is_multiple_of(2) {
                1.0
            } else {
                -1.0
            };
            let turns = (wavenumber * (i % size)) as f64 / size as f64;
            (sign * amplitude * (TAU * turns).cos()) as f32
        });
        values.collect()
    }

    #[test]
    fn the_units_are_those_of_what_the_network_gives() {
        let task = Task::ks_step().on_grid(&[32]);
        let preset = Settings::preset(
            Experiment::KsStep,
            Operator::Fno,
            Method::PnoF,
            Profile::Fixed,
            Size::Demo,
            Some(&task),
        );
        let Settings {
            mut model,
            mut train,
            ..
        } = preset.expect("a preset");
        train.spectral = 0.5;
        let mut task = task;
        task.outputs[0].increment = Some(2.0);
        let std = task.outputs[0].normalisation.std;
        // The input is a wave of wavenumber 3, and the step adds a smaller one of wavenumber 5.
        let (inputs, changes) = (waves(&task, 8, 3, 7.0), waves(&task, 8, 5, 0.5));
        let sums: Vec<f32> = inputs.iter().zip(&changes).map(|(a, b)| a + b).collect();
        let mut units = |output| {
            model.output = output;
            let cases = Loaded::of_fields(task.clone(), &inputs, &sums);
            let tasks = [task.clone(), task.clone()];
            Units::counted(&model, &train, &tasks, &cases).scales
        };
        // A wave of amplitude a has the mean square a² / 2, which its two coefficients share.
        let near = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 1e-4;
        let fields = units(Output::Field);
        assert!(near(fields.of(0, 3), 7.0 / 2.0 / std), "{fields:?}");
        assert!(near(fields.of(0, 5), 0.5 / 2.0 / std), "{fields:?}");
        let increments = units(Output::Increment);
        assert!(near(increments.of(0, 5), 0.5 / 2.0 / 2.0), "{increments:?}");
        // Nothing changes there: the floor, a hundredth of white noise.
        let floor = 0.01 * 0.5 / 2.0 / 2.0_f64.sqrt() / 32.0_f64.sqrt();
        assert!(near(increments.of(0, 3), floor), "{increments:?} {floor}");
    }
}
