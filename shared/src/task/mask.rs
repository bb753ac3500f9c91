//! Points at which a field never has a value: sea in data of the land, land in data of the sea.

use serde::{Deserialize, Serialize};

/// Largest number of points that a mask may have: a quarter of a degree all over the earth (721 x 1440) fits, and a mask
/// in a file takes 128 KiB at most.
pub const MAX_MASK_POINTS: usize = 1 << 20;

/// The points of a grid at which a field has no value, one bit each, repeated along the axes outside them.
///
/// A field over time, latitude and longitude has a mask of latitude and longitude: what is missing is missing at all times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mask {
    /// Points along each masked axis, outermost first: the last axes of the grid.
    sizes: Vec<usize>,
    /// Point `i` is bit `i % 8`, lowest first, of byte `i / 8`: 1 where there is no value.
    #[serde(with = "bits")]
    bits: Vec<u8>,
}

impl Mask {
    /// The mask of a grid; none where no point is masked.
    pub fn new(sizes: &[usize], is_masked: impl Fn(usize) -> bool) -> Option<Self> {
        let points = sizes.iter().product::<usize>();
        let mut bits = vec![0; points.div_ceil(8)];
        for point in (0..points).filter(|&point| is_masked(point)) {
            bits[point / 8] |= 1 << (point % 8);
        }
        let mask = Self {
            sizes: sizes.to_vec(),
            bits,
        };
        (mask.masked() > 0).then_some(mask)
    }

    /// A mask as it is in a file. [`problem`](Self::problem) says what is wrong with it.
    pub(crate) fn from_parts(sizes: Vec<usize>, bits: Vec<u8>) -> Self {
        Self { sizes, bits }
    }

    /// Sizes of the masked axes.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Number of points, masked or not.
    pub fn points(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Number of points without a value.
    pub fn masked(&self) -> usize {
        self.bits
            .iter()
            .map(|byte| byte.count_ones() as usize)
            .sum()
    }

    /// Bytes that it takes in a file.
    pub(crate) fn bytes(&self) -> usize {
        self.bits.len()
    }

    /// Whether a point of the grid has no value, counted over all axes of the grid.
    pub fn is_masked(&self, point: usize) -> bool {
        let point = point % self.points().max(1);
        let byte = self.bits.get(point / 8).copied().unwrap_or(0);
        byte >> (point % 8) & 1 == 1
    }

    /// Masked where it or another mask of the same grid is.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let (more, less) = if self.points() < other.points() {
            (other, self)
        } else {
            (self, other)
        };
        let either = Self::new(&more.sizes, |i| more.is_masked(i) || less.is_masked(i));
        either.unwrap_or_else(|| more.clone())
    }

    /// What is wrong with it as a mask of a grid of these sizes, and what is wanted instead.
    pub(crate) fn problem(&self, grid: &[usize]) -> Option<(String, String)> {
        let sizes = &self.sizes;
        if sizes.is_empty() || !grid.ends_with(sizes) {
            return Some((
                format!("of sizes {sizes:?}"),
                format!("of the last axes of {grid:?}"),
            ));
        }
        // The sizes are those of a grid that was checked: their product is a number.
        let points = self.points();
        if points > MAX_MASK_POINTS {
            return Some((format!("of {points} points"), "at most 2^20 points".into()));
        }
        let (found, wanted) = (self.bits.len(), points.div_ceil(8));
        if found != wanted {
            let found = format!("{found} bytes");
            return Some((found, format!("{wanted} bytes for {points} points")));
        }
        let beyond = self.bits.last().is_some_and(|&last| {
            let used = points % 8;
            used != 0 && last >> used != 0
        });
        if beyond {
            let found = "of points beyond the last one".to_owned();
            return Some((found, format!("of {points} points alone")));
        }
        let masked = self.masked();
        if masked == 0 || masked == points {
            let found = format!("at {masked} of {points} points");
            return Some((found, "at one at least, and not at all".into()));
        }
        None
    }

    /// The mask on a grid of other sizes: that of the point `from(axis, index)` along every axis. None where no point is
    /// masked there.
    pub(crate) fn taken(
        &self,
        sizes: &[usize],
        from: impl Fn(usize, usize) -> usize,
    ) -> Option<Self> {
        Self::new(sizes, |point| {
            let (mut rest, mut old, mut stride) = (point, 0, 1);
            for axis in (0..sizes.len()).rev() {
                let index = from(axis, rest % sizes[axis]).min(self.sizes[axis] - 1);
                old += index * stride;
                stride *= self.sizes[axis];
                rest /= sizes[axis];
            }
            self.is_masked(old)
        })
    }
}

