//! Batches in an order that depends on (seed, epoch) alone, so that a resumed run sees what the first would have seen.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use burn::data::dataloader::{DataLoader, DataLoaderIterator, Progress};
use burn::data::dataset::DatasetError;
use burn::tensor::{Device, Tensor, TensorData};
use pno::noise;

use super::observing::Observing;
use super::portion::Portion;
use super::trajectories::{Key, Trajectories};
use crate::data::Loaded;

/// Key streams of the order, of the noise, of where trajectories are entered and of how inputs are observed, one per epoch.
const ORDER: u64 = 0x0DE2 << 32;
const STEPS: u64 = 0x57E9 << 32;
const ENTRIES: u64 = 0xE227 << 32;
const OBSERVED: u64 = 0x0B5E << 32;
/// Key stream of the order in the blocks after the first, one per block.
const BLOCKS: u64 = 0xB10C << 32;

/// Cases of one step.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Network input, `[cases, points, channels]`.
    pub input: Tensor<3>,
    /// Truth in network units after every step of the forecast, each `[cases, points * channels]`.
    pub truths: Vec<Tensor<2>>,
    /// Factor of each case in the loss, `[cases]`, where they differ.
    pub weights: Option<Tensor<1>>,
    /// Seed of this step's noise.
    pub seed: u64,
    /// Epochs done before this one.
    pub epoch: usize,
    /// Stage of the epoch, from 0.
    pub stage: usize,
    /// Which batch of its epoch, from 0.
    pub number: usize,
    /// Place of the first case in the whole batch, whose cases may be shared out among devices and chunks.
    pub first: usize,
    /// Cases of the whole batch.
    pub whole: usize,
}

impl Batch {
    /// Number of cases here.
    pub fn cases(&self) -> usize {
        self.input.dims()[0]
    }

    /// The same cases in pieces of at most `most`, in order. Noise belongs to places in the whole batch, so it stays.
    pub fn chunks(self, most: usize) -> Vec<Self> {
        let cases = self.cases();
        if most == 0 || cases <= most {
            return vec![self];
        }
        let chunk = |start: usize| {
            let count = most.min(cases - start);
            let truths = self.truths.iter();
            Self {
                input: self.input.clone().narrow(0, start, count),
                truths: truths.map(|t| t.clone().narrow(0, start, count)).collect(),
                weights: (self.weights.clone()).map(|w| w.narrow(0, start, count)),
                first: self.first + start,
                ..self
            }
        };
        (0..cases).step_by(most).map(chunk).collect()
    }
}

/// Some cases in network units. They are cut out and scaled here, because windows of a series overlap: kept as they are, each
/// value would be in memory once for every window that it is in.
///
/// A case is named by its number in the epoch and the place of its trajectory among those that are loaded. `entries` says at
/// which frame that is entered; without it, where the data set says.
fn gather(
    loaded: &Loaded,
    cases: &[(usize, usize)],
    steps: usize,
    (entries, observing): (Option<&Entries>, Option<&Observing>),
    device: &Device,
) -> Gathered {
    let (task, sizes) = (loaded.task(), loaded.task().input_shape());
    let (mut input, mut truths) = (Vec::new(), vec![Vec::new(); steps]);
    let mut weights = vec![];
    for &(index, place) in cases {
        let (start, ends) = match entries {
            Some(entries) => {
                let frame = entries.frame(index, loaded.beginnings(steps));
                loaded.forecast(place, frame, steps)
            }
            None => loaded.described(place, steps),
        };
        match observing {
            None => input.extend(task.network_input(&start)),
            Some(observing) => {
                let (observation, seed) = observing.of(index);
                let observed = observation.of(task, &start, seed);
                input.extend(observation.beside(&task.network_input(&observed), &sizes));
                weights.push(observing.weight(&observation, &sizes));
            }
        }
        for (truth, end) in truths.iter_mut().zip(ends) {
            truth.extend(task.network_target(&end));
        }
    }
    let (n, points) = (cases.len(), task.points());
    let channels = input.len() / (n * points).max(1);
    let input = TensorData::new(input, [n, points, channels]);
    let truths = truths
        .into_iter()
        .map(|truth| TensorData::new(truth, [n, task.output_values()]));
    Gathered {
        input: Tensor::from_data(input, device),
        truths: truths.map(|t| Tensor::from_data(t, device)).collect(),
        weights: observing.map(|_| Tensor::from_data(TensorData::new(weights, [n]), device)),
    }
}

/// What is gathered of some cases, as in a [`Batch`].
struct Gathered {
    input: Tensor<3>,
    truths: Vec<Tensor<2>>,
    weights: Option<Tensor<1>>,
}

/// Where the trajectories of an epoch are entered.
struct Entries {
    seed: u64,
}

