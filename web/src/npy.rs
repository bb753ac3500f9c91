//! Fields as NumPy files: those that are saved, and those that a visitor brings.
//!
//! Written: format 1.0, little-endian `f32`, C order. Read: `f32` and `f64`, little-endian, C order, any version.

/// The bytes of an `.npy` file.
///
/// # Panics
/// If `values` does not have as many values as `shape` says.
pub fn encode(values: &[f32], shape: &[usize]) -> Vec<u8> {
    assert_eq!(
        values.len(),
        shape.iter().product::<usize>(),
        "values of an array"
    );
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut header = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}{comma}), }}",
        sizes.join(", ")
    );
    // Magic, version and length take 10 bytes; data must begin at a multiple of 64, after a line end.
    let padding = 63 - (10 + header.len()) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    out
}

/// Longest header that is read; numpy's own have at most a few hundred bytes.
const MOST_HEADER: usize = 1 << 16;
/// Most axes; numpy has no more.
const MOST_AXES: usize = 64;
/// Most values that are read: beyond, a page would not answer any more.
const MOST_VALUES: usize = 64 << 20;

/// An array that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Its sizes, outermost first.
    pub shape: Vec<usize>,
    /// Its values.
    pub values: Vec<f32>,
}

/// Reads an `.npy` file; if it cannot be read, why, as the end of a sentence.
pub fn decode(bytes: &[u8]) -> Result<Array, String> {
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err("it is not a NumPy file (.npy), which begins with \\x93NUMPY".to_owned());
    }
    let cut = || "it ends before its header does".to_owned();
    let byte = |at: usize| bytes.get(at).copied().map(usize::from).ok_or_else(cut);
    let (length, start) = match byte(6)? {
        1 => (byte(8)? + (byte(9)? << 8), 10),
        2 | 3 => {
            let parts = [byte(8)?, byte(9)? << 8, byte(10)? << 16, byte(11)? << 24];
            (parts.iter().sum(), 12)
        }
        version => {
            return Err(format!(
                "its format has the version {version}, and 1 to 3 are read"
            ));
        }
    };
    if length > MOST_HEADER {
        return Err(format!(
            "its header has {length} bytes, and at most {MOST_HEADER} are read"
        ));
    }
    let header = bytes.get(start..start + length).ok_or_else(cut)?;
    let header = std::str::from_utf8(header).map_err(|_| "its header is no text".to_owned())?;
    let text = |key: &str| {
        let (_, rest) = header.split_once(&format!("'{key}':"))?;
        Some(rest.trim_start())
    };
    let missing = |key: &str| format!("its header has no `{key}`");
    let kind = text("descr").ok_or_else(|| missing("descr"))?;
    let width = match kind.get(1..4) {
        Some("<f4") => 4,
        Some("<f8") => 8,
        _ => {
            let found: String = kind
                .split(',')
                .next()
                .unwrap_or_default()
                .chars()
                .take(40)
                .collect();
            return Err(format!(
                "its values are of the type {found}, and '<f4' or '<f8' is wanted"
            ));
        }
    };
    if !text("fortran_order").is_some_and(|order| order.starts_with("False")) {
        return Err(
            "it is in Fortran order, and C order is wanted (numpy.ascontiguousarray)".to_owned(),
        );
    }
    let shape = text("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
    let (shape, _) = shape.ok_or_else(|| missing("shape"))?;
    let sizes = shape
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty());
    let shape: Option<Vec<usize>> = sizes.map(|size| size.parse().ok()).collect();
    let shape = shape.ok_or_else(|| missing("shape"))?;
    if shape.len() > MOST_AXES {
        return Err(format!(
            "it has {} axes, and at most {MOST_AXES} are read",
            shape.len()
        ));
    }
    let count = shape
        .iter()
        .try_fold(1_usize, |n, &size| n.checked_mul(size));
    let count = count.filter(|count| *count <= MOST_VALUES);
    let count = count.ok_or_else(|| {
        format!("it has the shape {shape:?}, and at most {MOST_VALUES} values are read")
    })?;
    let data = &bytes[start + length..];
    if data.len() != count * width {
        return Err(format!(
            "it has {} bytes of values, and its shape {shape:?} wants {}",
            data.len(),
            count * width
        ));
    }
    let values = if width == 4 {
        let four = data.as_chunks::<4>().0.iter();
        four.map(|four| f32::from_le_bytes(*four)).collect()
    } else {
        let eight = data.as_chunks::<8>().0.iter();
        eight
            .map(|eight| f64::from_le_bytes(*eight) as f32)
            .collect()
    };
    Ok(Array { shape, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let values = [1.0, -2.0, 3.5, 0.0, 1e-9, 7.0];
        for shape in [vec![6], vec![2, 3], vec![1, 2, 3]] {
            let read = decode(&encode(&values, &shape)).expect("our own file");
            assert_eq!((read.shape, read.values), (shape, values.to_vec()));
        }
    }

    /// A file as numpy writes it, from its header and data.
    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [
            b"\x93NUMPY\x01\x00".as_slice(),
            &length,
            header.as_bytes(),
            data,
        ]
        .concat()
    }

    #[test]
    fn doubles_are_read_and_everything_else_has_its_sentence() {
        let doubles = file(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n",
            &2.5_f64.to_le_bytes(),
        );
        assert_eq!(decode(&doubles).expect("doubles").values, [2.5]);
        let refused = |bytes: &[u8]| decode(bytes).expect_err("not to be read");
        assert!(refused(b"PK\x03\x04").contains("not a NumPy file"));
        assert!(refused(b"\x93NUMPY\x01\x00").contains("ends before"));
        let kind = file(
            "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }",
            &[0; 8],
        );
        assert!(refused(&kind).contains("type '<i8'"), "{}", refused(&kind));
        let order = file(
            "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }",
            &[0; 4],
        );
        assert!(refused(&order).contains("Fortran order"));
        let short = file(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
            &[0; 20],
        );
        assert!(refused(&short).contains("20 bytes") && refused(&short).contains("wants 24"));
        let huge = file(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }",
            &[],
        );
        assert!(refused(&huge).contains("at most"), "{}", refused(&huge));
        let long = b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec();
        assert!(refused(&long).contains("4294967295 bytes"));
        let axes = format!(
            "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}",
            "1, ".repeat(5000)
        );
        assert!(refused(&file(&axes, &[0; 4])).contains("5000 axes"));
    }

    #[test]
    fn every_hostile_array_of_the_folder_has_its_sentence() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/hostile");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).expect("the folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|ending| ending == "npy") {
                let bytes = std::fs::read(&path).expect("a file");
                let why = decode(&bytes).expect_err("a lie");
                assert!(why.len() < 300, "{}: {why}", path.display());
                seen += 1;
            }
        }
        assert!(seen >= 8, "{seen} arrays");
    }

    #[test]
    fn a_file_has_an_aligned_header_and_its_values() {
        for shape in [vec![6], vec![2, 3], vec![1, 2, 3]] {
            let bytes = encode(&[1.0, -2.0, 3.5, 0.0, 1e-9, 7.0], &shape);
            assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
            let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            assert_eq!((10 + length) % 64, 0);
            let header = std::str::from_utf8(&bytes[10..10 + length]).expect("ASCII");
            assert!(header.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': ("));
            assert!(header.ends_with('\n'));
            assert_eq!(bytes.len(), 10 + length + 24);
            assert_eq!(
                bytes[10 + length + 8..10 + length + 12],
                3.5_f32.to_le_bytes()
            );
        }
        let header = String::from_utf8_lossy(&encode(&[0.0], &[1])).into_owned();
        assert!(header.contains("'shape': (1,), }"), "{header}");
    }
}
