//! Drawing members: the shared work once, then members as a batch axis in chunks under a memory budget.

use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};
use thiserror::Error;

use crate::checkpoint::Checkpoint;
use crate::nn::{Network, Rows, ops};
use crate::noise::Place;
use crate::spec::ModelSpec;
use crate::spectral::Plan;
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
    #[error("the input is not finite at position {position}: {value}")]
    InputNotFinite {
        /// Flat position.
        position: usize,
        /// What is there.
        value: f32,
    },
    /// The model and its task do not fit together.
    #[error("the model takes {found} input channels, but its grid gives {wanted}")]
    Channels {
        /// Channels of the specification.
        found: usize,
        /// One for the field and one per axis.
        wanted: usize,
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
}

/// A model on a device, ready to forecast.
#[derive(Debug, Clone)]
pub struct Forecaster {
    spec: ModelSpec,
    task: Task,
    network: Network,
    plan: Plan,
    device: Device,
}

impl Forecaster {
    /// Puts a checkpoint's model on a device.
    pub fn new(checkpoint: &Checkpoint, device: &Device) -> Result<Self, ForecastError> {
        let (spec, task) = (&checkpoint.header.spec, &checkpoint.header.task);
        let wanted = task.network_channels();
        if spec.in_channels != wanted {
            return Err(ForecastError::Channels {
                found: spec.in_channels,
                wanted,
            });
        }
        Ok(Self {
            spec: spec.clone(),
            task: task.clone(),
            network: Network::from_tensors(spec, &checkpoint.tensors, device),
            plan: Plan::new(&task.input_shape(), &spec.modes, device),
            device: device.clone(),
        })
    }

    /// What the model maps to what.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// What the model is.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Begins a forecast from a field in physical units. Everything that all members share is computed here, once.
    pub fn start(&self, input: &[f32], seed: u64) -> Result<Forecast, ForecastError> {
        let shape = self.task.input_shape();
        let wanted = shape.iter().product();
        if input.len() != wanted {
            return Err(ForecastError::InputLength {
                found: input.len(),
                wanted,
                shape,
            });
        }
        if let Some(position) = input.iter().position(|v| !v.is_finite()) {
            return Err(ForecastError::InputNotFinite {
                position,
                value: input[position],
            });
        }
        let channels = TensorData::new(
            self.task.network_input(input),
            [1, wanted, self.spec.in_channels],
        );
        let shared = self
            .network
            .shared(Tensor::from_data(channels, &self.device));
        let state = if self.spec.method.drops_at_inference() {
            State::Passes {
                shared: Box::new(shared),
            }
        } else {
            // One pass of the trunk serves all members.
            let heads = self.network.heads(shared, &self.plan, None);
            let row = |head: Tensor<3>| head.reshape([1, wanted * self.spec.out_channels]);
            State::Heads(Box::new(HeadRows {
                mean: row(heads.mean),
                spread: heads.spread.map(row),
            }))
        };
        Ok(Forecast {
            forecaster: self.clone(),
            seed,
            state,
        })
    }

    fn points(&self) -> usize {
        self.task.points() * self.spec.out_channels
    }
}

#[derive(Debug, Clone)]
enum State {
    /// Every member is a pass with its own masks.
    Passes { shared: Box<Tensor<3>> },
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
        let spec = &self.forecaster.spec;
        let widest = match self.state {
            State::Passes { .. } => spec.lifting.max(spec.projection).max(spec.width),
            State::Heads(_) => spec.out_channels,
        };
        let bytes = self.forecaster.task.points() * widest * size_of::<f32>();
        (MEMORY_BUDGET / bytes.max(1)).clamp(1, 256) as u32
    }

    /// Members in physical units, `[member, points]`, in passes of [`chunk`](Self::chunk).
    pub async fn members(&self, range: Range<u32>) -> Result<Vec<f32>, ForecastError> {
        let mut fields = Vec::with_capacity(range.len() * self.forecaster.points());
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
            network,
            plan,
            device,
            task,
            ..
        } = &self.forecaster;
        let (first, count) = (range.start, range.len());
        let rows = Rows::members(self.seed, range);
        let points = self.forecaster.points();
        let members: Tensor<2> = match &self.state {
            State::Passes { shared } => network
                .heads(shared.as_ref().clone(), plan, Some(&rows))
                .mean
                .reshape([count, points]),
            State::Heads(heads) => match &heads.spread {
                Some(spread) => {
                    let normals = ops::normals(&rows.keys(Place::Normal, device), points);
                    normals * spread.clone() + heads.mean.clone()
                }
                None => heads.mean.clone().repeat_dim(0, count),
            },
        };
        let failed = |reason: String| ForecastError::Device {
            member: first,
            reason,
        };
        let data = members
            .into_data_async()
            .await
            .map_err(|e| failed(e.to_string()))?;
        let mut values = data
            .try_to_vec::<f32>()
            .map_err(|e| failed(format!("{e:?}")))?;
        if let Some(position) = values.iter().position(|v| !v.is_finite()) {
            return Err(ForecastError::MemberNotFinite {
                member: first + (position / points) as u32,
            });
        }
        for value in &mut values {
            *value = task.normalisation.restore(*value);
        }
        Ok(values)
    }
}
