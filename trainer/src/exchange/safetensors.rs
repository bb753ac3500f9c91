//! `.safetensors`: written in the authors' layout, so that `model.load_state_dict(load_file("x.safetensors"))` works,
//! with our header as JSON in the metadata, so that the way back needs nothing else.
//!
//! ```text
//! 0        length N of the JSON, u64, little-endian
//! 8        {"__metadata__": {"pno": "…"}, "lifting.fcs.0.weight": {"dtype": "F32", "shape": [8, 3], …}, …}
//! 8 + N    values
//! ```
//!
//! The text under `pno` is [`Metadata`] as JSON.

use std::borrow::Cow;
use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};
use half::f16;
use pno::checkpoint::{Checkpoint, Header, Precision};
use pno::spec::Method;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::found::{Found, Kind, MAX_TENSORS, Tensors, shown};
use super::names::{self, Entry};

/// Key of our header in the metadata.
const KEY: &str = "pno";
/// Longest text under it: some ten times the longest header of a .pno file.
const MAX_METADATA: usize = 1 << 20;

/// What stands under `pno` in the metadata of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// What the model is, how it was made, how well it scores.
    #[serde(flatten)]
    pub header: Header,
    /// BLAKE3 of the weights as float32 in our order: another hash means that another program has changed them, and
    /// that neither provenance nor scores are theirs any more.
    pub weights: String,
}

/// A hash of weights, whatever the file they are in.
pub fn weights_hash(tensors: &[Vec<f32>]) -> String {
    let mut hasher = blake3::Hasher::new();
    for value in tensors.iter().flatten() {
        hasher.update(&value.to_le_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Writes a model.
pub fn write(checkpoint: &Checkpoint, precision: Precision) -> Result<Vec<u8>> {
    if checkpoint.header.spec.method == Method::Laplace {
        bail!(
            "a Laplace approximation has a posterior, which the authors' layout has no place for: export the deterministic \
             model that it was made from"
        );
    }
    if checkpoint.header.spec.networks > 1 {
        bail!(
            "an ensemble of networks has no place in the authors' layout: export the models that it was made from, one by one"
        );
    }
    // Rounds as a .pno file does, refuses what cannot be rounded, and says so in the header.
    let bytes = checkpoint.encode(precision)?;
    let Checkpoint {
        mut header,
        tensors,
    } = Checkpoint::decode(&bytes)?;
    // JSON has no infinity, which is the likelihood of an ensemble without any spread: such scores stay behind.
    let scores = serde_json::to_value(header.scores).context("the scores as JSON")?;
    let unwritable = |scores: &serde_json::Map<_, Value>| scores.values().any(Value::is_null);
    if scores.as_object().is_some_and(unwritable) {
        header.scores = None;
    }
    let metadata = Metadata {
        weights: weights_hash(&tensors),
        header,
    };
    let text = serde_json::to_string(&metadata).context("the header as JSON")?;
    let entries = names::entries(&metadata.header.spec);
    let views: Vec<(&str, Vec<usize>, Vec<u8>)> = entries
        .iter()
        .map(|entry| packed(entry, &tensors, precision))
        .collect();
    let dtype = match precision {
        Precision::F32 => Dtype::F32,
        Precision::F16 => Dtype::F16,
    };
    let views = views
        .iter()
        .map(|(name, shape, data)| Ok((*name, TensorView::new(dtype, shape.clone(), data)?)))
        .collect::<Result<Vec<_>>>()?;
    // One key alone: the order of several would differ from run to run.
    let information = HashMap::from([(KEY.to_owned(), text)]);
    safetensors::serialize(views, Some(information)).context("cannot be written as safetensors")
}

fn packed<'a>(
    entry: &'a Entry,
    tensors: &[Vec<f32>],
    precision: Precision,
) -> (&'a str, Vec<usize>, Vec<u8>) {
    let values = entry.pack(tensors);
    let data = match precision {
        Precision::F32 => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Precision::F16 => values
            .iter()
            .flat_map(|&v| f16::from_f32(v).to_le_bytes())
            .collect(),
    };
    (&entry.name, entry.shape.clone(), data)
}

/// The tensors of a file.
pub fn tensors(bytes: &[u8]) -> Result<Tensors<'_>> {
    let file = SafeTensors::deserialize(bytes).map_err(|e| {
        anyhow::anyhow!(
            "it is no usable safetensors file: {}",
            shown(&e.to_string())
        )
    })?;
    ensure!(
        file.len() <= MAX_TENSORS,
        "it has {} tensors, but at most {MAX_TENSORS} are looked at",
        file.len()
    );
    Ok(file
        .tensors()
        .into_iter()
        .map(|(name, view)| {
            let (shape, kind, data) = (view.shape().to_vec(), kind(view.dtype()), view.data());
            let found = Found::new(&shape, kind, move || Ok(Cow::Borrowed(data)));
            (name, found)
        })
        .collect())
}

fn kind(dtype: Dtype) -> Kind {
    match dtype {
        Dtype::F64 => Kind::F64,
        Dtype::F32 => Kind::F32,
        Dtype::F16 => Kind::F16,
        Dtype::BF16 => Kind::Bf16,
        Dtype::C64 => Kind::C64,
        Dtype::BOOL => Kind::Other("bool"),
        Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64 => Kind::Other("an integer"),
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 => Kind::Other("an unsigned integer"),
        _ => Kind::Other("a float of a kind that is not read"),
    }
}

/// Our header, where `pno export` wrote the file.
pub fn metadata(bytes: &[u8]) -> Result<Option<Metadata>> {
    let (_, information) = SafeTensors::read_metadata(bytes).map_err(|e| {
        anyhow::anyhow!(
            "it is no usable safetensors file: {}",
            shown(&e.to_string())
        )
    })?;
    let Some(text) = information.metadata().as_ref().and_then(|m| m.get(KEY)) else {
        return Ok(None);
    };
    if text.len() > MAX_METADATA {
        bail!("the text under `{KEY}` in its metadata has more than {MAX_METADATA} bytes");
    }
    let metadata: Metadata = serde_path_to_error::deserialize(
        &mut serde_json::Deserializer::from_str(text),
    )
    .map_err(|e| {
        let message = shown(&e.inner().to_string());
        anyhow::anyhow!(
            "the text under `{KEY}` in its metadata, at `{}`: {message}",
            shown(&e.path().to_string())
        )
    })?;
    let spec = &metadata.header.spec;
    spec.validate()
        .with_context(|| format!("the text under `{KEY}` in its metadata"))?;
    Ok(Some(metadata))
}
