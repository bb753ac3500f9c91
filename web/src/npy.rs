//! Fields as NumPy files, for the download buttons. Format 1.0, little-endian `f32`, C order.

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

#[cfg(test)]
mod tests {
    use super::*;

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
