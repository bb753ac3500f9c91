//! One walk over a file that finds its fields without decoding any.

use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};

use super::grid::Grid;
use super::names::Parameter;
use super::{edition1, edition2};
use crate::formats::file::Bytes;

/// Bytes that begin a message and tell its edition and length, in both editions.
const HEAD: usize = 16;
/// Bytes that are looked at together between messages.
const ZEROS: usize = 128;
/// What ends a message.
const END: &[u8] = b"7777";
/// Fields of a file; the hours of a century are 876 000. A field takes 200 bytes of memory and as few as 40 of the file.
pub const MAX_FIELDS: usize = 1 << 20;

/// One field: where its values are, and what they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Number of the message in the file, from 1 on.
    pub message: usize,
    /// Where the message begins.
    pub offset: u64,
    /// What it is of.
    pub parameter: Parameter,
    /// When it is valid, in seconds since 1970.
    pub time: i64,
    /// Where its points are.
    pub grid: Grid,
    /// The bytes that say which points have values; all have without it.
    pub bitmap: Option<Range<u64>>,
    /// The bytes of the values.
    pub data: Range<u64>,
    /// How they are packed.
    pub packing: Packing,
}

/// `value = (reference + packed * 2^binary_scale) / 10^decimal_scale`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Packing {
    /// The smallest value, before the decimal scale.
    pub reference: f64,
    /// A power of two.
    pub binary_scale: i32,
    /// A power of ten.
    pub decimal_scale: i32,
    /// Bits of a packed value; with none, every value is the reference.
    pub bits: u32,
    /// How many values are packed, where the message says.
    pub count: Option<usize>,
    /// How the packed values are coded beyond that.
    pub code: Code,
}

/// The coding of packed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// One after the other.
    Plain,
    /// CCSDS 121.0, with its flags, the values of a block and the blocks between references.
    Ccsds {
        flags: u8,
        block: u32,
        interval: u32,
    },
}

/// A message as it lies in the file.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// The file.
    pub bytes: &'a Bytes,
    /// Number in the file, from 1 on.
    pub number: usize,
    /// Its bytes, without the four that end it.
    pub range: Range<u64>,
    /// The first bytes.
    pub head: Vec<u8>,
}

impl Message<'_> {
    /// A part of the message, from a position in the file on; refused where the message ends before.
    pub fn part(&self, start: u64, count: u64, what: &str) -> Result<Range<u64>> {
        match start.checked_add(count) {
            Some(end) if end <= self.range.end => Ok(start..end),
            _ => bail!(
                "its {what} section claims {count} bytes from byte {start} on, but the message ends at byte {}",
                self.range.end
            ),
        }
    }
}

/// The fields that were found so far.
#[derive(Debug)]
pub struct Found {
    fields: Vec<Field>,
    most: usize,
}

impl Found {
    /// Takes one more, unless there are too many.
    pub fn push(&mut self, field: Field) -> Result<()> {
        ensure!(
            self.fields.len() < self.most,
            "with it the file has more than {} fields, but at most so many are read",
            self.most
        );
        self.fields.push(field);
        Ok(())
    }
}

/// Every field of a file, which has at most so many.
pub fn fields(bytes: &Bytes, most: usize) -> Result<Vec<Field>> {
    let mut found = Found {
        fields: Vec::new(),
        most,
    };
    let (mut position, mut number) = (0, 0);
    loop {
        position = behind_zeros(bytes, position)?;
        if position == bytes.length() {
            return Ok(found.fields);
        }
        number += 1;
        position = message(bytes, number, position, &mut found)
            .with_context(|| format!("message {number} (at byte {position})"))?;
    }
}

/// Archives fill up messages with zeros, to lengths that their tapes had.
fn behind_zeros(bytes: &Bytes, mut position: u64) -> Result<u64> {
    loop {
        let next = bytes.up_to(position, ZEROS)?;
        match next.iter().position(|&byte| byte != 0) {
            Some(count) => return Ok(position + count as u64),
            None if next.is_empty() => return Ok(position),
            None => position += next.len() as u64,
        }
    }
}

/// Reads the headers of one message and gives where the next begins.
fn message(bytes: &Bytes, number: usize, start: u64, found: &mut Found) -> Result<u64> {
    let head = bytes.up_to(start, HEAD)?;
    ensure!(
        head.starts_with(b"GRIB"),
        "it begins with `{}` instead of `GRIB`",
        head[..head.len().min(4)].escape_ascii()
    );
    ensure!(
        head.len() == HEAD,
        "it is cut short: the file ends at byte {}, after {} bytes of the message",
        bytes.length(),
        head.len()
    );
    let edition = head[7];
    let length = match edition {
        1 => edition1::length(&head)?,
        2 => u64::from_be_bytes([
            head[8], head[9], head[10], head[11], head[12], head[13], head[14], head[15],
        ]),
        _ => bail!("its edition is {edition}, but 1 and 2 are known"),
    };
    let left = bytes.length() - start;
    ensure!(
        length <= left,
        "it is cut short: the message has {length} bytes, but the file ends at byte {}, after {left} of them",
        bytes.length()
    );
    ensure!(
        length >= (HEAD + END.len()) as u64,
        "its length is {length}, which is less than an empty message has"
    );
    let end = start + length;
    let last = bytes.at(end - END.len() as u64, END.len())?;
    ensure!(
        last == END,
        "it ends with `{}` at byte {end} instead of `7777`",
        last.escape_ascii()
    );
    let message = Message {
        bytes,
        number,
        range: start..end - END.len() as u64,
        head,
    };
    if edition == 1 {
        found.push(edition1::field(&message)?)?;
    } else {
        edition2::fields(&message, found)?;
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_file_of_too_many_fields_is_refused_where_they_become_too_many() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats");
        // Two fields in one message, and three messages of a field each.
        for (name, count, place) in [
            ("multi.grib", 2, "message 1 (at byte 0)"),
            ("forecast1.grib", 3, "message 3 (at byte "),
        ] {
            let bytes = Bytes::open(&folder.join(name)).expect("a fixture");
            assert_eq!(fields(&bytes, count).expect("no more").len(), count);
            let error = fields(&bytes, count - 1).expect_err("one too many");
            let message = format!("{error:#}");
            let wanted = format!("more than {} fields, but at most so many", count - 1);
            assert!(
                message.starts_with(place) && message.contains(&wanted),
                "{message}"
            );
        }
    }
}
