use super::*;

fn refused(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    let error = open(&path.to_string_lossy(), &Options::default())
        .err()
        .expect("not usable");
    format!("{error:#}")
}

#[test]
fn a_file_of_no_known_kind_is_refused_with_its_first_bytes() {
    let text = refused("photo.nc", b"\xff\xd8JFIF and more");
    assert!(
        text.contains("photo.nc")
            && text.contains(r"`\xff\xd8JFIF a`")
            && text.contains("none of GRIB, NetCDF, HDF5"),
        "{text}"
    );
    let text = refused("new.nc", b"CDF\x09and more");
    assert!(text.contains(r"`CDF\tand `"), "{text}");
}

#[test]
fn files_that_are_empty_or_not_there_get_a_sentence() {
    assert!(refused("a.grib", b"").contains("it is empty"));
    let error = open("no/such/file.nc", &Options::default())
        .err()
        .expect("not there");
    assert!(
        format!("{error:#}").contains("no/such/file.nc: cannot be read"),
        "{error:#}"
    );
}

#[test]
fn the_ending_of_a_name_does_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("renamed.hdf5");
    std::fs::copy(super::path("simple1.grib"), &path).expect("a copy");
    let archive = open(&path.to_string_lossy(), &Options::default()).expect("still GRIB");
    assert_eq!(variable(archive.as_ref(), "t2m").shape, [4, 7, 5]);
    std::fs::copy(super::path("xarray.nc"), &path).expect("a copy");
    let archive = open(&path.to_string_lossy(), &Options::default()).expect("still NetCDF");
    assert_eq!(
        variable(archive.as_ref(), "t2m").dimensions,
        ["time", "latitude", "longitude"]
    );
}

#[test]
fn several_threads_may_read_one_archive() {
    for name in [
        "xarray.nc",
        "scipy.nc",
        "pdebench.hdf5",
        "f4.npy",
        "simple1.grib",
    ] {
        let archive = archive(name);
        let archive = archive.as_ref();
        let whole: Vec<Vec<f64>> = archive
            .variables()
            .iter()
            .map(|one| all(archive, &one.name))
            .collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for (variable, whole) in archive.variables().iter().zip(&whole) {
                        assert_same(&all(archive, &variable.name), whole, &variable.name);
                    }
                });
            }
        });
    }
}
