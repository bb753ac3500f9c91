//! Reads what `torch.save` writes, with the reader of burn-store (the crate `pytorch-reader`, which is all of it that
//! is needed and brings nothing of burn).
//!
//! Nothing of a file is run: a pickle is parsed, and only dictionaries of tensors are taken from it.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Result, bail};
use pytorch_reader::{DType, PytorchReader};

use super::found::{Found, Kind, MAX_TENSORS, Tensors};

/// Whether bytes begin like a file of `torch.save`: a ZIP archive, or, before PyTorch 1.6, a pickle.
pub fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK") || bytes.starts_with(&[0x80])
}

/// The tensors of a file, by their path through its dictionaries.
pub fn tensors<'a>(path: &Path) -> Result<Tensors<'a>> {
    let reader = PytorchReader::new(path).map_err(|error| explained(&error.to_string()))?;
    if reader.len() > MAX_TENSORS {
        bail!(
            "it has {} tensors, but at most {MAX_TENSORS} are looked at",
            reader.len()
        );
    }
    if reader.is_empty() {
        bail!("it holds no tensors: save model.state_dict()");
    }
    let found = |(name, tensor): (String, pytorch_reader::Tensor)| {
        let (shape, kind) = (tensor.shape().to_vec(), kind(tensor.dtype()));
        let bytes = move || tensor.read().map(Cow::Owned).map_err(Into::into);
        (name, Found::new(&shape, kind, bytes))
    };
    Ok(reader.into_tensors().into_iter().map(found).collect())
}

fn kind(dtype: DType) -> Kind {
    match dtype {
        DType::F64 => Kind::F64,
        DType::F32 => Kind::F32,
        DType::F16 => Kind::F16,
        DType::BF16 => Kind::Bf16,
        DType::Bool => Kind::Other("bool"),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Kind::Other("an unsigned integer"),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => Kind::Other("an integer"),
    }
}

/// The reader's words, with a way out where there is one.
fn explained(message: &str) -> anyhow::Error {
    let message = super::found::shown(message);
    if message.contains("ComplexFloatStorage") || message.contains("complex") {
        return anyhow::anyhow!(
            "it holds complex tensors, which are read from .safetensors alone: in Python, save_file(state, \
             \"model.safetensors\"), or torch.view_as_real before torch.save"
        );
    }
    anyhow::anyhow!("it is no usable file of torch.save: {message}")
}
