//! A small timer for the benches.
//!
//! Criterion as a dev-dependency changes the features of crates that burn shares, so that every test build would
//! compile burn a second time. Comparing medians of one run does not need it.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Runs of one measurement.
const RUNS: usize = 21;

/// Prints and returns the median time of one call, with the fastest beside it: on a busy machine they differ.
pub fn median<T>(name: &str, call: impl FnMut() -> T) -> Duration {
    median_of(RUNS, name, call)
}

/// The same of fewer runs, where one takes long.
pub fn median_of<T>(runs: usize, name: &str, mut call: impl FnMut() -> T) -> Duration {
    black_box(call());
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            black_box(call());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let median = times[runs / 2];
    println!(
        "{name:<44} median {median:>10.2?}  fastest {:>10.2?}",
        times[0]
    );
    median
}
