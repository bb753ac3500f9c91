//! What a model asks of a machine, added up before anything is allocated, and how much of it a machine gives.
//!
//! A specification is a few numbers, and a small file can ask for much: many modes on a fine grid, or a UNO whose
//! levels all have tables of their own. [`ModelSpec::demand`] says how much, in 64-bit arithmetic that stops at its
//! largest number instead of wrapping, on a machine of any word length. [`Demand::check`] compares it with [`Limits`].
//! [`ModelSpec::validate`] and [`ModelSpec::fits`] ask both, so whoever reads, makes or trains a model has asked.

use super::{BlockSpec, Members, ModelSpec, Operator, Profile, SpecError};
use crate::task::Grid;

/// Bytes of a value in a table or a field.
const VALUE: u64 = size_of::<f32>() as u64;
/// Steps of an entry of a resizing matrix: two sines, where an entry of a transform is looked up in one.
const SINES: u64 = 16;
/// Steps of an associated Legendre function: a recurrence with a square root and a power.
const LEGENDRE: u64 = 8;
/// Steps of nodes and weights of `n` latitudes, over `n` squared: Newton's method with a recurrence of `n` steps for each.
const NODES: u64 = 12;

/// What a model asks for, of a grid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// Scalars of all tensors of its file, those of a posterior included.
    pub parameters: u64,
    /// Bytes of tables in main memory, which operations of the CPU walk through by themselves.
    pub host_table_bytes: u64,
    /// Bytes of tables on the device; where that is the CPU, in main memory as well.
    pub device_table_bytes: u64,
    /// Bytes of the widest field or spectrum on the way of one member, and of what is kept beside it for later blocks.
    pub field_bytes: u64,
    /// Steps of making the tables: one is an entry written, or the like of it, and takes a few nanoseconds.
    pub setup_steps: u64,
}

/// The most that a model may ask for. A model that asks for more is refused with one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Whose limits these are.
    pub whose: &'static str,
    /// Of [`Demand::parameters`].
    pub parameters: u64,
    /// Of both kinds of tables together.
    pub table_bytes: u64,
    /// Of [`Demand::field_bytes`].
    pub field_bytes: u64,
    /// Of [`Demand::setup_steps`].
    pub setup_steps: u64,
}

/// Parameters that the page takes: a file, its tensors and the network are three copies of 128 MiB, and a page that
/// compares holds two models in an address space of 4 GiB.
pub const PAGE_PARAMETERS: u64 = 32 << 20;
/// Tables that the page makes: two models have half a gigabyte of them, an eighth of its address space.
pub const PAGE_TABLE_BYTES: u64 = 256 << 20;
/// Fields of one member on the page: a pass holds a handful of them at once. The paper's widest, ERA5 with the features
/// of a Laplace approximation, has 172 MiB.
pub const PAGE_FIELD_BYTES: u64 = 256 << 20;
/// Set-up on the page: a few seconds in a worker, on a slow machine.
pub const PAGE_SETUP_STEPS: u64 = 1 << 30;

/// Parameters that the program takes: what a file can hold.
pub const NATIVE_PARAMETERS: u64 = super::MAX_PARAMETERS as u64;
/// Tables that the program makes: those of a sphere of 721 x 1440 points with 360 degrees and orders take 0.7 GiB.
pub const NATIVE_TABLE_BYTES: u64 = 2 << 30;
/// Fields of one member in the program: 2^30 values, which the 32-bit indices of a GPU can still number.
pub const NATIVE_FIELD_BYTES: u64 = 4 << 30;
/// Set-up in the program: below half a minute on one slow core.
pub const NATIVE_SETUP_STEPS: u64 = 1 << 33;

impl Limits {
    /// In a browser.
    pub const PAGE: Self = Self {
        whose: "the page",
        parameters: PAGE_PARAMETERS,
        table_bytes: PAGE_TABLE_BYTES,
        field_bytes: PAGE_FIELD_BYTES,
        setup_steps: PAGE_SETUP_STEPS,
    };

    /// In a program of its own.
    pub const NATIVE: Self = Self {
        whose: "this program",
        parameters: NATIVE_PARAMETERS,
        table_bytes: NATIVE_TABLE_BYTES,
        field_bytes: NATIVE_FIELD_BYTES,
        setup_steps: NATIVE_SETUP_STEPS,
    };

    /// Where this code runs.
    pub const HERE: Self = if cfg!(target_arch = "wasm32") {
        Self::PAGE
    } else {
        Self::NATIVE
    };
}

impl Demand {
    /// Bytes of all tables.
    pub fn table_bytes(&self) -> u64 {
        self.host_table_bytes
            .saturating_add(self.device_table_bytes)
    }

    /// Refuses what is above a limit.
    pub fn check(&self, limits: &Limits) -> Result<(), SpecError> {
        for (quantity, found, most, advice) in [
            (
                "the number of parameters",
                self.parameters,
                limits.parameters,
                "fewer modes or channels",
            ),
            (
                "the bytes of the transform tables",
                self.table_bytes(),
                limits.table_bytes,
                "fewer modes or points",
            ),
            (
                "the bytes of the fields of one member",
                self.field_bytes,
                limits.field_bytes,
                "fewer points or channels",
            ),
            (
                "the steps of making the tables",
                self.setup_steps,
                limits.setup_steps,
                "fewer modes or points",
            ),
        ] {
            if found > most {
                return Err(SpecError::Budget {
                    quantity,
                    found,
                    whose: limits.whose,
                    most,
                    advice,
                });
            }
        }
        Ok(())
    }

    fn fields(&mut self, values: u64) {
        self.field_bytes = self.field_bytes.max(values.saturating_mul(VALUE));
    }

