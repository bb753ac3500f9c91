//! What the fuzzer calls: everything that reads files from elsewhere, from bytes to values.
//!
//! `fuzz/` compiles this file with libFuzzer, and `tests/fuzz_replay.rs` runs the inputs of `fuzz/corpus/` through it. An input
//! that is refused is as good as one that is read: only a panic, a wait without end or memory without end is a finding.

mod hdf5;
mod scratch;

use std::ops::Range;
use std::path::Path;

use pno::spec::{Experiment, Method, Profile};
use pno::task::Task;

use self::scratch::Scratch;
use crate::data::sources::arrays::config::{Config, frames};
use crate::data::{Dataset, Size, Split};
use crate::experiments::{Choice, Own, Recipe};
use crate::formats::{Archive, Options, Variable, cf, open};
use crate::train::settings::{Override, Settings};

/// Values of a variable that are read: a shape may be absurd.
const MOST_VALUES: usize = 1 << 12;
/// Variables of a file that are read.
const MOST_VARIABLES: usize = 12;

/// NumPy's arrays, as a whole and block by block; what one reader takes the other takes too, with the same values.
pub fn npy(bytes: &[u8]) {
    Scratch::with(|scratch| {
        let path = scratch.file("array.npy", bytes);
        let whole = crate::npy::read(&path);
        let Ok(archive) = open(&path.to_string_lossy(), &Options::default()) else {
            assert!(whole.is_err(), "read as a whole, but refused as an archive");
            return;
        };
        corners(archive.as_ref());
        if let Ok(whole) = whole {
            let variable = &archive.variables()[0];
            assert_eq!(whole.shape, variable.shape, "two shapes of one array");
            let block: Vec<Range<usize>> = whole.shape.iter().map(|&size| 0..size).collect();
            let values = archive.read(variable, &block).expect("one of them read it");
            let same = |(a, b): (&f32, &f64)| a.to_bits() == (*b as f32).to_bits() || a.is_nan();
            assert!(whole.values.iter().zip(&values).all(same), "two values");
            assert_eq!(whole.values.len(), values.len());
        }
    });
}

/// GRIB of both editions: as it is, and with the length and the end of its message put right, which nearly every change breaks.
pub fn grib(bytes: &[u8]) {
    file("fields.grib", bytes);
    if bytes.len() < 20 {
        return;
    }
    let mut whole = bytes.to_vec();
    let length = whole.len();
    whole[..4].copy_from_slice(b"GRIB");
    whole[length - 4..].copy_from_slice(b"7777");
    if whole[7] == 1 {
        whole[4..7].copy_from_slice(&(length as u32).to_be_bytes()[1..]);
    } else {
        whole[7] = 2;
        whole[8..16].copy_from_slice(&(length as u64).to_be_bytes());
    }
    if whole != bytes {
        file("fields.grib", &whole);
    }
}

/// NetCDF of every kind, and HDF5: as it is, and with true checksums.
pub fn netcdf(bytes: &[u8]) {
    // The ending decides what happens where HDF5 is no NetCDF after all.
    let name = if bytes.len().is_multiple_of(2) {
        "a.nc"
    } else {
        "a.h5"
    };
    file(name, bytes);
    if let Some(whole) = hdf5::repaired(bytes) {
        file(name, &whole);
    }
}

fn file(name: &str, bytes: &[u8]) {
    Scratch::with(|scratch| {
        let path = scratch.file(name, bytes);
        if let Ok(archive) = open(&path.to_string_lossy(), &Options::default()) {
            corners(archive.as_ref());
        }
    });
}

/// A Zarr folder, as one of others and as a data set of ours. The input is its files, each a line `@PATH` and then its
/// contents.
pub fn zarr(bytes: &[u8]) {
    Scratch::with(|scratch| {
        let folder = scratch.folder(bytes);
        if let Ok(archive) = open(&folder.to_string_lossy(), &Options::default()) {
            corners(archive.as_ref());
        }
        data_set(&folder);
    });
}

