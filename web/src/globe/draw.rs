//! The globe as pixels.
//!
//! Every pixel inside the disc is a place; its two angles come from polynomials that are right to a
//! fiftieth of a degree, which is what makes it quick enough to follow a finger.

use super::camera::Camera;
use super::surface::Surface;
use crate::picture::{Bar, Key, PALE, Picture, is_pale, side_pixel};
use pno::colour::Table;

/// How much darker the rim is: enough to be a ball, too little to change what a colour says.
const RIM: f32 = 0.22;

/// Stands where a key has no scale.
const NO_BAR: Bar = Bar {
    lo: 0.0,
    hi: 0.0,
    palette: crate::picture::Palette::Diverging,
};

/// Radius of the globe as a share of half the picture: a pixel or two of air.
pub const RADIUS: f64 = 0.985;

/// Draws the globe into a square picture of `size` pixels; around it the picture is transparent.
pub fn draw(surface: &Surface, camera: &Camera, key: Key, size: usize, picture: &mut Picture) {
    (picture.width, picture.height) = (size, size);
    picture.rgba.clear();
    picture.rgba.resize(4 * size * size, 0);
    let palette = Palette::new(key);
    let [e, n, o] = camera.axes().map(|axis| axis.map(|part| part as f32));
    let middle = size as f32 / 2.0;
    let radius = middle * RADIUS as f32;
    let rows = (surface.rows - 1) as f32 / std::f32::consts::PI;
    let columns = surface.columns as f32 / std::f32::consts::TAU;
    // Further out than this a pixel may lie across the rim.
    let sure = (1.0 - 1.0 / radius).max(0.0).powi(2);
    for (row, line) in picture.rgba.chunks_exact_mut(4 * size).enumerate() {
        let up = (middle - row as f32 - 0.5) / radius;
        let reach = ((1.0 + 1.0 / radius).powi(2) - up * up).max(0.0).sqrt() * radius;
        let first = (middle - reach).floor().max(0.0) as usize;
        let last = ((middle + reach).ceil() as usize).min(size).max(first);
        let lifted = [up * n[0], up * n[1], up * n[2]];
        for (i, pixel) in line[4 * first..4 * last].chunks_exact_mut(4).enumerate() {
            let mut right = ((first + i) as f32 + 0.5 - middle) / radius;
            let mut inward = 1.0;
            let far = right * right + up * up;
            pixel[3] = 255;
            if far > sure {
                let distance = far.sqrt();
                let edge = (1.0 - distance) * radius + 0.5;
                pixel[3] = (255.0 * edge.clamp(0.0, 1.0)) as u8;
                if distance > 1.0 {
                    // A pixel with its middle beside the globe shows the nearest place.
                    inward = distance.recip();
                    right *= inward;
                }
            }
            let near = (1.0 - far).max(0.0).sqrt();
            let x = right * e[0] + inward * lifted[0] + near * o[0];
            let y = right * e[1] + inward * lifted[1] + near * o[1];
            let z = right * e[2] + inward * lifted[2] + near * o[2];
            let value = surface.between(colatitude(z) * rows, longitude(y, x) * columns);
            let shade = 1.0 - RIM * (1.0 - near) * (1.0 - near);
            let [red, green, blue, mut opacity] = palette.colour(value);
            if palette.sides.is_some() && value < -0.5 && is_pale(row + first + i) {
                opacity = PALE;
            }
            let mut light = shade;
            if opacity < 255 {
                // What lies behind is seen, in the shade of the ball.
                let own = f32::from(opacity) / 255.0;
                let cover = 1.0 - shade * (1.0 - own);
                light = shade * own / cover.max(f32::MIN_POSITIVE);
                pixel[3] = (f32::from(pixel[3]) * cover) as u8;
            }
            pixel[0] = (f32::from(red) * light) as u8;
            pixel[1] = (f32::from(green) * light) as u8;
            pixel[2] = (f32::from(blue) * light) as u8;
        }
    }
}

/// Colours of a key, ready to be looked up.
struct Palette {
    table: &'static Table,
    lo: f32,
    scale: f32,
    /// Below, inside, above: three colours instead of a table.
    sides: Option<[[u8; 4]; 3]>,
}

