//! What arrays a Zarr folder has, from its description.
//!
//! ```text
//! version 2   .zmetadata (consolidated), or .zgroup with NAME/.zarray and NAME/.zattrs
//! version 3   zarr.json, which lists all arrays (consolidated), or zarr.json with NAME/zarr.json
//! ```
//!
//! An address cannot be listed, so there only consolidated descriptions are of use.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value};

use super::super::Variable;
use super::place::{Denied, Place};

/// Length of the longest description; that of WeatherBench2 has 200 kB, and every byte may become 32 in memory.
const MAX_BYTES: usize = 16 << 20;
/// Groups within groups.
const MAX_DEPTH: usize = 8;
/// Attributes that only concern how values are stored.
const PACKING: [&str; 7] = [
    "_ARRAY_DIMENSIONS",
    "_FillValue",
    "missing_value",
    "scale_factor",
    "add_offset",
    "dtype",
    "_Unsigned",
];

/// Which version describes an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// `.zarray`
    V2,
    /// `zarr.json`
    V3,
}

/// An array as its description has it.
pub struct Described {
    /// Its path below the root; that of the root itself is the name of the folder.
    pub name: String,
    /// What its keys begin with.
    pub prefix: String,
    /// Which version `array` follows.
    pub version: Version,
    /// The contents of `.zarray` or `zarr.json`.
    pub array: Map<String, Value>,
    /// Everything that is said of it.
    pub attributes: Map<String, Value>,
}

impl Described {
    fn new(name: &str, version: Version, array: Value, attributes: Option<Value>) -> Self {
        let array = entries(array);
        let said = attributes.or_else(|| array.get("attributes").cloned());
        Self {
            name: name.to_owned(),
            prefix: format!("{name}/"),
            version,
            attributes: entries(said.unwrap_or_default()),
            array,
        }
    }

    /// A list of sizes in the description.
    pub fn sizes(value: Option<&Value>) -> Option<Vec<usize>> {
        let sizes = value?.as_array()?.iter();
        sizes.map(|n| n.as_u64().map(|n| n as usize)).collect()
    }

    /// What others see of it.
    pub fn variable(&self) -> Result<Variable> {
        let shape = Self::sizes(self.array.get("shape"))
            .with_context(|| format!("the description of `{}` has no shape", self.name))?;
        let names = match self.array.get("dimension_names") {
            Some(names @ Value::Array(_)) => Some(names),
            _ => self.attributes.get("_ARRAY_DIMENSIONS"),
        };
        let names = names.and_then(Value::as_array).cloned().unwrap_or_default();
        let mut dimensions: Vec<String> = names
            .iter()
            .map(|name| name.as_str().unwrap_or_default().to_owned())
            .collect();
        dimensions.resize(shape.len(), String::new());
        let mut attributes = self.attributes.clone();
        attributes.retain(|key, _| !PACKING.contains(&key.as_str()));
        Ok(Variable {
            name: self.name.clone(),
            dimensions,
            shape,
            attributes,
        })
    }
}