impl Entries {
    /// The frame of an entry, of those at which a forecast can begin.
    fn frame(&self, entry: usize, beginnings: usize) -> usize {
        let drawn = noise::uniforms(self.seed, entry as u64, 1)[0];
        ((drawn * beginnings as f64) as usize).min(beginnings.saturating_sub(1))
    }
}

/// Gives the batches of one epoch after the other.
#[derive(Clone)]
pub struct Batches {
    trajectories: Trajectories,
    /// What an epoch takes of them, by stage.
    portions: Vec<Portion>,
    /// The stage, read when an epoch begins.
    stage: Arc<AtomicUsize>,
    /// How inputs are observed, where the network takes observed ones.
    observing: Option<Observing>,
    /// Which share of every batch, of how many.
    share: (usize, usize),
    shuffle: bool,
    seed: u64,
    epoch: Arc<AtomicUsize>,
    device: Device,
}

impl Batches {
    /// Batches of all cases, one step ahead; `epoch` is how many epochs are done already.
    pub fn new(
        trajectories: impl Into<Trajectories>,
        batch: usize,
        shuffle: bool,
        seed: u64,
        epoch: usize,
        device: &Device,
    ) -> Self {
        Self {
            trajectories: trajectories.into(),
            portions: vec![Portion {
                batch,
                entries: 0,
                steps: 1,
            }],
            stage: Arc::default(),
            observing: None,
            share: (0, 1),
            shuffle,
            seed,
            epoch: Arc::new(AtomicUsize::new(epoch)),
            device: device.clone(),
        }
    }

    /// The same with the truth of several steps.
    #[cfg(test)]
    #[must_use]
    pub fn with_steps(mut self, steps: usize) -> Self {
        self.portions[0].steps = steps;
        self
    }

    /// The same entering every trajectory so often in an epoch, at frames drawn anew for every epoch; or, where the order
    /// stays, at the same frames in all of them. 0 is once, where the data set says.
    #[cfg(test)]
    #[must_use]
    pub fn entering(mut self, entries: usize) -> Self {
        self.portions[0].entries = entries;
        self
    }

    /// The same with what an epoch takes of the data in each stage.
    #[must_use]
    pub fn in_stages(self, portions: Vec<Portion>) -> Self {
        Self { portions, ..self }
    }

    /// The same in the stage that this says when an epoch begins.
    #[must_use]
    pub fn following(self, stage: &Arc<AtomicUsize>) -> Self {
        let stage = stage.clone();
        Self { stage, ..self }
    }

    /// The same with inputs that are observed: anew in every epoch; or, where the order stays, the same in all of them.
    #[must_use]
    pub fn observing(self, observing: Option<Observing>) -> Self {
        Self { observing, ..self }
    }

    /// The stage of the coming epoch, and what that takes of the data.
    fn portion(&self) -> (usize, Portion) {
        let stage = self.stage.load(Ordering::SeqCst);
        (stage, self.portions[stage.min(self.portions.len() - 1)])
    }

    /// Number of cases of the coming epoch.
    pub fn cases(&self) -> usize {
        self.portion().1.cases(self.trajectories.number())
    }

    /// Number of cases of an epoch, by stage.
    pub fn cases_of_stages(&self) -> Vec<usize> {
        let number = self.trajectories.number();
        self.portions.iter().map(|p| p.cases(number)).collect()
    }

    /// Number of batches of an epoch, by stage.
    pub fn batches_of_stages(&self) -> Vec<usize> {
        let number = self.trajectories.number();
        self.portions.iter().map(|p| p.batches(number)).collect()
    }

    /// The same for so many devices: a slice of it then gives a device its share of every batch, so that together they
    /// do what one device would do.
    #[must_use]
    pub fn for_devices(self, devices: usize) -> Self {
        let share = (0, devices.max(1));
        Self { share, ..self }
    }
}

impl DataLoader<Batch> for Batches {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<Batch> + 'a> {
        let epoch = self.epoch.fetch_add(1, Ordering::SeqCst) as u64;
        let (stage, portion) = self.portion();
        let drawn = if self.shuffle { epoch } else { 0 };
        let entries = (portion.entries > 0).then(|| Entries {
            seed: noise::case_seed(self.seed, ENTRIES + drawn),
        });
        Box::new(Epoch {
            loader: self,
            per_block: self.trajectories.per_block(portion),
            cases: portion.cases(self.trajectories.number()),
            portion,
            open: None,
            entries,
            observing: (self.observing)
                .map(|o| o.seeded(noise::case_seed(self.seed, OBSERVED + drawn))),
            seed: noise::case_seed(self.seed, STEPS + epoch),
            number: epoch as usize,
            stage,
            done: 0,
        })
    }

    fn num_items(&self) -> usize {
        self.cases()
    }

    fn to_device(&self, device: &Device) -> Arc<dyn DataLoader<Batch>> {
        Arc::new(Self {
            device: device.clone(),
            ..self.clone()
        })
    }

    // Asked for one slice of the same length per device, in order.
    fn slice(&self, start: usize, _end: usize) -> Arc<dyn DataLoader<Batch>> {
        let devices = self.share.1;
        let length = (self.cases() / devices).max(1);
        // The epoch is counted by every device on its own.
        let epoch = self.epoch.load(Ordering::SeqCst);
        Arc::new(Self {
            share: ((start / length).min(devices - 1), devices),
            epoch: Arc::new(AtomicUsize::new(epoch)),
            ..self.clone()
        })
    }
}

