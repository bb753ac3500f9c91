//! Where the page's own files are: all but the entry pages have the hash of their contents in their names, so that no
//! store can hand out one of another build. `cargo xtask page` writes the table of hashes into the page.

use std::collections::HashMap;

/// Answers of a server that says that it has no such file: "not found" and "gone".
pub const GONE: [u16; 2] = [404, 410];

/// The table: hashes by plain names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    hashes: HashMap<String, String>,
}

impl Files {
    /// Reads `NAME=HASH NAME=HASH …`; what is none of it is left out.
    pub fn parse(table: &str) -> Self {
        let hashes = table.split_whitespace().filter_map(|entry| {
            let (name, hash) = entry.split_once('=')?;
            Some((name.to_owned(), hash.to_owned()))
        });
        Self {
            hashes: hashes.collect(),
        }
    }

    /// Where a file lies, from the page: `models/a.pno` as `models/a-HASH.pno`. A file that the table does not know lies
    /// where it says.
    pub fn path(&self, name: &str) -> String {
        match (self.hashes.get(name), name.rsplit_once('.')) {
            (Some(hash), Some((stem, ending))) => format!("{stem}-{hash}.{ending}"),
            _ => name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_name_gets_its_hash_and_others_stay() {
        let files = Files::parse("models/a.b.pno=0123 worker_bg.wasm=4567  nonsense");
        assert_eq!(files.path("models/a.b.pno"), "models/a.b-0123.pno");
        assert_eq!(files.path("worker_bg.wasm"), "worker_bg-4567.wasm");
        for name in ["models/own.pno", "nonsense", ""] {
            assert_eq!(files.path(name), name);
        }
        assert_eq!(Files::parse("").path("a.b"), "a.b");
    }
}
