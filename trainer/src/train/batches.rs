//! Batches in an order that depends on (seed, epoch) alone, so that a resumed run sees what the first would have seen.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use burn::data::dataloader::{DataLoader, DataLoaderIterator, Progress};
use burn::data::dataset::DatasetError;
use burn::tensor::{Device, Tensor, TensorData};
use pno::noise;

use crate::data::Loaded;

/// Key streams of the order and of the noise, one per epoch.
const ORDER: u64 = 0x0DE2 << 32;
const STEPS: u64 = 0x57E9 << 32;

/// Cases of one step.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Network input, `[cases, points, channels]`.
    pub input: Tensor<3>,
    /// Truth in network units after every step of the forecast, each `[cases, points * channels]`.
    pub truths: Vec<Tensor<2>>,
    /// Seed of this step's noise.
    pub seed: u64,
    /// Epochs done before this one.
    pub epoch: usize,
}

/// Some cases in network units. They are cut out and scaled here, because windows of a series overlap: kept as they are, each
/// value would be in memory once for every window that it is in.
fn gather(
    loaded: &Loaded,
    cases: &[usize],
    steps: usize,
    device: &Device,
) -> (Tensor<3>, Vec<Tensor<2>>) {
    let task = loaded.task();
    let (mut input, mut truths) = (Vec::new(), vec![Vec::new(); steps]);
    for &index in cases {
        let case = loaded.case(index);
        input.extend(task.network_input(&case.input));
        truths[0].extend(task.network_output(&case.truth));
        for (step, truth) in truths.iter_mut().enumerate().skip(1) {
            truth.extend(task.network_output(&loaded.truth(index, step + 1)));
        }
    }
    let (n, points, channels) = (cases.len(), task.points(), task.network_channels());
    let input = TensorData::new(input, [n, points, channels]);
    let truths = truths
        .into_iter()
        .map(|truth| TensorData::new(truth, [n, task.output_values()]));
    (
        Tensor::from_data(input, device),
        truths.map(|t| Tensor::from_data(t, device)).collect(),
    )
}

/// Gives the batches of one epoch after the other.
#[derive(Clone)]
pub struct Batches {
    cases: Arc<Loaded>,
    subset: Vec<usize>,
    batch: usize,
    steps: usize,
    shuffle: bool,
    seed: u64,
    epoch: Arc<AtomicUsize>,
    device: Device,
}

impl Batches {
    /// Batches of all cases; `epoch` is how many epochs are done already.
    pub fn new(
        cases: Loaded,
        batch: usize,
        shuffle: bool,
        seed: u64,
        epoch: usize,
        device: &Device,
    ) -> Self {
        Self {
            subset: (0..cases.len()).collect(),
            cases: Arc::new(cases),
            batch,
            steps: 1,
            shuffle,
            seed,
            epoch: Arc::new(AtomicUsize::new(epoch)),
            device: device.clone(),
        }
    }

    /// The same with the truth of several steps.
    #[must_use]
    pub fn with_steps(self, steps: usize) -> Self {
        Self { steps, ..self }
    }
}

impl DataLoader<Batch> for Batches {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<Batch> + 'a> {
        let epoch = self.epoch.fetch_add(1, Ordering::SeqCst) as u64;
        let order = if self.shuffle {
            noise::permutation(self.seed, ORDER + epoch, self.subset.len())
        } else {
            (0..self.subset.len()).collect()
        };
        Box::new(Epoch {
            loader: self,
            order: order.into_iter().map(|i| self.subset[i]).collect(),
            seed: noise::case_seed(self.seed, STEPS + epoch),
            number: epoch as usize,
            done: 0,
        })
    }

    fn num_items(&self) -> usize {
        self.subset.len()
    }

    fn to_device(&self, device: &Device) -> Arc<dyn DataLoader<Batch>> {
        Arc::new(Self {
            device: device.clone(),
            ..self.clone()
        })
    }

    fn slice(&self, start: usize, end: usize) -> Arc<dyn DataLoader<Batch>> {
        Arc::new(Self {
            subset: self.subset[start..end].to_vec(),
            // A slice works for another device: its noise must not repeat this one's.
            seed: noise::case_seed(self.seed, start as u64),
            ..self.clone()
        })
    }
}