/// A folder as a data set of ours, every case of it.
fn data_set(folder: &Path) {
    let Ok(data) = Dataset::open(folder) else {
        return;
    };
    if data.cases().saturating_mul(data.task().output_values()) > MOST_VALUES {
        return;
    }
    for split in Split::ALL {
        let Ok(loaded) = data.load(split) else {
            continue;
        };
        assert_eq!(loaded.len(), data.split(split).len());
        let values = data.task_of(split).output_values();
        for case in 0..loaded.len() {
            assert_eq!(loaded.case(case).truth.len(), values);
            if data.check_steps(2).is_ok() {
                assert_eq!(loaded.truth(case, 2).len(), values);
            }
        }
    }
}

/// TOML that people write: settings of a run, an experiment of one's own, arrays of one's own.
pub fn experiment(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(settings) = Settings::from_toml(text) {
        again(&settings);
    }
    if let Ok(own) = Own::parse(text) {
        let experiment = own.wish.experiment.unwrap_or(Experiment::Ks);
        let task = Task::published(experiment);
        let choice = Choice {
            experiment,
            operator: own
                .wish
                .operator
                .or(task.as_ref().map(Recipe::usual_operator))
                .unwrap_or(pno::spec::Operator::Fno),
            method: own.wish.method.unwrap_or(Method::PnoD),
            profile: own.wish.profile.unwrap_or(Profile::Fixed),
            size: own.wish.size.unwrap_or(Size::Demo),
            variants: &own.wish.variants,
            task: task.as_ref(),
        };
        if let Ok(settings) = Settings::chosen(&choice, Some(&own.layers)) {
            again(&settings);
        }
    }
    if let Ok(config) = Config::parse(text)
        && let Some(chosen) = &config.frames
    {
        let _ = (frames(&chosen.input), frames(&chosen.output));
    }
    for line in text.lines().take(4) {
        let _ = line.parse::<Override>();
    }
}

/// Settings that were taken are written and taken again.
fn again(settings: &Settings) {
    let text = settings.to_toml().expect("settings are TOML");
    let read = Settings::from_toml(&text).expect("settings that were taken before");
    assert_eq!(read.to_toml().expect("TOML"), text);
    settings.pairs().expect("settings are pairs");
    let train = &settings.train;
    let stages = 0..=train.stages.len();
    assert!(stages.map(|s| train.steps_of(s)).all(|s| s >= 1));
    let _ = (train.all_epochs(), train.most_steps());
}

/// Reads the first and the last values of every variable.
fn corners(archive: &dyn Archive) {
    assert!(!archive.place().is_empty());
    for variable in archive.variables().iter().take(MOST_VARIABLES) {
        assert!(archive.rows_together(variable) >= 1);
        times(variable);
        let mut left = MOST_VALUES;
        let first = variable.shape.iter().map(|&size| {
            let taken = size.min(left);
            left /= taken.max(1);
            0..taken
        });
        let first: Vec<Range<usize>> = first.collect();
        let last = variable.shape.iter().zip(&first);
        let last: Vec<Range<usize>> = last.map(|(&n, first)| n - first.len()..n).collect();
        for block in [first, last] {
            read(archive, variable, &block);
        }
    }
}

/// What the unit of a time axis says, if it is one.
fn times(variable: &Variable) {
    let calendar = variable.attributes.get("calendar");
    let calendar = calendar.and_then(serde_json::Value::as_str);
    let unit = variable
        .units()
        .map(|units| cf::seconds_from(units, calendar));
    if let Some(Ok(unit)) = unit {
        for value in [0.0, 1.0, -1e9, 1e300, f64::NAN] {
            let _ = cf::format_date(unit.seconds(value));
        }
    }
}

fn read(archive: &dyn Archive, variable: &Variable, block: &[Range<usize>]) {
    if let Ok(values) = archive.read(variable, block) {
        let wanted: usize = block.iter().map(ExactSizeIterator::len).product();
        assert_eq!(values.len(), wanted, "{block:?} of {}", variable.name);
    }
}
