//! `pno import`: a checkpoint from a file of another program.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use pno::checkpoint::{Checkpoint, Precision, Provenance};
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile};
use pno::task::Task;
use serde::{Deserialize, Serialize};

use super::{Usage, export};
use crate::exchange::safetensors::{Metadata, weights_hash};
use crate::exchange::{File, assemble, found::Tensors, sizes};
use crate::files;
use crate::train::date;
use crate::train::overrides::{Override, overridden};

const EXAMPLES: &str = "\
Examples:
  pno import ks.safetensors --out ks.pno                            what `pno export` wrote: nothing else is needed
  pno import Loss_KS_FNO.pt --experiment ks --method pno-d --out ks.pno
  pno import Loss_KS_FNO.pt --experiment ks --method pno-d --set model.dropout=0.1 --out ks.pno
  pno import uno.pt --experiment darcy --method pno-r --profile paper --out darcy-uno.pno
  pno import sfno.pt --experiment sswe --method mcd --set model.modes=[32,32] --out sswe.pno --precision f16";

/// Make a checkpoint from a file of another program: .safetensors, or .pt and .pth of torch.save.
///
/// Names and shapes are those of the paper's authors (docs/exchange.md). Widths, depth and modes are read off the
/// shapes; what shapes do not tell (dropout, orders of an SFNO, scales of a UNO) is that of the published network
/// unless --set says otherwise. A tensor that is missing, extra or of a wrong shape is named.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file to read.
    #[arg(value_name = "FILE")]
    pub source: PathBuf,

    /// The file to write.
    #[arg(long, value_name = "MODEL.pno")]
    pub out: PathBuf,

    /// What the model is for: darcy, ks, sswe or era5.
    #[arg(long)]
    pub experiment: Option<Experiment>,

    /// How it makes uncertainty: det, pno-d, pno-r, mcd or laplace.
    #[arg(long)]
    pub method: Option<Method>,

    /// Which network it is: fno, uno or sfno; read off the names where it is left out.
    #[arg(long)]
    pub operator: Option<Operator>,

    /// How a UNO joins its blocks: as published (paper, which is how such files were trained) or as it should be (fixed).
    #[arg(long)]
    pub profile: Option<Profile>,

    /// Say a size or rate of the network, for example model.dropout=0.1 (repeatable).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<Override>,

    /// Format of the weights: f32 (exact) or f16 (half the size, for the page).
    #[arg(long, default_value_t = Precision::F32)]
    pub precision: Precision,

    /// Words for people that stand beside the model in the page.
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,

    /// Replace what is there.
    #[arg(long)]
    pub force: bool,
}

/// The shape that `--set` changes, as in `pno train`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sections {
    model: ModelSpec,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    files::refuse_taken_file(&args.out, args.force)?;
    let file = File::read(&args.source)?;
    let mut checkpoint = match file.metadata()? {
        Some(metadata) => own(args, &file, metadata)?,
        None => foreign(args, &file)?,
    };
    export::add_note(&mut checkpoint.header.provenance, args.note.as_deref());
    let spec = &checkpoint.header.spec;
    super::print(&format!(
        "{}: {} {} of {}, profile {}, {} parameters\n{}",
        args.source.display(),
        spec.method,
        spec.operator,
        spec.experiment,
        spec.profile,
        spec.parameter_count(),
        rates(args, spec),
    ))?;
    let bytes = checkpoint
        .encode(args.precision)
        .with_context(|| file.refusal())?;
    files::write(&args.out, &bytes, args.force)?;
    super::print(&format!(
        "{}: {}, {} bytes\nblake3 {}",
        args.out.display(),
        args.precision,
        bytes.len(),
        Checkpoint::fingerprint(&bytes)
    ))
}

