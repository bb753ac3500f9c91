//! Drawing members: what they share once per pass, members as a batch axis in chunks under a memory budget.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use thiserror::Error;

use super::conformal::{Calibration, Factors};
use super::last_layer::LastLayer;
use crate::checkpoint::Checkpoint;
use crate::nn::{Network, Plan, Rows, ops};
use crate::noise::Place;
use crate::observation::Observation;
use crate::spec::{Members, ModelSpec, SpecError};
use crate::task::Task;

/// Bytes of the widest buffer of one pass: half of WebGPU's default binding limit.
pub const MEMORY_BUDGET: usize = 64 << 20;

/// Why a forecast could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ForecastError {
    /// The input has the wrong number of values.
    #[error("the input has {found} values, but this model takes {shape:?}, that is {wanted}")]
    InputLength {
        /// Values found.
        found: usize,
        /// Values wanted.
        wanted: usize,
        /// Grid of the model.
        shape: Vec<usize>,
    },
    /// The input holds a value that is not a number.
    #[error("the input has no finite value for {place}: {value}, at position {position}")]
    InputNotFinite {
        /// Flat position.
        position: usize,
        /// Field and point.
        place: String,
        /// What is there.
        value: f32,
    },
    /// A Laplace approximation without its posterior.
    #[error(
        "the model is a Laplace approximation, but its posterior is missing: tensors {found}, wanted {wanted}"
    )]
    Posterior {
        /// Tensors found.
        found: usize,
        /// Tensors wanted.
        wanted: usize,
    },
    /// The model and its grid do not fit together.
    #[error("the model cannot work on this grid: {0}")]
    Grid(SpecError),
    /// Another number of axes than the model has.
    #[error("the grid {found:?} has {} axes, but this model works on {shape:?}", found.len())]
    Axes {
        /// Sizes asked for.
        found: Vec<usize>,
        /// Grid of the model.
        shape: Vec<usize>,
    },
    /// The device gave no result.
    #[error("the device did not return member {member}: {reason}")]
    Device {
        /// First member of the pass.
        member: u32,
        /// What the device said.
        reason: String,
    },
    /// A member is not finite.
    #[error("member {member} is not finite: the model's weights do not fit this input")]
    MemberNotFinite {
        /// The member.
        member: u32,
    },
    /// More members than networks.
    #[error(
        "this model has {networks} networks and so as many members, but member {member} was asked for"
    )]
    NoSuchMember {
        /// The member, counted from 1.
        member: u32,
        /// Networks of the model.
        networks: u32,
    },
    /// A member is not finite after some steps.
    #[error(
        "member {member} is not finite after step {step}: this model cannot be stepped on that far"
    )]
    StepNotFinite {
        /// The member.
        member: u32,
        /// The step, counted from 1.
        step: usize,
    },
    /// What the model gives is not what it takes.
    #[error(
        "this model cannot be stepped on: its output is not of the quantities, axes and times of its input"
    )]
    NoFeedback,
}

/// A model on a device, ready to forecast.
#[derive(Debug, Clone)]
pub struct Forecaster {
    spec: ModelSpec,
    pub(super) task: Task,
    /// Several for an ensemble of networks, otherwise one.
    pub(super) networks: Vec<Network>,
    pub(super) plan: Plan,
    pub(super) device: Device,
    pub(super) last_layer: Option<Arc<LastLayer>>,
    calibration: Option<Calibration>,
    observation: Observation,
}

impl Forecaster {
    /// Puts a checkpoint's model on a device.
    pub fn new(checkpoint: &Checkpoint, device: &Device) -> Result<Self, ForecastError> {
        Self::with_task(checkpoint, checkpoint.header.task.clone(), device)
    }

    /// The same on another grid than the model was trained on, over the same extent: modes are tied to wavenumbers.
    pub fn on_grid(
        checkpoint: &Checkpoint,
        sizes: &[usize],
        device: &Device,
    ) -> Result<Self, ForecastError> {
        let task = &checkpoint.header.task;
        if sizes.len() != task.input.len() {
            return Err(ForecastError::Axes {
                found: sizes.to_vec(),
                shape: task.input_shape(),
            });
        }
        let task = task.on_grid(sizes);
        task.validate().map_err(ForecastError::Grid)?;
        Self::with_task(checkpoint, task, device)
    }

