use super::*;

#[test]
fn the_layout_of_pdebench_is_read() {
    let archive = archive("pdebench.hdf5");
    let names: Vec<&str> = archive
        .variables()
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    assert_eq!(names, ["nu", "tensor", "x-coordinate", "y-coordinate"]);
    let tensor = variable(archive.as_ref(), "tensor");
    assert_eq!(tensor.shape, [4, 1, 16, 16]);
    assert_eq!(tensor.dimensions, ["", "", "", ""]);
    assert_eq!(archive.rows_together(&tensor), 3);
    assert_eq!(archive.rows_together(&variable(archive.as_ref(), "nu")), 1);
    assert_blocks(archive.as_ref(), "nu", |i| {
        i[0] as f64 + i[1] as f64 / 16.0 + i[2] as f64 / 256.0
    });
    assert_blocks(archive.as_ref(), "tensor", |i| {
        (i[0] * 1000 + i[2] * 16 + i[3]) as f64
    });
    assert_blocks(archive.as_ref(), "x-coordinate", |i| {
        (i[0] as f64 + 0.5) / 16.0
    });
}

#[test]
fn groups_integers_byte_orders_and_arrays_that_grow_are_read() {
    let archive = archive("mixed.h5");
    assert_blocks(archive.as_ref(), "outer/inner/big", |i| {
        (i[0] * 4 + i[1]) as f64 * 0.25
    });
    assert_blocks(archive.as_ref(), "short", |i| i[0] as f64 - 3.0);
    assert_blocks(archive.as_ref(), "byte", |i| i[0] as f64 + 250.0);
    assert_blocks(archive.as_ref(), "long", |i| {
        (i[0] as i64 - (1 << 40)) as f64
    });
    assert_same(&all(archive.as_ref(), "single"), &[1.5], "single");
    // Three rows were written; the others are what the file says they are.
    assert_blocks(archive.as_ref(), "grow", |i| {
        if i[0] < 3 {
            (i[0] * 5 + i[1]) as f64
        } else {
            -1.0
        }
    });
    let grow = variable(archive.as_ref(), "grow");
    assert_eq!(grow.units(), Some("m s**-1"));
    assert_eq!(attribute(&grow, "levels"), serde_json::json!([1, 2, 3]));
    assert!(
        archive
            .variables()
            .iter()
            .all(|variable| variable.name != "text")
    );
}

#[test]
fn a_file_of_h5py_with_some_axes_is_read_whole() {
    let archive = archive("axes.h5");
    assert_blocks(archive.as_ref(), "named", |i| i[0] as f64 * 2.0);
    assert_blocks(archive.as_ref(), "unnamed", |i| i[0] as f64);
    assert_blocks(archive.as_ref(), "x", |i| i[0] as f64);
}
