//! Our step: as training takes it, and once more by stages.

use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use burn::optim::{GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Tensor, TensorData};
use burn::train::TrainStep;
use pno::nn::{Network, Plan, Rows};
use pno::noise::normal;
use pno::spec::Experiment;
use pno::task::Task;
use serde::Serialize;

use super::super::cores::median;
use super::MEMBERS;
use crate::train::batches::Batch;
use crate::train::clip::{clip_global_norm, squared_norms};
use crate::train::fit;
use crate::train::model::{Execution, Trainee};
use crate::train::procedure::Procedure;
use crate::train::settings::Settings;

/// Milliseconds of the stages of a step: medians of some steps.
#[derive(Debug, Clone, Serialize)]
pub struct Stages {
    /// All members of all cases through the network.
    pub forward: f64,
    /// Energy score.
    pub loss: f64,
    /// Gradients of everything.
    pub backward: f64,
    /// Clipping to the global norm.
    pub clipping: f64,
    /// Adam.
    pub optimiser: f64,
}

impl Stages {
    /// In words, each as a share of the step.
    pub fn sentence(&self) -> String {
        let parts = [
            ("forward", self.forward),
            ("loss", self.loss),
            ("backward", self.backward),
            ("clipping", self.clipping),
            ("Adam", self.optimiser),
        ];
        let total: f64 = parts.iter().map(|(_, ms)| ms).sum();
        let parts: Vec<String> = parts
            .iter()
            .map(|(name, ms)| format!("{name} {:.1} %", 100.0 * ms / total))
            .collect();
        parts.join(", ")
    }
}

/// Steps on one batch.
pub struct Steps {
    settings: Settings,
    task: Task,
    procedure: Procedure,
    /// Taken out while a step works on it.
    trainee: Option<Trainee>,
    adam: ModuleOptimizer,
    batch: Batch,
    device: Device,
    taken: u64,
}

impl Steps {
    /// Fresh weights and one batch of smooth inputs and rough truths.
    pub fn new(settings: &Settings, device: &Device) -> Result<Self> {
        let experiment = settings.model.experiment;
        let task = Task::published(experiment)
            .ok_or_else(|| anyhow!("`{experiment}` has no published task"))?;
        let training = device.clone().autodiff();
        let (spec, train) = (&settings.model, &settings.train);
        let tasks = [&task, &task];
        let procedure = Procedure::new(spec, train, tasks, None, &training, device);
        let cases = train.batch;
        let mut input = vec![];
        let mut truth = vec![0.0; cases * task.output_values()];
        normal::fill([1, 2], &mut truth);
        for case in 0..cases {
            let wave = |i: usize| (0.01 * (i + 17 * case) as f32).sin();
            let fields: Vec<f32> = (0..task.input_values()).map(wave).collect();
            input.extend(task.network_input(&fields));
        }
        let shape = [cases, task.points(), task.network_channels()];
        let batch = Batch {
            weights: None,
            input: Tensor::from_data(TensorData::new(input, shape), &training),
            truths: vec![Tensor::from_data(
                TensorData::new(truth, [cases, task.output_values()]),
                &training,
            )],
            seed: 7,
            epoch: 0,
            stage: 0,
            number: 0,
            first: 0,
            whole: cases,
        };
        let network = Network::init(spec, train.seed, &training);
        Ok(Self {
            trainee: Some(Trainee::new(
                network,
                procedure.clone(),
                Execution::default(),
            )),
            adam: fit::optimiser(&settings.train),
            settings: settings.clone(),
            task,
            procedure,
            batch,
            device: device.clone(),
            taken: 0,
        })
    }

    /// What the network is for.
    pub fn experiment(&self) -> Experiment {
        self.settings.model.experiment
    }

    /// Its fields.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Cases of the batch.
    pub fn cases(&self) -> usize {
        self.settings.train.batch
    }

    /// All weights one after the other, the inputs and the truths.
    pub fn arrays(&self) -> Result<(Vec<f32>, Vec<f32>, Vec<f32>)> {
        let floats = |data: TensorData| {
            data.try_to_vec::<f32>()
                .map_err(|e| anyhow!("the tensors are not f32: {e:?}"))
        };
        let mut weights = vec![];
        for tensor in self.network().tensors() {
            weights.extend(floats(tensor)?);
        }
        let truth = self.batch.truths.first().context("a batch has a truth")?;
        let input = floats(self.batch.input.clone().into_data())?;
        Ok((weights, input, floats(truth.clone().into_data())?))
    }

    /// What the network says without dropout.
    pub fn fields(&self) -> Result<Vec<f32>> {
        let spec = &self.settings.model;
        let tensors: Vec<Vec<f32>> = self
            .network()
            .tensors()
            .into_iter()
            .map(|t| t.try_to_vec::<f32>())
            .collect::<Result<_, _>>()
            .map_err(|e| anyhow!("the tensors are not f32: {e:?}"))?;
        let network = Network::from_tensors(spec, &tensors, &self.device);
        let plan = Plan::new(spec, &self.task.grid(), &self.device);
        let input = self.batch.input.clone().without_autodiff();
        let fields = network.forward(input, &plan, None).mean.into_data();
        fields
            .try_to_vec()
            .map_err(|e| anyhow!("the fields are not f32: {e:?}"))
    }

    fn network(&self) -> &Network {
        let trainee = self.trainee.as_ref();
        &trainee.expect("no step is being taken").network
    }

    /// One step as training takes it.
    pub fn step(&mut self) {
        self.taken += 1;
        let batch = Batch {
            weights: None,
            seed: self.taken,
            ..self.batch.clone()
        };
        let trainee = self.trainee.take().expect("no step is being taken");
        let output = TrainStep::step(&trainee, batch);
        let rate = self.settings.train.learning_rate;
        self.trainee = Some(self.adam.step(rate, trainee, output.grads));
    }

    /// The same step by stages.
    pub fn stages(&mut self, turns: usize) -> Stages {
        let mut times = [const { vec![] }; 5];
        for _ in 0..turns {
            self.taken += 1;
            let mut last = Instant::now();
            let mut lap = |stage: usize| {
                times[stage].push(1e3 * last.elapsed().as_secs_f64());
                last = Instant::now();
            };
            let trainee = self.trainee.take().expect("no step is being taken");
            let stage = &self.procedure.training;
            let rows = Rows::numbered(self.taken, self.cases() * MEMBERS);
            let input = self.batch.input.clone();
            let masks = Some(&rows);
            let members = trainee.network.draw(input, &stage.plan, masks, &rows);
            lap(0);
            let objective = &self.procedure.objective;
            let losses = objective.of(&members, &self.batch.truths[0], &stage.norm);
            let loss = losses.mean();
            lap(1);
            let grads = loss.backward();
            lap(2);
            let grads = GradientsParams::from_grads(grads, &trainee);
            let squares = squared_norms(&trainee, &grads).expect("there are weights");
            let grads = clip_global_norm(&trainee, grads, squares, self.procedure.clip);
            lap(3);
            let rate = self.settings.train.learning_rate;
            self.trainee = Some(self.adam.step(rate, trainee, grads));
            lap(4);
        }
        let [forward, loss, backward, clipping, optimiser] = times.map(median);
        Stages {
            forward,
            loss,
            backward,
            clipping,
            optimiser,
        }
    }
}
