//! Bumps that a visitor adds to a start.
//!
//! In an address they are a list `0.250,0.500,1;…`: place across, place upwards, and amount in standard deviations.

use serde::{Deserialize, Serialize};

use crate::live::Place;

/// Most bumps of a start.
pub const MOST: usize = 16;
/// Largest amount, in standard deviations of the quantity.
pub const LARGEST: f32 = 4.0;
/// Width of a bump as a share of a periodic line, and in radians on a sphere.
const LINE_WIDTH: f64 = 0.02;
const SPHERE_WIDTH: f64 = 0.25;

/// One bump.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Nudge {
    /// Place from the left, 0 to 1.
    pub across: f64,
    /// Place from below, 0 to 1.
    pub upwards: f64,
    /// Height in standard deviations of the quantity.
    pub amount: f32,
}

impl Nudge {
    /// A bump at a place.
    pub fn at(place: Place, amount: f32) -> Self {
        Self {
            across: place.across,
            upwards: place.upwards,
            amount,
        }
    }

    /// Its height on a periodic line, at a share of the length.
    pub fn on_line(&self, share: f64) -> f64 {
        let away = (share - self.across).abs();
        let away = away.min(1.0 - away) / LINE_WIDTH;
        f64::from(self.amount) * (-0.5 * away * away).exp()
    }

    /// Its height on a sphere, at a latitude and longitude in degrees.
    pub fn on_sphere(&self, latitude: f64, longitude: f64) -> f64 {
        let (north, east) = (
            (180.0 * self.upwards - 90.0).to_radians(),
            self.across * std::f64::consts::TAU,
        );
        let (lat, lon) = (latitude.to_radians(), longitude.to_radians());
        let cosine = north.sin() * lat.sin() + north.cos() * lat.cos() * (lon - east).cos();
        let away = cosine.clamp(-1.0, 1.0).acos() / SPHERE_WIDTH;
        f64::from(self.amount) * (-0.5 * away * away).exp()
    }
}

/// As text of an address.
pub fn encode(nudges: &[Nudge]) -> String {
    let text = |n: &Nudge| format!("{:.3},{:.3},{}", n.across, n.upwards, n.amount);
    nudges.iter().map(text).collect::<Vec<_>>().join(";")
}

/// Reads what [`encode`] wrote.
pub fn decode(text: &str) -> Option<Vec<Nudge>> {
    let one = |part: &str| {
        let (place, amount) = part.rsplit_once(',')?;
        let amount: f32 = amount.parse().ok()?;
        let place = Place::decode(place)?;
        (amount.abs() <= LARGEST).then_some(Nudge::at(place, amount))
    };
    let nudges: Vec<Nudge> = text.split(';').map(one).collect::<Option<_>>()?;
    (nudges.len() <= MOST).then_some(nudges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nudges_survive_the_address_and_others_are_refused() {
        let nudges = vec![
            Nudge {
                across: 0.25,
                upwards: 0.5,
                amount: -1.5,
            },
            Nudge {
                across: 1.0,
                upwards: 0.0,
                amount: 2.0,
            },
        ];
        assert_eq!(decode(&encode(&nudges)), Some(nudges));
        let many = encode(
            &[Nudge::at(
                Place {
                    across: 0.0,
                    upwards: 0.0,
                },
                1.0,
            ); MOST + 1],
        );
        for text in [
            "",
            "1,2",
            "0.5,0.5",
            "0.5,0.5,99",
            "0.5,0.5,NaN",
            "2,0.5,1",
            &many,
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    #[test]
    fn a_bump_is_highest_where_it_is_and_goes_round() {
        let nudge = Nudge {
            across: 0.99,
            upwards: 0.5,
            amount: 2.0,
        };
        assert!((nudge.on_line(0.99) - 2.0).abs() < 1e-12);
        assert!((nudge.on_line(0.01) - nudge.on_line(0.97)).abs() < 1e-9);
        assert!((nudge.on_sphere(0.0, 356.4) - 2.0).abs() < 1e-9);
        assert!((nudge.on_sphere(0.0, 3.6) - nudge.on_sphere(0.0, 349.2)).abs() < 1e-9);
        assert!(nudge.on_sphere(90.0, 0.0) < 1e-6);
    }
}
