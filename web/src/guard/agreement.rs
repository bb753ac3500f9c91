//! Whether two devices computed the same member.
//!
//! Members are keyed: member 0 of a seed is the same field on every device, to rounding. A driver that leaves a kernel out,
//! a shader that does not compile or a broken GPU gives zeros, old memory or something else of the right shape, which no
//! other check would notice.

use std::fmt;

/// Largest difference of two devices, as the root of its mean square over the standard deviation of the field.
///
/// Devices that work agree to 1e-6 here, and to 1e-3 where a GPU has coarse sines and exponentials and a network is deep. One
/// workgroup of 64 points that is left out of 65 536 is 3e-2, and anything worse is more.
pub const TOLERANCE: f64 = 1e-2;

/// What rounding may change of a value, as a share of the largest one: a field that is the same everywhere has no standard
/// deviation to compare with.
const ROUNDING: f64 = 1e-5;

/// How a member differs from what it should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Difference {
    /// It has another number of values.
    Length {
        /// Values found.
        found: usize,
        /// Values wanted.
        wanted: usize,
    },
    /// So many values are not finite where they should be.
    NotFinite(usize),
    /// All of it is zero.
    Zeros,
    /// So many standard deviations of the field.
    Far(f64),
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Length { found, wanted } => {
                write!(
                    out,
                    "its first member has {found} values instead of {wanted}"
                )
            }
            Self::NotFinite(count) => {
                write!(out, "{count} values of its first member are not finite")
            }
            Self::Zeros => write!(out, "its first member is zero everywhere"),
            Self::Far(share) if *share < 1000.0 => {
                write!(
                    out,
                    "its first member is off by {share:.2} standard deviations"
                )
            }
            Self::Far(_) => write!(
                out,
                "its first member is off by more than 1000 standard deviations"
            ),
        }
    }
}

/// Compares a member `[point, channel]` with what another device made of it. Every channel has its own unit, and is compared
/// for itself; where `wanted` itself is not finite nothing is asked of `found`.
///
/// # Errors
/// Where they differ by more than [`TOLERANCE`].
pub fn agree(found: &[f32], wanted: &[f32], channels: usize) -> Result<(), Difference> {
    if found.len() != wanted.len() {
        return Err(Difference::Length {
            found: found.len(),
            wanted: wanted.len(),
        });
    }
    let pairs = || found.iter().zip(wanted).filter(|(_, w)| w.is_finite());
    let broken = pairs().filter(|(f, _)| !f.is_finite()).count();
    if broken > 0 {
        return Err(Difference::NotFinite(broken));
    }
    let far = (0..channels)
        .map(|channel| distance(found, wanted, channel, channels))
        .fold(0.0, f64::max);
    if far <= TOLERANCE {
        return Ok(());
    }
    let zeros = pairs().all(|(f, _)| *f == 0.0);
    Err(if zeros {
        Difference::Zeros
    } else {
        Difference::Far(far)
    })
}

