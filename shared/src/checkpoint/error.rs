//! Why a file was refused, in sentences.

use thiserror::Error;

use super::limits::{ALIGNMENT, MAGIC, OLDEST_VERSION, VERSION};
use crate::spec::SpecError;

/// Why a checkpoint could not be read or written.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The first bytes are those of something else.
    #[error("this is not a .pno file: it begins with \"{}\", but must begin with \"{}\"", .found.escape_ascii(), MAGIC.escape_ascii())]
    Magic {
        /// The first bytes, at most eight.
        found: Vec<u8>,
    },
    /// The file was written by a program with another format.
    #[error(
        "the file has format version {found}, but this program reads versions {OLDEST_VERSION} to {VERSION}"
    )]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// The header claims more than is allowed, or more than there is.
    #[error("the header claims {found} bytes, but at most {limit} are possible")]
    HeaderLength {
        /// What the file claims.
        found: u64,
        /// What the limit or the file's length allows.
        limit: u64,
    },
    /// The file ends too early.
    #[error(
        "the file ends after {found} bytes, but {wanted} were expected: the copy or download is incomplete"
    )]
    Truncated {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        wanted: u64,
    },
    /// The file goes on after its end.
    #[error("the file has {found} bytes, but should end after {wanted}")]
    TrailingBytes {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        wanted: u64,
    },
    /// The contents are not those that were written.
    #[error("the file is damaged: its contents have hash {found}…, but {wanted}… was written")]
    Hash {
        /// First digits of the hash of the contents.
        found: String,
        /// First digits of the hash in the file.
        wanted: String,
    },
    /// The header does not decode.
    #[error("the part `{part}` of the header cannot be read: {reason}")]
    Header {
        /// Which part.
        part: &'static str,
        /// What the decoder says.
        reason: postcard::Error,
    },
    /// The header ends before its length.
    #[error("the header has {unused} bytes after its last field")]
    HeaderTrailing {
        /// Bytes that mean nothing.
        unused: usize,
    },
    /// The header says something in another way than a writer would, such as a number with needless bytes.
    #[error("byte {offset} of the header is not spelt as this format spells it")]
    Spelling {
        /// Place in the header.
        offset: usize,
    },
    /// A text is too long.
    #[error("{field} has {found} bytes, but at most {most} are allowed")]
    TextLength {
        /// The field.
        field: &'static str,
        /// Its length.
        found: usize,
        /// Its limit.
        most: usize,
    },
    /// A text could confuse a terminal.
    #[error("{field} holds the control character U+{found:04X}")]
    ControlCharacter {
        /// The field.
        field: &'static str,
        /// The character.
        found: u32,
    },
    /// A list is too long.
    #[error("the header's list `{list}` has {found} elements, but at most {most} are allowed")]
    Count {
        /// Which list.
        list: &'static str,
        /// How many.
        found: usize,
        /// Its limit.
        most: usize,
    },
    /// The model is out of range.
    #[error("the model in the header is refused: {0}")]
    Spec(SpecError),
    /// The task is out of range.
    #[error("the task in the header is refused: {0}")]
    Task(SpecError),
    /// The calibration is out of range.
    #[error("the calibration in the header is refused: {0}")]
    Calibration(SpecError),
    /// The grid does not fit the model.
    #[error("the {grid} grid has {found} axes, but the model works on {wanted}")]
    Axes {
        /// `input` or `output`.
        grid: &'static str,
        /// Axes of the grid.
        found: usize,
        /// Axes of the model.
        wanted: usize,
    },
    /// There are more or fewer tensors than the model has.
    #[error("there are {found} tensors, but the model has {wanted}")]
    TensorCount {
        /// How many there are.
        found: usize,
        /// How many the specification has.
        wanted: usize,
    },
    /// The table disagrees with the model.
    #[error(
        "tensor {index} of the table has {field} {found}, but the model's `{tensor}` has {wanted}"
    )]
    Table {
        /// Place in the table, from 0.
        index: usize,
        /// The tensor's name by the specification.
        tensor: String,
        /// `name`, `shape`, `offset` or `length`.
        field: &'static str,
        /// What the file claims.
        found: String,
        /// What the specification says.
        wanted: String,
    },
    /// A tensor given to the encoder has another size than the model's.
    #[error("tensor `{tensor}` has {found} values, but the model's has {wanted}")]
    TensorLength {
        /// The tensor.
        tensor: String,
        /// Values given.
        found: usize,
        /// Values wanted.
        wanted: usize,
    },
    /// Something hides between the tensors.
    #[error("byte {offset} is {found}, but the padding up to a multiple of {ALIGNMENT} must be 0")]
    Padding {
        /// Place in the file.
        offset: usize,
        /// What is there.
        found: u8,
    },
    /// A weight is NaN or infinite.
    #[error("value {index} of tensor `{tensor}` is {value}, but weights must be finite")]
    NotFinite {
        /// The tensor.
        tensor: String,
        /// Place in the tensor, from 0.
        index: usize,
        /// The value.
        value: f32,
    },
    /// A weight is too large for f16.
    #[error(
        "value {index} of tensor `{tensor}` is {value}, too large for f16 (at most 65504): keep this model in f32"
    )]
    Overflow {
        /// The tensor.
        tensor: String,
        /// Place in the tensor, from 0.
        index: usize,
        /// The value.
        value: f32,
    },
}
