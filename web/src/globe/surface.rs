//! A field on the sphere, made fine enough for any pixel.
//!
//! The field comes on circles of latitude: equiangular with or without the poles, or Gaussian. It is laid once onto a
//! finer equiangular grid with both poles, by cubic interpolation that goes on across a pole to the other side, so that
//! a picture needs only the four nearest values of a pixel.

/// Rows of the fine grid are at least this many.
const FINE_ROWS: usize = 256;

/// A field on the fine grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Rows from the north pole to the south pole, both included.
    pub(super) rows: usize,
    /// Longitudes of a row, from 0° E to the east; the row goes on with its first.
    pub(super) columns: usize,
    /// `[row, column]`, with one column more that repeats the first.
    pub(super) values: Vec<f32>,
}

impl Surface {
    /// A field `[lat, lon]`: latitudes of its rows in degrees, rising or falling; longitudes are equal steps all around,
    /// the first at `first_lon` degrees east.
    ///
    /// # Errors
    /// If the sizes do not fit or latitudes are not in order, in a sentence.
    pub fn new(latitudes: &[f64], first_lon: f64, field: &[f32]) -> Result<Self, String> {
        Self::laid(latitudes, first_lon, field, cubic)
    }

    /// The same with the value of the nearest point everywhere: for fields of yes and no.
    ///
    /// # Errors
    /// As [`Surface::new`].
    pub fn cells(latitudes: &[f64], first_lon: f64, field: &[f32]) -> Result<Self, String> {
        Self::laid(latitudes, first_lon, field, nearest)
    }

    fn laid(
        latitudes: &[f64],
        first_lon: f64,
        field: &[f32],
        parts: Parts,
    ) -> Result<Self, String> {
        let rows = latitudes.len();
        if rows < 3 || field.is_empty() || !field.len().is_multiple_of(rows) {
            return Err(format!(
                "a field of {} values has no {rows} circles of latitude",
                field.len()
            ));
        }
        let falling = latitudes.is_sorted_by(|a, b| a > b);
        let sound = falling || latitudes.is_sorted_by(|a, b| a < b);
        if !sound || latitudes.iter().any(|lat| lat.abs() > 90.0 + 1e-6) {
            return Err("latitudes must rise or fall between -90 and 90 degrees".to_owned());
        }
        let columns = field.len() / rows;
        // From north to south.
        let source = |row: usize| if falling { row } else { rows - 1 - row };
        let colatitude = |row: usize| (90.0 - latitudes[source(row)]).max(0.0);
        let circles = Circles::new((0..rows).map(colatitude).collect());
        let fine_rows = FINE_ROWS.max(rows) + 1;
        let fine_columns = (2 * FINE_ROWS).max(columns);

        // Along the circles first, then across them.
        let shift = first_lon.rem_euclid(360.0) / 360.0 * columns as f64;
        let places: Vec<_> = (0..fine_columns)
            .map(|i| {
                place(
                    i as f64 / fine_columns as f64 * columns as f64 - shift,
                    columns,
                    parts,
                )
            })
            .collect();
        let mut along = Vec::with_capacity(rows * fine_columns);
        for row in 0..rows {
            let circle = &field[source(row) * columns..][..columns];
            let value = |(at, parts): &([usize; 4], [f32; 4])| -> f32 {
                let between: f32 = (0..4).map(|i| parts[i] * circle[at[i]]).sum();
                // Beside a point without a value the nearest one alone.
                if between.is_nan() {
                    return circle[at[largest(parts)]];
                }
                between
            };
            along.extend(places.iter().map(value));
        }
        let width = fine_columns + 1;
        let mut values = vec![0.0; fine_rows * width];
        for (row, line) in values.chunks_exact_mut(width).enumerate() {
            let colatitude = 180.0 * row as f64 / (fine_rows - 1) as f64;
            let taps = circles.taps(colatitude, parts);
            for (row, far, part) in taps {
                // A part of nothing is nothing, also of a NaN.
                if part != 0.0 {
                    let circle = &along[row * fine_columns..][..fine_columns];
                    let half = if far { fine_columns / 2 } else { 0 };
                    let (left, right) = line.split_at_mut(fine_columns - half);
                    add(left, part, &circle[half..]);
                    add(right, part, &circle[..half]);
                }
            }
            let (nearest, far, _) = taps[largest(&taps.map(|(_, _, part)| part))];
            let half = if far { fine_columns / 2 } else { 0 };
            let circle = &along[nearest * fine_columns..][..fine_columns];
            for (i, value) in line[..fine_columns].iter_mut().enumerate() {
                if value.is_nan() {
                    *value = circle[(i + half) % fine_columns];
                }
            }
            if row == 0 || row == fine_rows - 1 {
                // A pole is one point.
                let known = || line[..fine_columns].iter().filter(|value| !value.is_nan());
                let mean = known().sum::<f32>() / known().count() as f32;
                line.fill(mean);
            }
            line[fine_columns] = line[0];
        }
        Ok(Self {
            rows: fine_rows,
            columns: fine_columns,
            values,
        })
    }

