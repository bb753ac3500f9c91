//! The book and README: every command in them is run here, or says to the reader why it is not.

mod blocks;
mod words;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use blocks::{Block, REASONS, blocks, pages};

const PROGRAM: &str = env!("CARGO_BIN_EXE_pno");

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the repository").to_owned()
}

/// All blocks of all pages, page by page.
fn book() -> Vec<Vec<Block>> {
    let root = root();
    let read = |page: &PathBuf| {
        let text = fs::read_to_string(page).expect("a page");
        blocks(page.strip_prefix(&root).expect("inside"), &text)
    };
    pages(&root).iter().map(read).collect()
}

/// Why this block is not run here, if it is not.
fn reason(block: &Block, numpy: bool) -> Option<&'static str> {
    REASONS
        .iter()
        .find(|(word, _)| block.says(word) && !(*word == "needs-python" && numpy))
        .map(|(_, reason)| *reason)
}

fn has_numpy() -> bool {
    let python = Command::new("python3")
        .args(["-c", "import numpy"])
        .stderr(Stdio::null())
        .status();
    python.is_ok_and(|status| status.success())
}

/// The commands of a block in a shell that stops at the first failure, as typed, in this folder.
fn run(block: &Block, folder: &Path) -> Output {
    let program = Path::new(PROGRAM).parent().expect("its folder");
    let before = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program.to_owned()).chain(std::env::split_paths(&before));
    Command::new("sh")
        .args(["-eu", "-c", &block.text])
        .current_dir(folder)
        .env(
            "PATH",
            std::env::join_paths(folders).expect("a search path"),
        )
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()
        .expect("a shell")
}

/// A folder as the reader has it: the shipped models, and what earlier blocks of the page left.
fn room() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let models = folder.path().join("models");
    fs::create_dir(&models).expect("a folder");
    for entry in fs::read_dir(root().join("models")).expect("shipped models") {
        let from = entry.expect("an entry").path();
        let name = from.file_name().expect("a name");
        fs::copy(&from, models.join(name)).expect("a copy");
    }
    folder
}

#[test]
fn every_command_of_the_book_runs_or_says_why_not() {
    let numpy = has_numpy();
    let (mut ran, mut left) = (0, 0);
    let mut failures = vec![];
    for page in book() {
        let folder = room();
        for block in &page {
            if let Some(name) = &block.file {
                fs::write(folder.path().join(name), &block.text).expect("a file of the page");
            }
            let python = block.language == "python" && block.says("needs-python") && numpy;
            if !block.is_commands() && !python {
                continue;
            }
            if let Some(reason) = reason(block, numpy) {
                println!("{}: not run, {reason}", block.place());
                left += 1;
                continue;
            }
            let start = Instant::now();
            let output = if python {
                fs::write(folder.path().join("block.py"), &block.text).expect("a script");
                let text = "python3 block.py".to_owned();
                run(
                    &Block {
                        text,
                        ..block.clone()
                    },
                    folder.path(),
                )
            } else {
                run(block, folder.path())
            };
            let seconds = start.elapsed().as_secs_f64();
            println!("{}: {seconds:.1} s", block.place());
            if !output.status.success() {
                let told = String::from_utf8_lossy(&output.stderr);
                failures.push(format!("{}:\n{}{told}", block.place(), block.text));
                // What follows on the page needs what was made here.
                break;
            }
            ran += 1;
        }
    }
    println!("{ran} blocks ran, {left} did not");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(ran >= 10, "only {ran} blocks ran");
}

#[test]
fn every_fence_has_a_language_that_is_checked_and_reasons_that_are_known() {
    let faults: Vec<String> = book().iter().flatten().filter_map(Block::fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Commands of blocks that are not run, and of transcripts (`$ pno …`): a mistyped option shows here.
#[test]
fn every_command_that_is_not_run_is_understood_at_least() {
    let help = fs::read_to_string(root().join("xtask/src/args.rs")).expect("the help of xtask");
    let mut lines = String::new();
    for block in book().iter().flatten() {
        let typed: String = if block.is_commands() {
            block.text.clone()
        } else {
            let typed = block.text.lines().filter_map(|l| l.strip_prefix("$ "));
            typed.collect::<Vec<_>>().join("\n")
        };
        for words in words::commands(&typed) {
            let place = block.place();
            match words[0].as_str() {
                "pno" => {
                    lines.push_str(&words.join("\t"));
                    lines.push('\n');
                }
                "cargo" if words[1] == "xtask" => {
                    let known = help.contains(&format!("\n  {} ", words[2]));
                    assert!(known, "{place}: `cargo xtask {}` is unknown", words[2]);
                }
                "cargo" => {
                    let path = words.iter().skip_while(|w| *w != "--path").nth(1);
                    let there = path.is_none_or(|path| root().join(path).is_dir());
                    assert!(there, "{place}: {words:?} names no folder");
                }
                "cat" | "head" | "ls" | "cp" | "python3" => {}
                other => panic!("{place}: `{other}` is no program that the reader has"),
            }
        }
    }
    let mut check = Command::new(PROGRAM)
        .args(["reference", "check"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pno starts");
    let mut input = check.stdin.take().expect("an input");
    input.write_all(lines.as_bytes()).expect("it reads");
    drop(input);
    let output = check.wait_with_output().expect("pno ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(lines.lines().count() > 30, "few commands: {lines}");
}

#[test]
fn the_pages_about_the_program_are_what_the_program_says() {
    for page in ["cli", "experiments"] {
        let output = Command::new(PROGRAM)
            .args(["reference", page])
            .output()
            .expect("pno starts");
        assert!(output.status.success(), "pno reference {page}");
        let told = String::from_utf8_lossy(&output.stdout);
        let path = root().join("docs").join(format!("{page}.md"));
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let first = kept.lines().zip(told.lines()).position(|(a, b)| a != b);
        assert!(
            kept == told,
            "docs/{page}.md differs from the program, first in line {}: write it again with `pno reference {page} > docs/{page}.md`",
            first.unwrap_or_else(|| kept.lines().count()) + 1
        );
    }
}
