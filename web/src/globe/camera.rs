//! The eye above the globe: from places to points of the picture, and back. North is up.

/// A place on the sphere, in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
}

impl Spot {
    /// As words: `12° N, 30° W`.
    pub fn words(self) -> String {
        let side = |value: f64, sides: [&str; 2]| {
            let words = crate::scale::short(value.abs().round());
            let side = sides[usize::from(value < 0.0)];
            if words == "0" {
                "0°".to_owned()
            } else {
                format!("{words}° {side}")
            }
        };
        let lon = (self.lon + 180.0).rem_euclid(360.0) - 180.0;
        format!("{}, {}", side(self.lat, ["N", "S"]), side(lon, ["E", "W"]))
    }
}

/// What the eye is above; the picture is the half of the globe that it sees from far away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// The place in the middle.
    pub middle: Spot,
}

impl Camera {
    /// Above a place. Latitudes end at the poles, longitudes go round.
    pub fn above(lat: f64, lon: f64) -> Self {
        Self {
            middle: Spot {
                lat: lat.clamp(-90.0, 90.0),
                lon: lon.rem_euclid(360.0),
            },
        }
    }

    /// Turned by degrees.
    #[must_use]
    pub fn turned(self, north: f64, east: f64) -> Self {
        Self::above(self.middle.lat + north, self.middle.lon + east)
    }

    /// The directions to the right, upwards and to the eye, as seen from the middle of the Earth (x to 0° E on the
    /// equator, y to 90° E, z to the north pole).
    pub fn axes(&self) -> [[f64; 3]; 3] {
        let (sin_lat, cos_lat) = self.middle.lat.to_radians().sin_cos();
        let (sin_lon, cos_lon) = self.middle.lon.to_radians().sin_cos();
        [
            [-sin_lon, cos_lon, 0.0],
            [-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat],
            [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat],
        ]
    }

    /// Where a place is, in radii to the right and upwards, and how near to the eye: it is seen if that is positive.
    pub fn project(&self, spot: Spot) -> [f64; 3] {
        let (sin_lat, cos_lat) = spot.lat.to_radians().sin_cos();
        let (sin_lon, cos_lon) = spot.lon.to_radians().sin_cos();
        let p = [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat];
        self.axes()
            .map(|axis| axis.iter().zip(p).map(|(a, p)| a * p).sum())
    }

    /// The place at a point of the picture, in radii; none beside the globe.
    pub fn spot(&self, right: f64, up: f64) -> Option<Spot> {
        let far = right * right + up * up;
        if far > 1.0 {
            return None;
        }
        let [e, n, o] = self.axes();
        let near = (1.0 - far).sqrt();
        let p: [f64; 3] = std::array::from_fn(|i| right * e[i] + up * n[i] + near * o[i]);
        Some(Spot {
            lat: p[2].clamp(-1.0, 1.0).asin().to_degrees(),
            lon: p[1].atan2(p[0]).to_degrees().rem_euclid(360.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_in_the_middle_and_east_is_to_the_right() {
        let camera = Camera::above(40.0, 350.0);
        let close = |a: [f64; 3], b: [f64; 3]| {
            assert!(
                a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12),
                "{a:?} for {b:?}"
            );
        };
        close(camera.project(camera.middle), [0.0, 0.0, 1.0]);
        let equator = Camera::above(0.0, 20.0);
        close(
            equator.project(Spot {
                lat: 0.0,
                lon: 110.0,
            }),
            [1.0, 0.0, 0.0],
        );
        close(
            equator.project(Spot {
                lat: 90.0,
                lon: 7.0,
            }),
            [0.0, 1.0, 0.0],
        );
        close(
            equator.project(Spot {
                lat: 0.0,
                lon: 200.0,
            }),
            [0.0, 0.0, -1.0],
        );
    }

    #[test]
    fn there_and_back() {
        for (lat, lon) in [(0.0, 0.0), (40.0, 350.0), (-75.0, 123.0), (90.0, 10.0)] {
            let camera = Camera::above(lat, lon);
            for (right, up) in [(0.0, 0.0), (0.5, -0.3), (-0.9, 0.2), (0.0, 0.99)] {
                let spot = camera.spot(right, up).expect("on the globe");
                let [x, y, near] = camera.project(spot);
                assert!((x - right).abs() < 1e-9 && (y - up).abs() < 1e-9 && near > 0.0);
            }
            assert_eq!(camera.spot(0.8, 0.7), None);
        }
    }

    #[test]
    fn turning_stops_at_a_pole_and_goes_round_the_equator() {
        let camera = Camera::above(80.0, 350.0).turned(20.0, 20.0);
        assert_eq!(
            camera.middle,
            Spot {
                lat: 90.0,
                lon: 10.0
            }
        );
        assert_eq!(
            Spot {
                lat: -12.4,
                lon: 330.0
            }
            .words(),
            "12° S, 30° W"
        );
        assert_eq!(
            Spot {
                lat: 0.2,
                lon: 359.9
            }
            .words(),
            "0°, 0°"
        );
    }
}
