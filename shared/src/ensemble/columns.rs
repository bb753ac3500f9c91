//! Sizes of an ensemble, and the order of floats as integers.

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

/// Between the bits of a float and an integer of the same order: negative floats have their magnitude turned over.
#[inline(always)]
pub(crate) fn flip(bits: &mut i32) {
    *bits ^= ((*bits >> 31) as u32 >> 1) as i32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_the_order_of_their_keys() {
        let rising = [
            f32::NEG_INFINITY,
            -7.0,
            -0.5,
            -3e-40,
            -0.0,
            0.0,
            2e-40,
            1.0,
            f32::INFINITY,
        ];
        let keys = rising.map(|value| {
            let mut key = value.to_bits() as i32;
            flip(&mut key);
            key
        });
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        for (mut key, value) in keys.into_iter().zip(rising) {
            flip(&mut key);
            assert_eq!(key as u32, value.to_bits());
        }
    }

    #[test]
    #[should_panic(expected = "7 values, which is not a whole number of fields")]
    fn a_part_of_a_field_is_refused() {
        member_count(&[0.0; 7], 2);
    }
}
