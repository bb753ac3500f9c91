//! Files larger than memory: a block costs its own bytes.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};

use super::*;

/// Bytes of the values: 10000 x 1000 x 1000 of two bytes.
const VALUES: u64 = 20_000_000_000;

/// Puts the first bytes of a file before a hole, and ten numbers behind it; a hole takes no room on the disk.
fn with_hole(part: &str, path: &std::path::Path, big_endian: bool) {
    std::fs::copy(super::path(part), path).expect("the first bytes");
    let mut file: File = OpenOptions::new().write(true).open(path).expect("a file");
    let start = file.metadata().expect("its length").len();
    file.set_len(start + VALUES).expect("a hole");
    file.seek(SeekFrom::Start(start + VALUES - 20))
        .expect("a place");
    for number in 0..10_i16 {
        let bytes = if big_endian {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        };
        file.write_all(&bytes).expect("a number");
    }
}

#[test]
fn a_block_of_a_file_of_twenty_gigabytes_takes_no_time() {
    let folder = tempfile::tempdir().expect("a folder");
    for (part, name, big_endian) in [
        ("large.nc.part", "a.nc", true),
        ("large.h5.part", "a.h5", false),
        ("large.npy.part", "a.npy", false),
    ] {
        let path = folder.path().join(name);
        with_hole(part, &path, big_endian);
        let archive =
            open(&path.to_string_lossy(), &Options::default()).unwrap_or_else(|e| panic!("{e:#}"));
        let a = variable(archive.as_ref(), "a");
        assert_eq!(a.shape, [10_000, 1000, 1000]);
        // The last numbers of two rows in each of three times: 15 numbers before the ten are part of the hole.
        let values = archive
            .read(&a, &[9997..10_000, 998..1000, 975..1000])
            .unwrap_or_else(|e| panic!("{e:#}"));
        let wanted = wanted(&[0..6, 0..25], |i| {
            if i[0] == 5 {
                i[1].saturating_sub(15) as f64
            } else {
                0.0
            }
        });
        assert_same(&values, &wanted, name);
        std::fs::remove_file(&path).expect("gone");
    }
}
