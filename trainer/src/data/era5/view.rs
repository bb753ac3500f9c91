//! From the order of axes in a file to rows of `[latitude, longitude]`, south first.

use std::ops::Range;

use super::selection::File;

/// A block as it came from a file, with its axes in the order of the file.
pub struct View<'a> {
    values: &'a [f64],
    strides: Vec<usize>,
    sizes: Vec<usize>,
    file: &'a File,
}

impl<'a> View<'a> {
    /// A view of the values of a block.
    pub fn new(values: &'a [f64], block: &[Range<usize>], file: &'a File) -> Self {
        let sizes: Vec<usize> = block.iter().map(ExactSizeIterator::len).collect();
        let strides = (0..sizes.len())
            .map(|axis| sizes[axis + 1..].iter().product())
            .collect();
        Self {
            values,
            strides,
            sizes,
            file,
        }
    }

    /// Copies one time into the columns of a row from `left` on.
    pub fn copy(&self, time: usize, left: usize, width: usize, row: &mut [f32]) {
        let layout = &self.file.layout;
        let (lat, lon) = (layout.latitude, layout.longitude);
        let start = time * self.strides[layout.time];
        let (height, columns) = (self.sizes[lat], self.sizes[lon]);
        let at = |version: usize, y: usize, x: usize| {
            let y = if self.file.latitudes.reversed {
                height - 1 - y
            } else {
                y
            };
            let version = layout
                .version
                .map_or(0, |axis| version * self.strides[axis]);
            self.values[start + version + y * self.strides[lat] + x * self.strides[lon]]
        };
        // Each time is in one of the versions: final data where there are any, preliminary ones otherwise.
        let versions = layout.version.map_or(1, |axis| self.sizes[axis]);
        let there = |version: &usize| {
            (0..height).any(|y| (0..columns).any(|x| !at(*version, y, x).is_nan()))
        };
        let version = (0..versions).find(there).unwrap_or(0);
        for y in 0..height {
            for x in 0..columns {
                row[y * width + left + x] = (at(version, y, x) + self.file.unit.offset) as f32;
            }
        }
    }
}