struct Epoch<'a> {
    loader: &'a Batches,
    portion: Portion,
    /// Cases of the epoch.
    cases: usize,
    /// Trajectories of a block.
    per_block: usize,
    /// The block that is worked on.
    open: Option<Open>,
    entries: Option<Entries>,
    observing: Option<Observing>,
    seed: u64,
    number: usize,
    stage: usize,
    done: usize,
}

/// A block of trajectories.
struct Open {
    number: usize,
    loaded: Arc<Loaded>,
    /// Its cases in the order in which they come: number in the epoch, and place of the trajectory in the block.
    order: Vec<(usize, usize)>,
}

impl Epoch<'_> {
    /// The block of that number, with all the cases that its trajectories are in the epoch: in the order of the epoch where
    /// there is but one.
    fn opened(&mut self, number: usize) -> anyhow::Result<&Open> {
        if self.open.as_ref().is_none_or(|open| open.number != number) {
            let loader = self.loader;
            let all = loader.trajectories.number();
            let first = number * self.per_block;
            let count = self.per_block.min(all - first);
            let loaded = loader.trajectories.block(Key {
                epoch: self.number,
                first,
                size: self.per_block,
            })?;
            let cases = count * self.portion.each();
            let order = if loader.shuffle {
                let seed = match number {
                    0 => loader.seed,
                    later => noise::case_seed(loader.seed, BLOCKS + later as u64),
                };
                noise::permutation(seed, ORDER + self.number as u64, cases)
            } else {
                (0..cases).collect()
            };
            let case = |i: usize| (first + i % count + i / count * all, i % count);
            let order = order.into_iter().map(case).collect();
            self.open = Some(Open {
                number,
                loaded,
                order,
            });
        }
        Ok(self.open.as_ref().expect("just opened"))
    }
}

impl Iterator for Epoch<'_> {
    type Item = Result<Batch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let begin = self.done;
        let end = (begin + self.portion.batch).min(self.cases);
        let seed = noise::case_seed(self.seed, begin as u64);
        let whole = end - begin;
        let (share, shares) = self.loader.share;
        let mine = whole * share / shares..whole * (share + 1) / shares;
        // Only the last batch of an epoch can be too small for a share.
        if mine.is_empty() {
            return None;
        }
        self.done = end;
        let of_block = self.per_block * self.portion.each();
        let (loaded, cases) = match self.opened(begin / of_block) {
            Ok(open) => {
                let begin = begin % of_block;
                let cases = &open.order[begin + mine.start..begin + mine.end];
                (open.loaded.clone(), cases.to_vec())
            }
            Err(error) => {
                let error = std::io::Error::other(format!("{error:#}"));
                return Some(Err(DatasetError::new(error)));
            }
        };
        let drawn = (self.entries.as_ref(), self.observing.as_ref());
        let Gathered {
            input,
            truths,
            weights,
        } = gather(
            &loaded,
            &cases,
            self.portion.steps,
            drawn,
            &self.loader.device,
        );
        Some(Ok(Batch {
            input,
            truths,
            weights,
            seed,
            epoch: self.number,
            stage: self.stage,
            number: begin / self.portion.batch,
            first: mine.start,
            whole,
        }))
    }
}

