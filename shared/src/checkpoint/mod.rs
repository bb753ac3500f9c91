//! The `.pno` file: the only thing that passes from the trainer to the page.
//!
//! A checkpoint says what it is (architecture, method, grid, units, how it was made, how well it scores) and holds
//! the weights. One specification has one layout, so a file chooses neither a shape nor an allocation.
//!
//! # Layout
//!
//! All numbers are little-endian. Offsets in the diagram count from the first byte of the file.
//!
//! ```text
//!       0 ┌───────────────────────────────┐
//!         │ magic  89 70 6E 6F 0D 0A 1A 0A│  8 bytes, "\x89pno\r\n\x1a\n"
//!       8 ├───────────────────────────────┤
//!         │ version                       │  u32, now 6
//!      12 ├───────────────────────────────┤
//!         │ header length H               │  u32, at most 633856
//!      16 ├───────────────────────────────┤
//!         │ file length N                 │  u64, all bytes of the file, hash included
//!      24 ├───────────────────────────────┤
//!         │ header                        │  H bytes, postcard (below)
//!  24 + H ├───────────────────────────────┤
//!         │ zeros up to a multiple of 64  │
//!       D ├───────────────────────────────┤  D = 24 + H rounded up to a multiple of 64
//!         │ tensor 0                      │  raw f32 or f16, row-major (last axis fastest)
//!         ├───────────────────────────────┤
//!         │ zeros up to a multiple of 64  │
//!         ├───────────────────────────────┤
//!         │ …                             │
//!         ├───────────────────────────────┤
//!         │ last tensor                   │  no padding after it
//!  N - 32 ├───────────────────────────────┤
//!         │ hash                          │  32 bytes, BLAKE3 of bytes 0 .. N - 32
//!       N └───────────────────────────────┘
//! ```
//!
//! The magic is built like PNG's: the first byte is not ASCII and the line ends break when a transfer "repairs" text,
//! so such damage shows at once.
//! The file length lets a broken download say that it is incomplete, and not merely that its hash is wrong.
//!
//! # Header
//!
//! The header is one [postcard] value. postcard writes the fields one after the other, without names or padding:
//!
//! | type | bytes |
//! |---|---|
//! | `uint` (every `usize`, `u32`, `u64`) | LEB128 varint: 7 bits per byte, lowest first, top bit set while more follow |
//! | `f32`, `f64` | 4 or 8 bytes, IEEE 754, little-endian |
//! | `text` | `uint` number of bytes, then UTF-8 |
//! | `enum` | `uint` index of the value in the list given here, from 0 |
//! | `list of T` | `uint` number of elements, then the elements |
//! | `optional T` | one byte: 0 for none, 1 followed by a `T` |
//!
//! The fields, in file order:
//!
//! ```text
//! spec        experiment       enum   darcy, ks, sswe, era5, arrays, ks-step
//!             method           enum   det, pno-d, pno-r, mcd, laplace, ensemble, pno-f, perturbed
//!             operator         enum   fno, uno, sfno
//!             profile          enum   fixed, paper
//!             in_channels      uint   coordinates included
//!             out_channels     uint
//!             width            uint
//!             lifting          uint
//!             projection       uint
//!             layers           uint   0 for a uno
//!             modes            list of uint   empty for a uno
//!             levels           list of level  empty for the others
//!             dropout          f32
//!             fourier_dropout  f32
//!             networks         uint   1 but for an ensemble of networks (not in version 2)
//!             output           enum   field, increment (not in versions 2 to 4)
//!             mlp              uint   hidden width of the MLP of a residual block, 0 for others (not in versions 2 to 4)
//!             noise            list of f32    wavenumbers of the functional noise (not in versions 2 to 4)
//!             observed         optional: noise f32, every uint   the worst observation it was trained for (not in versions 2 to 5)
//!   level     width            uint
//!             modes            list of uint
//!             scale            list of f64
//! task        input            list of axis
//!             output           list of axis
//!             inputs           list of quantity   what the network takes
//!             outputs          list of quantity   what it gives
//!             coordinates      list of coordinate
//!             domain           enum   flat, sphere; a sphere is followed by: enum equiangular, gauss
//!   axis      name             text
//!             size             uint
//!             start, step      f64, f64
//!             unit             text
//!   quantity  name             text
//!             unit             text
//!             mean, std        f64, f64     physical = mean + std * normalised
//!             mask             optional mask (not in versions 2 and 3)
//!             increment        optional f64   size of the change over one step (not in versions 2 to 4)
//!   mask      sizes            list of uint   points along the last axes of the grid
//!             bits             list of byte   point i is bit i % 8, lowest first, of byte i / 8: 1 for no value
//!   coordinate axis            uint
//!             first, last      f64, f64     values at the first and the last point
//! provenance  command          text   the command that made the file
//!             created          text   date
//!             version          text   of the program
//!             data             text   fingerprint and size of the training data
//!             seed             uint
//!             epochs           uint
//!             settings         list of (text key, text value)
//!             note             text
//! scores      optional: members uint, cases uint, then l2, energy_score, crps, nll, coverage, interval_width, all f64
//! calibration optional: coverage f64, members uint, cases uint, data text, channels uint, factors list of f32, [lead,
//!             channel] (not in version 2)
//! precision   enum   f32, f16
//! tensors     list of entry
//!   entry     name             text
//!             shape            list of uint, outermost first
//!             offset           uint   of the first byte, counted from D, a multiple of 64
//!             length           uint   in bytes
//! ```
//!
//! The tensor table is there for readers in other languages: it says everything that is needed to map the weights.
//! Our own decoder believes none of it; it computes the table from `spec` ([`ModelSpec::stored_tensors`]) and refuses any
//! difference.
//!
//! Names and shapes follow the specification (channels last, `[in, out]` for every pointwise weight, `[mode, in, out]`
//! for the real and the imaginary part of the spectral weights). Every axis of the model has one axis in `input` and
//! one in `output`.
//!
//! # The posterior of a Laplace approximation
//!
//! A file of method `laplace` has two more tensors at its end, which are no parameters of the network and are f32
//! whatever `precision` says: `laplace.factor`, `[hidden + 1, hidden + 1]`, and `laplace.noise`, `[1]`, the standard
//! deviation of the observation noise in network units, 0 for none. A member's last layer is `theta + C z` for each output
//! channel, with the trained weights and then the bias in `theta`, the factor `C`, and standard normals `z`
//! ([`Posterior::draw`]).
//!
//! # Several networks
//!
//! In a file of method `ensemble` every tensor has one more axis in front, `[network, …]`.
//!
//! # Masks
//!
//! A field with a mask never has a value at some points, the same at all times: the mask is that of the last axes and is
//! repeated along the others. The network takes zero there, and what it gives there means nothing.
//! In Python: `numpy.unpackbits(numpy.frombuffer(bits, "u1"), count=math.prod(sizes), bitorder="little").reshape(sizes)`.
//!
//! # Increments
//!
//! Where `output` is `increment`, the network gives the change from the input to the output in units of `increment`:
//! `physical output = physical input + increment * network`. The fields of the input come first among its channels.
//!
//! # Functional noise
//!
//! With `noise` the first map of the network takes more channels than `in_channels`: after those of the input one for each
//! wavenumber, a Gaussian random function that fades beyond it.
//!
//! # Observed inputs
//!
//! With `observed` the network takes one channel more behind those of `in_channels` and before the noise: how far the value
//! at each point may be off, in network units; 0 for an exact input, 1 where it was not observed.
//!
//! # Versions 2 to 5
//!
//! Files of version 5 have no observed inputs; those of version 4 have no increments, no residual blocks and no functional noise; those of version 3 have no masks
//! besides, and those of version 2 have neither `networks` nor `calibration`. They are otherwise the same, and are read
//! as they are.
//!
//! # A reader in Python
//!
//! ```python
//! file = open("model.pno", "rb").read()
//! assert file[:8] == b"\x89pno\r\n\x1a\n" and int.from_bytes(file[8:12], "little") == 6
//! assert int.from_bytes(file[16:24], "little") == len(file)
//! assert blake3.blake3(file[:-32]).digest() == file[-32:]
//! H = int.from_bytes(file[12:16], "little")
//! D = (24 + H + 63) // 64 * 64
//! # read the fields of file[24:24 + H] in the order above, with the rules of the first table; then, for each entry:
//! tensor = numpy.frombuffer(file, "<f4", math.prod(shape), D + offset).reshape(shape)  # "<f2" where length is 2 * prod(shape)
//! ```
//!
//! # What a decoder must refuse
//!
//! In this order, so that the message names the real cause: a file that is too short, another magic, another version,
//! a header longer than its limit or the file, a file longer or shorter than `N`, another hash, a header that does not
//! decode or has bytes left, a text or list above its limit ([`limits`]), a specification or task out of range,
//! a table that differs from the specification's, a header that is not spelt as it is written (a number with needless
//! bytes), padding that is not zero, weights that are NaN or infinite.
//!
//! [`Posterior::draw`]: crate::laplace::Posterior::draw
//! [postcard]: https://postcard.jamesmunns.com/wire-format