/// Bytes in a file, hexadecimal digits where people may read.
mod bits {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(bits: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        use std::fmt::Write;
        if !serializer.is_human_readable() {
            return bits.serialize(serializer);
        }
        let mut text = String::with_capacity(2 * bits.len());
        for byte in bits {
            let _ = write!(text, "{byte:02x}");
        }
        text.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        if !deserializer.is_human_readable() {
            return Vec::deserialize(deserializer);
        }
        let text = String::deserialize(deserializer)?;
        let pair = |pair: &[u8]| {
            let digit = |at: usize| char::from(*pair.get(at)?).to_digit(16);
            Some((digit(0)? << 4 | digit(1)?) as u8)
        };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(pair).collect();
        bytes.ok_or_else(|| {
            D::Error::custom("the bits of a mask are no pairs of hexadecimal digits")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask() -> Mask {
        Mask::new(&[3, 4], |i| [1, 5, 11].contains(&i)).expect("some are masked")
    }

    #[test]
    fn bits_are_lowest_first_and_repeat_along_outer_axes() {
        let mask = mask();
        assert_eq!(mask.bits, [0b0010_0010, 0b1000]);
        assert_eq!((mask.points(), mask.masked()), (12, 3));
        for time in 0..3 {
            let found: Vec<usize> = (0..12).filter(|i| mask.is_masked(12 * time + i)).collect();
            assert_eq!(found, [1, 5, 11]);
        }
        assert_eq!(Mask::new(&[3, 4], |_| false), None);
    }

    #[test]
    fn bytes_come_back() {
        let bytes = postcard::to_stdvec(&mask()).expect("bytes");
        assert_eq!(bytes, [2, 3, 4, 2, 0x22, 0x08]);
        assert_eq!(postcard::from_bytes::<Mask>(&bytes), Ok(mask()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(mask().problem(&[3, 4]), None);
        assert_eq!(mask().problem(&[7, 3, 4]), None, "time is outside");
        let said = |sizes: &[usize], bits: &[u8], grid: &[usize]| {
            let mask = Mask::from_parts(sizes.to_vec(), bits.to_vec());
            let (found, wanted) = mask.problem(grid).expect("refused");
            format!("{found}; {wanted}")
        };
        assert!(said(&[4, 3], &[1, 0], &[3, 4]).contains("last axes of [3, 4]"));
        assert!(said(&[], &[], &[3, 4]).contains("of sizes []"));
        assert!(said(&[3, 4], &[1], &[3, 4]).contains("1 bytes; 2 bytes"));
        assert!(said(&[3, 4], &[1, 0x10], &[3, 4]).contains("beyond the last"));
        assert!(said(&[3, 4], &[0, 0], &[3, 4]).contains("0 of 12"));
        assert!(said(&[3, 4], &[0xff, 0xf], &[3, 4]).contains("12 of 12"));
        let large = 1 << 21;
        assert!(said(&[large], &[1], &[large]).contains("2^20"));
        // Whatever is claimed, asking is no panic.
        assert!(!Mask::from_parts(vec![9, 9], vec![]).is_masked(80));
        assert!(!Mask::from_parts(vec![0], vec![]).is_masked(80));
    }

    #[test]
    fn two_masks_are_one_on_the_axes_of_both() {
        let row = Mask::new(&[4], |x| x == 0).expect("masked");
        for both in [mask().or(&row), row.or(&mask())] {
            assert_eq!(both.sizes(), [3, 4]);
            let found: Vec<usize> = (0..12).filter(|&i| both.is_masked(i)).collect();
            assert_eq!(found, [0, 1, 4, 5, 8, 11]);
        }
    }

    #[test]
    fn another_grid_has_the_mask_of_the_points_it_is_taken_from() {
        let every_second = mask().taken(&[2, 2], |_, i| 2 * i);
        // Rows 0 and 2, columns 0 and 2: none of the three.
        assert_eq!(every_second, None);
        let columns = mask().taken(&[3, 8], |axis, i| if axis == 1 { i / 2 } else { i });
        let columns = columns.expect("masked");
        let found: Vec<usize> = (0..24).filter(|&i| columns.is_masked(i)).collect();
        assert_eq!(found, [2, 3, 10, 11, 22, 23]);
    }
}
