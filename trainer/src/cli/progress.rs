//! Progress of long work: a bar on a terminal, a plain line per tenth everywhere else. Both go to standard error.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows how far something is.
pub struct Progress {
    what: String,
    total: usize,
    bar: Option<ProgressBar>,
    /// Tenths already told in plain lines.
    told: AtomicUsize,
}

impl Progress {
    /// Starts at 0 of `total` of `what` (a plural).
    pub fn new(what: &str, total: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let template = "{msg} {wide_bar} {pos}/{len}, {eta} left";
            let style = ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr())
                .with_style(style)
                .with_message(what.to_owned())
        });
        Self {
            what: what.to_owned(),
            total,
            bar,
            told: AtomicUsize::new(0),
        }
    }

    /// `done` of the total are done. May be called from several threads, in any order.
    pub fn set(&self, done: usize) {
        if let Some(bar) = &self.bar {
            bar.set_position(bar.position().max(done as u64));
            return;
        }
        let tenth = done * 10 / self.total.max(1);
        if self.told.fetch_max(tenth, Ordering::Relaxed) < tenth {
            // Nobody reading the progress is no reason to stop working.
            let _ = writeln!(std::io::stderr(), "{}: {done} of {}", self.what, self.total);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
