//! Models of other programs: safetensors and PyTorch state dicts in the layout of the paper's authors.
//!
//! | room | what is there |
//! |---|---|
//! | [`names`] | our tensors and theirs: the mapping, as a table for readers and as code |
//! | [`found`] | a tensor of a foreign file: shape, type, bytes when they are asked for |
//! | [`safetensors`] | reads and writes `.safetensors`, with our header in its metadata |
//! | [`pytorch`] | reads what `torch.save` writes |
//! | [`sizes`] | reads widths and modes off the shapes |
//! | [`assemble`] | from foreign tensors to ours; names whatever does not fit |
//!
//! Everything that is read is untrusted: shapes are compared with those of a validated specification before a value is
//! read, and files longer than any model are refused.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pno::spec::MAX_PARAMETERS;

use crate::files;

pub mod assemble;
pub mod found;
pub mod names;
pub mod pytorch;
pub mod safetensors;
pub mod sizes;
#[cfg(test)]
mod tests;

/// Longest foreign file: every parameter in float64, and some room for names.
pub const MAX_FOREIGN_BYTES: usize = MAX_PARAMETERS * 8 + (64 << 20);

/// A file of another program.
pub struct File {
    path: PathBuf,
    bytes: Vec<u8>,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Safetensors,
    PyTorch,
}

impl File {
    /// Reads a file, whatever its name ends with.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        if path.is_dir() {
            bail!("{name} is a folder; name a .safetensors or .pt file");
        }
        let bytes = files::read_at_most(path, MAX_FOREIGN_BYTES)
            .map_err(|e| match e.kind() {
                std::io::ErrorKind::FileTooLarge => anyhow::anyhow!(
                    "it has more than {MAX_FOREIGN_BYTES} bytes, more than the largest model"
                ),
                std::io::ErrorKind::NotFound => anyhow::anyhow!("there is no such file"),
                _ => e.into(),
            })
            .with_context(|| format!("cannot read {name}"))?;
        let kind = Kind::of(&bytes).with_context(|| format!("{name} cannot be imported"))?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
            kind,
        })
    }

    /// Hash of the whole file in hexadecimal, for provenance.
    pub fn hash(&self) -> String {
        blake3::hash(&self.bytes).to_hex().to_string()
    }

    /// What `pno export` wrote beside the weights, where it did.
    pub fn metadata(&self) -> Result<Option<safetensors::Metadata>> {
        let metadata = match self.kind {
            Kind::Safetensors => safetensors::metadata(&self.bytes),
            Kind::PyTorch => Ok(None),
        };
        metadata.with_context(|| self.refusal())
    }

    /// The tensors, their values not yet looked at.
    pub fn tensors(&self) -> Result<found::Tensors<'_>> {
        let tensors = match self.kind {
            Kind::Safetensors => safetensors::tensors(&self.bytes),
            Kind::PyTorch => pytorch::tensors(&self.path),
        };
        tensors.with_context(|| self.refusal())
    }

    /// The beginning of a sentence about why not.
    pub fn refusal(&self) -> String {
        format!("{} cannot be imported", self.path.display())
    }
}

impl Kind {
    /// By the first bytes: a name can lie.
    fn of(bytes: &[u8]) -> Result<Self> {
        if bytes.is_empty() {
            bail!("it is empty");
        }
        if bytes.starts_with(&pno::checkpoint::limits::MAGIC) {
            bail!("it is a .pno file already: every command takes it as it is");
        }
        // A safetensors file begins with the length of its JSON, which begins with a brace.
        if bytes.get(8) == Some(&b'{') {
            return Ok(Self::Safetensors);
        }
        if pytorch::begins(bytes) {
            return Ok(Self::PyTorch);
        }
        bail!("it is neither a safetensors file nor one of torch.save")
    }
}
