//! `pno ensemble`: several deterministic models become one.

use std::path::PathBuf;

use anyhow::Result;

use super::print;
use crate::ensemble::assemble;
use crate::files::{self, Model};

const EXAMPLES: &str = "\
Examples:
  pno train ks --data data/ks --method ensemble --set model.networks=5 --out runs/ks-ensemble     all in one
  pno train ks --data data/ks --method det --seed 1 --out runs/a
  pno train ks --data data/ks --method det --seed 2 --out runs/b
  pno ensemble runs/a runs/b --out ks-ensemble.pno
  pno conformal ks-ensemble.pno --data data/ks --out ks-calibrated.pno      few members are too narrow by themselves

Member m of the ensemble is what model m says, so there are as many members as models.";

/// Make one model of several deterministic ones: a deep ensemble.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The models, of method det: .pno files or folders of runs
    #[arg(required = true, num_args = 2.., value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "MODEL.pno")]
    out: PathBuf,
    /// Replace what is there
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    files::refuse_taken_file(&args.out, args.force)?;
    let mut models = vec![];
    for path in &args.models {
        let model = Model::read(path)?;
        models.push((model.path.display().to_string(), model.checkpoint));
    }
    let ensemble = assemble(&models)?;
    let bytes = ensemble.encode(ensemble.header.precision)?;
    files::write(&args.out, &bytes, args.force)?;
    let spec = &ensemble.header.spec;
    print(&format!(
        "{}: {} {} {} of {} networks, {} parameters",
        args.out.display(),
        spec.experiment,
        spec.operator,
        spec.method,
        spec.networks,
        spec.parameter_count()
    ))
}