struct Epoch<'a> {
    loader: &'a Batches,
    order: Vec<usize>,
    seed: u64,
    number: usize,
    done: usize,
}

impl Iterator for Epoch<'_> {
    type Item = Result<Batch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let end = (self.done + self.loader.batch).min(self.order.len());
        let cases = &self.order[self.done..end];
        if cases.is_empty() {
            return None;
        }
        let seed = noise::case_seed(self.seed, self.done as u64);
        self.done = end;
        let Batches {
            cases: loaded,
            steps,
            device,
            ..
        } = self.loader;
        let (input, truths) = gather(loaded, cases, *steps, device);
        Some(Ok(Batch {
            input,
            truths,
            seed,
            epoch: self.number,
        }))
    }
}

impl DataLoaderIterator<Batch> for Epoch<'_> {
    fn progress(&self) -> Progress {
        Progress::new(self.done, self.order.len(), Some("cases".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::task::Task;

    fn loader(epoch: usize) -> Batches {
        let task = Task::ks();
        let points = task.points();
        let fields: Vec<f32> = (0..5 * points).map(|i| (i / points) as f32).collect();
        let cases = Loaded::of_fields(task, &fields, &fields);
        Batches::new(cases, 2, true, 3, epoch, &Device::flex())
    }

    /// First truth value of every case (which case it is) and the seeds, of one epoch.
    fn epoch(loader: &Batches) -> (Vec<i32>, Vec<u64>) {
        let (mut cases, mut seeds) = (vec![], vec![]);
        for batch in loader.iter() {
            let batch = batch.expect("in memory");
            let truth = batch.truths[0].clone();
            let n = truth.dims()[0];
            let truth: Vec<f32> = truth.into_data().try_to_vec().expect("f32");
            cases.extend(
                truth
                    .chunks(truth.len() / n)
                    .map(|t| (t[0] * 2.6431).round() as i32),
            );
            seeds.push(batch.seed);
        }
        (cases, seeds)
    }

    #[test]
    fn every_case_comes_once_an_epoch_in_a_new_order_with_new_noise() {
        let loader = loader(0);
        let (first, seeds) = epoch(&loader);
        let (second, others) = epoch(&loader);
        let mut sorted = first.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4]);
        assert_ne!(first, second);
        assert!(seeds.iter().all(|s| !others.contains(s)));
    }

    #[test]
    fn every_step_has_its_truth_and_every_batch_its_epoch() {
        let mut task = Task::sswe().on_grid(&[4, 6]);
        for quantity in task.inputs.iter_mut().chain(&mut task.outputs) {
            quantity.normalisation = pno::task::Normalisation::NONE;
        }
        let values = task.output_values();
        // Value: 10 for the case, 1 for the frame.
        let fields: Vec<f32> = (0..2 * 3 * values)
            .map(|i| (10 * (i / (3 * values)) + i / values % 3) as f32)
            .collect();
        let cases = Loaded::of_trajectories(task, 3, &fields);
        let loader = Batches::new(cases, 2, false, 3, 7, &Device::flex()).with_steps(2);
        let batch = loader.iter().next().expect("a batch").expect("in memory");
        assert_eq!(batch.epoch, 7);
        let mean = |t: &Tensor<2>| -> Vec<f32> {
            let rows = t.clone().mean_dim(1).into_data();
            rows.try_to_vec().expect("f32")
        };
        assert_eq!(mean(&batch.truths[0]), [1.0, 11.0]);
        assert_eq!(mean(&batch.truths[1]), [2.0, 12.0]);
        let input: Vec<f32> = batch.input.into_data().try_to_vec().expect("f32");
        assert_eq!((input[0], input[3 * 24]), (0.0, 10.0));
    }

    #[test]
    fn a_resumed_loader_goes_on_with_the_same_epoch() {
        let whole = loader(0);
        epoch(&whole);
        assert_eq!(epoch(&whole), epoch(&loader(1)));
    }
}