    /// The value at a place: degrees north and east.
    pub fn value(&self, lat: f64, lon: f64) -> f32 {
        let row = (90.0 - lat) / 180.0 * (self.rows - 1) as f64;
        let column = lon.rem_euclid(360.0) / 360.0 * self.columns as f64;
        self.between(row as f32, column as f32)
    }

    /// The value between four points of the fine grid.
    #[inline(always)]
    pub(super) fn between(&self, row: f32, column: f32) -> f32 {
        let (above, left) = (
            (row as usize).min(self.rows - 2),
            (column as usize).min(self.columns - 1),
        );
        let (down, right) = (row - above as f32, column - left as f32);
        let width = self.columns + 1;
        let at = above * width + left;
        let [a, b] = [self.values[at], self.values[at + 1]];
        let [c, d] = [self.values[at + width], self.values[at + width + 1]];
        let (upper, lower) = (a + right * (b - a), c + right * (d - c));
        let between = upper + down * (lower - upper);
        if between.is_nan() {
            let nearest = width * usize::from(down > 0.5) + usize::from(right > 0.5);
            return self.values[at + nearest];
        }
        between
    }
}

/// How much four neighbours have of a value at a share of the way from the second to the third.
type Parts = fn(f32) -> [f32; 4];

/// The neighbour with the largest part: the nearest one.
fn largest(parts: &[f32; 4]) -> usize {
    if parts[1] >= parts[2] { 1 } else { 2 }
}

/// All of the nearer one.
fn nearest(t: f32) -> [f32; 4] {
    if t < 0.5 {
        [0.0, 1.0, 0.0, 0.0]
    } else {
        [0.0, 0.0, 1.0, 0.0]
    }
}

/// Parts of four neighbours (Catmull and Rom) at a share of the way from the second to the third.
fn cubic(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        -0.5 * t3 + t2 - 0.5 * t,
        1.5 * t3 - 2.5 * t2 + 1.0,
        -1.5 * t3 + 2.0 * t2 + 0.5 * t,
        0.5 * t3 - 0.5 * t2,
    ]
}

/// The four neighbours of a place on a closed circle of values, and their parts.
fn place(at: f64, count: usize, parts: Parts) -> ([usize; 4], [f32; 4]) {
    let base = at.floor();
    let parts = parts((at - base) as f32);
    let index = |i: usize| {
        // What has no part must not bring in a NaN: the nearest stands in its place.
        let step = if parts[i] == 0.0 { 0 } else { i as i64 - 1 };
        (base as i64 + step).rem_euclid(count as i64) as usize
    };
    (std::array::from_fn(index), parts)
}

fn add(sums: &mut [f32], part: f32, values: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += part * value;
    }
}

/// Circles of latitude by their distance from the north pole, rising.
struct Circles(Vec<f64>);

impl Circles {
    fn new(colatitudes: Vec<f64>) -> Self {
        Self(colatitudes)
    }

    /// Circle number `i`, which may lie beyond a pole: its row, whether it is on the other side, and its distance from
    /// the north pole, counted on.
    fn circle(&self, i: i64) -> (usize, bool, f64) {
        let last = self.0.len() as i64 - 1;
        let north = i64::from(self.0[0] > 1e-6);
        let south = i64::from(180.0 - self.0[last as usize] > 1e-6);
        if i < 0 {
            let row = (-i - north) as usize;
            (row, true, -self.0[row])
        } else if i > last {
            let row = (2 * last - i + south) as usize;
            (row, true, 360.0 - self.0[row])
        } else {
            (i as usize, false, self.0[i as usize])
        }
    }