impl Palette {
    fn new(key: Key) -> Self {
        let (Key::Bar(bar) | Key::Cells(bar)) = key else {
            return Self {
                sides: Some([-1.0, 0.0, 1.0].map(side_pixel)),
                ..Self::of(NO_BAR)
            };
        };
        Self::of(bar)
    }

    fn of(bar: Bar) -> Self {
        let extent = bar.hi - bar.lo;
        Self {
            table: bar.palette.table(),
            lo: bar.lo,
            scale: if extent > 0.0 { 256.0 / extent } else { 0.0 },
            sides: None,
        }
    }

    /// Nothing where there is no value.
    #[inline(always)]
    fn colour(&self, value: f32) -> [u8; 4] {
        if value.is_nan() {
            return [0; 4];
        }
        if let Some([below, inside, above]) = self.sides {
            return match value {
                v if v < -0.5 => below,
                v if v > 0.5 => above,
                _ => inside,
            };
        }
        let step = if self.scale == 0.0 {
            128.0
        } else {
            (value - self.lo) * self.scale
        };
        let [red, green, blue] = self.table[step.clamp(0.0, 255.0) as usize];
        [red, green, blue, 255]
    }
}

/// Angle from the north pole, from its cosine (Abramowitz & Stegun 4.4.45).
#[inline(always)]
fn colatitude(z: f32) -> f32 {
    let a = z.abs().min(1.0);
    let poly = 1.570_728_8 + a * (-0.212_114_4 + a * (0.074_261 - a * 0.018_729_3));
    let angle = (1.0 - a).sqrt() * poly;
    if z < 0.0 {
        std::f32::consts::PI - angle
    } else {
        angle
    }
}

