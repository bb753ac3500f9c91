//! What a network needs for one grid on one device: the tables of every block.

use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::resize::Resize;
use super::{FunctionalNoise, Increments};
use crate::spec::{BlockSpec, ModelSpec, Operator, Output, Profile};
use crate::spectral::axes::Axes;
use crate::spectral::{Fourier, Resampling, Spherical, Transform};
use crate::task::{Domain, Grid, Task};

/// Bytes of hidden activations that a pointwise MLP holds at once on the CPU when no gradient is needed: they stay in the
/// cache between the two maps.
pub const HIDDEN_BYTES_CPU: usize = 1 << 20;
/// The same on a GPU, where a piece must fill the machine: a quarter of WebGPU's default binding limit.
pub const HIDDEN_BYTES_GPU: usize = 32 << 20;
/// Pieces of a field hold a multiple of this many points, so that a mask begins at a run whatever the width.
const PIECE: usize = crate::noise::mask::RUN;

/// Tables of every block, and how much of a hidden field may exist at once.
#[derive(Debug, Clone)]
pub struct Plan {
    blocks: Vec<BlockPlan>,
    points: usize,
    row_values: usize,
    hidden_bytes: Option<usize>,
    noise: Option<FunctionalNoise>,
    increments: Option<Increments>,
}

/// Tables of one block.
#[derive(Debug, Clone)]
pub struct BlockPlan {
    transform: Transform,
    resize: Option<Resize>,
    /// Source of the horizontal skip, and how it comes to this block's grid.
    horizontal: Option<(usize, Option<Resize>)>,
    activate: bool,
    /// Whether a later block takes this block's output.
    is_source: bool,
}

impl Plan {
    /// What a network needs for a task, which it must fit ([`ModelSpec::fits`]).
    pub fn of_task(spec: &ModelSpec, task: &Task, device: &Device) -> Self {
        let increments = match spec.output {
            Output::Field => None,
            Output::Increment => Increments::new(task, device),
        };
        Self {
            increments,
            ..Self::tables(spec, &task.grid(), device)
        }
    }

    /// Tables for inference, where pointwise MLPs work in pieces, for a network that gives fields.
    ///
    /// The network must fit the grid ([`ModelSpec::fits`]): an SFNO on a flat grid is a mistake of the caller, and panics.
    /// So is a network that gives increments, whose sizes belong to a [task](Self::of_task).
    pub fn new(spec: &ModelSpec, grid: &Grid, device: &Device) -> Self {
        assert!(
            spec.output == Output::Field,
            "the sizes of increments are part of a task"
        );
        Self::tables(spec, grid, device)
    }

    fn tables(spec: &ModelSpec, grid: &Grid, device: &Device) -> Self {
        let (specs, grids) = (spec.blocks(), spec.grids(&grid.sizes));
        let before = |i: usize| if i == 0 { &grid.sizes } else { &grids[i - 1] };
        let points = |sizes: &[usize]| sizes.iter().product::<usize>();
        let mut blocks: Vec<BlockPlan> = Vec::with_capacity(specs.len());
        let mut row_values = grid.points() * spec.width;
        for (i, block) in specs.iter().enumerate() {
            let (from, to) = (before(i), &grids[i]);
            row_values = row_values
                .max(points(from) * block.inputs)
                .max(points(to) * block.outputs);
            // Equal blocks share their tables.
            let same =
                |j: &usize| (&specs[*j].modes, before(*j), &grids[*j]) == (&block.modes, from, to);
            let transform = match (0..i).find(same) {
                Some(twin) => blocks[twin].transform.clone(),
                None => transform(spec, block, grid.domain, from, to, device),
            };
            let resize = |from, to| Resize::new(from, to, spec.profile, device);
            blocks.push(BlockPlan {
                transform,
                resize: resize(from, to),
                horizontal: block
                    .horizontal
                    .map(|skip| (skip.from, resize(&grids[skip.from], from))),
                activate: block.activate,
                is_source: specs
                    .iter()
                    .any(|b| b.horizontal.is_some_and(|h| h.from == i)),
            });
        }
        let noise = (!spec.noise.is_empty()).then(|| {
            let sizes = &grid.sizes;
            if &grids[0] == sizes {
                return blocks[0].transform.clone();
            }
            transform(spec, &specs[0], grid.domain, sizes, sizes, device)
        });
        let noise = noise.and_then(|transform| FunctionalNoise::new(spec, &transform, device));
        Self {
            noise,
            increments: None,
            blocks,
            points: grid.points(),
            row_values,
            hidden_bytes: Some(if super::mlp::is_cpu(device) {
                HIDDEN_BYTES_CPU
            } else {
                HIDDEN_BYTES_GPU
            }),
        }
    }

