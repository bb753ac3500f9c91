//! `pno export`: a checkpoint for the page or for other programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pno::checkpoint::{Checkpoint, Precision, Provenance};
use pno::spec::Method;

use crate::exchange::{assemble, safetensors};
use crate::files::{self, Model};

const EXAMPLES: &str = "\
Examples:
  pno export runs/ks --out models/ks-pno-d.pno                      f16, for the page
  pno export runs/ks --out ks.pno --precision f32                   exactly the trained weights
  pno export ks.pno --out ks.pno --precision f16 --force            in place
  pno export runs/ks-det --method perturbed --out ks-perturbed.pno  the same network, begun from perturbed inputs
  pno export runs/ks --out ks.safetensors                           f32, for PyTorch; `pno import` reads it back
  pno export runs/ks --out ks.pno --note \"A small model, twenty minutes on two CPU cores\"";

/// Write a checkpoint for the page (.pno) or for PyTorch (.safetensors), in f16 (half the size) or f32 (exact).
///
/// Header, provenance and scores are kept as they are. f16 changes a weight by at most 1 part in 2048.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder of a training run, or a .pno file.
    #[arg(value_name = "RUN_OR_MODEL")]
    pub source: PathBuf,

    /// The file to write.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// pno, or safetensors with the names of the paper's authors (docs/exchange.md); as --out ends where it is left out.
    #[arg(long, value_enum, hide_possible_values = true)]
    pub format: Option<Format>,

    /// Format of the weights: f32 or f16; f16 for .pno and f32 for .safetensors where it is left out.
    #[arg(long)]
    pub precision: Option<Precision>,

    /// Another name for how the same network is used: perturbed, of a det model.
    #[arg(long)]
    pub method: Option<Method>,

    /// Words for people that stand beside the model in the page; the run's own note follows them.
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,

    /// Replace what is there.
    #[arg(long)]
    pub force: bool,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Our own file.
    Pno,
    /// For PyTorch.
    Safetensors,
}

