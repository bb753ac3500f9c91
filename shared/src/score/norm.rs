//! The norm of a field.

/// Root mean square of a field: the norm of the flat domains, where the extent of each axis is 1.
///
/// NaN for a field without points, and for a field with a NaN.
pub fn rms(field: &[f32]) -> f64 {
    let squares: f64 = field.iter().map(|&v| f64::from(v).powi(2)).sum();
    (squares / field.len() as f64).sqrt()
}

/// Lanes of the sum below, so that the compiler can use vector registers without changing the result's order by itself.
const LANES: usize = 8;

/// Sum of squared differences: differences are exact to `f32` rounding, their squares are summed in `f64`.
///
/// Never `‖a‖² + ‖b‖² - 2 a·b`: that formula gives equal members a distance.
pub(crate) fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0_f64; LANES];
    let (a_lanes, b_lanes) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a_lanes.remainder().iter().zip(b_lanes.remainder());
    let rest: f64 = rest.map(|(&a, &b)| f64::from(a - b).powi(2)).sum();
    for (a, b) in a_lanes.zip(b_lanes) {
        for lane in 0..LANES {
            let difference = f64::from(a[lane] - b[lane]);
            sums[lane] += difference * difference;
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_norm_is_the_root_mean_square() {
        assert_eq!(rms(&[3.0, -4.0]), 12.5_f64.sqrt());
        assert!(rms(&[1.0, f32::NAN]).is_nan());
    }

    #[test]
    fn the_distance_is_the_same_for_lengths_on_both_sides_of_a_lane() {
        for points in [0_i64, 1, 7, 8, 9, 31] {
            let a: Vec<f32> = (0..points).map(|i| (i * i) as f32).collect();
            let b: Vec<f32> = (0..points).map(|i| 3.0 * i as f32).collect();
            let wanted: i64 = (0..points).map(|i| (i * i - 3 * i).pow(2)).sum();
            assert_eq!(squared_distance(&a, &b), wanted as f64);
        }
    }

    #[test]
    fn equal_fields_have_no_distance() {
        let field: Vec<f32> = (0..1000).map(|i| (f64::from(i)).sin() as f32).collect();
        assert_eq!(squared_distance(&field, &field), 0.0);
    }
}
