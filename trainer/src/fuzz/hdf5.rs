//! Checksums of HDF5, put right after a change: otherwise newer files are refused before anything in them is looked at.

use hdf5_reader::checksum::jenkins_lookup3;

const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Where the checksum of a superblock of version 2 or 3 is, for addresses of eight bytes.
const SUPERBLOCK: usize = 44;

/// The file with true checksums of its superblock and object headers; none where nothing had to be changed.
pub fn repaired(bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.starts_with(SIGNATURE) {
        return None;
    }
    let mut whole = bytes.to_vec();
    if matches!(bytes.get(8), Some(2 | 3)) {
        seal(&mut whole, 0, SUPERBLOCK);
    }
    let starts = bytes.windows(4).enumerate();
    for (start, _) in starts.filter(|(_, four)| *four == b"OHDR") {
        if let Some(end) = end_of_header(&whole, start) {
            seal(&mut whole, start, end);
        }
    }
    (whole != bytes).then_some(whole)
}

/// Where the checksum of an object header of version 2 is, which the lengths before it say.
fn end_of_header(bytes: &[u8], start: usize) -> Option<usize> {
    let flags = *bytes.get(start + 5)?;
    let times = if flags & 0x20 == 0 { 0 } else { 16 };
    let phases = if flags & 0x10 == 0 { 0 } else { 4 };
    let width = 1 << (flags & 3);
    let length = start + 6 + times + phases;
    let field = bytes.get(length..length + width)?.iter().rev();
    let length_of_messages = field.fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
    let messages = usize::try_from(length_of_messages).ok()?;
    (length + width).checked_add(messages)
}

fn seal(bytes: &mut [u8], start: usize, end: usize) {
    let Some(sum) = bytes.get(start..end).map(jenkins_lookup3) else {
        return;
    };
    if let Some(field) = end.checked_add(4).and_then(|last| bytes.get_mut(end..last)) {
        field.copy_from_slice(&sum.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_file_is_left_alone_and_a_changed_one_gets_its_sums_back() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/formats/groups.nc"
        );
        let whole = std::fs::read(path).expect("a fixture");
        assert_eq!(repaired(&whole), None);
        let at = whole.windows(4).position(|four| four == b"OHDR");
        let mut changed = whole.clone();
        changed[at.expect("a header") + 30] ^= 1;
        let repaired = repaired(&changed).expect("another sum");
        assert_ne!(repaired, whole);
        let different = repaired.iter().zip(&changed).filter(|(a, b)| a != b);
        assert!((1..=4).contains(&different.count()), "only a sum");
        assert_eq!(super::repaired(b"CDF\x01"), None);
    }
}