use serde::{Deserialize, Serialize};

use crate::ensemble::conformal::Calibration;
use crate::laplace::Posterior;
use crate::score::Scores;
use crate::spec::{Method, ModelSpec};
use crate::task::Task;

mod canonical;
mod check;
mod decode;
mod encode;
mod error;
mod header;
mod layout;
pub mod limits;
mod networks;
mod precision;
#[cfg(test)]
mod tests;

pub use error::CheckpointError;
pub use precision::Precision;

/// What the header of a file says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Architecture and method.
    pub spec: ModelSpec,
    /// What it maps to what.
    pub task: Task,
    /// How it was made.
    pub provenance: Provenance,
    /// Scores on the test set, in network units, where they were computed.
    pub scores: Option<Scores>,
    /// How members are spread to reach a stated coverage, where that was fitted.
    pub calibration: Option<Calibration>,
    /// Format of the weights in the file it was read from.
    pub precision: Precision,
}

/// How a model was made: enough to make it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The command that trained it.
    pub command: String,
    /// The date of training.
    pub created: String,
    /// The version of the program.
    pub version: String,
    /// Fingerprint and size of the training data.
    pub data: String,
    /// The seed of everything random.
    pub seed: u64,
    /// Epochs trained.
    pub epochs: u32,
    /// Every setting, as key and value.
    pub settings: Vec<(String, String)>,
    /// Anything a reader should know.
    pub note: String,
}