    fn with_task(
        checkpoint: &Checkpoint,
        task: Task,
        device: &Device,
    ) -> Result<Self, ForecastError> {
        let spec = &checkpoint.header.spec;
        spec.fits(&task).map_err(ForecastError::Grid)?;
        let network = |index| Network::from_tensors(spec, &checkpoint.network(index), device);
        Ok(Self {
            networks: (0..spec.networks).map(network).collect(),
            calibration: checkpoint.header.calibration.clone(),
            last_layer: LastLayer::of(checkpoint)?.map(Arc::new),
            plan: Plan::of_task(spec, &task, device),
            spec: spec.clone(),
            task,
            device: device.clone(),
            observation: Observation::EXACT,
        })
    }

    /// The same, leaving out what data on this grid leave out, too. On a grid that is not that of its training a model has
    /// the masks of the nearest points, and data have a coast of their own: what counts is where both have values.
    pub fn masked_as(mut self, data: &Task) -> Result<Self, ForecastError> {
        self.task.add_masks(data);
        self.task.validate().map_err(ForecastError::Grid)?;
        Ok(self)
    }

    /// The same without the observation noise of a Laplace approximation: members of the field itself and not of what
    /// would be measured. Other methods have none.
    #[must_use]
    pub fn without_observation_noise(mut self) -> Self {
        self.last_layer = self
            .last_layer
            .map(|layer| Arc::new(Arc::unwrap_or_clone(layer).without_noise()));
        self
    }

    /// The same without the scaling of a calibration: members as the model draws them.
    #[must_use]
    pub fn without_calibration(mut self) -> Self {
        self.calibration = None;
        self
    }

    /// The same for inputs that were observed: how uncertain they are is told to a network that was trained for that, and is
    /// what perturbed inputs are drawn with.
    #[must_use]
    pub fn observing(mut self, observation: Observation) -> Self {
        self.observation = observation;
        self
    }

    /// How well the input is known.
    pub fn observation(&self) -> Observation {
        self.observation
    }

    /// How an ensemble is to be spread after a step, counted from 1, where the model was calibrated. A single member
    /// cannot be: what is scaled is its distance from the mean of all.
    pub fn factors(&self, step: usize) -> Option<Factors> {
        let calibration = self.calibration.as_ref()?;
        Some(calibration.of(&self.task, step))
    }

    /// How many members there are, where they cannot be any number: an ensemble of networks has as many as networks.
    pub fn most_members(&self) -> Option<u32> {
        let several = self.spec.method.procedure().members == Members::Networks;
        several.then_some(self.networks.len() as u32)
    }

    /// What the model maps to what.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// What the model is.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Begins a forecast from fields `[points, channel]` in physical units. Where one pass serves all members it is done here.
    pub fn start(&self, input: &[f32], seed: u64) -> Result<Forecast, ForecastError> {
        let state = if self.perturbs() {
            self.check_input(input)?;
            State::Inputs(input.to_vec())
        } else {
            self.state(self.network_input(input)?)
        };
        Ok(Forecast {
            forecaster: self.clone(),
            seed,
            state,
        })
    }

    /// Whether members differ by their inputs.
    pub(super) fn perturbs(&self) -> bool {
        self.spec.method.perturbs_inputs() && !self.observation.is_exact()
    }

    /// What all members of an input have in common.
    fn state(&self, input: Tensor<3>) -> State {
        if self.most_members().is_some() {
            State::Networks(Box::new(input))
        } else if self.spec.method.drops_at_inference() || self.spec.method.takes_functions() {
            State::Passes(Box::new(input))
        } else if let Some(layer) = &self.last_layer {
            let features = self.networks[0].features(input.clone(), &self.plan);
            State::LastLayers(layer.clone(), features, Box::new(input))
        } else {
            let heads = self.networks[0].forward(input, &self.plan, None);
            let row = |head: Tensor<3>| head.reshape([1, self.task.output_values()]);
            State::Heads(Box::new(HeadRows {
                mean: row(heads.mean),
                spread: heads.spread.map(row),
            }))
        }
    }