impl Format {
    fn of(out: &Path) -> Self {
        match out.extension() {
            Some(end) if end.eq_ignore_ascii_case("safetensors") => Self::Safetensors,
            _ => Self::Pno,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    files::refuse_taken_file(&args.out, args.force)?;
    let mut model = Model::read(&args.source)?;
    if let Some(method) = args.method {
        model.checkpoint =
            used_as(model.checkpoint, method).with_context(|| model.path.display().to_string())?;
    }
    add_note(
        &mut model.checkpoint.header.provenance,
        args.note.as_deref(),
    );
    let format = args.format.unwrap_or_else(|| Format::of(&args.out));
    let precision = args.precision.unwrap_or(match format {
        Format::Pno => Precision::F16,
        Format::Safetensors => Precision::F32,
    });
    // Read back before it is written: what leaves here can be opened.
    let (bytes, weights) = match format {
        Format::Pno => pno(&model.checkpoint, precision),
        Format::Safetensors => foreign(&model.checkpoint, precision),
    }
    .with_context(|| {
        let path = model.path.display();
        format!("{path} cannot be exported as {precision}")
    })?;
    files::write(&args.out, &bytes, args.force)?;
    super::print(&format!(
        "{}: {precision}, {} bytes, largest change of a weight {:.1e}\nblake3 {}",
        args.out.display(),
        bytes.len(),
        largest_change(&model.checkpoint.tensors, &weights),
        match format {
            Format::Pno => Checkpoint::fingerprint(&bytes),
            Format::Safetensors => blake3::hash(&bytes).to_hex().to_string(),
        }
    ))
}

/// The same network as another method; scores and calibration were of the one before.
fn used_as(mut checkpoint: Checkpoint, method: Method) -> Result<Checkpoint> {
    let found = checkpoint.header.spec.method;
    let same = [Method::Det, Method::Perturbed];
    ensure!(
        found == method || same.contains(&found) && same.contains(&method),
        "its method is `{found}`, which cannot be exported as `{method}`: only a `det` model can, as `perturbed`"
    );
    if found != method {
        let header = &mut checkpoint.header;
        header.spec.method = method;
        (header.scores, header.calibration) = (None, None);
    }
    Ok(checkpoint)
}

/// Our file, and the weights it gives back.
fn pno(checkpoint: &Checkpoint, precision: Precision) -> Result<(Vec<u8>, Vec<Vec<f32>>)> {
    let bytes = checkpoint.encode(precision)?;
    let back = Checkpoint::decode(&bytes).context("the exported model cannot be read back")?;
    Ok((bytes, back.tensors))
}

/// The file for PyTorch, and the weights it gives back.
fn foreign(checkpoint: &Checkpoint, precision: Precision) -> Result<(Vec<u8>, Vec<Vec<f32>>)> {
    let bytes = safetensors::write(checkpoint, precision)?;
    let unread = "the exported model cannot be read back";
    let header = safetensors::metadata(&bytes).context(unread)?;
    let spec = header.context(unread)?.header.spec;
    let weights = assemble::assemble(&spec, &safetensors::tensors(&bytes)?).context(unread)?;
    Ok((bytes, weights))
}

/// Puts words before the note of a model.
pub fn add_note(provenance: &mut Provenance, words: Option<&str>) {
    if let Some(words) = words {
        provenance.note = format!("{words} ({})", provenance.note);
        *provenance = std::mem::take(provenance).tidied();
    }
}

fn largest_change(before: &[Vec<f32>], after: &[Vec<f32>]) -> f32 {
    let pairs = before.iter().flatten().zip(after.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::spec::{Experiment, ModelSpec};
    use pno::task::Task;

    #[test]
    fn a_deterministic_network_can_be_used_with_perturbed_inputs_and_no_other() {
        let of = |method| {
            let spec = ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO");
            let tensors = spec.tensors();
            let weights = tensors.iter().map(|t| vec![0.0; t.len()]).collect();
            Checkpoint::new(spec, Task::ks(), weights)
        };
        let perturbed = used_as(of(Method::Det), Method::Perturbed).expect("the same network");
        assert_eq!(perturbed.header.spec.method, Method::Perturbed);
        assert_eq!(
            used_as(perturbed, Method::Det).expect("and back"),
            of(Method::Det)
        );
        let message = used_as(of(Method::PnoD), Method::Perturbed).expect_err("another network");
        assert!(
            message.to_string().contains("its method is `pno-d`"),
            "{message}"
        );
    }

    /// A run folder with an f32 model of weights 1/3.
    fn run_folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let spec = ModelSpec::paper_fno(Experiment::Ks, Method::PnoD).expect("an FNO");
        let tensors = spec.tensors();
        let weights = tensors.iter().map(|t| vec![1.0 / 3.0; t.len()]).collect();
        let checkpoint = Checkpoint::new(spec, Task::ks(), weights);
        let bytes = checkpoint.encode(Precision::F32).expect("encodes");
        files::write_atomic(&folder.path().join(Checkpoint::FILE_NAME), &bytes).expect("writes");
        folder
    }

    fn args(folder: &Path, precision: Precision, force: bool) -> Args {
        Args {
            source: folder.to_owned(),
            out: folder.join("out.pno"),
            format: None,
            precision: Some(precision),
            note: None,
            method: None,
            force,
        }
    }

    #[test]
    fn an_export_keeps_the_model_and_halves_the_size() {
        let folder = run_folder();
        run(&args(folder.path(), Precision::F16, false)).expect("exports");
        let before = Model::read(folder.path()).expect("reads");
        let after = Model::read(&folder.path().join("out.pno")).expect("reads");
        assert!(
            after.bytes < before.bytes * 51 / 100,
            "{} of {}",
            after.bytes,
            before.bytes
        );
        let (before, after) = (before.checkpoint, after.checkpoint);
        assert_eq!(after.header.spec, before.header.spec);
        assert_eq!(after.header.precision, Precision::F16);
        // 1/3 in f16 is 1365/4096.
        assert!(
            after
                .tensors
                .iter()
                .flatten()
                .all(|&w| w == 1365.0 / 4096.0)
        );
    }

    #[test]
    fn an_f32_export_of_an_f32_model_is_the_same_file() {
        let folder = run_folder();
        run(&args(folder.path(), Precision::F32, false)).expect("exports");
        let bytes = |name| std::fs::read(folder.path().join(name)).expect("reads");
        assert_eq!(bytes("out.pno"), bytes(Checkpoint::FILE_NAME));
    }

    #[test]
    fn an_existing_file_is_replaced_only_by_force() {
        let folder = run_folder();
        let out = folder.path().join("out.pno");
        std::fs::write(&out, b"precious").expect("writes");
        let message = run(&args(folder.path(), Precision::F16, false))
            .expect_err("is there")
            .to_string();
        assert!(message.contains("--force"), "{message}");
        assert_eq!(std::fs::read(&out).expect("reads"), b"precious");
        run(&args(folder.path(), Precision::F16, true)).expect("exports");
        Model::read(&out).expect("a model now");
    }

    #[test]
    fn a_note_stands_before_the_note_of_the_run() {
        let folder = run_folder();
        let mut args = args(folder.path(), Precision::F16, false);
        args.note = Some("small".into());
        run(&args).expect("exported");
        let written = Model::read(&args.out).expect("readable").checkpoint;
        let before = Model::read(folder.path()).expect("readable").checkpoint;
        let note = format!("small ({})", before.header.provenance.note);
        assert_eq!(written.header.provenance.note, note);
        assert_eq!(written.header.spec, before.header.spec);
    }

    #[test]
    fn a_folder_is_not_a_file_to_write() {
        let folder = run_folder();
        let mut args = args(folder.path(), Precision::F16, true);
        args.out = folder.path().to_owned();
        let message = run(&args).expect_err("a folder").to_string();
        assert!(message.contains("is a folder; name a file"), "{message}");
    }
}
