//! Command-line arguments: few enough that a parser crate would cost more than it gives.

use std::env;
use std::fmt;

use anyhow::Result;

/// What `cargo xtask --help` prints.
pub const HELP: &str = "\
Set-up, build, demonstration and checks of pno

Usage: cargo xtask COMMAND [OPTIONS]

The two commands:
  demo           set up, build the page, serve it with the shipped models, print the address
                   --port N      port on localhost (default: the first free one from 8080)
                   --train       first train a small model, and offer it in the page
                   --method M    what --train trains: pno-d or pno-r (default pno-r)
                   --optimize    also run wasm-opt: 40 % smaller before compression, five minutes
                   --no-open     print the address and leave the browser alone
  test           set up, then every check, each with its time
                   --only STEP   only this step (may be given several times)
                   --skip STEP   all but this step (may be given several times)
                   --list        name the steps

Pieces of them:
  setup          wasm target, and Trunk, wasm-bindgen, mdBook, typos and cargo-deny in the pinned versions
  page           build the page into dist/, report its size, check its budget [--optimize]
  book           build the book of docs/ into target/book, check every link in it
  dist           release/pno-VERSION: the page for any static host, with compressed copies, hashes and instructions
                   --url URL     where it will be, for previews of links and the snippets of the instructions
                   --optimize    as above
                   --no-build    take dist/ as it is
  serve          serve dist/ on localhost [--port N] [--no-open]
  browser-test   drive the page in dist/ in Chromium, compare with the native program
                   FILE…         only these files of web/tests: `embed` is embed.test.mjs (default: all)
                   --repeat N    so many runs, one after the other; each must pass
  lint           format, spelling, licences, advisories (where their data base can be reached) and clippy
                   --only, --skip, --list   as above
  fuzz [TARGET]  libFuzzer on what reads bytes from elsewhere (nightly toolchain; one target, or all in turn)
                   --minutes N   time of each target (default 1)
                   --runs N      inputs of each target
                   --list        name the targets

Environment:
  CARGO_TARGET_DIR   where cargo builds (default: target)
  PNO_TOOLS          where the pinned tools go (default: .tools)
  PNO_PYTHON         a Python with numpy, xarray, PyTorch, … for the native tests (default: one with numpy and xarray is made)
  PNO_CHROMIUM       the browser of the tests (default: chromium, chromium-browser, google-chrome on PATH)
  CI=true            plain output
  PNO_SKIPPED        a file to which tests that cannot run here add a line each (test counts its own)

Examples:
  cargo xtask demo
  cargo xtask demo --train --method pno-d --port 9000
  cargo xtask test
  cargo xtask test --only fmt --only clippy
  cargo xtask browser-test embed safety --repeat 3
";

/// Wrong usage: ends with exit code 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Arguments that nobody has asked for yet.
pub struct Args(Vec<String>);

impl Args {
    /// The arguments of this process.
    pub fn from_env() -> Self {
        Self(env::args().skip(1).collect())
    }

    /// The words of a line.
    #[cfg(test)]
    pub fn from_words(line: &str) -> Self {
        Self(line.split_whitespace().map(str::to_owned).collect())
    }

    /// Takes the leading word, unless it is an option.
    pub fn command(&mut self) -> Option<String> {
        let is_word = self.0.first().is_some_and(|first| !first.starts_with('-'));
        is_word.then(|| self.0.remove(0))
    }

    /// Takes a switch; whether it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|arg| arg != name);
        self.0.len() != before
    }

    /// Takes every `--name VALUE` and `--name=VALUE`.
    pub fn values(&mut self, name: &str) -> Result<Vec<String>> {
        let mut values = Vec::new();
        let mut at = 0;
        while at < self.0.len() {
            let inline = self.0[at]
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('='))
                .map(str::to_owned);
            if let Some(value) = inline {
                self.0.remove(at);
                values.push(value);
            } else if self.0[at] == name {
                self.0.remove(at);
                if at == self.0.len() {
                    return Err(Usage(format!("{name} needs a value")).into());
                }
                values.push(self.0.remove(at));
            } else {
                at += 1;
            }
        }
        Ok(values)
    }

    /// Takes `--name VALUE`, which may be there once.
    pub fn value(&mut self, name: &str) -> Result<Option<String>> {
        let mut values = self.values(name)?;
        if values.len() > 1 {
            return Err(Usage(format!("{name} was given {} times", values.len())).into());
        }
        Ok(values.pop())
    }

    /// Takes `--port N`.
    pub fn port(&mut self) -> Result<Option<u16>> {
        self.value("--port")?
            .map(|text| {
                text.parse().map_err(|_| {
                    Usage(format!("--port is `{text}`, but must be 0 to 65535")).into()
                })
            })
            .transpose()
    }

    /// Takes every word that is no option; after the options with values.
    pub fn words(&mut self) -> Vec<String> {
        let (options, words) = (self.0.drain(..)).partition(|arg| arg.starts_with('-'));
        self.0 = options;
        words
    }

    /// Refuses what is left.
    pub fn finish(self) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some(arg) => Err(Usage(format!(
                "unknown argument `{arg}`; `cargo xtask --help` lists the options"
            ))
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args::from_words(line)
    }

    #[test]
    fn both_spellings_of_a_value_are_taken_and_the_rest_is_left() {
        let mut args = args("test --only fmt --skip=deny --only=clippy --list");
        assert_eq!(args.command().as_deref(), Some("test"));
        assert_eq!(args.values("--only").expect("values"), ["fmt", "clippy"]);
        assert_eq!(
            args.value("--skip").expect("value").as_deref(),
            Some("deny")
        );
        assert!(args.flag("--list") && !args.flag("--list"));
        args.finish().expect("nothing left");
    }

    #[test]
    fn wrong_usage_is_told_by_name() {
        let message = |result: Result<()>| result.expect_err("refused").to_string();
        assert!(message(args("--fast").finish()).contains("`--fast`"));
        assert!(message(args("--only").values("--only").map(drop)).contains("--only needs"));
        assert!(message(args("--port 70000").port().map(drop)).contains("`70000`"));
        assert!(message(args("--port 1 --port 2").port().map(drop)).contains("2 times"));
    }

    #[test]
    fn words_are_taken_and_options_left() {
        let mut args = args("browser-test embed --repeat 3 safety --fast");
        assert_eq!(args.command().as_deref(), Some("browser-test"));
        assert_eq!(args.value("--repeat").expect("one").as_deref(), Some("3"));
        assert_eq!(args.words(), ["embed", "safety"]);
        let left = args.finish().expect_err("left").to_string();
        assert!(left.contains("`--fast`"), "{left}");
    }

    #[test]
    fn an_option_is_not_a_command() {
        assert_eq!(args("--help").command(), None);
    }
}