/// Angle to the east, from 0 to 2π (Abramowitz & Stegun 4.4.49).
#[inline(always)]
fn longitude(y: f32, x: f32) -> f32 {
    let (small, large) = (x.abs().min(y.abs()), x.abs().max(y.abs()));
    let t = if large > 0.0 { small / large } else { 0.0 };
    let s = t * t;
    let poly =
        0.999_866 + s * (-0.330_299_5 + s * (0.180_141 + s * (-0.085_133 + s * 0.020_835_1)));
    let mut angle = t * poly;
    if y.abs() > x.abs() {
        angle = std::f32::consts::FRAC_PI_2 - angle;
    }
    if x < 0.0 {
        angle = std::f32::consts::PI - angle;
    }
    if y < 0.0 {
        std::f32::consts::TAU - angle
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Palette as Colours;

    #[test]
    fn angles_are_right_to_a_part_of_a_pixel() {
        for i in 0..=2000 {
            let z = f64::from(i) / 1000.0 - 1.0;
            assert!(
                (f64::from(colatitude(z as f32)) - z.acos()).abs() < 3e-4,
                "{z}"
            );
            let angle = f64::from(i) / 2000.0 * std::f64::consts::TAU;
            let found = f64::from(longitude(angle.sin() as f32, angle.cos() as f32));
            let apart = (found - angle).abs();
            assert!(
                apart.min(std::f64::consts::TAU - apart) < 3e-5,
                "{angle}: {found}"
            );
        }
    }

    fn picture(camera: Camera, value: impl Fn(f64, f64) -> f32) -> Picture {
        let bar = Bar {
            lo: -1.0,
            hi: 1.0,
            palette: Colours::Diverging,
        };
        picture_of(camera, Key::Bar(bar), value)
    }

    fn picture_of(camera: Camera, key: Key, value: impl Fn(f64, f64) -> f32) -> Picture {
        let latitudes: Vec<f64> = (0..61).map(|i| 90.0 - 3.0 * f64::from(i)).collect();
        let field: Vec<f32> = latitudes
            .iter()
            .flat_map(|&lat| (0..120).map(move |i| (lat, 3.0 * f64::from(i))))
            .map(|(lat, lon)| value(lat, lon))
            .collect();
        let make = if key == Key::Interval {
            Surface::cells
        } else {
            Surface::new
        };
        let surface = make(&latitudes, 0.0, &field).expect("a grid");
        let mut picture = Picture {
            width: 0,
            height: 0,
            rgba: vec![],
        };
        draw(&surface, &camera, key, 200, &mut picture);
        picture
    }

    fn pixel(picture: &Picture, right: f64, up: f64) -> [u8; 4] {
        let middle = 100.0 * (1.0 + right * RADIUS);
        let row = 100.0 * (1.0 - up * RADIUS);
        let at = 4 * (row as usize * 200 + middle as usize);
        picture.rgba[at..at + 4].try_into().expect("four bytes")
    }

    #[test]
    fn places_have_the_colours_of_their_values() {
        // One where the longitude is below 180°, minus one elsewhere; seen from above 180°.
        let value = |_: f64, lon: f64| if lon < 180.0 { 1.0 } else { -1.0 };
        let found = picture(Camera::above(0.0, 180.0), value);
        let close = |a: [u8; 4], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 14);
        assert!(close(pixel(&found, -0.3, 0.1), pno::colour::VIK[255]));
        assert!(close(pixel(&found, 0.3, 0.1), pno::colour::VIK[0]));
        // From above the north pole 0° E is below, and 90° E to the right.
        let found = picture(Camera::above(90.0, 0.0), value);
        assert!(close(pixel(&found, 0.4, 0.0), pno::colour::VIK[255]));
        assert!(close(pixel(&found, -0.4, 0.0), pno::colour::VIK[0]));
    }

    #[test]
    fn the_disc_is_opaque_its_rim_soft_and_the_corners_empty() {
        let found = picture(Camera::above(10.0, 0.0), |_, _| 0.0);
        assert_eq!(pixel(&found, 0.0, 0.0)[3], 255);
        assert_eq!(pixel(&found, 0.97, 0.0)[3], 255);
        assert_eq!(found.rgba[3], 0);
        let alphas: Vec<u8> = found.rgba.iter().skip(3).step_by(4).copied().collect();
        let soft = alphas.iter().filter(|a| **a > 0 && **a < 255).count();
        assert!((300..1500).contains(&soft), "{soft} pixels on the rim");
        // The disc's area to a tenth of a per cent.
        let area: f64 = alphas.iter().map(|a| f64::from(*a) / 255.0).sum();
        let wanted = std::f64::consts::PI * (100.0 * RADIUS).powi(2);
        assert!((area / wanted - 1.0).abs() < 2e-3, "{area} for {wanted}");
    }

    #[test]
    fn where_there_is_no_value_one_sees_what_is_behind_and_a_shade_at_the_rim() {
        let bar = Key::Bar(Bar {
            lo: -1.0,
            hi: 1.0,
            palette: Colours::Diverging,
        });
        for key in [bar, Key::Interval] {
            let found = picture_of(Camera::above(0.0, 90.0), key, |_, lon| {
                if lon > 60.0 && lon < 120.0 {
                    f32::NAN
                } else {
                    0.0
                }
            });
            assert_eq!(pixel(&found, 0.0, 0.0), [0; 4], "{key:?}");
            assert_ne!(pixel(&found, 0.7, 0.0)[3], 0, "{key:?}: a value");
            let rim = pixel(&found, 0.0, 0.97);
            assert!(rim[3] > 10 && rim[..3] == [0; 3], "{key:?}: {rim:?}");
        }
    }

    #[test]
    fn misses_are_coloured_and_hits_are_a_shade_of_what_is_behind() {
        // Below in the west, inside in the middle, above in the east.
        let value = |_: f64, lon: f64| match lon {
            l if l < 150.0 => -1.0,
            l if l > 210.0 => 1.0,
            _ => 0.0,
        };
        let found = picture_of(Camera::above(0.0, 180.0), Key::Interval, value);
        let close = |a: [u8; 4], b: [u8; 4]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 14);
        // Stripes tell what is below, also without colours.
        let below: Vec<[u8; 4]> = (0..8)
            .map(|i| pixel(&found, -0.7 + f64::from(i) / 100.0, 0.0))
            .collect();
        let solid = below.iter().filter(|p| close(**p, side_pixel(-1.0)));
        let pale = below.iter().filter(|p| p[3].abs_diff(PALE) < 8);
        assert!(solid.count() >= 3 && pale.count() >= 3, "{below:?}");
        assert!(close(pixel(&found, 0.7, 0.0), side_pixel(1.0)));
        let [inside, rim] = [0.0, 0.97].map(|up| pixel(&found, 0.0, up));
        let mut apart = inside.iter().zip(side_pixel(0.0));
        assert!(apart.all(|(a, b)| a.abs_diff(b) < 3), "{inside:?}");
        assert!(rim[3] > inside[3] + 10, "a shade: {rim:?}");
    }
}