/// Root of the mean square of the difference of a channel over the standard deviation of what was wanted.
fn distance(found: &[f32], wanted: &[f32], channel: usize, channels: usize) -> f64 {
    let of = |values: &'_ [f32]| {
        let picked: Vec<f64> = values
            .iter()
            .skip(channel)
            .step_by(channels)
            .map(|v| f64::from(*v))
            .collect();
        picked
    };
    let (found, wanted) = (of(found), of(wanted));
    let pairs = || found.iter().zip(&wanted).filter(|(_, w)| w.is_finite());
    let count = pairs().count().max(1) as f64;
    let mean = pairs().map(|(_, w)| w).sum::<f64>() / count;
    let deviation = (pairs().map(|(_, w)| (w - mean).powi(2)).sum::<f64>() / count).sqrt();
    let largest = pairs().map(|(_, w)| w.abs()).fold(0.0, f64::max);
    let rounding = ROUNDING * largest;
    // What rounding explains is no difference.
    let difference = |(f, w): (&f64, &f64)| (f - w).abs().max(rounding) - rounding;
    let difference = (pairs().map(|pair| difference(pair).powi(2)).sum::<f64>() / count).sqrt();
    if difference == 0.0 {
        0.0
    } else {
        difference / deviation.max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two channels of very different units.
    fn member() -> Vec<f32> {
        let value = |i: usize| (0.37 * i as f32).sin();
        (0..500)
            .flat_map(|i| [98_000.0 + 2000.0 * value(i), 5.0 * value(3 * i)])
            .collect()
    }

    fn changed(change: impl Fn(usize, f32) -> f32) -> Result<(), Difference> {
        let wanted = member();
        let found: Vec<f32> = wanted
            .iter()
            .enumerate()
            .map(|(i, v)| change(i, *v))
            .collect();
        agree(&found, &wanted, 2)
    }

    #[test]
    fn the_same_member_to_rounding_is_the_same() {
        assert_eq!(changed(|_, v| v), Ok(()));
        assert_eq!(changed(|_, v| v * (1.0 + 1e-6)), Ok(()));
        // A thousandth of a standard deviation, as a coarse sine makes it.
        assert_eq!(
            changed(|i, v| v + if i % 2 == 0 { 1.5 } else { 0.0035 }),
            Ok(())
        );
    }

    #[test]
    fn zeros_are_not_the_member() {
        assert_eq!(changed(|_, _| 0.0), Err(Difference::Zeros));
        let network_units = member().iter().map(|v| v / 1e5).collect::<Vec<_>>();
        assert_eq!(
            agree(&vec![0.0; 1000], &network_units, 2),
            Err(Difference::Zeros)
        );
    }

    #[test]
    fn a_channel_that_is_wrong_is_found_beside_one_with_larger_numbers() {
        let small = changed(|i, v| if i % 2 == 1 { 0.0 } else { v });
        assert!(
            matches!(small, Err(Difference::Far(far)) if (far - 1.0).abs() < 0.01),
            "{small:?}"
        );
    }

    #[test]
    fn shifted_scaled_and_half_written_fields_are_found() {
        let wanted = member();
        assert!(
            changed(|i, _| wanted[(i + 2) % 1000]).is_err(),
            "a point further"
        );
        assert!(changed(|_, v| v + 0.2).is_err(), "an offset of a channel");
        assert!(changed(|_, v| 1.03 * v).is_err());
        assert!(
            changed(|i, v| if i < 990 { v } else { 0.0 }).is_err(),
            "the last workgroup"
        );
    }

    #[test]
    fn what_is_not_finite_is_found_unless_it_was_wanted() {
        let broken = changed(|i, v| if i == 7 { f32::NAN } else { v });
        assert_eq!(broken, Err(Difference::NotFinite(1)));
        let broken = changed(|i, v| if i % 10 == 0 { f32::INFINITY } else { v });
        assert_eq!(broken, Err(Difference::NotFinite(100)));
        let mut wanted = member();
        let found = wanted.clone();
        wanted[6] = f32::NAN;
        assert_eq!(agree(&found, &wanted, 2), Ok(()), "a point without a value");
    }

    #[test]
    fn a_field_without_a_standard_deviation_is_compared_all_the_same() {
        assert_eq!(agree(&[0.0; 9], &[0.0; 9], 1), Ok(()));
        assert_eq!(agree(&[288.000_03; 9], &[288.0; 9], 1), Ok(()));
        assert_eq!(agree(&[0.0; 9], &[288.0; 9], 1), Err(Difference::Zeros));
        assert!(agree(&[289.0; 9], &[288.0; 9], 1).is_err());
        assert!(agree(&[1e-20; 9], &[0.0; 9], 1).is_err());
        assert_eq!(agree(&[], &[], 1), Ok(()));
    }

    #[test]
    fn another_number_of_values_is_told() {
        let told = agree(&[1.0; 3], &[1.0; 4], 1).expect_err("one is missing");
        assert_eq!(
            told.to_string(),
            "its first member has 3 values instead of 4"
        );
        assert_eq!(
            Difference::Far(0.456).to_string(),
            "its first member is off by 0.46 standard deviations"
        );
    }
}
