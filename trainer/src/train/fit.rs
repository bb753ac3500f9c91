//! The training itself: burn-train's loop with our batches, step, rules and states.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use burn::optim::{AdamConfig, AdamWConfig, ModuleOptimizer};
use burn::tensor::Device;
use burn::train::{ExecutionStrategy, Interrupter, Learner, MultiDeviceOptim, SupervisedTraining};
use pno::noise;

use super::batches::Batches;
use super::exhausted;
use super::history::{EpochRecord, History, Phase, replay};
use super::indices;
use super::memory;
use super::model::{Execution, Trainee};
use super::observing::Observing;
use super::portion::Portion;
use super::procedure::Procedure;
use super::progress::PlainLines;
use super::rules::Rules;
use super::run::Run;
use super::settings::{Settings, TrainSettings};
use super::spectral::Units;
use super::start;
use super::state::Part;
use super::store::Store;
use super::trajectories::{Blocks, Trajectories};
use super::watch::{NoLog, Watch};
use crate::data::{Dataset, Split};
use crate::experiments;
use crate::interrupt::{self, Interrupted};

/// Most forecasts of a trajectory that validation makes, where training enters it more often.
const VALIDATED: usize = 4;
/// Stream of a run's seed that names the trajectories of `train.fresh`: those of data sets have the seed itself.
const FRESH: u64 = 0xF4E5 << 32;
/// What Adam adds to the root of its second moment, as PyTorch does.
const EPSILON: f32 = 1e-8;

/// How far a training came.
pub struct Outcome {
    /// Every epoch.
    pub records: Vec<EpochRecord>,
    /// Where the run stands.
    pub rules: Rules,
    /// Why it is not finished.
    pub refusal: Option<anyhow::Error>,
}

impl Outcome {
    /// Of a run that was finished before.
    pub fn finished(run: &Run) -> Self {
        Self {
            records: run.records.clone(),
            rules: replay(&run.settings.train, &run.records),
            refusal: None,
        }
    }
}

/// Trains a run to its end, to Ctrl-C, or to where it fails.
pub fn fit(run: &Run, data: &Dataset, devices: &[Device]) -> Result<Outcome> {
    let Settings {
        model: spec, train, ..
    } = &run.settings;
    let Some(device) = devices.first() else {
        bail!("there is no device to train on");
    };
    check_shares(train, devices.len())?;
    let tasks = [data.task_of(Split::Train), data.task_of(Split::Valid)];
    for task in &tasks {
        spec.fits(task)?;
    }
    if *device == Device::flex() {
        memory::check(&run.settings, &tasks[0])?;
    } else {
        indices::check(&run.settings, &tasks[0], devices.len())?;
    }
    let training: Vec<Device> = devices.iter().map(|d| d.clone().autodiff()).collect();
    let units = Units::of(spec, train, data)?;
    let procedure =
        |on: &Device| Procedure::new(spec, train, tasks.each_ref(), units.as_ref(), on, device);
    let others = training.iter().skip(1);
    let execution = Execution {
        chunk: train.micro_batch,
        members: train.micro_members,
        others: others.map(|d| (d.clone(), procedure(d).training)).collect(),
    };
    let network = start::network(run, &training[0])?;
    let trainee = Trainee::new(network, procedure(&training[0]), execution);
    let trainee = trainee.with_average(&training[0]);

    let done = run.records.len();
    let batches = |of: Trajectories, most_entries, seed, shuffle, on: &Device| {
        let observing = Observing::new(spec, train.exact, train.level_scale);
        Batches::new(of, train.batch, shuffle, seed, done, on)
            .in_stages(Portion::of_stages(train, most_entries))
            .observing(observing)
    };
    let trained = trajectories(train, data, devices.len())?;
    let train_loader = batches(trained, usize::MAX, train.seed, true, &training[0]);
    let train_loader = train_loader.for_devices(devices.len());
    let validated = data.load(Split::Valid)?.into();
    let valid_loader = batches(validated, VALIDATED, !train.seed, false, device);

    let lengths = (
        train_loader.batches_of_stages(),
        valid_loader.cases_of_stages(),
    );
    let history = History::new(run.records.clone(), train, lengths.0, lengths.1);
    let [train_loader, valid_loader] =
        [train_loader, valid_loader].map(|loader| loader.following(&history.stage()));
    let store = Store::new(&run.folder, train.keep_every, history.clone())?;
    let interrupter = Interrupter::new();
    let tensors: Vec<String> = spec.tensors().into_iter().map(|t| t.name).collect();
    let watch = |phase| Watch::new(phase, &history, &interrupter, tensors.clone());
    let strategy = match training.as_slice() {
        [one] => ExecutionStrategy::single(one.clone()),
        several => ExecutionStrategy::multi(several.to_vec(), MultiDeviceOptim::OptimMainDevice),
    };
    let mut loop_ =
        SupervisedTraining::new(&run.folder, Arc::new(train_loader), Arc::new(valid_loader))
            .metric_train_numeric(watch(Phase::Train))
            .metric_valid_numeric(watch(Phase::Valid))
            .with_metric_logger(NoLog)
            .with_application_logger(None)
            .with_custom_checkpointers(
                store.part(Part::Model),
                store.part(Part::Optimiser),
                store.part(Part::Schedule),
            )
            .with_checkpointing_strategy(history.clone())
            .with_interrupter(interrupter.clone())
            .early_stopping(history.clone())
            .num_epochs(train.all_epochs())
            .with_training_strategy(strategy.into());
    if done > 0 {
        loop_ = loop_.checkpoint(done);
    }
    if !std::io::stdout().is_terminal() {
        loop_ = loop_.renderer(Box::new(PlainLines::new(history.clone())));
    }
    let optimiser = optimiser(train);
    let ctrl_c = CtrlC::watch(&interrupter);
    let learner = Learner::new(trainee, optimiser, history.clone());
    let error = match exhausted::caught(|| loop_.launch(learner).error) {
        Ok(error) => error.map(|error| error.to_string()),
        Err(message) => Some(message),
    };
    drop(ctrl_c);
    let error =
        error.map(|error| exhausted::sentence(&error, &run.settings, &tasks[0]).unwrap_or(error));

    Ok(Outcome {
        records: history.records(),
        rules: history.rules(),
        refusal: refusal(run, &history, error),
    })
}

