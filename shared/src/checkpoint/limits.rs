//! Every number of the format, with its reason.
//!
//! The limits of the parts add up to less than the limit of the header, so a header whose parts are within their limits
//! can always be written: the sums at the end of this file are worked out when it is compiled.

use crate::ensemble::conformal::{MAX_DATA_BYTES, MAX_FACTORS};
use crate::spec::{MAX_DIMENSIONS, MAX_LAYERS, MAX_LEVELS, MAX_NOISE, MAX_PARAMETERS};
use crate::task::{MAX_MASK_POINTS, MAX_QUANTITIES};

/// First bytes of every file. Not text, and broken by any transfer that rewrites line ends.
pub const MAGIC: [u8; 8] = *b"\x89pno\r\n\x1a\n";

/// The version this program writes. Any change to the header or layout makes it one more.
pub const VERSION: u32 = 6;

/// The oldest version this program reads. Version 2 has one network and no calibration, version 3 no masks, version 4
/// neither increments, nor residual blocks, nor functional noise, version 5 no observed inputs.
pub const OLDEST_VERSION: u32 = 2;

/// Magic, version, header length and file length: what comes before the header.
pub const PREFIX_BYTES: usize = 24;

/// Length of the BLAKE3 hash at the end.
pub const HASH_BYTES: usize = blake3::OUT_LEN;

/// Tensors begin at multiples of this: one cache line, and enough for any vector load or GPU upload from a mapped file.
pub const ALIGNMENT: usize = 64;

/// Longest header: the sum of everything below is under it.
pub const MAX_HEADER_BYTES: usize = (107 << 10) + MAX_MASKS_BYTES;

/// Longest specification, and the window that it is read from: 17 numbers, 16 scales of noise and 32 levels, each with three modes of at most 10 bytes and three scales of 8.
pub const MAX_SPEC_BYTES: usize = 3 << 10;

/// Longest task without the bits of its masks: six axes and 32 quantities with two names and the sizes of a mask each,
/// 16 coordinates, rounded up. It is read from a window of this and [`MAX_MASKS_BYTES`].
pub const MAX_TASK_BYTES: usize = 9 << 10;

/// Longest mask of a field: one bit for each point.
pub const MAX_MASK_BYTES: usize = MAX_MASK_POINTS / 8;

/// Longest masks of all fields together: four of the largest, or thirty-two of a field of 360 x 364 points.
pub const MAX_MASKS_BYTES: usize = 4 * MAX_MASK_BYTES;

/// Longest name of an axis, a quantity or a unit.
pub const MAX_NAME_BYTES: usize = 64;

/// Longest text of the provenance. A command line or a note fits; a book does not.
pub const MAX_TEXT_BYTES: usize = 2 << 10;

/// Largest number of recorded settings: several times what training has.
pub const MAX_SETTINGS: usize = 128;

/// Longest key or value of a setting.
pub const MAX_SETTING_BYTES: usize = 128;

/// Longest calibration, and the window that it is read from: the factors, five numbers and a text.
pub const MAX_CALIBRATION_BYTES: usize = 4 * MAX_FACTORS + 256;

/// Longest row of the tensor table. The longest name is `projection.hidden.weight` or `blocks.63.spectral.real`.
pub const MAX_ENTRY_BYTES: usize = 64;

/// Most axes of a tensor: spectral weights have three, and one more where there are several networks.
pub const MAX_SHAPE: usize = 8;

/// Largest file: every parameter in f32, the longest header, and padding for 1024 tensors.
/// A page can stop a download here.
pub const MAX_FILE_BYTES: usize =
    MAX_PARAMETERS * 4 + PREFIX_BYTES + MAX_HEADER_BYTES + 1024 * ALIGNMENT + HASH_BYTES;

/// Longest varint.
const NUMBER: usize = 10;
/// An `f64`.
const FLOAT: usize = 8;
/// Tensors of the largest table: five for each block and four of its MLP, and four for each of three MLPs.
const MAX_ENTRIES: usize = 9 * MAX_LAYERS + 3 * 4;

/// A text or a list with its length before it.
const fn counted(bytes: usize) -> usize {
    NUMBER + bytes
}

/// What the longest parts of a header come to.
mod longest {
    use super::{
        FLOAT, MAX_DATA_BYTES, MAX_DIMENSIONS, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_FACTORS,
        MAX_LEVELS, MAX_NAME_BYTES, MAX_NOISE, MAX_QUANTITIES, MAX_SETTING_BYTES, MAX_SETTINGS,
        MAX_TEXT_BYTES, NUMBER, counted,
    };

    const MODES: usize = counted(MAX_DIMENSIONS * NUMBER);
    const LEVEL: usize = NUMBER + MODES + counted(MAX_DIMENSIONS * FLOAT);
    pub(super) const SPEC: usize =
        // The observation: whether there is one, its noise and its distance.
        19 * NUMBER + MODES + counted(MAX_LEVELS * LEVEL) + counted(4 * MAX_NOISE);

    const AXIS: usize = 2 * counted(MAX_NAME_BYTES) + NUMBER + 2 * FLOAT;
    /// A mask without its bits: whether there is one, its sizes, and how many bytes follow.
    const MASK: usize = 1 + counted(MAX_DIMENSIONS * NUMBER) + counted(0);
    const QUANTITY: usize = 2 * counted(MAX_NAME_BYTES) + 2 * FLOAT + MASK + 1 + FLOAT;
    const COORDINATE: usize = NUMBER + 2 * FLOAT;
    pub(super) const TASK: usize = 2 * counted(MAX_DIMENSIONS * AXIS)
        + 2 * counted(MAX_QUANTITIES * QUANTITY)
        + counted(MAX_QUANTITIES * COORDINATE)
        + 2 * NUMBER;

    const SETTING: usize = 2 * counted(MAX_SETTING_BYTES);
    pub(super) const PROVENANCE: usize =
        5 * counted(MAX_TEXT_BYTES) + 2 * NUMBER + counted(MAX_SETTINGS * SETTING);

    pub(super) const SCORES: usize = 1 + 2 * NUMBER + 6 * FLOAT;

    pub(super) const CALIBRATION: usize =
        1 + FLOAT + 3 * NUMBER + counted(MAX_DATA_BYTES) + counted(4 * MAX_FACTORS);

    pub(super) const TABLE: usize = counted(MAX_ENTRIES * MAX_ENTRY_BYTES);
}

const _: () = {
    assert!(longest::SPEC <= MAX_SPEC_BYTES);
    assert!(longest::TASK <= MAX_TASK_BYTES);
    assert!(longest::CALIBRATION <= MAX_CALIBRATION_BYTES);
    let header = MAX_SPEC_BYTES
        + MAX_TASK_BYTES
        + MAX_MASKS_BYTES
        + longest::PROVENANCE
        + longest::SCORES
        + MAX_CALIBRATION_BYTES
        + NUMBER
        + longest::TABLE;
    assert!(header <= MAX_HEADER_BYTES);
    assert!(MAX_MASK_BYTES <= MAX_MASKS_BYTES);
    assert!(MAX_ENTRIES <= 1024, "the padding of the largest file");
};