/// The rates, which are in no tensor, and where they are from.
fn rates(args: &Args, spec: &ModelSpec) -> String {
    let rates = format!(
        "dropout {} on activations, {} on Fourier coefficients",
        spec.dropout, spec.fourier_dropout
    );
    if args.experiment.is_some() && spec.method.drops_at_inference() {
        let say = "--set model.dropout=… and --set model.fourier_dropout=… say others";
        return format!("{rates}: as published unless told; {say}");
    }
    rates
}

/// A model that `pno export` wrote. Its header is its own only as long as its weights are.
fn own(args: &Args, file: &File, metadata: Metadata) -> Result<Checkpoint> {
    let flags = [
        ("--experiment", args.experiment.is_some()),
        ("--method", args.method.is_some()),
        ("--operator", args.operator.is_some()),
        ("--profile", args.profile.is_some()),
        ("--set", !args.overrides.is_empty()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        bail!(Usage(format!(
            "{} says itself what it is, for `pno export` wrote it: leave {flag} out",
            args.source.display()
        )));
    }
    let Metadata {
        mut header,
        weights,
    } = metadata;
    let (_, tensors) = assemble::without_prefix(&header.spec, file.tensors()?);
    let tensors = assembled(file, &header.spec, &tensors)?;
    if weights_hash(&tensors) != weights {
        header.scores = None;
        header.provenance =
            provenance(args, file, "exported by pno and changed by another program");
    }
    Ok(Checkpoint { header, tensors })
}

/// A model of another program: the command says what it is for, the shapes say how large it is.
fn foreign(args: &Args, file: &File) -> Result<Checkpoint> {
    let name = args.source.display();
    let tensors = file.tensors()?;
    let (Some(experiment), Some(method)) = (args.experiment, args.method) else {
        bail!(Usage(format!(
            "{name} does not say what it is: add --experiment and --method, for example --experiment ks --method pno-d"
        )));
    };
    let Some(operator) = args.operator.or_else(|| sizes::operator(&tensors)) else {
        bail!(
            "{}: its tensors have none of the authors' names, such as fno_blocks.convs.bias; docs/exchange.md lists \
             them (--operator names what is missing)",
            file.refusal()
        );
    };
    let as_trained = match operator {
        Operator::Uno => Profile::Paper,
        Operator::Fno | Operator::Sfno => Profile::Fixed,
    };
    let profile = args.profile.unwrap_or(as_trained);
    if method == Method::Ensemble {
        bail!(Usage(
            "a file holds one network: import each with --method det, then `pno ensemble A.pno B.pno --out M.pno`".into()
        ));
    }
    let published = ModelSpec::paper(experiment, operator, method, profile)
        .with_context(|| format!("{}: {experiment} has no {operator}", file.refusal()))?;
    let (_, tensors) = assemble::without_prefix(&published, tensors);
    let sections = Sections {
        model: sizes::read_off(&published, &tensors),
    };
    let spec = overridden(&sections, &args.overrides)?.model;
    spec.validate().with_context(|| file.refusal())?;
    let weights = assembled(file, &spec, &tensors)?;
    let task = Task::published(experiment)
        .with_context(|| format!("{}: {experiment} has no published task", file.refusal()))?;
    spec.fits(&task).with_context(|| file.refusal())?;
    let mut checkpoint = Checkpoint::new(spec, task, weights);
    checkpoint.header.provenance = provenance(args, file, "trained by another program");
    checkpoint.header.precision = args.precision;
    Ok(checkpoint)
}

fn assembled(file: &File, spec: &ModelSpec, tensors: &Tensors<'_>) -> Result<Vec<Vec<f32>>> {
    assemble::assemble(spec, tensors).with_context(|| file.refusal())
}

/// Where the weights are from, as far as it is known.
fn provenance(args: &Args, file: &File, origin: &str) -> Provenance {
    let name = args.source.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    Provenance {
        command: super::command_line(),
        created: date::today(),
        version: env!("CARGO_PKG_VERSION").into(),
        data: "not known".into(),
        note: format!("imported from {name}, {origin}, blake3 {}", file.hash()),
        ..Provenance::default()
    }
    .tidied()
}
