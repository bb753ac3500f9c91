//! How many units a kernel is launched with, and whether its 32-bit indices can number what they work on.

use burn_cubecl::tensor::CubeTensor;
use cubecl::{calculate_cube_count_elemwise, prelude::*};

use crate::nn::ops::TOO_MANY_VALUES;

/// Indices inside our kernels are 32 bits wide, as every GPU has them.
const INDICES: u64 = 1 << 32;

/// Cubes for `rows` rows of `length` elements, with `units_per_row` units each.
///
/// # Panics
/// If an index would wrap, with what to do about it: a wrong field would look like a right one.
pub(super) fn geometry(
    out: &CubeTensor,
    rows: usize,
    units_per_row: usize,
    length: usize,
) -> (CubeCount, CubeDim) {
    let units = rows.saturating_mul(units_per_row);
    let dim = CubeDim::new(&out.client, units);
    let cubes = calculate_cube_count_elemwise(&out.client, units, dim);
    let launched = match &cubes {
        CubeCount::Static(x, y, z) => [*x, *y, *z, dim.num_elems()]
            .into_iter()
            .map(u64::from)
            .fold(1, u64::saturating_mul),
        CubeCount::Dynamic(_) => units as u64,
    };
    let wide = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    if let Err(why) = check_indices(launched, wide(rows), wide(units_per_row), wide(length)) {
        panic!("{why}");
    }
    (cubes, dim)
}

/// Refuses a launch in which the number of an element, or the first of a row behind the last, is above 32 bits.
fn check_indices(launched: u64, rows: u64, units_per_row: u64, length: u64) -> Result<(), String> {
    // Launches are rounded up, and a unit finds by the first element of its row that it has nothing to do.
    let rows_launched = (launched / units_per_row.max(1)).max(rows) + 1;
    if launched <= INDICES && rows_launched.saturating_mul(length) <= INDICES {
        return Ok(());
    }
    Err(format!(
        "a kernel would work on {rows} rows of {length} values, but its {TOO_MANY_VALUES} in all: take fewer cases or \
         members at once"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units of a launch that is rounded up to whole cubes of 256.
    fn checked(rows: u64, length: u64) -> Result<(), String> {
        let units_per_row = length.div_ceil(64) * 16;
        let launched = (rows * units_per_row).next_multiple_of(256);
        check_indices(launched, rows, units_per_row, length)
    }

    #[test]
    fn what_32_bits_can_number_is_launched() {
        // The hidden field of the ERA5 network: 10 x 160 x 220 points of 128 channels.
        let era5 = 352_000 * 128;
        checked(8 * 3, era5).expect("a batch of 8 with three members");
        checked(16 * 3, era5).expect("a batch of 16 with three members");
        checked(1, 1).expect("one value");
        checked(1 << 20, 1).expect("many short rows");
    }

    #[test]
    fn what_32_bits_cannot_number_is_refused_with_a_sentence() {
        let era5 = 352_000 * 128;
        // 1.7 times 2^32 elements.
        let message = checked(16 * 10, era5).expect_err("refused");
        assert!(message.contains("160 rows of 45056000 values"), "{message}");
        assert!(message.contains("fewer cases or members"), "{message}");
        assert!(message.contains(TOO_MANY_VALUES), "{message}");
        // The first row behind the last would wrap to 0 and be written again.
        checked(1 << 12, 1 << 20).expect_err("2^32 elements, and a row behind them");
        checked((1 << 12) - 2, 1 << 20).expect("one row less, and one behind it");
        checked(1, 1 << 33).expect_err("one row too long");
        check_indices(u64::MAX, 1, 1, 1).expect_err("too many units");
    }
}