/// Refuses a batch, of any stage, of which some device would have nothing.
fn check_shares(train: &TrainSettings, devices: usize) -> Result<()> {
    let batches = train.each_stage().map(|stage| train.batch_of(stage));
    match batches.min() {
        Some(batch) if batch < devices => {
            bail!("setting `train.batch` is {batch}, but {devices} devices share every batch")
        }
        _ => Ok(()),
    }
}

/// The trajectories that a run is trained with: those of the data set, or new ones like them for every epoch.
fn trajectories(train: &TrainSettings, data: &Dataset, devices: usize) -> Result<Trajectories> {
    if !train.fresh {
        return Ok(data.load(Split::Train)?.into());
    }
    let fresh = experiments::fresh(data, noise::case_seed(train.seed, FRESH))?;
    let (number, epochs) = (data.split(Split::Train).len(), train.all_epochs());
    let blocks = Blocks::new(fresh, number, epochs, devices)?;
    Ok(Trajectories::New(Arc::new(blocks)))
}

/// Adam, or AdamW where weights decay.
pub fn optimiser(train: &TrainSettings) -> ModuleOptimizer {
    if train.decay > 0.0 {
        return AdamWConfig::new()
            .with_epsilon(EPSILON)
            .with_weight_decay(train.decay as f32)
            .init();
    }
    AdamConfig::new().with_epsilon(EPSILON).init()
}

/// Why a training ended before it was finished.
fn refusal(run: &Run, history: &History, error: Option<String>) -> Option<anyhow::Error> {
    let (rules, folder) = (history.rules(), run.folder.display());
    let epochs = rules.epochs;
    if let Some(reason) = history.failure() {
        return Some(anyhow!("{folder}: {reason}"));
    }
    if let Some(error) = error {
        let epoch = epochs + 1;
        return Some(anyhow!(
            "{folder}: training stopped in epoch {epoch}: {error}"
        ));
    }
    if rules.finished() {
        return None;
    }
    let kept = match epochs {
        0 => format!("no epoch of {folder} was finished; `--resume` begins it again"),
        _ => format!("{epochs} epochs are kept in {folder}, `--resume` goes on"),
    };
    Some(anyhow!(Interrupted(kept)))
}

/// A line about the work, where progress goes.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Passes Ctrl-C on to the trainer, between two steps.
struct CtrlC {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl CtrlC {
    fn watch(interrupter: &Interrupter) -> Self {
        interrupt::watch();
        let over = Arc::new(AtomicBool::new(false));
        let (interrupter, ended) = (interrupter.clone(), over.clone());
        let thread = std::thread::spawn(move || {
            while !ended.load(Ordering::SeqCst) && !interrupter.should_stop() {
                if interrupt::requested() {
                    interrupter.stop(Some("Ctrl-C"));
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        Self {
            over,
            thread: Some(thread),
        }
    }
}

impl Drop for CtrlC {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
