//! Numbers as GRIB writes them: most significant byte first, signs as a bit of their own, and values of any number of bits.

use anyhow::{Result, anyhow, ensure};

/// A section of a message, whose octets are numbered from 1 as in the WMO's manual.
#[derive(Debug, Clone, Copy)]
pub struct Octets<'a> {
    /// What it is, for sentences.
    name: &'static str,
    bytes: &'a [u8],
}

impl<'a> Octets<'a> {
    /// A section with this name.
    pub fn new(name: &'static str, bytes: &'a [u8]) -> Self {
        Self { name, bytes }
    }

    /// The number in some octets, without a sign.
    pub fn unsigned(&self, first: usize, last: usize) -> Result<u64> {
        let bytes = self.bytes.get(first - 1..last).ok_or_else(|| {
            anyhow!(
                "its {} section has {} octets, but octet {last} is needed",
                self.name,
                self.bytes.len()
            )
        })?;
        Ok(bytes
            .iter()
            .fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// The number in some octets; its first bit is the sign, and the others its size.
    pub fn signed(&self, first: usize, last: usize) -> Result<i64> {
        let number = self.unsigned(first, last)? as i64;
        let sign = 1_i64 << (8 * (last - first + 1) - 1);
        Ok(if number & sign == 0 {
            number
        } else {
            -(number & !sign)
        })
    }

    /// One octet.
    pub fn octet(&self, number: usize) -> Result<u8> {
        Ok(self.unsigned(number, number)? as u8)
    }

    /// A small number, such as a part of a date.
    pub fn small(&self, first: usize, last: usize) -> Result<u32> {
        Ok(self.unsigned(first, last)? as u32)
    }
}

/// The floating-point number of an IBM mainframe: a sign, seven bits of a power of 16, and a fraction of 24 bits.
pub fn ibm_float(bits: u32) -> f64 {
    let fraction = f64::from(bits & 0x00ff_ffff);
    let power = ((bits >> 24 & 0x7f) as i32 - 64) * 4 - 24;
    let size = fraction * 2_f64.powi(power);
    if bits >> 31 == 0 { size } else { -size }
}

/// `count` numbers of `width` bits, one after the other without gaps.
pub fn numbers(bytes: &[u8], width: u32, count: usize) -> Result<impl Iterator<Item = u32>> {
    let wanted = count.saturating_mul(width as usize).div_ceil(8);
    ensure!(
        (1..=32).contains(&width) && bytes.len() >= wanted,
        "its data have {} bytes, but {count} values of {width} bits need {wanted}",
        bytes.len()
    );
    let mask = (1_u64 << width) - 1;
    let (mut held, mut bits) = (0_u64, 0_u32);
    let mut bytes = bytes.iter();
    Ok((0..count).map(move |_| {
        while bits < width {
            held = held << 8 | u64::from(bytes.next().copied().unwrap_or_default());
            bits += 8;
        }
        bits -= width;
        (held >> bits & mask) as u32
    }))
}
