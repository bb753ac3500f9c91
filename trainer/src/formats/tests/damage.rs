//! Files with bytes changed or cut away: a sentence or values, never a panic and never memory without end.

use super::*;

/// Files changed in many ways each; a run of all takes seconds.
const FILES: [&str; 14] = [
    "simple1.grib",
    "simple2.grib",
    "bitmap1.grib",
    "bitmap2.grib",
    "ccsds.grib",
    "ccsds-bitmap.grib",
    "multi.grib",
    "xarray.nc",
    "groups.nc",
    "scipy.nc",
    "data64.nc",
    "pdebench.hdf5",
    "mixed.h5",
    "f4.npy",
];
/// Changes of each file.
const CHANGES: u64 = 100;
/// Values that are read of a damaged file; its shape may be absurd.
const MAX_READ: usize = 1 << 16;

/// A well-mixed number for each counter.
fn mixed(counter: u64) -> u64 {
    let mut z = counter
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0x632b_e59b_d9b4_e019);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Opens and reads what is there; whether it worked is not asked.
fn try_all(path: &std::path::Path) -> bool {
    let Ok(archive) = open(&path.to_string_lossy(), &Options::default()) else {
        return false;
    };
    let mut fine = true;
    for variable in archive.variables() {
        // A corner of at most so many values.
        let mut left = MAX_READ;
        let block: Vec<Range<usize>> = variable
            .shape
            .iter()
            .map(|&size| {
                let taken = size.min(left);
                left /= taken.max(1);
                0..taken
            })
            .collect();
        fine &= archive.read(variable, &block).is_ok();
    }
    fine
}

#[test]
fn changed_bytes_never_bring_a_reader_down() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("changed.nc");
    let mut counter = 0;
    for name in FILES {
        let whole = std::fs::read(super::path(name)).expect("a fixture");
        let mut refused = 0;
        for _ in 0..CHANGES {
            let mut bytes = whole.clone();
            counter += 1;
            // One to four places; headers are at the beginning, so half of all changes are there.
            for change in 0..=mixed(counter) % 4 {
                let number = mixed(counter * 1000 + change);
                let reach = if number & 1 == 0 {
                    bytes.len().min(256)
                } else {
                    bytes.len()
                };
                let at = (number >> 8) as usize % reach;
                bytes[at] = match number >> 1 & 3 {
                    0 => 0xff,
                    1 => 0,
                    2 => bytes[at] ^ (1 << (number >> 3 & 7)),
                    _ => (number >> 40) as u8,
                };
            }
            std::fs::write(&path, &bytes).expect("a file");
            refused += usize::from(!try_all(&path));
        }
        eprintln!("{name}: {refused} of {CHANGES} changed files were refused");
        assert!(refused > 0, "{name}: every change went unnoticed");
    }
}

#[test]
fn files_cut_short_never_bring_a_reader_down() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cut.nc");
    for name in FILES {
        let whole = std::fs::read(super::path(name)).expect("a fixture");
        let step = (whole.len() / 60).max(1);
        for keep in (1..whole.len()).step_by(step) {
            std::fs::write(&path, &whole[..keep]).expect("a file");
            // Some cuts leave a file that is whole: GRIB between messages, HDF5 behind its last array.
            let _ = try_all(&path);
        }
        std::fs::write(&path, &whole[..=whole.len() / 2]).expect("a file");
        assert!(
            !try_all(&path),
            "{name}: half of it was read as if nothing were missing"
        );
    }
}

#[test]
fn lengths_that_are_lies_are_refused_before_memory_is_taken() {
    // A grid of 2^31 x 2^31 points, and one whose product of points wraps around.
    let whole = std::fs::read(super::path("ccsds.grib")).expect("a fixture");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lie.grib");
    let grid = [0, 0, 0, 72, 3];
    let at = whole
        .windows(5)
        .position(|window| window == grid)
        .expect("section 3");
    for (columns, rows) in [
        ([0x7f, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff]),
        ([0xff; 4], [0xff; 4]),
        ([0, 0, 0, 0], [0, 0, 0, 7]),
    ] {
        let mut bytes = whole.clone();
        bytes[at + 30..at + 34].copy_from_slice(&columns);
        bytes[at + 34..at + 38].copy_from_slice(&rows);
        std::fs::write(&path, &bytes).expect("a file");
        let error = open(&path.to_string_lossy(), &Options::default())
            .err()
            .expect("a lie");
        assert!(format!("{error:#}").contains("points"), "{error:#}");
    }
}
