//! What the libraries have to say (burn, cubecl, wgpu, …), on standard error.
//!
//! They report through the crate `log`, which is silent until somebody listens. A kernel that does not compile and a device that is lost
//! are such reports: the program notes them, and does not end as if its numbers were good (see [`check`]).
//!
//! `RUST_LOG` chooses what is printed: a level (`error`, `warn`, `info`, `debug`, `trace`, `off`), or levels of modules and a level for all
//! others, `wgpu_core=info,warn`. Without it warnings are printed, and of graphics drivers errors only.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, anyhow};
use log::{Level, LevelFilter, Log, Metadata, Record};

/// What is printed where nobody says otherwise. Drivers warn of layers and extensions that nobody needs.
const DEFAULT: &str = "wgpu_hal=error,naga=error,warn";
/// Modules that run kernels: their errors mean that numbers are wrong or missing.
const KERNELS: [&str; 5] = [
    "cubecl_wgpu",
    "cubecl_cuda",
    "cubecl_runtime",
    "cubecl_server",
    "wgpu_core",
];
/// The module that reports every launch that failed, as a warning.
const LAUNCHES: &str = "cubecl_runtime::logging";

/// The listener of the program.
static LOGGER: Mutex<Option<Rules>> = Mutex::new(None);
/// The first failure of a kernel.
static FAILURE: Mutex<Option<String>> = Mutex::new(None);

#[cfg(test)]
thread_local! {
    /// A failure that a test plays to its own thread: the tests of one process share everything else.
    static PLAYED: std::cell::RefCell<Option<String>> = const { std::cell::RefCell::new(None) };
}

struct Stderr;

impl Log for Stderr {
    fn enabled(&self, metadata: &Metadata) -> bool {
        let rules = LOGGER.lock().unwrap_or_else(PoisonError::into_inner);
        rules
            .as_ref()
            .is_some_and(|rules| rules.allow(metadata.target(), metadata.level()))
    }

    fn log(&self, record: &Record) {
        let (target, level) = (record.target(), record.level());
        let message = record.args().to_string();
        if is_failure(target, level) {
            note(&FAILURE, &message);
        }
        if self.enabled(record.metadata()) {
            // Standard error may be closed; there is nobody left to tell then.
            let _ = writeln!(std::io::stderr(), "{}", line(level, target, &message));
        }
    }

    fn flush(&self) {}
}

/// Listens from here on. Only the program does: a library leaves that to whoever uses it.
pub fn install() {
    let rules = Rules::parse(&std::env::var("RUST_LOG").unwrap_or_default());
    // Failures are noted whatever is printed.
    let most = rules.most().max(LevelFilter::Warn);
    *LOGGER.lock().unwrap_or_else(PoisonError::into_inner) = Some(rules);
    if log::set_logger(&Stderr).is_ok() {
        log::set_max_level(most);
    }
}

/// Fails where a kernel has: what was computed since is not to be trusted. Asked before any file is written
/// ([`crate::files`]), before scores are shown, and at the end.
pub fn check() -> Result<()> {
    let failure = FAILURE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    #[cfg(test)]
    let failure = failure.or_else(|| PLAYED.with_borrow(Clone::clone));
    match failure {
        None => Ok(()),
        Some(reason) => Err(anyhow!(
            "a computation of the device failed, so that what was computed is not to be trusted ({reason})"
        )),
    }
}

/// Lets [`check`] fail in this thread while something is done.
#[cfg(test)]
pub fn play_failure<T>(work: impl FnOnce() -> T) -> T {
    PLAYED.set(Some("a test".to_owned()));
    let done = work();
    PLAYED.set(None);
    done
}

/// The first failure counts.
fn note(failure: &Mutex<Option<String>>, message: &str) {
    let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
    failure.get_or_insert_with(|| first_line(message));
}

fn is_failure(target: &str, level: Level) -> bool {
    let of = |module: &str| belongs(target, module);
    level == Level::Error && KERNELS.iter().any(|module| of(module))
        || level == Level::Warn && of(LAUNCHES)
}

