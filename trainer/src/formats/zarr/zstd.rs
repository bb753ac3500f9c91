//! How much a chunk in Zstandard can hold, from its headers (RFC 8878), without decoding it.
//!
//! ```text
//! frame   magic u32, descriptor u8, [window u8], [dictionary 1/2/4], [content size 1/2/4/8], blocks, [checksum u32]
//! block   u24: last (1 bit), kind (2), size (21); a repeated byte has 1 byte, the others their size
//! ```

const MAGIC: u32 = 0xFD2F_B528;
/// Frames that hold anything and are left out: sixteen magic numbers from here on.
const SKIPPED: u32 = 0x184D_2A50;
/// Bytes that a compressed block can hold at most.
const MAX_BLOCK: u64 = 128 << 10;

/// What is in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    /// Most bytes that come out of it.
    pub most_bytes: u64,
    /// Whether all its frames say how many come out.
    pub is_said: bool,
}

/// What comes out of these bytes, or why they are not Zstandard.
pub fn content(bytes: &[u8]) -> Result<Content, String> {
    let mut reader = Reader { bytes };
    let mut all = Content {
        most_bytes: 0,
        is_said: true,
    };
    while !reader.bytes.is_empty() {
        let magic = reader.number(4)? as u32;
        if magic & !0xf == SKIPPED {
            let length = reader.number(4)?;
            reader.skip(length)?;
            continue;
        }
        if magic != MAGIC {
            return Err(format!(
                "it begins with {magic:#010x}, which is not Zstandard"
            ));
        }
        let frame = reader.frame()?;
        all.most_bytes = all.most_bytes.saturating_add(frame.most_bytes);
        all.is_said &= frame.is_said;
    }
    Ok(all)
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn skip(&mut self, count: u64) -> Result<(), String> {
        let count = usize::try_from(count).ok();
        let rest = count.and_then(|count| self.bytes.get(count..));
        self.bytes = rest.ok_or("it is cut short")?;
        Ok(())
    }

    /// A number of so many bytes, least significant first.
    fn number(&mut self, count: usize) -> Result<u64, String> {
        let bytes = self.bytes.get(..count).ok_or("it is cut short")?;
        let number = bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u64::from(byte));
        self.skip(count as u64)?;
        Ok(number)
    }

    /// What a frame holds at most: what it says, and not more than its blocks can.
    fn frame(&mut self) -> Result<Content, String> {
        let descriptor = self.number(1)?;
        let single = descriptor >> 5 & 1 == 1;
        if !single {
            self.skip(1)?;
        }
        self.skip([0, 1, 2, 4][(descriptor & 3) as usize])?;
        let content = match (descriptor >> 6, single) {
            (0, false) => None,
            (0, true) => Some(self.number(1)?),
            (1, _) => Some(self.number(2)? + 256),
            (2, _) => Some(self.number(4)?),
            _ => Some(self.number(8)?),
        };
        let mut blocks = 0_u64;
        loop {
            let header = self.number(3)?;
            let (last, kind, size) = (header & 1 == 1, header >> 1 & 3, header >> 3);
            let (stored, held) = match kind {
                0 => (size, size),
                1 => (1, size),
                2 => (size, MAX_BLOCK),
                _ => return Err("it has a block of a kind that does not exist".to_owned()),
            };
            self.skip(stored)?;
            blocks = blocks.saturating_add(held);
            if last {
                break;
            }
        }
        if descriptor >> 2 & 1 == 1 {
            self.skip(4)?;
        }
        match content {
            Some(content) if content > blocks => Err(format!(
                "it claims {content} bytes, but its blocks hold at most {blocks}"
            )),
            _ => Ok(Content {
                most_bytes: content.unwrap_or(blocks),
                is_said: content.is_some(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of repeated bytes: `blocks` of 128 KiB in 4 bytes each, with its size announced as `claimed`.
    fn frame(blocks: usize, claimed: Option<u64>) -> Vec<u8> {
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        match claimed {
            Some(claimed) => {
                bytes.push(0b1110_0000);
                bytes.extend(claimed.to_le_bytes());
            }
            None => bytes.extend([0, 0x38]),
        }
        for block in 0..blocks {
            let header = (MAX_BLOCK as u32) << 3 | 1 << 1 | u32::from(block + 1 == blocks);
            bytes.extend(&header.to_le_bytes()[..3]);
            bytes.push(7);
        }
        bytes
    }

    #[test]
    fn what_a_frame_holds_is_what_it_says_and_not_more_than_its_blocks_can() {
        let held = |bytes: &[u8]| content(bytes).map(|found| (found.most_bytes, found.is_said));
        let three = 3 * MAX_BLOCK;
        assert_eq!(held(&frame(3, Some(three))), Ok((three, true)));
        assert_eq!(held(&frame(3, None)), Ok((three, false)));
        let two = [frame(1, None), frame(2, Some(5))].concat();
        assert_eq!(held(&two), Ok((MAX_BLOCK + 5, false)));
        let error = content(&frame(1, Some(1 << 62))).expect_err("a lie");
        assert!(error.contains("4611686018427387904"), "{error}");
    }

    #[test]
    fn what_is_cut_short_or_something_else_is_refused() {
        let whole = frame(2, Some(9));
        for length in 1..whole.len() {
            assert!(content(&whole[..length]).is_err(), "{length}");
        }
        assert!(
            content(b"GRIB 1234")
                .expect_err("no frame")
                .contains("not Zstandard")
        );
        let mut kind = whole;
        kind[13] |= 6;
        assert!(content(&kind).expect_err("kind 3").contains("kind"));
    }
}
