//! From the bytes of a field to its values.

use std::ops::Range;

use anyhow::{Result, anyhow, ensure};
use rust_aec::{AecFlags, AecParams};

use super::bits;
use super::index::{Code, Field, Packing};
use crate::formats::budget::{self, Expansion};
use crate::formats::file::Bytes;

/// Values that a byte of CCSDS's code can stand for: 64 blocks of 64 zeros in 7 bits. A bit of simple packing is one value.
const CCSDS_VALUES: usize = 64 * 64 * 8 / 7 + 1;
/// Bytes of values that a byte of a message can stand for.
pub const EXPANSION: Expansion = Expansion((CCSDS_VALUES * size_of::<f64>()) as u64);

/// The value of a field that is the same everywhere, for which its message has no data.
pub fn one_value(field: &Field) -> Option<f64> {
    let packing = &field.packing;
    let same = packing.bits == 0 && field.bitmap.is_none();
    let fits = packing
        .count
        .is_none_or(|count| count == field.grid.points());
    (same && fits).then(|| scaled(packing)(0))
}

/// The values of a field, in rows; NaN where it has none.
pub fn values(file: &Bytes, field: &Field) -> Result<Vec<f64>> {
    let points = field.grid.points();
    // The values in the order of the message, in that of the grid, and as they were packed.
    let _held = budget::work(points.saturating_mul(2 * size_of::<f64>() + size_of::<u32>()));
    let there = match &field.bitmap {
        Some(range) => Some(bitmap(&part(file, range)?, points)?),
        None => None,
    };
    let wanted = there
        .as_ref()
        .map_or(points, |there| there.iter().filter(|&&there| there).count());
    if let Some(count) = field.packing.count {
        ensure!(
            count == wanted,
            "it announces {count} values, but its grid and bitmap have place for {wanted}"
        );
    }
    let packed = unpacked(&part(file, &field.data)?, &field.packing, wanted)?;
    let values = match there {
        None => packed,
        Some(there) => {
            let mut packed = packed.into_iter();
            there
                .into_iter()
                .map(|there| if there { packed.next() } else { None }.unwrap_or(f64::NAN))
                .collect()
        }
    };
    Ok(field.grid.arranged(values))
}

fn part(file: &Bytes, range: &Range<u64>) -> Result<Vec<u8>> {
    let count = range.end.saturating_sub(range.start);
    file.at(range.start, usize::try_from(count)?)
}

/// Which points have a value.
fn bitmap(bytes: &[u8], points: usize) -> Result<Vec<bool>> {
    ensure!(
        bytes.len() >= points.div_ceil(8),
        "its bitmap has {} bytes, but {points} points need {}",
        bytes.len(),
        points.div_ceil(8)
    );
    Ok((0..points)
        .map(|at| bytes[at / 8] & (0x80 >> (at % 8)) != 0)
        .collect())
}

/// `count` values in the order of the message.
fn unpacked(bytes: &[u8], packing: &Packing, count: usize) -> Result<Vec<f64>> {
    let value = scaled(packing);
    // Nothing is packed where all values are the same.
    if packing.bits == 0 {
        return Ok(vec![value(0); count]);
    }
    let plain;
    let (bytes, bits) = match packing.code {
        Code::Plain => (bytes, packing.bits),
        Code::Ccsds { .. } => {
            plain = decoded(bytes, packing, count)?;
            (plain.as_slice(), decoded_bytes(packing.bits) * 8)
        }
    };
    let numbers = bits::numbers(bytes, bits, count)?;
    let mut values = Vec::with_capacity(count);
    values.extend(numbers.map(value));
    Ok(values)
}

/// From a packed number to its value.
fn scaled(packing: &Packing) -> impl Fn(u32) -> f64 {
    let binary = 2_f64.powi(packing.binary_scale);
    let decimal = 10_f64.powi(-packing.decimal_scale);
    let reference = packing.reference;
    move |packed| (f64::from(packed) * binary + reference) * decimal
}

/// Packed values out of CCSDS's adaptive entropy code, in whole bytes.
fn decoded(bytes: &[u8], packing: &Packing, count: usize) -> Result<Vec<u8>> {
    let Code::Ccsds {
        flags,
        block,
        interval,
    } = packing.code
    else {
        return Ok(bytes.to_vec());
    };
    let mut flags = rust_aec::flags_from_grib2_ccsds_flags(flags);
    ensure!(
        !flags.contains(AecFlags::DATA_SIGNED),
        "its packed values have signs, which is not known"
    );
    // How decoded values are laid out is ours to choose: 1, 2 or 4 bytes, the first the most significant.
    flags.remove(AecFlags::DATA_3BYTE);
    flags.insert(AecFlags::MSB);
    // The decoder allocates what it is asked for before it looks at a byte.
    ensure!(
        count <= bytes.len().saturating_mul(CCSDS_VALUES),
        "its {} bytes of data cannot hold {count} values",
        bytes.len()
    );
    let params = AecParams::new(packing.bits as u8, block, interval, flags);
    rust_aec::decode(bytes, params, count)
        .map_err(|error| anyhow!("its data cannot be decoded: {error}"))
}

/// Bytes of one value after decoding.
fn decoded_bytes(bits: u32) -> u32 {
    match bits {
        0..=8 => 1,
        9..=16 => 2,
        _ => 4,
    }
}