/// Whether a module is another or inside of it.
fn belongs(target: &str, module: &str) -> bool {
    let rest = target.strip_prefix(module);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}

fn line(level: Level, target: &str, message: &str) -> String {
    let word = level.as_str().to_ascii_lowercase();
    format!("pno: {word} of {target}: {}", message.trim_end())
}

/// Levels by module, the last one without a module.
#[derive(Debug, PartialEq)]
struct Rules {
    modules: Vec<(String, LevelFilter)>,
    others: LevelFilter,
}

impl Rules {
    /// What does not make sense counts as nothing said.
    fn parse(text: &str) -> Self {
        let text = if text.trim().is_empty() {
            DEFAULT
        } else {
            text
        };
        let mut rules = Self {
            modules: Vec::new(),
            others: LevelFilter::Warn,
        };
        for part in text.split(',').map(str::trim) {
            match part.split_once('=') {
                Some((module, level)) => {
                    if let Ok(level) = level.parse() {
                        rules.modules.push((module.replace('-', "_"), level));
                    }
                }
                None => {
                    if let Ok(level) = part.parse() {
                        rules.others = level;
                    }
                }
            }
        }
        rules
    }

    fn allow(&self, target: &str, level: Level) -> bool {
        let named = self
            .modules
            .iter()
            .filter(|(module, _)| belongs(target, module));
        // The closest name counts.
        let named = named.max_by_key(|(module, _)| module.len());
        level <= named.map_or(self.others, |(_, level)| *level)
    }

    fn most(&self) -> LevelFilter {
        let modules = self.modules.iter().map(|(_, level)| *level);
        modules.fold(self.others, Ord::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_printed_and_of_drivers_errors_only() {
        let rules = Rules::parse("");
        assert!(rules.allow("cubecl_wgpu::compute::stream", Level::Warn));
        assert!(!rules.allow("cubecl_wgpu", Level::Info));
        assert!(!rules.allow("wgpu_hal::vulkan::instance", Level::Warn));
        assert!(rules.allow("wgpu_hal::vulkan", Level::Error));
        assert!(rules.allow("wgpu_hall", Level::Warn), "another module");
    }

    #[test]
    fn the_variable_chooses_by_module() {
        let rules = Rules::parse("wgpu-core=info, wgpu_core::device=off,error");
        assert!(rules.allow("wgpu_core::pipeline", Level::Info));
        assert!(!rules.allow("wgpu_core::device::queue", Level::Error));
        assert!(!rules.allow("burn_train", Level::Warn));
        assert_eq!(rules.most(), LevelFilter::Info);
        assert_eq!(Rules::parse("nonsense"), Rules::parse("warn"));
        assert!(!Rules::parse("off").allow("burn", Level::Error));
    }

    #[test]
    fn a_kernel_that_fails_is_noted_and_other_reports_are_not() {
        assert!(is_failure("cubecl_wgpu::backend::base", Level::Error));
        assert!(is_failure("cubecl_runtime::logging::server", Level::Warn));
        assert!(!is_failure("cubecl_runtime::tune::tune_cache", Level::Warn));
        assert!(!is_failure("burn_train::renderer", Level::Error));
        let failure = Mutex::new(None);
        note(
            &failure,
            "WGSL compilation failed for kernel `k`:\nand its source",
        );
        note(&failure, "a second one");
        let first = failure.into_inner().expect("free");
        assert_eq!(
            first.as_deref(),
            Some("WGSL compilation failed for kernel `k`:")
        );
        check().expect("nothing failed");
        let said = play_failure(check).expect_err("failed").to_string();
        assert!(said.contains("not to be trusted (a test)"), "{said}");
        check().expect("only while it was played");
    }

    #[test]
    fn a_line_names_level_and_module() {
        let found = line(Level::Warn, "wgpu_core::device", "lost\n");
        assert_eq!(found, "pno: warn of wgpu_core::device: lost");
    }
}
