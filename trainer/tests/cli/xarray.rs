//! What a Python user sees.

use std::process::Command;

use crate::{Room, zarr_values};

const SCRIPT: &str = r#"
import sys, warnings
warnings.simplefilter("error")
import xarray
data = xarray.open_zarr(sys.argv[1])
assert data.u.dims == ("case", "time", "x"), data.u.dims
assert dict(data.sizes) == {"case": 8, "time": 40, "x": 256}, data.sizes
assert data.time.values.tolist() == [2.0 * i for i in range(40)]
assert data.x.values[1] == 100 / 256
assert data.attrs["experiment"] == "ks" and data.attrs["seed"] == 3
assert sorted(data.split.values.tolist()) == [0, 0, 0, 0, 0, 0, 1, 2]
print(float(data.u.isel(case=7, time=39, x=255)))
"#;

#[test]
fn xarray_opens_a_data_set_without_a_word() {
    let python = |arguments: &[&str]| Command::new("python3").args(arguments).output();
    if !python(&["-c", "import xarray, zarr"]).is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: python3 with xarray and zarr is not installed here");
        return;
    }
    let room = Room::new();
    let folder = room.tiny_data();
    let output = python(&["-c", SCRIPT, &folder.to_string_lossy()]).expect("python starts");
    assert!(output.status.success(), "{}", crate::text(&output.stderr));
    let last: f64 = crate::text(&output.stdout)
        .trim()
        .parse()
        .expect("a number");
    assert_eq!(
        zarr_values(&folder, "u").last().map(|&v| f64::from(v)),
        Some(last)
    );
}