/// All arrays, in the order of their names.
pub fn arrays(place: &Place) -> Result<Vec<Described>> {
    let root = place.name();
    let order = ["zarr.json", ".zmetadata", ".zgroup", ".zarray"];
    // A run that finds its description in the cache asks for nothing at all.
    let kept = match place {
        Place::Web(web) => order.iter().find(|key| web.has_kept(key, MAX_BYTES)),
        Place::Folder { .. } => None,
    };
    let mut denied = None;
    for key in kept.into_iter().chain(&order) {
        let found = match json(place, key) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            // Some servers say that of files which are not there.
            Err(error) if error.is::<Denied>() => {
                denied.get_or_insert(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let mut all = match *key {
            "zarr.json" => version_3(place, found)?,
            ".zmetadata" => consolidated_2(found),
            ".zgroup" => listed(place)?,
            _ => {
                let attributes = json(place, ".zattrs")?;
                vec![Described::new("", Version::V2, found, attributes)]
            }
        };
        if let [only] = &mut all[..]
            && only.name.is_empty()
        {
            let name = root.rsplit('/').find(|part| !part.is_empty());
            name.unwrap_or("array").clone_into(&mut only.name);
            only.prefix.clear();
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        for array in &all {
            // Names become paths and addresses: none may lead out of the folder.
            ensure!(
                array
                    .name
                    .split('/')
                    .all(|part| !matches!(part, "" | "." | "..")),
                "{root}: an array cannot have the name `{}`",
                array.name
            );
        }
        return Ok(all);
    }
    if let Some(error) = denied {
        return Err(error);
    }
    bail!(
        "{root}: there is no Zarr folder here (it has none of the files {})",
        order.join(", ")
    )
}

/// Arrays of a `.zmetadata`.
fn consolidated_2(found: Value) -> Vec<Described> {
    let mut files = match found {
        Value::Object(mut whole) => entries(whole.remove("metadata").unwrap_or_default()),
        _ => Map::new(),
    };
    let keys: Vec<String> = files.keys().cloned().collect();
    keys.iter()
        .filter_map(|key| {
            let name = key.strip_suffix("/.zarray")?;
            let attributes = files.remove(&format!("{name}/.zattrs"));
            let array = files.remove(key)?;
            Some(Described::new(name, Version::V2, array, attributes))
        })
        .collect()
}

/// Arrays of the `zarr.json` of the root.
fn version_3(place: &Place, found: Value) -> Result<Vec<Described>> {
    if is_array(&found) {
        return Ok(vec![Described::new("", Version::V3, found, None)]);
    }
    let Some(Value::Object(all)) = found.pointer("/consolidated_metadata/metadata") else {
        return listed(place);
    };
    let nodes = all.iter().filter(|(_, node)| is_array(node));
    Ok(nodes
        .map(|(name, node)| Described::new(name, Version::V3, node.clone(), None))
        .collect())
}

/// Arrays found by looking into the folder.
fn listed(place: &Place) -> Result<Vec<Described>> {
    let Place::Folder { root, name } = place else {
        bail!(
            "{}: the Zarr folder does not list its arrays, and an address cannot be searched; it needs consolidated metadata",
            place.name()
        );
    };
    let mut all = Vec::new();
    walk(place, root, "", MAX_DEPTH, &mut all).with_context(|| format!("{name} cannot be read"))?;
    Ok(all)
}

fn walk(
    place: &Place,
    root: &Path,
    group: &str,
    depth: usize,
    all: &mut Vec<Described>,
) -> Result<()> {
    for entry in fs::read_dir(root.join(group))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if !entry.path().is_dir() {
            continue;
        }
        let path = if group.is_empty() {
            name
        } else {
            format!("{group}/{name}")
        };
        if let Some(node) = json(place, &format!("{path}/zarr.json"))? {
            if is_array(&node) {
                all.push(Described::new(&path, Version::V3, node, None));
                continue;
            }
        } else if let Some(array) = json(place, &format!("{path}/.zarray"))? {
            let attributes = json(place, &format!("{path}/.zattrs"))?;
            all.push(Described::new(&path, Version::V2, array, attributes));
            continue;
        } else if json(place, &format!("{path}/.zgroup"))?.is_none() {
            continue;
        }
        if depth > 0 {
            walk(place, root, &path, depth - 1, all)?;
        }
    }
    Ok(())
}

fn is_array(node: &Value) -> bool {
    node.get("node_type").and_then(Value::as_str) == Some("array")
}

fn json(place: &Place, key: &str) -> Result<Option<Value>> {
    let what = format!("the description {key}");
    place.get(key, &what, MAX_BYTES, parsed)
}

/// JSON, and what Python makes of numbers that JSON does not have: `NaN` and `Infinity` become null.
fn parsed(bytes: &[u8]) -> Result<Value, String> {
    let error = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut plain = Vec::with_capacity(bytes.len());
    let (mut rest, mut quoted) = (bytes, false);
    while let Some((&byte, after)) = rest.split_first() {
        let word: &[u8] = [&b"NaN"[..], b"-Infinity", b"Infinity"]
            .into_iter()
            .find(|word| !quoted && rest.starts_with(word))
            .unwrap_or_default();
        if word.is_empty() {
            let escaped = usize::from(quoted && byte == b'\\' && !after.is_empty());
            quoted ^= byte == b'"';
            plain.extend_from_slice(&rest[..=escaped]);
            rest = &rest[1 + escaped..];
        } else {
            plain.extend_from_slice(b"null");
            rest = &rest[word.len()..];
        }
    }
    serde_json::from_slice(&plain).map_err(|_| error.to_string())
}

fn entries(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
