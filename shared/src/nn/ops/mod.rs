//! The operations that burn does not have: noise made where it is used, fused with its neighbours.
//!
//! One backend extension, implemented in plain Rust with SIMD for the CPU, as cubecl kernels for every GPU runtime,
//! and with its own backward pass for training. A mask at full width is never stored and never sent to a device:
//! only one key per row is.

#[cfg(feature = "autodiff")]
mod autodiff;
#[cfg(feature = "cube")]
mod cube;
mod flex;
mod pointwise;
mod spectral;

use burn::backend::{
    Backend, Dispatch, backend_extension,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::{DType, Device, Int, Tensor, TensorData};

pub use pointwise::{PointwiseOps, pointwise_mlp};
pub use spectral::{BlockTables, SpectralOps, spectral_block};

use crate::noise::{
    Key,
    mask::{RUN, Rate},
};

/// Words of the panic with which a GPU refuses more values than its kernels can number, for whoever makes a sentence of it.
pub const TOO_MANY_VALUES: &str = "32-bit indices number fewer than 2^32 values";

/// Which mask: how much it drops, and where in the row's stream the tensor begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mask {
    /// [`Rate::threshold`]; 0 drops nothing.
    pub threshold: u32,
    /// Runs of [`RUN`] elements before the first one: a piece of a field takes its piece of the field's mask.
    pub first_run: u32,
}

/// Backend operations with noise inside.
#[backend_extension(Flex, Cube: cfg(feature = "cube"), Autodiff: cfg(feature = "autodiff"))]
pub trait NoiseOps: Backend {
    /// `gelu(mask * (x + bias))` for `x` of `[cases, points, hidden]`, `bias` of `[hidden]`, `keys` of `[rows, 2]`.
    /// Every case serves `rows / cases` consecutive rows, so members share what comes before.
    fn bias_dropout_gelu(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        mask: Mask,
    ) -> FloatTensor<Self>;

    /// Gradients of [`bias_dropout_gelu`](NoiseOps::bias_dropout_gelu) with respect to `x` and `bias`.
    fn bias_dropout_gelu_backward(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        grad: FloatTensor<Self>,
        mask: Mask,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Dropout factors `[rows, count]`.
    fn dropout_factors(keys: IntTensor<Self>, count: usize, threshold: u32) -> FloatTensor<Self>;

    /// Standard normals `[rows, count]`.
    fn normals(keys: IntTensor<Self>, count: usize) -> FloatTensor<Self>;
}

/// One key per row of a batch, on the device: 8 bytes a row.
#[derive(Debug, Clone)]
pub struct Keys(Tensor<2, Int>);

impl Keys {
    /// Puts keys on a device.
    pub fn new(keys: &[Key], device: &Device) -> Self {
        let words: Vec<i32> = keys.iter().flatten().map(|&w| w.cast_signed()).collect();
        let data = TensorData::new(words, [keys.len(), 2]);
        Self(Tensor::from_data(data, (device, DType::I32)))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.0.dims()[0]
    }
}

/// Dropout of one batch: a key for every row, the rate, and the first element of each row's mask.
#[derive(Debug, Clone, Copy)]
pub struct Dropout<'k> {
    /// One key per row.
    pub keys: &'k Keys,
    /// How much is dropped.
    pub rate: Rate,
    /// Elements of a row that come before this tensor's; a multiple of [`RUN`].
    pub first: usize,
}

impl<'k> Dropout<'k> {
    /// Dropout of whole rows.
    pub fn new(keys: &'k Keys, rate: Rate) -> Self {
        Self {
            keys,
            rate,
            first: 0,
        }
    }
}

/// `gelu(x + bias)`, with the activations of each row dropped first when there are keys.
///
/// With keys there may be more rows than cases: every case serves `rows / cases` consecutive rows.
///
/// # Shapes
/// - x: `[cases, points, hidden]`
/// - bias: `[hidden]`
/// - output: `[rows, points, hidden]`
pub fn bias_dropout_gelu(x: Tensor<3>, bias: Tensor<1>, dropout: Option<Dropout>) -> Tensor<3> {
    let (keys, mask) = noise(&x, dropout);
    Tensor::from_dispatch(Dispatch::bias_dropout_gelu(
        x.into_dispatch(),
        bias.into_dispatch(),
        keys.0.into_dispatch(),
        mask,
    ))
}

/// The keys of all rows and the mask; without dropout there is one row per case, and nothing is dropped.
fn noise(x: &Tensor<3>, dropout: Option<Dropout>) -> (Keys, Mask) {
    let (keys, rate, first) = match dropout {
        Some(Dropout { keys, rate, first }) => (keys.clone(), rate, first),
        None => (
            Keys::new(&vec![[0, 0]; x.dims()[0]], &x.device()),
            Rate::NONE,
            0,
        ),
    };
    assert!(
        first.is_multiple_of(RUN),
        "a mask cannot begin inside a run: element {first}"
    );
    let mask = Mask {
        threshold: rate.threshold(),
        first_run: (first / RUN) as u32,
    };
    (keys, mask)
}

/// Dropout factors (0 or the scale of survivors), `[rows, count]`.
pub fn dropout_factors(keys: &Keys, count: usize, rate: Rate) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::dropout_factors(
        keys.0.clone().into_dispatch(),
        count,
        rate.threshold(),
    ))
}

/// Standard normals, `[rows, count]`.
pub fn normals(keys: &Keys, count: usize) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::normals(keys.0.clone().into_dispatch(), count))
}