    /// Four circles around a distance from the north pole, with their parts.
    fn taps(&self, colatitude: f64, parts: Parts) -> [(usize, bool, f32); 4] {
        let below = self.0.partition_point(|c| *c <= colatitude + 1e-9) as i64;
        let (base, next) = (self.circle(below - 1), self.circle(below));
        let share = (colatitude - base.2) / (next.2 - base.2);
        let parts = parts(share.clamp(0.0, 1.0) as f32);
        std::array::from_fn(|i| {
            let (row, far, _) = self.circle(below - 2 + i as i64);
            (row, far, parts[i])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::sphere::Latitudes;

    /// A smooth field: all of the first harmonics and some others.
    fn smooth(lat: f64, lon: f64) -> f64 {
        let (sin_lat, cos_lat) = lat.to_radians().sin_cos();
        let lon = lon.to_radians();
        1.0 + sin_lat + cos_lat * lon.cos() - 0.5 * cos_lat * cos_lat * (2.0 * lon).sin()
            + 0.7 * cos_lat * sin_lat * lon.sin()
    }

    fn field(latitudes: &[f64], columns: usize, first_lon: f64) -> Vec<f32> {
        let lons = move |i: usize| first_lon + 360.0 * i as f64 / columns as f64;
        let row = |&lat: &f64| (0..columns).map(move |i| smooth(lat, lons(i)) as f32);
        latitudes.iter().flat_map(row).collect()
    }

    #[test]
    fn a_smooth_field_is_found_everywhere_from_any_grid() {
        let degrees = |grid: Latitudes| -> Vec<f64> {
            grid.colatitudes(48)
                .iter()
                .map(|c| 90.0 - c.to_degrees())
                .collect()
        };
        let cells: Vec<f64> = (0..48)
            .map(|i| 90.0 - 180.0 * (f64::from(i) + 0.5) / 48.0)
            .collect();
        let rising: Vec<f64> = cells.iter().rev().copied().collect();
        for latitudes in [
            degrees(Latitudes::Equiangular),
            degrees(Latitudes::Gauss),
            cells,
            rising,
        ] {
            for first_lon in [0.0, -180.0, 33.0] {
                let field = field(&latitudes, 96, first_lon);
                let surface = Surface::new(&latitudes, first_lon, &field).expect("a grid");
                for i in 0..500 {
                    let lat = 90.0 - 180.0 * f64::from(i) / 499.0;
                    let lon = f64::from(i) * 137.5;
                    let apart = f64::from(surface.value(lat, lon)) - smooth(lat, lon);
                    assert!(apart.abs() < 4e-3, "{lat} {lon}: {apart}");
                }
            }
        }
    }

    #[test]
    fn a_pole_has_one_value_and_the_seam_none_of_its_own() {
        let latitudes: Vec<f64> = (0..32).map(|i| 87.0 - 5.6 * f64::from(i)).collect();
        let surface = Surface::new(&latitudes, 0.0, &field(&latitudes, 64, 0.0)).expect("a grid");
        assert_eq!(surface.value(90.0, 0.0), surface.value(90.0, 200.0));
        assert_eq!(surface.value(10.0, 360.0), surface.value(10.0, 0.0));
        assert!((surface.value(10.0, 359.99) - surface.value(10.0, 0.0)).abs() < 1e-3);
    }

    #[test]
    fn a_nan_stays_near_its_place() {
        let latitudes: Vec<f64> = (0..33).map(|i| 90.0 - 5.625 * f64::from(i)).collect();
        let mut field = field(&latitudes, 64, 0.0);
        field[16 * 64 + 10] = f32::NAN;
        let surface = Surface::new(&latitudes, 0.0, &field).expect("a grid");
        assert!(surface.value(0.0, 56.25).is_nan());
        assert!(!surface.value(0.0, 80.0).is_nan() && !surface.value(20.0, 56.25).is_nan());
        // Its own cell and no more, 5.625 degrees wide; its edge is known to half a step of the fine grid, 0.35 degrees.
        for away in [-2.4, 2.4] {
            assert!(
                surface.value(away, 56.25).is_nan() && surface.value(0.0, 56.25 + away).is_nan()
            );
        }
        for away in [-3.2, 3.2] {
            assert!(!surface.value(away, 56.25).is_nan(), "{away}");
            assert!(!surface.value(0.0, 56.25 + away).is_nan(), "{away}");
        }
    }

    #[test]
    fn cells_have_the_value_of_their_point_and_nothing_between() {
        let latitudes: Vec<f64> = (0..33).map(|i| 90.0 - 5.625 * f64::from(i)).collect();
        let mut field = vec![0.0; 33 * 64];
        field[16 * 64 + 10] = 1.0;
        let surface = Surface::cells(&latitudes, 0.0, &field).expect("a grid");
        assert_eq!(surface.value(0.0, 56.25), 1.0);
        assert_eq!(surface.value(2.0, 58.0), 1.0);
        assert_eq!(surface.value(0.0, 62.0), 0.0);
        assert!(surface.values.iter().all(|v| *v == 0.0 || *v == 1.0));
    }

    #[test]
    fn grids_that_are_none_get_a_sentence() {
        assert!(Surface::new(&[90.0, 0.0, -90.0], 0.0, &[0.0; 10]).is_err());
        assert!(Surface::new(&[90.0, -10.0, 0.0], 0.0, &[0.0; 12]).is_err());
        assert!(Surface::new(&[10.0, 0.0, f64::NAN], 0.0, &[0.0; 12]).is_err());
    }
}
