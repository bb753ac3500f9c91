use super::*;

#[test]
fn floats_and_integers_of_every_size_and_byte_order_are_read() {
    let value = |i: &[usize]| i[0] as f64 * 100.0 - i[1] as f64 * 10.0 + i[2] as f64;
    for name in [
        "f4", "f4-big", "f8", "f8-big", "i2", "i4-big", "i8", "version3",
    ] {
        let archive = archive(&format!("{name}.npy"));
        let array = variable(archive.as_ref(), name);
        assert_eq!(array.shape, [3, 4, 5]);
        assert_eq!(array.dimensions, ["", "", ""]);
        assert_blocks(archive.as_ref(), name, value);
    }
    assert_blocks(archive("u2.npy").as_ref(), "u2", |i| value(i) + 40.0);
    // 200 does not fit into a byte with a sign.
    assert_blocks(archive("i1.npy").as_ref(), "i1", |i| {
        f64::from(value(i) as i32 as i8)
    });
}

#[test]
fn what_cannot_be_used_is_refused_with_the_remedy() {
    for (name, part) in [
        ("column-major.npy", "numpy.ascontiguousarray"),
        ("complex.npy", "it holds <c8"),
    ] {
        let error = open(&path(name).to_string_lossy(), &Options::default())
            .err()
            .expect("not usable");
        let text = format!("{error:#}");
        assert!(text.contains(name) && text.contains(part), "{text}");
    }
}
