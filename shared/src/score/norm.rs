//! Sums of squared differences, which norms are made of ([`Measure::norm`](super::Measure::norm)).

/// Lanes of the sum below, so that the compiler can use vector registers without changing the result's order by itself.
const LANES: usize = 8;

/// Sum of squared differences: differences are exact to `f32` rounding, their squares are summed in `f64`.
///
/// Never `‖a‖² + ‖b‖² - 2 a·b`: that formula gives equal members a distance.
#[inline(always)]
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

/// The same with a weight for each value. A value of weight zero is left out, whatever is there.
#[inline(always)]
pub(crate) fn weighted_squared_distance(a: &[f32], b: &[f32], weights: &[f64]) -> f64 {
    let mut sums = [0.0_f64; LANES];
    let (a_lanes, b_lanes) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let w_lanes = weights.chunks_exact(LANES);
    let rest = a_lanes.remainder().iter().zip(b_lanes.remainder());
    let rest = rest.zip(w_lanes.remainder());
    let rest: f64 = rest.map(|((&a, &b), &w)| weighted_square(a - b, w)).sum();
    for ((a, b), w) in a_lanes.zip(b_lanes).zip(w_lanes) {
        for lane in 0..LANES {
            sums[lane] += weighted_square(a[lane] - b[lane], w[lane]);
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[inline(always)]
fn weighted_square(difference: f32, weight: f64) -> f64 {
    let difference = f64::from(difference);
    let square = weight * difference * difference;
    if weight == 0.0 { 0.0 } else { square }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_weight_multiplies_the_square_and_zero_leaves_a_nan_out() {
        for points in [3, 8, 13] {
            let a: Vec<f32> = (0..points)
                .map(|i| if i == 1 { f32::NAN } else { i as f32 })
                .collect();
            let weights: Vec<f64> = (0..points)
                .map(|i| if i == 1 { 0.0 } else { 0.5 * f64::from(i) })
                .collect();
            let wanted: f64 = (2..points).map(|i| 0.5 * f64::from(i).powi(3)).sum();
            let zeros = vec![0.0; points as usize];
            assert_eq!(weighted_squared_distance(&a, &zeros, &weights), wanted);
            assert!(weighted_squared_distance(&a, &zeros, &vec![1.0; points as usize]).is_nan());
        }
    }
}