    /// Refuses members that do not exist.
    pub(super) fn check_members(&self, range: &Range<u32>) -> Result<(), ForecastError> {
        match self.most_members() {
            Some(networks) if range.end > networks => Err(ForecastError::NoSuchMember {
                member: range.end,
                networks,
            }),
            _ => Ok(()),
        }
    }

    /// The input as the network takes it, `[1, points, channel]`.
    pub(super) fn network_input(&self, input: &[f32]) -> Result<Tensor<3>, ForecastError> {
        self.check_input(input)?;
        Ok(self.tensor(self.channels(input, self.observation)))
    }

    /// The inputs of some members, each another one that may have led to the same observation, `[members, points, channel]`.
    /// A member takes its own for exact.
    pub(super) fn perturbed(&self, input: &[f32], seed: u64, range: Range<u32>) -> Tensor<3> {
        let own = |member| {
            let own = self.observation.perturbed(&self.task, input, seed, member);
            self.channels(&own, Observation::EXACT)
        };
        self.tensor(range.flat_map(own).collect())
    }

    /// The channels of one input, with what the network is told of its uncertainty behind them.
    fn channels(&self, input: &[f32], observation: Observation) -> Vec<f32> {
        let channels = self.task.network_input(input);
        match self.spec.observed {
            Some(_) => observation.beside(&channels, &self.task.input_shape()),
            None => channels,
        }
    }

    /// Inputs on the device, `[inputs, points, channel]`.
    fn tensor(&self, channels: Vec<f32>) -> Tensor<3> {
        let (points, each) = (self.plan.points(), self.spec.input_channels());
        let inputs = channels.len() / (points * each).max(1);
        Tensor::from_data(
            TensorData::new(channels, [inputs, points, each]),
            &self.device,
        )
    }

    /// Refuses an input of another length or with a value that is none.
    fn check_input(&self, input: &[f32]) -> Result<(), ForecastError> {
        let wanted = self.task.input_values();
        if input.len() != wanted {
            return Err(ForecastError::InputLength {
                found: input.len(),
                wanted,
                shape: self.task.input_array(),
            });
        }
        let broken = |(at, v): (usize, &f32)| !v.is_finite() && !self.task.masks_input(at);
        if let Some(position) = input.iter().enumerate().position(broken) {
            return Err(ForecastError::InputNotFinite {
                position,
                place: self.task.input_place(position),
                value: input[position],
            });
        }
        Ok(())
    }

    /// Fields from what drawn last layers gave, in network units, as many for every input as there are.
    ///
    /// # Shapes
    /// - input: `[inputs, points, in]`
    /// - rows and output: `[members, points * out]`
    pub(super) fn completed(&self, input: &Tensor<3>, rows: Tensor<2>) -> Tensor<2> {
        let Some(increments) = self.plan.increments() else {
            return rows;
        };
        let ([count, values], points) = (rows.dims(), self.plan.points());
        let changes = rows.reshape([count, points, values / points]);
        increments.added(input, changes).reshape([count, values])
    }

    /// The observation noise of some members, `[members, values]`, where the model has any.
    pub(super) fn measured(&self, rows: &Rows) -> Option<Tensor<2>> {
        let noise = self.last_layer.as_ref().map(|layer| layer.noise());
        let noise = noise.filter(|&noise| noise > 0.0)?;
        let (count, values) = (rows.len(), self.task.output_values());
        let normals = ops::normals(&rows.keys(Place::Normal, &self.device), values) * noise;
        Some(match self.plan.increments() {
            None => normals,
            Some(increments) => {
                let points = self.plan.points();
                let by_field = normals.reshape([count, points, values / points]);
                increments.scaled(by_field).reshape([count, values])
            }
        })
    }

    /// Fields on the host, in physical units, from rows in network units; the first value that is not finite is an error,
    /// for which `broken` hears of its member and its place in the row.
    pub(super) async fn restored(
        &self,
        rows: Tensor<2>,
        first: u32,
        broken: impl Fn(u32, usize) -> ForecastError,
    ) -> Result<Vec<f32>, ForecastError> {
        let values = rows.dims()[1];
        let failed = |reason: String| ForecastError::Device {
            member: first,
            reason,
        };
        let data = rows
            .into_data_async()
            .await
            .map_err(|e| failed(e.to_string()))?;
        let mut fields = data
            .try_to_vec::<f32>()
            .map_err(|e| failed(format!("{e:?}")))?;
        if let Some(position) = fields.iter().position(|v| !v.is_finite()) {
            let member = first + (position / values) as u32;
            return Err(broken(member, position % values));
        }
        self.task.restore(&mut fields);
        Ok(fields)
    }
}

