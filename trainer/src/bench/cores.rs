//! Work shared out among cores, and the time of a piece of it.

use std::fs;
use std::hint::black_box;
use std::ops::Div;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// Number of cores this program may use.
pub fn number() -> usize {
    thread::available_parallelism().map_or(1, Into::into)
}

/// Seconds of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Secs {
    /// On the clock, with all cores at work.
    pub clock: f64,
    /// On the cores, summed over them, where the system tells. On a busy machine it stays what it is.
    pub cores: Option<f64>,
}

impl Secs {
    /// The middle of some measurements.
    pub fn median(of: &[Self]) -> Self {
        let cores: Option<Vec<f64>> = of.iter().map(|secs| secs.cores).collect();
        Self {
            clock: median(of.iter().map(|secs| secs.clock).collect()),
            cores: cores.map(median),
        }
    }
}

impl Div<f64> for Secs {
    type Output = Self;

    fn div(self, by: f64) -> Self {
        Self {
            clock: self.clock / by,
            cores: self.cores.map(|secs| secs / by),
        }
    }
}

/// Solvers, one for each core, that stay from one measurement to the next.
pub struct Cores<S> {
    solvers: Vec<S>,
}

impl<S: Send> Cores<S> {
    /// One solver for each core.
    pub fn new(solver: impl Fn() -> S) -> Self {
        Self {
            solvers: (0..number()).map(|_| solver()).collect(),
        }
    }

    /// Seconds for each of `jobs` jobs on all cores; whoever is free takes the next one.
    pub fn all<T>(&mut self, jobs: usize, job: impl Fn(&mut S, usize) -> T + Sync) -> Secs {
        run(&mut self.solvers, jobs, job)
    }

    /// The same on one core.
    pub fn one<T>(&mut self, jobs: usize, job: impl Fn(&mut S, usize) -> T + Sync) -> Secs {
        run(&mut self.solvers[..1], jobs, job)
    }
}

fn run<S: Send, T>(
    solvers: &mut [S],
    jobs: usize,
    job: impl Fn(&mut S, usize) -> T + Sync,
) -> Secs {
    let next = AtomicUsize::new(0);
    let on_cores = AtomicU64::new(0);
    let begun = Instant::now();
    thread::scope(|scope| {
        for solver in solvers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= jobs {
                        break;
                    }
                    black_box(job(solver, index));
                }
                on_cores.fetch_add(thread_nanos().unwrap_or(0), Ordering::Relaxed);
            });
        }
    });
    let nanos = on_cores.into_inner();
    let secs = Secs {
        clock: begun.elapsed().as_secs_f64(),
        cores: (nanos > 0).then_some(nanos as f64 / 1e9),
    };
    secs / jobs as f64
}

/// Seconds of a call whose work is done by all threads of this process.
pub fn timed<T>(call: impl FnOnce() -> T) -> Secs {
    let before = process_nanos();
    let begun = Instant::now();
    black_box(call());
    let clock = begun.elapsed().as_secs_f64();
    let nanos = before.and_then(|before| process_nanos()?.checked_sub(before));
    Secs {
        clock,
        cores: nanos.filter(|&n| n > 0).map(|nanos| nanos as f64 / 1e9),
    }
}

/// Nanoseconds that the living threads of this process have been on a core, where the system tells (Linux).
fn process_nanos() -> Option<u64> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    // A thread may end while it is being asked.
    let nanos = threads.filter_map(|thread| schedstat(&thread.ok()?.path().join("schedstat")));
    Some(nanos.sum())
}

/// Nanoseconds that this thread has been on a core, where the system tells (Linux).
fn thread_nanos() -> Option<u64> {
    schedstat(Path::new("/proc/thread-self/schedstat"))
}

fn schedstat(path: &Path) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// The middle of some numbers (the mean of the two middle ones).
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len();
    if n == 0 {
        return f64::NAN;
    }
    f64::midpoint(values[(n - 1) / 2], values[n / 2])
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_job_is_done_once_by_as_many_solvers_as_there_are_cores() {
        let mut cores = Cores::new(|| 0_usize);
        assert_eq!(cores.solvers.len(), number());
        let done = Mutex::new(vec![]);
        let secs = cores.all(20, |count, index| {
            *count += 1;
            done.lock().expect("a list").push(index);
        });
        assert!(secs.clock > 0.0 && secs.cores.is_none_or(|secs| secs > 0.0));
        let mut done = done.into_inner().expect("a list");
        done.sort_unstable();
        assert_eq!(done, (0..20).collect::<Vec<_>>());
        assert_eq!(cores.solvers.iter().sum::<usize>(), 20);
        let before = cores.solvers.clone();
        cores.one(5, |count, _| *count += 1);
        assert_eq!(cores.solvers[0], before[0] + 5);
        assert_eq!(cores.solvers[1..], before[1..]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_sleeps_is_not_on_a_core() {
        let mut cores = Cores::new(|| ());
        let nap = std::time::Duration::from_millis(500);
        let secs = cores.one(1, |(), _| thread::sleep(nap));
        assert!(secs.clock >= 0.5);
        assert!(secs.cores.is_none_or(|secs| secs < 0.25), "{secs:?}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_time_of_every_thread_counts() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("threads");
        let spin = || {
            let begun = thread_nanos().expect("a number");
            while thread_nanos().expect("a number") - begun < 200_000_000 {
                black_box((0..1000).sum::<u64>());
            }
        };
        let secs = timed(|| pool.join(spin, spin));
        // At least: other tests run in this process too.
        assert!(secs.cores.is_some_and(|cores| cores >= 0.4), "{secs:?}");
    }

    #[test]
    fn a_median_is_in_the_middle() {
        let secs = |clock, cores| Secs { clock, cores };
        let three = [
            secs(1.0, Some(5.0)),
            secs(3.0, Some(4.0)),
            secs(2.0, Some(6.0)),
        ];
        assert_eq!(Secs::median(&three), secs(2.0, Some(5.0)));
        assert_eq!(Secs::median(&[secs(1.0, None)]), secs(1.0, None));
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(vec![7.0]), 7.0);
        assert!(median(vec![]).is_nan());
    }
}