/// A model: its header and one vector per stored tensor of its specification, in the same order.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// What it is.
    pub header: Header,
    /// Weights, row-major, one per [`ModelSpec::stored_tensors`]: those of the network come first.
    pub tensors: Vec<Vec<f32>>,
}

impl Checkpoint {
    /// Name of the file inside the folder of a training run.
    pub const FILE_NAME: &'static str = "model.pno";

    /// A model of unknown origin, without scores.
    ///
    /// A Laplace model whose posterior is not among the tensors gets one that is certain of the weights, until it is fitted.
    pub fn new(spec: ModelSpec, task: Task, mut tensors: Vec<Vec<f32>>) -> Self {
        if spec.method == Method::Laplace && tensors.len() == spec.tensors().len() {
            tensors.extend(Posterior::certain(spec.projection + 1).into_tensors());
        }
        Self {
            header: Header {
                spec,
                task,
                provenance: Provenance::default(),
                scores: None,
                calibration: None,
                precision: Precision::F32,
            },
            tensors,
        }
    }

    /// The distribution of the last layer, where the method has one and the tensors are those of the specification.
    pub fn posterior(&self) -> Option<Posterior> {
        let spec = &self.header.spec;
        match self.tensors.get(spec.tensors().len()..) {
            Some([factor, noise]) if spec.method == Method::Laplace => {
                Posterior::from_tensors(factor, *noise.first()?)
            }
            _ => None,
        }
    }

    /// The same network as a Laplace approximation with this posterior, without scores or calibration: they were of the
    /// other method.
    #[must_use]
    pub fn with_posterior(mut self, posterior: Posterior) -> Self {
        let spec = &mut self.header.spec;
        spec.method = Method::Laplace;
        self.tensors.truncate(spec.tensors().len());
        self.tensors.extend(posterior.into_tensors());
        (self.header.scores, self.header.calibration) = (None, None);
        self
    }

    /// Reads a whole file. Anything that is not exactly a file [`encode`](Self::encode) could have written is refused.
    ///
    /// Never panics, and allocates at most four times the file's size plus 256 KiB, whatever the bytes are.
    pub fn decode(bytes: &[u8]) -> Result<Self, CheckpointError> {
        decode::checkpoint(bytes)
    }

    /// Reads the header alone, for a quick look. `bytes` may be only the beginning of a file; the hash is not checked.
    pub fn decode_header(bytes: &[u8]) -> Result<Header, CheckpointError> {
        decode::header_alone(bytes)
    }

    /// Writes the file with weights in `precision`, whatever [`Header::precision`] says.
    ///
    /// f32 is exact. f16 rounds to nearest even and refuses weights that would become infinite.
    pub fn encode(&self, precision: Precision) -> Result<Vec<u8>, CheckpointError> {
        encode::file(self, precision)
    }

    /// Whether a file can hold a model of this task; if not, why. For whoever is about to make data or to train for hours.
    pub fn check_task(task: &Task) -> Result<(), CheckpointError> {
        check::task(task)
    }

    /// The format version that a file's first bytes claim; 0 where there are too few.
    pub fn version(bytes: &[u8]) -> u32 {
        let field = bytes.get(8..12).and_then(|b| b.first_chunk());
        field.map_or(0, |b| u32::from_le_bytes(*b))
    }

    /// The hash of a file's contents as 64 hexadecimal digits: what a valid file has in its last 32 bytes.
    pub fn fingerprint(bytes: &[u8]) -> String {
        let contents = bytes.len().saturating_sub(limits::HASH_BYTES);
        blake3::hash(&bytes[..contents]).to_hex().to_string()
    }
}