#[derive(Debug, Clone)]
enum State {
    /// Every member is a pass of the input with its own masks or its own random function.
    Passes(Box<Tensor<3>>),
    /// Every member is a pass of an input of its own, near this one.
    Inputs(Vec<f32>),
    /// Every member is a pass of the input through its own network.
    Networks(Box<Tensor<3>>),
    /// Every member is a drawn last layer on the features of one pass of an input.
    LastLayers(Arc<LastLayer>, Vec<Tensor<3>>, Box<Tensor<3>>),
    /// Every member is a draw from the heads (or the mean itself).
    Heads(Box<HeadRows>),
}

/// The heads of the one pass that serves all members, as rows.
#[derive(Debug, Clone)]
struct HeadRows {
    mean: Tensor<2>,
    spread: Option<Tensor<2>>,
}

/// One forecast in progress: any member can be asked for, in any order, always the same field.
#[derive(Debug, Clone)]
pub struct Forecast {
    forecaster: Forecaster,
    seed: u64,
    state: State,
}

impl Forecast {
    /// Members per pass that stay under [`MEMORY_BUDGET`].
    pub fn chunk(&self) -> u32 {
        let values = match self.state {
            // One after the other: the next is another network.
            State::Networks(_) => return 1,
            State::Passes(_) | State::Inputs(_) => self.forecaster.plan.row_values(),
            State::Heads(_) | State::LastLayers(..) => self.forecaster.task.output_values(),
        };
        (MEMORY_BUDGET / (values * size_of::<f32>()).max(1)).clamp(1, 256) as u32
    }

    /// Members in physical units, `[member, points, channel]`, in passes of [`chunk`](Self::chunk).
    pub async fn members(&self, range: Range<u32>) -> Result<Vec<f32>, ForecastError> {
        let mut fields = Vec::with_capacity(range.len() * self.forecaster.task.output_values());
        let mut next = range.start;
        while next < range.end {
            let end = range.end.min(next.saturating_add(self.chunk()));
            fields.extend(self.pass(next..end).await?);
            next = end;
        }
        Ok(fields)
    }

    async fn pass(&self, range: Range<u32>) -> Result<Vec<f32>, ForecastError> {
        let Forecaster {
            networks,
            plan,
            device,
            task,
            ..
        } = &self.forecaster;
        self.forecaster.check_members(&range)?;
        let (first, count) = (range.start, range.len());
        let rows = Rows::members(self.seed, range.clone());
        let values = task.output_values();
        let members: Tensor<2> = match &self.state {
            State::Networks(input) => {
                let passes = networks[range.start as usize..range.end as usize].iter();
                let passes = passes.map(|n| n.forward(input.as_ref().clone(), plan, None).mean);
                Tensor::cat(passes.collect(), 0).reshape([count, values])
            }
            State::Inputs(input) => {
                let inputs = self.forecaster.perturbed(input, self.seed, range);
                let heads = networks[0].forward(inputs, plan, None);
                heads.mean.reshape([count, values])
            }
            State::Passes(input) => {
                let masks = self.forecaster.spec.method.drops_at_inference();
                networks[0]
                    .draw(input.as_ref().clone(), plan, masks.then_some(&rows), &rows)
                    .reshape([count, values])
            }
            State::LastLayers(layer, features, input) => {
                let members = layer.members(features, self.seed, range, device);
                let members = self.forecaster.completed(input, members);
                match self.forecaster.measured(&rows) {
                    Some(noise) => noise + members,
                    None => members,
                }
            }
            State::Heads(heads) => match &heads.spread {
                Some(spread) => {
                    let normals = ops::normals(&rows.keys(Place::Normal, device), values);
                    normals * spread.clone() + heads.mean.clone()
                }
                None => heads.mean.clone().repeat_dim(0, count),
            },
        };
        let broken = |member, _| ForecastError::MemberNotFinite { member };
        self.forecaster.restored(members, first, broken).await
    }
}
