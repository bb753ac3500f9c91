//! From a folder like WeatherBench2's, written by xarray.

use std::path::Path;

use super::files::boxed;
use crate::data::era5::Selection;
use crate::formats::cf::format_date;
use crate::formats::{Options, zarr};

#[test]
fn a_box_of_weatherbench2_is_what_xarray_wrote() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/zarr/wb2.zarr");
    let archive = zarr::open(&folder.to_string_lossy(), &Options::default()).expect("opens");
    let selection =
        Selection::open(vec![archive], &boxed("22.5..67.5,-45..22.5")).expect("selects");
    assert_eq!(selection.variable, "2m_temperature");
    assert_eq!(selection.latitudes, [22.5, 45.0, 67.5]);
    assert_eq!(selection.longitudes, [-45.0, -22.5, 0.0, 22.5]);
    assert_eq!(format_date(selection.times[9]), "1959-01-03T06:00");
    assert_eq!(selection.rows_together(), 4);
    let mut wanted = Vec::new();
    for t in 2..7 {
        // North first in the file: 22.5 degrees north is entry 3.
        for y in [3, 2, 1] {
            for x in [14, 15, 0, 1] {
                wanted
                    .push((250.0 + f64::from(t) + f64::from(y) / 4.0 + f64::from(x) / 64.0) as f32);
            }
        }
    }
    assert_eq!(selection.read(2..7).expect("reads"), wanted);
}
