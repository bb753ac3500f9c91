//! From the bytes of a field to its values.

use std::ops::Range;

use anyhow::{Result, anyhow, ensure};
use rust_aec::{AecFlags, AecParams};

use super::bits;
use super::index::{Code, Field, Packing};
use crate::formats::file::Bytes;

/// The values of a field, in rows; NaN where it has none.
pub fn values(file: &Bytes, field: &Field) -> Result<Vec<f64>> {
    let points = field.grid.points();
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
    let binary = 2_f64.powi(packing.binary_scale);
    let decimal = 10_f64.powi(-packing.decimal_scale);
    let value = |packed: u32| (f64::from(packed) * binary + packing.reference) * decimal;
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
