//! Data sets of ours and imports with bytes changed: what is above the readers takes no more on trust than they do.

use std::path::{Path, PathBuf};

use super::damage::{copy, with_changes};
use super::*;
use crate::data::era5::{Cutting, Request, Selection};
use crate::data::missing::Missing;
use crate::data::sources::{Arrays, Era5};
use crate::data::{Dataset, Source, Split, write};

/// Rows that are read: what a description claims may be absurd.
const MOST_ROWS: usize = 64;

/// The made-up temperature over 48 steps, as a folder of Zarr and as NetCDF.
fn temperature(name: &str) -> PathBuf {
    super::path("../era5").join(name)
}

/// Whether something worked; where it did not, it says so in a sentence.
fn worked<T>(outcome: anyhow::Result<T>) -> Option<T> {
    outcome
        .inspect_err(|error| {
            let message = format!("{error:#}");
            assert!(message.len() < 2000, "a sentence: {message}");
        })
        .ok()
}

fn selection(source: &Path) -> Option<Selection> {
    let archive = worked(open(&source.to_string_lossy(), &Options::default()))?;
    let request = Request {
        region: Some("30..60,-30..45".parse().expect("a box")),
        ..Request::default()
    };
    worked(Selection::open(vec![archive], &request))
}

/// The windows of a file, masked where the first row has no value.
fn windows(source: &Path) -> Option<Era5> {
    let cutting = Cutting {
        inputs: 2,
        outputs: 2,
        ..Cutting::default()
    };
    let sources = [source.to_string_lossy().into_owned()];
    worked(Era5::new(
        selection(source)?,
        &sources,
        &cutting,
        Missing::Mask,
    ))
}

/// The first rows of what is to be imported.
fn rows(source: &dyn Source) -> Option<()> {
    let rows = source.contents().rows.number().min(MOST_ROWS);
    worked(worked(source.maker())?.rows(0..rows)).map(drop)
}

/// Every import of a file, by all that can read it.
fn import(source: &Path, toml: &Path) -> bool {
    let read = selection(source).and_then(|selection| {
        let rows = selection.times.len().min(MOST_ROWS);
        worked(selection.read(0..rows))
    });
    let windows = windows(source).and_then(|windows| rows(&windows));
    let arrays = worked(Arrays::open(toml, &Options::default(), None));
    let arrays = arrays.and_then(|arrays| rows(&arrays));
    read.is_some() && windows.is_some() && arrays.is_some()
}

#[test]
fn changed_files_never_bring_an_import_down() {
    let room = tempfile::tempdir().expect("a folder");
    let (folder, toml) = (room.path().join("wb2.zarr"), room.path().join("set.toml"));
    copy(&temperature("wb2.zarr"), &folder);
    let field = "name = \"t\"\nfile = \"wb2.zarr\"\nvariable = \"2m_temperature\"\n";
    let text = format!(
        "title = \"a series\"\n[windows]\nsteps = 2\n[[inputs]]\n{field}[[outputs]]\n{field}"
    );
    std::fs::write(&toml, text).expect("written");
    assert!(import(&folder, &toml), "the copy is as good as the fixture");
    let refused = with_changes(&folder, 1 << 33, || import(&folder, &toml));
    assert!(refused > 50, "{refused}");
}

/// Reads a data set as training, scoring and `pno data info` do.
fn load(folder: &Path) -> bool {
    let Some(data) = worked(Dataset::open(folder)) else {
        return false;
    };
    let mut fine = worked(data.fingerprint()).is_some() & worked(data.statistics()).is_some();
    let steps = [1, 2, 3].map(|steps| worked(data.check_steps(steps)).is_some());
    for split in Split::ALL
        .into_iter()
        .filter(|s| !data.split(*s).is_empty())
    {
        let Some(loaded) = worked(data.load(split)) else {
            fine = false;
            continue;
        };
        let values = data.task_of(split).output_values();
        for case in 0..loaded.len() {
            assert_eq!(loaded.case(case).truth.len(), values);
            for (steps, possible) in (1..).zip(steps) {
                assert!(!possible || loaded.truth(case, steps).len() == values);
            }
        }
    }
    fine
}

#[test]
fn changed_data_sets_never_bring_a_command_down() {
    let room = tempfile::tempdir().expect("a folder");
    let (cases, series) = (room.path().join("cases"), room.path().join("series"));
    let sound = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hostile/sound-own.zarr");
    copy(&sound, &cases);
    let windows = windows(&temperature("cds.nc")).expect("windows");
    write(&windows, &series, false, |_| {}).expect("written");
    for (folder, first) in [(cases, 1 << 34), (series, 1 << 35)] {
        let name = folder.display();
        assert!(load(&folder), "{name} is sound");
        let refused = with_changes(&folder, first, || load(&folder));
        assert!(refused > 50, "{name}: {refused}");
    }
}
