//! Globe or map, and what the eye is above: what an address holds of them.

use super::Camera;
use crate::settings::choices;

choices!(
    /// How a field on a sphere is drawn.
    Projection {
        /// As a ball to turn.
        #[default]
        Globe = "globe",
        /// Flat, all of it at once.
        Map = "map",
    }
);

/// What the eye is above, in whole degrees north and east.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eye {
    /// Degrees north.
    pub lat: i32,
    /// Degrees east, below 360.
    pub lon: i32,
}

impl Eye {
    /// A little above the middle of the map, so that a pole is in sight.
    pub const START: Self = Self { lat: 24, lon: 170 };

    /// The nearest one to a camera.
    pub fn of(camera: Camera) -> Self {
        let whole = |degrees: f64| degrees.round() as i32;
        Self {
            lat: whole(camera.middle.lat),
            lon: whole(camera.middle.lon).rem_euclid(360),
        }
    }

    /// A camera above it.
    pub fn camera(self) -> Camera {
        Camera::above(f64::from(self.lat), f64::from(self.lon))
    }

    /// As text of an address.
    pub fn encode(self) -> String {
        format!("{},{}", self.lat, self.lon)
    }

    /// Reads what [`Eye::encode`] wrote.
    pub fn decode(text: &str) -> Option<Self> {
        let (lat, lon) = text.split_once(',')?;
        let (lat, lon): (i32, i32) = (lat.parse().ok()?, lon.parse().ok()?);
        let known = (-90..=90).contains(&lat) && (-360..=360).contains(&lon);
        known.then_some(Self {
            lat,
            lon: lon.rem_euclid(360),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_eye_is_the_nearest_whole_degree_and_goes_round() {
        let eye = Eye::of(Camera::above(-12.4, 359.7));
        assert_eq!(eye, Eye { lat: -12, lon: 0 });
        assert_eq!(Eye::of(Eye::START.camera()), Eye::START);
        for text in ["", "1", "91,0", "0,400", "a,b", "1.5,2", "1,2,3"] {
            assert_eq!(Eye::decode(text), None, "{text}");
        }
        assert_eq!(Eye::decode("-90,-1"), Some(Eye { lat: -90, lon: 359 }));
    }
}
