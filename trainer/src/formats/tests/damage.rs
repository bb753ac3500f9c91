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
/// Folders of Zarr, of both versions and every codec; each of their files is changed so often.
const FOLDERS: [&str; 3] = ["wb2.zarr", "packed.zarr", "v3.zarr"];
const CHANGES_OF_A_PART: u64 = 40;
/// What a damaged file of a few kilobytes may make a reader allocate: what it may stand for without storing it, as stored and as
/// read, and as much again for what the library makes on the way.
const MAX_ALLOCATED: usize = 4 * budget::UNSTORED_BYTES;

/// A well-mixed number for each counter.
fn mixed(counter: u64) -> u64 {
    let mut z = counter
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0x632b_e59b_d9b4_e019);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Changes one to four places; headers are at the beginning, so half of all changes are there.
fn change(bytes: &mut [u8], counter: u64) {
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
}

/// Puts another number in the place of one, as a liar would: none of them is what the array has.
fn lie(text: &[u8], counter: u64) -> Vec<u8> {
    let is_start = |at: usize| {
        text[at].is_ascii_digit()
            && at
                .checked_sub(1)
                .is_none_or(|at| !text[at].is_ascii_digit())
    };
    let starts: Vec<usize> = (0..text.len()).filter(|&at| is_start(at)).collect();
    let Some(&at) = starts.get(mixed(counter) as usize % starts.len().max(1)) else {
        return text.to_vec();
    };
    let length = text[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let numbers = [
        "0",
        "1",
        "3",
        "65537",
        "4294967296",
        "1099511627776",
        "18446744073709551615",
    ];
    let number = numbers[mixed(counter ^ 0xabcd) as usize % numbers.len()];
    [&text[..at], number.as_bytes(), &text[at + length..]].concat()
}

/// All files below a folder.
fn parts(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all.extend(parts(&path));
        } else {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// Copies a folder.
pub(super) fn copy(from: &std::path::Path, to: &std::path::Path) {
    for part in parts(from) {
        let copy = to.join(part.strip_prefix(from).expect("below"));
        std::fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        std::fs::copy(&part, &copy).expect("a copy");
    }
}

/// Changes every file of a folder in many ways, one at a time, and does something with the folder each time. Gives how
/// often that did not work. `first` chooses the changes.
pub(super) fn with_changes(
    folder: &std::path::Path,
    first: u64,
    mut works: impl FnMut() -> bool,
) -> usize {
    let (mut counter, mut refused) = (first, 0);
    for part in parts(folder) {
        let whole = std::fs::read(&part).expect("a file");
        let is_text = whole.starts_with(b"{");
        for _ in 0..CHANGES_OF_A_PART {
            counter += 1;
            let mut bytes = whole.clone();
            if is_text && counter % 2 == 0 {
                bytes = lie(&whole, counter);
            } else if counter % 8 == 1 {
                bytes.truncate(mixed(counter) as usize % whole.len());
            } else {
                change(&mut bytes, counter);
            }
            std::fs::write(&part, &bytes).expect("a file");
            refused += usize::from(!works());
        }
        std::fs::write(&part, &whole).expect("a file");
    }
    refused
}

#[test]
fn changed_descriptions_and_chunks_of_zarr_never_bring_a_reader_down() {
    for (name, first) in FOLDERS.into_iter().zip([32, 36, 37]) {
        let fixture = super::path("../zarr").join(name);
        let room = tempfile::tempdir().expect("a folder");
        let folder = room.path().join(name);
        copy(&fixture, &folder);
        assert!(
            try_all(&folder),
            "{name}: the copy is as good as the fixture"
        );
        let refused = with_changes(&folder, 1 << first, || try_all(&folder));
        eprintln!("{name}: {refused} changed folders were refused");
        assert!(refused > 50, "{name}: {refused}");
    }
}

/// Opens and reads all that is there, whatever shapes it claims. Whether it worked is not asked, but what it took is.
fn try_all(path: &std::path::Path) -> bool {
    let (bytes, fine) = allocator::peak(|| read_all(path));
    assert!(
        bytes <= MAX_ALLOCATED,
        "{}: {bytes} bytes were allocated",
        path.display()
    );
    fine
}

pub(super) fn read_all(path: &std::path::Path) -> bool {
    let Ok(archive) = open(&path.to_string_lossy(), &Options::default()) else {
        return false;
    };
    let mut fine = true;
    for variable in archive.variables() {
        let block: Vec<Range<usize>> = variable.shape.iter().map(|&size| 0..size).collect();
        let read = archive.read(variable, &block);
        if let Err(error) = &read {
            assert!(format!("{error:#}").len() < 2000, "a sentence: {error:#}");
        }
        // A corner of what is refused as a whole.
        let corner: Vec<Range<usize>> = variable.shape.iter().map(|&n| 0..n.min(4)).collect();
        let _ = archive.read(variable, &corner);
        fine &= read.is_ok();
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
            change(&mut bytes, counter);
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
