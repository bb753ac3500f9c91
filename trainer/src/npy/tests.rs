//! Files written by numpy 2.4.6, as hexadecimal text; runs of spaces in headers are spelled out by `{n}`.

use super::*;

/// `[[1.5, -2, 3.25], [0, 0.001, -1e6]]` as little-endian float32.
const F4: &str = "\
    934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73652c\
    20277368617065273a2028322c2033292c207d{58}0a0000c03f000000c000005040000000006f12833a002474c9";
/// The same, big-endian.
const F4_BIG: &str = "\
    934e554d5059010076007b276465736372273a20273e6634272c2027666f727472616e5f6f72646572273a2046616c73652c\
    20277368617065273a2028322c2033292c207d{58}0a3fc00000c000000040500000000000003a83126fc9742400";
/// The same as float64.
const F8: &str = "\
    934e554d5059010076007b276465736372273a20273c6638272c2027666f727472616e5f6f72646572273a2046616c73652c\
    20277368617065273a2028322c2033292c207d{58}0a000000000000f83f00000000000000c00000000000000a4000000000\
    00000000fca9f1d24d62503f0000000080842ec1";
/// The same as big-endian float64.
const F8_BIG: &str = "\
    934e554d5059010076007b276465736372273a20273e6638272c2027666f727472616e5f6f72646572273a2046616c73652c\
    20277368617065273a2028322c2033292c207d{58}0a3ff8000000000000c000000000000000400a00000000000000000000\
    000000003f50624dd2f1a9fcc12e848000000000";
/// The same as float32 in format version 2.0.
const F4_V2: &str = "\
    934e554d50590200740000007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73\
    652c20277368617065273a2028322c2033292c207d{56}0a0000c03f000000c000005040000000006f12833a002474c9";
/// `[1.5]`.
const LINE: &str = "\
    934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73652c\
    20277368617065273a2028312c292c207d{60}0a0000c03f";
/// `1.5`.
const NUMBER: &str = "\
    934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73652c\
    20277368617065273a2028292c207d{62}0a0000c03f";
/// The table in column-major order.
const FORTRAN: &str = "\
    934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a20547275652c20\
    277368617065273a2028322c2033292c207d{59}0a0000c03f00000000000000c06f12833a00005040002474c9";
/// `[1, 2]` as int32.
const INTEGERS: &str = "\
    934e554d5059010076007b276465736372273a20273c6934272c2027666f727472616e5f6f72646572273a2046616c73652c\
    20277368617065273a2028322c292c207d{60}0a0100000002000000";

fn bytes_of(text: &str) -> Vec<u8> {
    let (head, rest) = text.split_once('{').expect("padding");
    let (padding, tail) = rest.split_once('}').expect("padding");
    let digits = format!(
        "{head}{}{tail}",
        "20".repeat(padding.parse().expect("a number"))
    );
    let digit = |c: u8| (c as char).to_digit(16).expect("a digit") as u8;
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

fn table() -> Array {
    Array {
        shape: vec![2, 3],
        values: vec![1.5, -2.0, 3.25, 0.0, 1e-3, -1e6],
    }
}

fn refusal(bytes: &[u8]) -> String {
    decode(bytes).expect_err("refused").to_string()
}

#[test]
fn what_numpy_wrote_is_read_whatever_the_width_order_and_version() {
    for text in [F4, F4_BIG, F8, F8_BIG, F4_V2] {
        assert_eq!(decode(&bytes_of(text)).expect("read"), table());
    }
    assert_eq!(decode(&bytes_of(LINE)).expect("read").shape, [1]);
    let number = decode(&bytes_of(NUMBER)).expect("read");
    assert_eq!((number.shape, number.values), (vec![], vec![1.5]));
}

#[test]
fn what_we_write_is_what_numpy_writes() {
    let Array { shape, values } = table();
    assert_eq!(encode(&shape, &values), bytes_of(F4));
    assert_eq!(encode(&[1], &[1.5]), bytes_of(LINE));
    assert_eq!(encode(&[], &[1.5]), bytes_of(NUMBER));
}

#[test]
fn values_start_at_a_multiple_of_64_for_any_shape() {
    for axes in 0..12 {
        let bytes = encode(&vec![1; axes], &[7.0]);
        assert_eq!((bytes.len() - 4) % ALIGNMENT, 0, "{axes} axes");
        assert_eq!(decode(&bytes).expect("read").shape, vec![1; axes]);
    }
}

#[test]
fn other_types_and_orders_say_how_to_save_them() {
    assert!(refusal(&bytes_of(FORTRAN)).contains("ascontiguousarray"));
    assert!(refusal(&bytes_of(INTEGERS)).contains("astype"));
}

#[test]
fn every_truncation_is_refused() {
    let bytes = bytes_of(F4);
    for length in 0..bytes.len() {
        refusal(&bytes[..length]);
    }
    let mut long = bytes;
    long.push(0);
    assert!(refusal(&long).contains("25 bytes"));
}

#[test]
fn lying_headers_are_refused_without_an_allocation() {
    let header = |text: &str| {
        [
            MAGIC,
            &[1, 0],
            &(text.len() as u16).to_le_bytes(),
            text.as_bytes(),
        ]
        .concat()
    };
    for (text, word) in [
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 2), }",
            "too large",
        ),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }",
            "does not fit",
        ),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
            "shape is (-1,)",
        ),
        ("{'descr': '<f4', 'fortran_order': False}", "no `shape`"),
        (
            "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }",
            "Maybe",
        ),
        ("\u{7f}", "no `fortran_order`"),
    ] {
        let message = refusal(&header(text));
        assert!(message.contains(word), "{message}");
    }
    assert!(refusal(&[MAGIC, &[9, 0, 0, 0]].concat()).contains("9.0"));
    assert!(refusal(&[MAGIC, &[2, 0, 255, 255, 255, 255]].concat()).contains("at most"));
}

#[test]
fn a_file_that_is_longer_than_its_header_says_is_refused_unread() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.npy");
    fs::write(&path, bytes_of(F4)).expect("written");
    assert_eq!(read(&path).expect("read"), table());
    // Nothing but the header is on the disk.
    let file = fs::File::options().write(true).open(&path);
    file.and_then(|file| file.set_len(10_000_000_000))
        .expect("longer");
    let message = format!("{:#}", read(&path).expect_err("refused"));
    assert!(
        message.contains("does not fit its 9999999872 bytes"),
        "{message}"
    );
}

#[test]
fn a_shape_is_refused_before_its_values_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.npy");
    fs::write(&path, bytes_of(F4)).expect("written");
    let refused = read_if(&path, |shape| bail!("{shape:?} is not wanted"));
    let message = refused.expect_err("refused").to_string();
    assert_eq!(message, "[2, 3] is not wanted");
    assert_eq!(read_if(&path, |_| Ok(())).expect("read"), table());
}