    /// The same for training: gradients need the hidden fields, so there is nothing to gain from pieces.
    #[must_use]
    pub fn whole(self) -> Self {
        Self {
            hidden_bytes: None,
            ..self
        }
    }

    /// The same with another budget for hidden activations.
    #[must_use]
    pub fn with_hidden_bytes(self, bytes: usize) -> Self {
        Self {
            hidden_bytes: Some(bytes),
            ..self
        }
    }

    /// The random functions beside the input, where the network takes any.
    pub fn noise(&self) -> Option<&FunctionalNoise> {
        self.noise.as_ref()
    }

    /// How changes become fields, where the network gives changes.
    pub fn increments(&self) -> Option<&Increments> {
        self.increments.as_ref()
    }

    /// Number of points of the input grid.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Values of the widest field inside the network, for one row.
    pub fn row_values(&self) -> usize {
        self.row_values
    }

    /// Tables of one block.
    pub fn block(&self, index: usize) -> &BlockPlan {
        &self.blocks[index]
    }

    /// Points that a pointwise MLP may take at once for `rows` rows and a hidden width.
    pub fn piece(&self, rows: usize, hidden: usize) -> usize {
        let Some(bytes) = self.hidden_bytes else {
            return usize::MAX;
        };
        let points = bytes / (rows * hidden * size_of::<f32>()).max(1);
        (points / PIECE * PIECE).max(PIECE)
    }
}

fn transform(
    spec: &ModelSpec,
    block: &BlockSpec,
    domain: Domain,
    from: &[usize],
    to: &[usize],
    device: &Device,
) -> Transform {
    if spec.operator == Operator::Sfno {
        let Domain::Sphere(latitudes) = domain else {
            panic!("an SFNO works on a sphere");
        };
        let (sizes, modes) = ([from[0], from[1]], &block.modes);
        let spherical = Spherical::new(latitudes, sizes, modes[0], modes[1] / 2, device);
        return Transform::Spherical(spherical);
    }
    let rule = match spec.profile {
        Profile::Fixed => Resampling::Signed,
        Profile::Paper => Resampling::Wrapped,
    };
    Transform::Fourier(Fourier::resampling(from, to, &block.modes, rule, device))
}

impl BlockPlan {
    /// The transform of the spectral path.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The transform on the host, where the whole block can be one operation: on the CPU, with a Fourier transform whose
    /// fields stay on their grid.
    pub fn axes(&self, device: &Device) -> Option<&Arc<Axes>> {
        match &self.transform {
            Transform::Fourier(fourier) if super::mlp::is_cpu(device) => fourier.axes(),
            _ => None,
        }
    }

    /// The block whose output joins the input.
    pub fn horizontal(&self) -> Option<usize> {
        self.horizontal.as_ref().map(|(from, _)| *from)
    }

    /// Whether a GELU follows.
    pub fn activates(&self) -> bool {
        self.activate
    }

    /// Whether a later block takes this block's output.
    pub fn is_source(&self) -> bool {
        self.is_source
    }

    /// A field of the input grid on the output grid.
    pub fn resized(&self, field: Tensor<3>) -> Tensor<3> {
        apply(self.resize.as_ref(), field)
    }

    /// A field of the horizontal skip's source on the input grid.
    pub fn resized_skip(&self, field: Tensor<3>) -> Tensor<3> {
        let resize = self.horizontal.as_ref().and_then(|(_, r)| r.as_ref());
        apply(resize, field)
    }
}

fn apply(resize: Option<&Resize>, field: Tensor<3>) -> Tensor<3> {
    match resize {
        Some(resize) => resize.forward(field),
        None => field,
    }
}
