//! Pixels: from a field to colours, from colours to PNG.

use anyhow::{Context, Result};
use pno::colour::{self, Table};

/// A picture of 8-bit RGB pixels, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// `height * width * 3` bytes.
    pub rgb: Vec<u8>,
}

impl Image {
    /// One pixel per point of a field `[time, x]`: time to the right, x upwards.
    pub fn field(values: &[f32], cells: usize, colour: impl Fn(f32) -> [u8; 3]) -> Self {
        let frames = values.len() / cells;
        let mut rgb = Vec::with_capacity(values.len() * 3);
        for cell in (0..cells).rev() {
            for frame in 0..frames {
                rgb.extend(colour(values[frame * cells + cell]));
            }
        }
        Self {
            width: frames,
            height: cells,
            rgb,
        }
    }

    /// The colours of a table from left to right.
    pub fn scale(table: &Table) -> Self {
        Self {
            width: table.len(),
            height: 1,
            rgb: table.iter().flatten().copied().collect(),
        }
    }

    /// Every pixel repeated `across` times to the right and `down` times downwards.
    pub fn magnified(&self, (across, down): (usize, usize)) -> Self {
        let mut rgb = Vec::with_capacity(self.rgb.len() * across * down);
        for row in self.rgb.chunks_exact(self.width * 3) {
            for _ in 0..down {
                for pixel in row.chunks_exact(3) {
                    for _ in 0..across {
                        rgb.extend(pixel);
                    }
                }
            }
        }
        Self {
            width: self.width * across,
            height: self.height * down,
            rgb,
        }
    }

    /// Pictures from left to right on white, aligned at the top, `gap` pixels apart.
    pub fn beside(images: &[Self], gap: usize) -> Self {
        let width = images.iter().map(|i| i.width).sum::<usize>() + gap * (images.len() + 1);
        let height = images.iter().map(|i| i.height).max().unwrap_or(0) + 2 * gap;
        let mut rgb = vec![255; width * height * 3];
        let mut left = gap;
        for image in images {
            for (y, row) in image.rgb.chunks_exact(image.width * 3).enumerate() {
                let at = ((gap + y) * width + left) * 3;
                rgb[at..at + row.len()].copy_from_slice(row);
            }
            left += image.width + gap;
        }
        Self { width, height, rgb }
    }

    /// Pictures from top to bottom on white, aligned at the left.
    pub fn below(images: &[Self]) -> Self {
        let width = images.iter().map(|image| image.width).max().unwrap_or(0);
        let mut rgb = Vec::new();
        for image in images {
            for row in image.rgb.chunks_exact(image.width * 3) {
                rgb.extend(row);
                rgb.resize(rgb.len() + (width - image.width) * 3, 255);
            }
        }
        Self {
            width,
            height: images.iter().map(|image| image.height).sum(),
            rgb,
        }
    }

    /// The picture as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder
            .write_header()
            .context("a picture cannot be written as PNG")?;
        writer
            .write_image_data(&self.rgb)
            .context("a picture cannot be written as PNG")?;
        drop(writer);
        Ok(bytes)
    }
}

/// Colour of a point without a value: that of the sheet.
pub const BLANK: [u8; 3] = [255; 3];

/// The colour of a value between `lo` and `hi`; a point without a value is left blank.
pub fn shade(table: &Table, lo: f32, hi: f32) -> impl Fn(f32) -> [u8; 3] + '_ {
    move |value| {
        if value.is_nan() {
            return BLANK;
        }
        colour::lookup(table, value, lo, hi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two frames of three cells; the colour is the value itself.
    fn picture() -> Image {
        Image::field(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, |v| [v as u8; 3])
    }

    #[test]
    fn time_runs_right_and_position_runs_up() {
        let image = picture();
        assert_eq!((image.width, image.height), (2, 3));
        let reds: Vec<u8> = image.rgb.iter().step_by(3).copied().collect();
        assert_eq!(reds, [3, 6, 2, 5, 1, 4]);
    }

    #[test]
    fn a_point_without_a_value_is_left_blank() {
        let colour = shade(&colour::VIK, -1.0, 1.0);
        assert_eq!(colour(f32::NAN), BLANK);
        assert_eq!(colour(1.0), colour::VIK[255]);
    }

    #[test]
    fn magnified_pictures_stand_beside_each_other_on_white() {
        let image = Image::beside(&[picture().magnified((2, 1)), picture()], 1);
        assert_eq!((image.width, image.height), (4 + 2 + 3, 5));
        let second_row: Vec<u8> = image.rgb[9 * 3..18 * 3]
            .iter()
            .step_by(3)
            .copied()
            .collect();
        assert_eq!(second_row, [255, 3, 3, 6, 6, 255, 3, 6, 255]);
    }

    #[test]
    fn pictures_below_each_other_are_filled_up_with_white() {
        let image = Image::below(&[picture(), picture().magnified((2, 1))]);
        assert_eq!((image.width, image.height), (4, 6));
        let reds: Vec<u8> = image.rgb.iter().step_by(3).copied().collect();
        assert_eq!(reds[..4], [3, 6, 255, 255]);
        assert_eq!(reds[12..16], [3, 3, 6, 6]);
    }

    #[test]
    fn a_png_decodes_to_the_same_pixels() {
        let image = picture();
        let bytes = image.png().expect("encoded");
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .expect("a PNG");
        let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut rgb).expect("pixels");
        assert_eq!(rgb, image.rgb);
    }
}
