//! Colour tables for fields, shared by the page and the figures.
//!
//! [`VIK`], [`BERLIN`], [`BATLOW`], [`LAPAZ`], [`LAJOLLA`] and [`DEVON`] are from the *Scientific colour maps* by Fabio Crameri (MIT licence, the notice
//! is beside this file; doi 10.5281/zenodo.1243862): equal steps of the value look equal, also to readers who see
//! colours differently.
//! Crameri, Shephard & Heron, "The misuse of colour in science communication", Nature Communications 11 (2020).

/// Red, green and blue of 256 steps from the lowest to the highest value.
pub type Table = [[u8; 3]; 256];

/// Diverging, blue to white to red: fields around zero and signed errors.
pub static VIK: Table = parse(include_str!("vik.hex"));

/// Sequential, dark blue to pale pink: quantities without a natural zero.
pub static BATLOW: Table = parse(include_str!("batlow.hex"));

/// Sequential, dark to pale yellow: standard deviations and absolute errors.
pub static LAJOLLA: Table = parse(include_str!("lajolla.hex"));

/// Diverging with a dark middle, light blue to black to rose: the same for a dark page.
pub static BERLIN: Table = parse(include_str!("berlin.hex"));

/// Sequential, dark blue to pale: another choice for quantities without a natural zero.
pub static LAPAZ: Table = parse(include_str!("lapaz.hex"));

/// Sequential, white to dark violet, the published table from its end: probabilities, where nothing is pale and
/// certainty strong.
pub static DEVON: Table = reversed(&parse(include_str!("devon.hex")));

/// Where there is no value.
pub const GREY: [u8; 3] = [128, 128, 128];

/// Colour of a value on a scale from `lo` to `hi`.
///
/// Values beyond an end get that end's colour; NaN gets [`GREY`]; a scale without extent gives the middle.
pub fn lookup(table: &Table, value: f32, lo: f32, hi: f32) -> [u8; 3] {
    if value.is_nan() {
        return GREY;
    }
    let position = (f64::from(value) - f64::from(lo)) / (f64::from(hi) - f64::from(lo));
    // A constant field has lo = hi and no position.
    let position = if position.is_nan() { 0.5 } else { position };
    table[(position * 256.0).clamp(0.0, 255.0) as usize]
}

/// Opaque pixels (red, green, blue, alpha) of a field, four bytes per value, as a canvas takes them.
pub fn rgba(table: &Table, field: &[f32], lo: f32, hi: f32) -> Vec<u8> {
    let pixel = |&value: &f32| {
        let [red, green, blue] = lookup(table, value, lo, hi);
        [red, green, blue, 255]
    };
    field.iter().flat_map(pixel).collect()
}

/// A table from its end.
const fn reversed(table: &Table) -> Table {
    let mut turned = *table;
    let mut i = 0;
    while i < 256 {
        turned[i] = table[255 - i];
        i += 1;
    }
    turned
}

/// Reads 256 times `rrggbb`, with line breaks between, while compiling.
const fn parse(text: &str) -> Table {
    let text = text.as_bytes();
    let mut table = [[0; 3]; 256];
    let (mut i, mut digits) = (0, 0);
    while i < text.len() {
        let digit = match text[i] {
            c @ b'0'..=b'9' => c - b'0',
            c @ b'a'..=b'f' => c - b'a' + 10,
            _ => 16,
        };
        if digit < 16 {
            let channel = &mut table[digits / 6][digits % 6 / 2];
            *channel = *channel * 16 + digit;
            digits += 1;
        }
        i += 1;
    }
    assert!(digits == 256 * 6, "a colour table has 256 entries");
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_tables_are_the_published_colours() {
        assert_eq!(BATLOW[0], [0x01, 0x19, 0x59]);
        assert_eq!(BATLOW[255], [0xfa, 0xcc, 0xfa]);
        assert_eq!(VIK[0], [0x00, 0x12, 0x61]);
        assert_eq!(VIK[255], [0x59, 0x00, 0x08]);
        assert_eq!(LAJOLLA[0], [0x19, 0x19, 0x00]);
        assert_eq!(LAJOLLA[255], [0xff, 0xfe, 0xcb]);
        assert_eq!(BERLIN[0], [0x9e, 0xb0, 0xff]);
        assert_eq!(BERLIN[255], [0xff, 0xad, 0xad]);
        assert_eq!(LAPAZ[0], [0x1a, 0x0c, 0x64]);
        assert_eq!(LAPAZ[255], [0xfe, 0xf2, 0xf3]);
        assert_eq!(DEVON[0], [0xff, 0xff, 0xff]);
        assert_eq!(DEVON[255], [0x2c, 0x1a, 0x4c]);
    }

    #[test]
    fn the_diverging_table_is_palest_in_its_middle() {
        let sum = |entry: &[u8; 3]| entry.iter().map(|&c| u32::from(c)).sum::<u32>();
        let palest = (0..256).max_by_key(|&i| sum(&VIK[i]));
        assert!(palest.is_some_and(|i| (120..=136).contains(&i)));
    }

    #[test]
    fn lightness_rises_or_falls_all_along_a_sequential_table() {
        // Luma of the colours as they are stored, smoothed over 16 steps: equal to grey readers as to others.
        let luma = |c: &[u8; 3]| {
            0.299 * f64::from(c[0]) + 0.587 * f64::from(c[1]) + 0.114 * f64::from(c[2])
        };
        for (table, rising) in [
            (&BATLOW, true),
            (&LAPAZ, true),
            (&LAJOLLA, true),
            (&DEVON, false),
        ] {
            let means: Vec<f64> = table.chunks(16).map(|c| c.iter().map(luma).sum()).collect();
            assert!(means.is_sorted_by(|a, b| (a < b) == rising), "{means:?}");
        }
    }

    #[test]
    fn values_map_to_equal_steps_and_the_ends_hold() {
        assert_eq!(lookup(&BATLOW, -1.0, 0.0, 1.0), BATLOW[0]);
        assert_eq!(lookup(&BATLOW, f32::NEG_INFINITY, 0.0, 1.0), BATLOW[0]);
        assert_eq!(lookup(&BATLOW, 0.0, 0.0, 1.0), BATLOW[0]);
        assert_eq!(lookup(&BATLOW, 0.5, 0.0, 1.0), BATLOW[128]);
        assert_eq!(lookup(&BATLOW, 1.0, 0.0, 1.0), BATLOW[255]);
        assert_eq!(lookup(&BATLOW, f32::INFINITY, 0.0, 1.0), BATLOW[255]);
    }

    #[test]
    fn nan_is_grey_and_a_constant_field_has_the_middle_colour() {
        assert_eq!(lookup(&VIK, f32::NAN, 0.0, 1.0), GREY);
        assert_eq!(lookup(&VIK, 3.0, 3.0, 3.0), VIK[128]);
    }

    #[test]
    fn pixels_are_opaque_and_in_order() {
        let pixels = rgba(&VIK, &[0.0, f32::NAN], 0.0, 1.0);
        assert_eq!(pixels, [0x00, 0x12, 0x61, 255, 128, 128, 128, 255]);
    }
}
