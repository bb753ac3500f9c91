//! The command line: one file per command.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use self::progress::Progress;
use crate::interrupt::{self, Interrupted};
use crate::logger;

mod bench;
mod conformal;
mod data;
mod describe;
mod ensemble;
mod eval;
mod export;
mod import;
mod init;
mod inspect;
mod laplace;
mod predict;
mod progress;
mod reference;
mod reproduce;
mod score;
mod train;

/// Probabilistic neural operators: make data, train, score, predict.
#[derive(Debug, Parser)]
#[command(
    name = "pno",
    version,
    arg_required_else_help = true,
    max_term_width = 110
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make or describe a data set.
    Data(data::Args),
    /// Train a model on a data set.
    Train(train::Args),
    /// Make a Laplace approximation of a trained deterministic model.
    Laplace(laplace::Args),
    /// Make one model of several deterministic ones: a deep ensemble.
    Ensemble(ensemble::Args),
    /// Scale the spread of a model so that its intervals reach a stated coverage.
    Conformal(conformal::Args),
    /// Score a model on a data set.
    Eval(eval::Args),
    /// Score any ensemble, from whatever model.
    Score(score::Args),
    /// Draw an ensemble for one input.
    Predict(predict::Args),
    /// Write a model with fresh, untrained weights: for tests, benchmarks and trying out networks.
    Init(init::Args),
    /// Show what is in a checkpoint.
    Inspect(inspect::Args),
    /// Write a checkpoint for the page or for other programs.
    Export(export::Args),
    /// Make a checkpoint from a file of another program.
    Import(import::Args),
    /// Make the tables and figures of the paper, with its numbers beside ours.
    Reproduce(reproduce::Args),
    /// Measure what the networks reach of what the machine can do.
    Bench(bench::Args),
    /// Write the pages of the book that are made from the program, or check its commands.
    #[command(hide = true)]
    Reference(reference::Args),
}

/// Parses, runs, and turns the outcome into an exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
pub fn main() -> ExitCode {
    logger::install();
    let outcome = match Cli::parse().command {
        Command::Data(args) => data::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Laplace(args) => laplace::run(&args),
        Command::Ensemble(args) => ensemble::run(&args),
        Command::Conformal(args) => conformal::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Reference(args) => reference::run(&args),
    };
    let outcome = outcome.and_then(|()| logger::check());
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    if reader_has_gone(&error) {
        return ExitCode::SUCCESS;
    }
    // Standard error may be closed too; there is nobody left to tell then.
    let _ = writeln!(io::stderr(), "pno: {error:#}");
    if error.downcast_ref::<Interrupted>().is_some() {
        return ExitCode::from(interrupt::EXIT_CODE);
    }
    if error.downcast_ref::<Usage>().is_some() {
        return ExitCode::from(2);
    }
    ExitCode::FAILURE
}

/// The error of a command that was asked for something that cannot be: exit code 2, as clap's own.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Whether the program we print to (`| head`) has closed its end: not a failure of ours.
fn reader_has_gone(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes a text and a line end to standard output. Use it instead of `println!`, which panics when the reader has gone.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

/// The command as it was typed, for provenance, with the program's path reduced to `pno`.
pub fn command_line() -> String {
    let quoted = |argument: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    };
    let arguments = std::env::args_os().skip(1);
    std::iter::once("pno".to_owned())
        .chain(arguments.map(|a| quoted(a.to_string_lossy().into_owned())))
        .collect::<Vec<_>>()
        .join(" ")
}
