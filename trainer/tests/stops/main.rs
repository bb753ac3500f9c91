//! Stops commands at random moments and begins them again, until what they leave has the bytes of one never stopped.
//!
//! ```text
//! cargo test --release -p pno -p pno-trainer -p xtask --features pno-trainer/wgpu --test stops -- --stops 200 --seed 1
//! ```
//!
//! Without `--stops` there are a few, so that the ordinary tests have some. The seed chooses signals and moments; when
//! none is given it is that of the clock, and it is printed. `--only laplace` tries one of the cases.
//!
//! The moments are of two kinds: any, from the start of a process to a little after its end; or just when a file is being
//! written, which is a small part of the time and the most delicate one.

mod cases;
mod compare;
mod process;

use std::process::ExitCode;
use std::time::{Instant, SystemTime};

use cases::{CASES, Case, Room};
use process::{End, Life, Signal};

/// Stops in the ordinary tests: one of each case.
const FEW: usize = CASES.len();
/// Most stops of one run; then it comes to its end.
const MOST: u64 = 8;

fn main() -> ExitCode {
    let Some(options) = Options::read(std::env::args().skip(1)) else {
        return ExitCode::SUCCESS;
    };
    let (stops, seed) = (options.stops, options.seed);
    println!("{stops} stops, seed {seed}");
    let begin = Instant::now();
    let mut random = Random(seed);
    let mut tally = Tally::default();
    let chosen: Vec<&Case> = CASES
        .iter()
        .filter(|case| options.only.as_ref().is_none_or(|only| case.name == only))
        .collect();
    assert!(!chosen.is_empty(), "no such case");
    let prepared: Vec<Room> = chosen.iter().map(|case| Room::prepared(case)).collect();
    let pairs = chosen.iter().zip(&prepared);
    let references: Vec<Room> = pairs.map(|(case, room)| reference(case, room)).collect();
    let mut turn = 0;
    while tally.stops < stops {
        let which = turn % chosen.len();
        turn += 1;
        let left = (stops - tally.stops) as u64;
        let most = if stops <= chosen.len() { 1 } else { MOST };
        let most = (1 + random.below(most)).min(left);
        let rooms = (&prepared[which], &references[which]);
        one(chosen[which], rooms, most, &mut random, &mut tally);
    }
    println!("{tally}");
    println!(
        "test result: ok. {} stops in {} runs, the same bytes every time; seed {seed}, {:.0} s",
        tally.stops,
        tally.runs,
        begin.elapsed().as_secs_f64()
    );
    ExitCode::SUCCESS
}

/// The case carried out without a stop.
fn reference(case: &Case, prepared: &Room) -> Room {
    let mut room = prepared.copied();
    let begin = Instant::now();
    match Life::begin(&room, case.command, false).end() {
        End::Done => {}
        other => panic!("{}: the run without a stop: {other:?}", case.name),
    }
    room.duration = begin.elapsed();
    println!(
        "{}: {:.1} s without a stop",
        case.name,
        room.duration.as_secs_f64()
    );
    room
}

/// Carries a case out with some stops, and compares.
fn one(
    case: &Case,
    (prepared, reference): (&Room, &Room),
    most: u64,
    random: &mut Random,
    tally: &mut Tally,
) {
    let room = prepared.copied();
    let mut said = vec![];
    for _ in 0..most {
        let life = Life::begin(&room, case.command, !said.is_empty() && case.resumes);
        let signal = random.signal();
        let in_a_file = random.below(3) == 0;
        if in_a_file {
            life.until_a_file_is_written(reference.duration * 2);
            std::thread::sleep(random.moment(std::time::Duration::from_millis(4)));
        } else {
            std::thread::sleep(random.moment(reference.duration.mul_f64(1.05)));
        }
        let end = life.stop(signal);
        let leftover = room.half_written();
        said.push(format!("{signal:?}: {end:?}"));
        match end {
            End::Stopped => tally.count(signal, leftover),
            End::Done => break,
            End::Refused(message) if case.is_done(&message) => break,
            End::Refused(message) => panic!("{}: {message}\n{said:?}", case.name),
        }
        case.holds(&room, reference, &said);
    }
    match Life::begin(&room, case.command, !said.is_empty() && case.resumes).end() {
        End::Done => {}
        End::Refused(message) if case.is_done(&message) => {}
        other => panic!("{}: {other:?}\n{said:?}", case.name),
    }
    compare::same(&reference.path(case.out), &room.path(case.out))
        .unwrap_or_else(|difference| panic!("{}: {difference}\n{said:?}", case.name));
    tally.runs += 1;
}

/// What to do.
struct Options {
    stops: usize,
    seed: u64,
    only: Option<String>,
}

impl Options {
    /// `None` when nothing is to be done: a filter of `cargo test` that means other tests, or a list.
    fn read(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let mut options = Self {
            stops: FEW,
            seed: now.map_or(1, |now| now.as_secs() % 1_000_000),
            only: None,
        };
        while let Some(word) = words.next() {
            let mut number = || {
                let value = words.next().and_then(|value| value.parse().ok());
                value.unwrap_or_else(|| panic!("{word} wants a number"))
            };
            match word.as_str() {
                "--stops" => options.stops = number() as usize,
                "--seed" => options.seed = number(),
                "--only" => options.only = words.next(),
                "--list" => {
                    println!("stops: test");
                    return None;
                }
                // What `cargo test` may pass to every harness.
                "--test-threads" | "--skip" | "--format" | "--color" => drop(words.next()),
                flag if flag.starts_with('-') => {}
                filter if "stops".contains(filter) => {}
                _ => return None,
            }
        }
        Some(options)
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// A part of a duration.
    fn moment(&mut self, whole: std::time::Duration) -> std::time::Duration {
        whole.mul_f64((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    fn signal(&mut self) -> Signal {
        [Signal::Interrupt, Signal::Terminate, Signal::Kill][self.below(3) as usize]
    }
}

/// What was done.
#[derive(Default)]
struct Tally {
    stops: usize,
    runs: usize,
    by_signal: [usize; 3],
    half_written: usize,
}

impl Tally {
    fn count(&mut self, signal: Signal, half_written: bool) {
        self.stops += 1;
        self.by_signal[signal as usize] += 1;
        self.half_written += usize::from(half_written);
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [interrupt, terminate, kill] = self.by_signal;
        write!(
            f,
            "SIGINT {interrupt}, SIGTERM {terminate}, SIGKILL {kill}; {} left a file half written under another name",
            self.half_written
        )
    }
}
