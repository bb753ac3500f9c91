//! The files of `tests/hostile`, which lie about their sizes, without the program around the readers.

use super::*;

/// What reading all of such a file may allocate.
const MAX_ALLOCATED: usize = 100_000_000;

#[test]
fn every_hostile_file_is_read_or_refused_within_100_mb() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/hostile");
    let (mut refused, mut read) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        if !["zarr", "nc", "h5", "grib", "npy"].contains(&&*ending) {
            continue;
        }
        let (bytes, fine) = allocator::peak(|| damage::read_all(&path));
        assert!(bytes <= MAX_ALLOCATED, "{name}: {bytes} bytes");
        assert!(fine || !name.starts_with("sound"), "{name} is sound");
        if fine { &mut read } else { &mut refused }.push(name.into_owned());
    }
    // A lie may be one of the program's own rules, which the readers do not know.
    eprintln!("read: {}", read.join(", "));
    assert!(refused.len() > 45, "{refused:?}");
}