    /// Matrices of a transform between two flat grids, and spectra on its way.
    fn fourier(&mut self, block: &BlockSpec, from: &[usize], to: &[usize]) {
        let last = from.len().saturating_sub(1);
        let kept = |axis: usize| match block.modes[axis] {
            n if axis == last => n / 2 + 1,
            n => n,
        };
        for axis in 0..from.len() {
            let parts = if axis == last { 1 } else { 2 };
            let one_way = |size| product([2, kept(axis), parts, size]);
            let (there, back) = (one_way(from[axis]), one_way(to[axis]));
            self.device(there);
            self.device(back);
            if from == to {
                // Both, and both transposed.
                self.host(there.saturating_mul(2));
                self.host(back.saturating_mul(2));
            }
            // Transformed from this axis on.
            let spectrum = |sizes: &[usize], channels: usize| {
                let modes = (axis..from.len()).map(kept);
                product(
                    sizes[..axis]
                        .iter()
                        .copied()
                        .chain(modes)
                        .chain([2, channels]),
                )
            };
            self.fields(spectrum(from, block.inputs));
            self.fields(spectrum(to, block.outputs));
        }
    }

    /// Matrices of a transform of a sphere, and spectra on its way.
    fn spherical(&mut self, block: &BlockSpec, sizes: &[usize]) {
        let &[latitudes, longitudes] = sizes else {
            return;
        };
        let (degrees, orders) = (block.modes[0], block.modes[1] / 2);
        let legendre = product([orders, degrees, latitudes]);
        for _ in 0..2 {
            self.device(legendre);
            self.device(product([2, orders, longitudes]));
            self.steps(legendre.saturating_mul(LEGENDRE));
        }
        self.steps(product([latitudes, latitudes]).saturating_mul(NODES));
        let channels = block.inputs.max(block.outputs);
        self.fields(product([latitudes, 2, orders, channels]));
        self.fields(product([degrees, 2, orders, channels]));
    }

    /// Matrices that bring a field to another grid, and fields on its way.
    fn resize(&mut self, from: &[usize], to: &[usize], channels: usize, profile: Profile) {
        for axis in (0..from.len()).filter(|&axis| from[axis] != to[axis]) {
            let entries = product([from[axis], to[axis]]);
            self.device(entries);
            if profile == Profile::Fixed {
                self.steps(entries.saturating_mul(SINES));
            }
            let grid = from[..axis].iter().chain(&to[axis..]).copied();
            self.fields(product(grid.chain([channels])));
        }
    }

    fn device(&mut self, values: u64) {
        let bytes = values.saturating_mul(VALUE);
        self.device_table_bytes = self.device_table_bytes.saturating_add(bytes);
        self.steps(values);
    }

    fn host(&mut self, values: u64) {
        let bytes = values.saturating_mul(VALUE);
        self.host_table_bytes = self.host_table_bytes.saturating_add(bytes);
        self.steps(values);
    }

    fn steps(&mut self, steps: u64) {
        self.setup_steps = self.setup_steps.saturating_add(steps);
    }
}

impl ModelSpec {
    /// What the model asks for on a grid with as many axes. The specification must be valid on its own.
    pub fn demand(&self, grid: &Grid) -> Demand {
        let points = |sizes: &[usize]| product(sizes.iter().copied());
        let values = |sizes: &[usize], channels: usize| {
            points(sizes).saturating_mul(u64::try_from(channels).unwrap_or(u64::MAX))
        };
        let mut demand = Demand {
            parameters: self.stored_count(),
            ..Demand::default()
        };
        let (blocks, grids) = (self.blocks(), self.grids(&grid.sizes));
        let before = |i: usize| if i == 0 { &grid.sizes } else { &grids[i - 1] };
        for channels in [self.lifted_channels(), self.width, self.out_channels] {
            demand.fields(values(&grid.sizes, channels));
        }
        // Drawn last layers work on the hidden features of all points.
        if self.method.procedure().members == Members::LastLayer {
            demand.fields(values(&grid.sizes, self.projection));
        }
        // Functional noise stays on the grid of the input: of an FNO the first block's tables serve it, too.
        if let Some(first) = blocks.first().filter(|_| !self.noise.is_empty()) {
            let (sizes, channels) = (&grid.sizes, self.noise.len());
            if sizes != &grids[0] {
                demand.fourier(first, sizes, sizes);
            }
            let kept = product(first.modes.iter().copied());
            demand.fields(product([2, channels]).saturating_mul(kept));
        }
        let mut kept = 0_u64;
        for (i, block) in blocks.iter().enumerate() {
            let (from, to) = (before(i), &grids[i]);
            demand.fields(values(from, block.inputs));
            demand.fields(values(to, block.outputs));
            // Equal blocks share their tables, as in a plan.
            let same = |j: usize| (&blocks[j].modes, before(j), &grids[j]);
            if !(0..i).any(|j| same(j) == (&block.modes, from, to)) {
                match self.operator {
                    Operator::Sfno => demand.spherical(block, from),
                    Operator::Fno | Operator::Uno => demand.fourier(block, from, to),
                }
            }
            demand.resize(from, to, block.outputs, self.profile);
            if let Some(skip) = block.horizontal {
                let source = &grids[skip.from];
                demand.resize(source, from, skip.channels, self.profile);
                kept = kept.saturating_add(values(source, skip.channels));
            }
        }
        let kept = kept.saturating_mul(VALUE);
        demand.field_bytes = demand.field_bytes.saturating_add(kept);
        demand
    }
}

/// The product of all factors, or the largest number there is.
pub(super) fn product(factors: impl IntoIterator<Item = usize>) -> u64 {
    factors
        .into_iter()
        .map(|n| u64::try_from(n).unwrap_or(u64::MAX))
        .fold(1, u64::saturating_mul)
}

#[cfg(test)]
mod tests;
