//! Gives the programs of one build the same identity, and those of another build another: a hash of all sources that
//! both are made from. The page and its worker compare it before they believe each other (`src/build.rs`).

use std::fs;
use std::path::{Path, PathBuf};

/// What both programs are made from, from the root of the workspace.
const SOURCES: [&str; 8] = [
    "Cargo.lock",
    "Cargo.toml",
    "shared/Cargo.toml",
    "shared/src",
    "web/Cargo.toml",
    "web/build.rs",
    "web/src",
    "web/worker_loader.js",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate lies in the workspace");
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
        collect(&root.join(source), &mut files);
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for file in &files {
        let name = file.strip_prefix(root).expect("below the root");
        let name = name.to_string_lossy().replace('\\', "/");
        let bytes = fs::read(file)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
        // Lengths between the parts, so that no byte can wander from one to the next.
        for part in [name.as_bytes(), &bytes] {
            hash = fnv(hash, &(part.len() as u64).to_le_bytes());
            hash = fnv(hash, part);
        }
    }
    println!("cargo::rustc-env=PNO_BUILD={hash:016x}");
}

/// FNV-1a, which tells files apart; nobody is to be kept from forging one.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The file, or all files below the folder.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = fs::read_dir(path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        for entry in entries {
            collect(&entry.expect("a readable folder").path(), files);
        }
    } else {
        files.push(path.to_path_buf());
    }
}
