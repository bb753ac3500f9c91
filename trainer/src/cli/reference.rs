//! `pno reference`: the pages of the book that the program writes about itself.
//!
//! The command is hidden: it serves the book (`docs/`) and its tests, which compare what it prints with what is kept there.

use std::io::{self, BufRead};

use anyhow::{Context, Result, bail};
use clap::{CommandFactory, Parser};

use super::{Cli, print};

mod commands;
mod experiments;

/// Says what stands at the top of a page that nobody should edit.
pub(super) fn written_by(page: &str) -> String {
    format!("<!-- Written by `pno reference {page} > docs/{page}.md`; a test compares. -->\n")
}

/// Arguments of `pno reference`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    page: Page,
}

#[derive(Debug, clap::Subcommand)]
enum Page {
    /// Every command with its options, as Markdown
    Cli,
    /// Every experiment with its numbers, as Markdown
    Experiments,
    /// Read commands, one a line and their words separated by tabs, and tell the first that would be refused
    Check,
}

/// Runs `pno reference`.
pub fn run(args: &Args) -> Result<()> {
    match args.page {
        Page::Cli => print(commands::page(Cli::command()).trim_end()),
        Page::Experiments => print(experiments::page()?.trim_end()),
        Page::Check => {
            let lines = io::stdin().lock().lines();
            let lines = lines.collect::<io::Result<Vec<_>>>();
            let lines = lines.context("cannot read the commands")?;
            lines.iter().try_for_each(|line| check(line))?;
            print(&format!("{} commands are understood", lines.len()))
        }
    }
}

/// Whether the command line is one that this program understands; nothing is opened or done.
fn check(line: &str) -> Result<()> {
    let Err(refused) = Cli::try_parse_from(line.split('\t')) else {
        return Ok(());
    };
    // `--help` and `--version` end here too, and are fine.
    if !refused.use_stderr() {
        return Ok(());
    }
    let told = refused.to_string();
    let sentence = told.lines().next().unwrap_or_default();
    bail!("`{}`: {sentence}", line.replace('\t', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_judged_without_being_run() {
        check("pno\tinspect\tthere-is-no-such-file.pno").expect("understood");
        check("pno\ttrain\t--help").expect("understood");
        let told = check("pno\ttrain\tks\t--dato\tx").expect_err("refused");
        assert!(told.to_string().contains("--dato"), "{told}");
        let told = check("pno\tfly").expect_err("refused").to_string();
        assert!(told.contains("`pno fly`"), "{told}");
    }
}
