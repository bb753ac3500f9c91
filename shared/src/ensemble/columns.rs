//! The values of all members at one point, next to each other.

/// Points gathered at once: a cache line of every member is read whole, and the work space stays small.
const BLOCK: usize = 64;

/// Calls `visit(point, column)` for every point of `members` (`[member, points]`), with the members' values at that
/// point. The column may be changed, for example sorted. Memory is members × 64 values, whatever the number of points.
///
/// # Panics
/// If `members` is not a whole number of fields.
pub(crate) fn for_each_column(
    members: &[f32],
    points: usize,
    mut visit: impl FnMut(usize, &mut [f32]),
) {
    let count = member_count(members, points);
    if count == 0 {
        return;
    }
    let mut block = vec![0.0_f32; BLOCK.min(points) * count];
    for start in (0..points).step_by(BLOCK) {
        let width = BLOCK.min(points - start);
        for (m, field) in members.chunks_exact(points).enumerate() {
            for (p, &value) in field[start..start + width].iter().enumerate() {
                block[p * count + m] = value;
            }
        }
        for (p, column) in block[..width * count].chunks_exact_mut(count).enumerate() {
            visit(start + p, column);
        }
    }
}

/// Number of fields of `points` values in `members`.
///
/// # Panics
/// If that is not a whole number.
pub(crate) fn member_count(members: &[f32], points: usize) -> usize {
    assert!(
        points > 0 && members.len().is_multiple_of(points),
        "an ensemble of fields of {points} points has {} values, which is not a whole number of fields",
        members.len()
    );
    members.len() / points
}

/// Sorts a column upwards. Returns false, and leaves it as it is, if it holds a NaN.
///
/// Floats sort twice as fast as integers of the same order.
pub(crate) fn sort(column: &mut [f32]) -> bool {
    if column.iter().any(|value| value.is_nan()) {
        return false;
    }
    let keys: &mut [i32] = bytemuck::cast_slice_mut(column);
    keys.iter_mut().for_each(flip);
    keys.sort_unstable();
    keys.iter_mut().for_each(flip);
    true
}

/// Between the bits of a float and an integer of the same order: negative floats have their magnitude turned over.
fn flip(bits: &mut i32) {
    *bits ^= ((*bits >> 31) as u32 >> 1) as i32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_the_stride_of_its_point() {
        for points in [1, 63, 64, 65, 200] {
            let members: Vec<f32> = (0..3 * points).map(|i| i as f32).collect();
            let mut seen = 0;
            for_each_column(&members, points, |point, column| {
                assert_eq!(point, seen);
                let wanted: Vec<f32> = (0..3).map(|m| (m * points + point) as f32).collect();
                assert_eq!(column, wanted);
                seen += 1;
            });
            assert_eq!(seen, points);
        }
    }

    #[test]
    fn columns_are_sorted_by_value() {
        let mut column = [
            1.0,
            -0.5,
            f32::INFINITY,
            -3e-40,
            0.0,
            -7.0,
            f32::NEG_INFINITY,
            2e-40,
        ];
        assert!(sort(&mut column));
        let wanted = [
            f32::NEG_INFINITY,
            -7.0,
            -0.5,
            -3e-40,
            0.0,
            2e-40,
            1.0,
            f32::INFINITY,
        ];
        assert_eq!(column, wanted);
        let mut broken = [1.0, f32::NAN, 0.0];
        assert!(!sort(&mut broken));
        assert_eq!((broken[0], broken[2]), (1.0, 0.0));
    }

    #[test]
    fn an_ensemble_without_members_has_no_columns() {
        for_each_column(&[], 5, |_, _| panic!("there is nothing to visit"));
    }
}
