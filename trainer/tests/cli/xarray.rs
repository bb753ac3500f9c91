//! What a Python user sees.

use std::process::Command;

use crate::skip::skip;
use crate::{Room, zarr_values};

const BEGIN: &str = r#"
import sys, warnings
warnings.simplefilter("error")
import xarray
data = xarray.open_zarr(sys.argv[1])
assert sorted(set(data.split.values.tolist())) == [0, 1, 2], data.split.values
assert data.split.attrs["flag_meanings"] == "train valid test"
assert data.attrs["pno"]["format"] == 2 and data.attrs["title"]
"#;

/// Runs a script on a data set; gives what it prints as a number, or `None` where there is no Python with xarray.
#[track_caller]
fn in_python(folder: &std::path::Path, script: &str) -> Option<f64> {
    let program = std::env::var("PNO_PYTHON").unwrap_or_else(|_| "python3".into());
    let python = |arguments: &[&str]| Command::new(&program).args(arguments).output();
    if !python(&["-c", "import xarray, zarr"]).is_ok_and(|output| output.status.success()) {
        skip(&format!(
            "{program} with xarray and zarr is not installed here"
        ));
        return None;
    }
    let script = format!("{BEGIN}{script}");
    let output = python(&["-c", &script, &folder.to_string_lossy()]).expect("python starts");
    assert!(output.status.success(), "{}", crate::text(&output.stderr));
    Some(
        crate::text(&output.stdout)
            .trim()
            .parse()
            .expect("a number"),
    )
}

#[test]
fn xarray_opens_a_data_set_without_a_word() {
    let room = Room::new();
    let folder = room.tiny_data();
    let script = r#"
assert data.u.dims == ("case", "time", "x"), data.u.dims
assert dict(data.sizes) == {"case": 8, "time": 40, "x": 256}, data.sizes
assert data.time.values.tolist() == [2.0 * i for i in range(40)]
assert data.x.values[1] == 100 / 256
assert data.attrs["experiment"] == "ks" and data.attrs["seed"] == 3
assert sorted(data.split.values.tolist()) == [0, 0, 0, 0, 0, 0, 1, 2]
print(float(data.u.isel(case=7, time=39, x=255)))
"#;
    if let Some(last) = in_python(&folder, script) {
        let found = zarr_values(&folder, "u").last().map(|&v| f64::from(v));
        assert_eq!(found, Some(last));
    }
}

#[test]
fn xarray_finds_names_units_and_coordinates_of_the_sphere() {
    let room = Room::new();
    let words = "data generate sswe --samples 5 --grid 9x16 --frames 2 --out s.zarr";
    room.ok(&words.split(' ').collect::<Vec<_>>());
    let script = r#"
assert data.vorticity.dims == ("case", "time", "latitude", "longitude")
assert data.vorticity.attrs["units"] == "s-1"
assert data.latitude.values[[0, -1]].tolist() == [90.0, -90.0] and data.longitude.values[1] == 22.5
print(float(data.geopotential.isel(case=4, time=1, latitude=8, longitude=15)))
"#;
    if let Some(last) = in_python(&room.path("s.zarr"), script) {
        let found = zarr_values(&room.path("s.zarr"), "geopotential");
        assert_eq!(found.last().map(|&v| f64::from(v)), Some(last));
    }
}

#[test]
fn xarray_finds_the_cells_of_darcy() {
    let room = Room::new();
    let words = "data generate darcy --samples 5 --grid 8 --out d.zarr";
    room.ok(&words.split(' ').collect::<Vec<_>>());
    let script = r#"
assert data.u.dims == ("case", "x", "y") and data.a.dims == data.u.dims
assert abs(data.x.values[1] - 16.5 / 128) < 1e-15
print(float(data.u.sel(x=0.5, y=0.5, method="nearest").isel(case=0)))
"#;
    if let Some(middle) = in_python(&room.path("d.zarr"), script) {
        let found = zarr_values(&room.path("d.zarr"), "u")[4 * 8 + 4];
        assert_eq!(f64::from(found), middle);
    }
}

#[test]
fn xarray_finds_the_dates_of_an_imported_series() {
    let room = Room::new();
    let source = crate::import::fixture("era5/cds.grib");
    let words = ["data", "import", "era5", &source.to_string_lossy(), "--out"];
    let more = ["t.zarr", "--region", "all", "--steps", "2"];
    room.ok(&[&words[..], &more].concat());
    let script = r#"
field = data["2m_temperature"]
assert field.dims == ("time", "latitude", "longitude") and field.attrs["units"] == "K"
assert str(field.time.values[10])[:16] == "2020-02-22T12:00", field.time.values[10]
assert field.latitude.values.tolist() == [15.0, 30.0, 45.0, 60.0, 75.0]
assert data.window_start.dims == ("case",) and data.window_start.values[3] == 3
print(float(field.sel(time="2020-02-29T06:00", latitude=45, longitude=-15)))
"#;
    if let Some(found) = in_python(&room.path("t.zarr"), script) {
        // Step 37 of the formula in fixtures/era5/make.py, packed into 16 bits.
        let wanted = 270.0 + 0.25 * 37.0 + 0.5 * 3.0 - 1.0 / 8.0;
        assert!((found - wanted).abs() < 1e-3, "{found}");
    }
}