impl DataLoaderIterator<Batch> for Epoch<'_> {
    fn progress(&self) -> Progress {
        Progress::new(self.done, self.cases, Some("cases".into()))
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
    fn trajectories_are_entered_where_there_is_room_for_all_steps() {
        let mut task = Task::ks_step().on_grid(&[4]);
        for quantity in task.inputs.iter_mut().chain(&mut task.outputs) {
            quantity.normalisation = pno::task::Normalisation::NONE;
        }
        // Value: 100 for the trajectory, 1 for the frame.
        let frames = 6;
        let fields: Vec<f32> = (0..3 * frames * 4)
            .map(|i| (100 * (i / (4 * frames)) + i / 4 % frames) as f32)
            .collect();
        let loader = |shuffle| {
            let cases = Loaded::of_trajectories(task.clone(), frames, &fields);
            Batches::new(cases, 4, shuffle, 3, 0, &Device::flex())
                .with_steps(2)
                .entering(40)
        };
        let entries = |loader: &Batches| -> Vec<[f32; 3]> {
            let first = |t: &Tensor<2>| -> Vec<f32> {
                t.clone()
                    .narrow(1, 0, 1)
                    .into_data()
                    .try_to_vec()
                    .expect("f32")
            };
            let mut all = vec![];
            for batch in loader.iter() {
                let batch = batch.expect("in memory");
                let cases = batch.cases();
                let input = batch.input.reshape([cases, 4]);
                let parts = [
                    first(&input),
                    first(&batch.truths[0]),
                    first(&batch.truths[1]),
                ];
                all.extend((0..cases).map(|i| [parts[0][i], parts[1][i], parts[2][i]]));
            }
            all
        };
        let random = loader(true);
        assert_eq!(random.cases_of_stages(), [120]);
        assert_eq!(random.batches_of_stages(), [30]);
        let (one, two) = (entries(&random), entries(&random));
        assert_ne!(one, two, "frames are drawn anew");
        for [input, next, last] in one.iter().chain(&two) {
            assert_eq!((next - input, last - input), (1.0, 2.0));
        }
        let mut begun: Vec<i32> = one.iter().map(|[input, ..]| *input as i32).collect();
        begun.sort_unstable();
        begun.dedup();
        let wanted: Vec<i32> = (0..3)
            .flat_map(|t| (0..4).map(move |f| 100 * t + f))
            .collect();
        assert_eq!(begun, wanted, "every frame with two after it");
        let fixed = loader(false);
        assert_eq!(entries(&fixed), entries(&fixed), "validation sees the same");
        assert_eq!(
            entries(&loader(true)),
            one,
            "a run begun again sees the same"
        );
    }

    #[test]
    fn an_epoch_takes_what_its_stage_does() {
        let portion = |batch, entries| Portion {
            batch,
            entries,
            steps: 1,
        };
        let stage = Arc::default();
        let loader = loader(0).in_stages(vec![portion(2, 0), portion(4, 0), portion(1, 3)]);
        let loader = loader.following(&stage);
        assert_eq!(loader.cases_of_stages(), [5, 5, 15]);
        assert_eq!(loader.batches_of_stages(), [3, 2, 15]);
        let sizes = || -> Vec<(usize, usize)> {
            let batches = loader.iter().map(|batch| batch.expect("in memory"));
            batches.map(|b| (b.stage, b.whole)).collect()
        };
        assert_eq!(sizes(), [(0, 2), (0, 2), (0, 1)]);
        stage.store(1, Ordering::SeqCst);
        assert_eq!(sizes(), [(1, 4), (1, 1)]);
        stage.store(2, Ordering::SeqCst);
        assert_eq!(loader.num_items(), 15);
    }

    #[test]
    fn devices_share_every_batch_and_keep_its_order_and_noise() {
        let whole = loader(0);
        let shares = loader(0).for_devices(2);
        // As burn-train does it: five cases, two devices.
        let shares = [shares.slice(0, 2), shares.slice(2, 5)];
        for _ in 0..2 {
            let mut parts = shares.each_ref().map(|share| share.iter());
            for batch in whole.iter() {
                let batch = batch.expect("in memory");
                let mut joined = vec![];
                for part in parts.iter_mut().filter_map(Iterator::next) {
                    let part = part.expect("in memory");
                    assert_eq!((part.seed, part.whole), (batch.seed, batch.whole));
                    assert_eq!(part.first, joined.len());
                    assert_eq!(part.number, batch.number);
                    let rows = part.input.iter_dim(0).map(Tensor::into_data);
                    joined.extend(rows);
                }
                let wanted: Vec<_> = batch.input.iter_dim(0).map(Tensor::into_data).collect();
                assert_eq!(joined, wanted);
            }
        }
    }

    #[test]
    fn a_batch_in_chunks_has_the_same_cases() {
        let batch = loader(0).iter().next().expect("a batch").expect("memory");
        let chunks = batch.clone().chunks(1);
        let firsts: Vec<usize> = chunks.iter().map(|chunk| chunk.first).collect();
        assert_eq!(firsts, [0, 1]);
        let joined = Tensor::cat(chunks.iter().map(|c| c.input.clone()).collect(), 0);
        assert_eq!(joined.into_data(), batch.input.clone().into_data());
        assert_eq!(batch.clone().chunks(0).len(), 1);
        assert_eq!(batch.chunks(2).len(), 1);
    }

    #[test]
    fn a_resumed_loader_goes_on_with_the_same_epoch() {
        let whole = loader(0);
        epoch(&whole);
        assert_eq!(epoch(&whole), epoch(&loader(1)));
    }
}
