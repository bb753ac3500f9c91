//! Shallow water at an hour: its frame, and what a sentence says about it.

use pno::pde::sswe::CHANNELS;

use crate::live::{Channel, Place};
use crate::message::Hour;
use crate::picture::{Bar, map_index};
use crate::scale::{scientific, short};

/// Energy and mass change by rounding alone below this.
const ROUNDING: f64 = 1e-12;

/// A frame `[lat, lon, channel]` and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Weather {
    /// The frame.
    pub frame: Vec<f32>,
    /// What the worker told about it.
    pub told: Hour,
}

impl Weather {
    /// Takes the worker's field; `None` if it is not a frame of the grid that it tells.
    pub fn from_fields(told: Hour, fields: Vec<Vec<f32>>) -> Option<Self> {
        let [frame] = <[_; 1]>::try_from(fields).ok()?;
        let points = told.latitudes as usize * told.longitudes as usize;
        let whole = points > 0 && frame.len() == points * CHANNELS;
        whole.then_some(Self { frame, told })
    }

    /// Circles of latitude and points of a circle.
    pub fn sizes(&self) -> [usize; 2] {
        [self.told.latitudes as usize, self.told.longitudes as usize]
    }

    /// Colours of a channel: the geopotential around its mean over the circles, the others around zero.
    pub fn bar(channel: Channel, field: &[f32]) -> Bar {
        match channel {
            Channel::Geopotential => {
                // The mean depth never changes, so the middle of the scale stays where it is.
                let middle = pno::pde::sswe::GRAVITY * pno::pde::sswe::MEAN_DEPTH;
                Bar::around(middle.round() as f32, field)
            }
            _ => Bar::around(0.0, field),
        }
    }

    /// A channel in one sentence, and its value at a place.
    pub fn sentence(&self, channel: Channel, field: &[f32], place: Place) -> String {
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        for &value in field {
            (least, most) = (least.min(value), most.max(value));
        }
        format!(
            "{} after {} on {} × {} points: from {} to {} {unit}. At {}: {} {unit}.",
            channel.title(),
            hours(self.told.hour),
            self.told.latitudes,
            self.told.longitudes,
            value(least),
            value(most),
            self.words_of(place),
            value(field[map_index(self.sizes(), place)]),
            unit = channel.unit(),
        )
    }

    /// Latitude and longitude of a place's point.
    pub fn words_of(&self, place: Place) -> String {
        let [rows, columns] = self.sizes();
        let (column, row) = place.cell(columns, rows);
        let latitude = -90.0 + 180.0 * row as f64 / (rows - 1) as f64;
        let longitude = 360.0 * column as f64 / columns as f64;
        let side = if latitude < 0.0 { "S" } else { "N" };
        format!("{:.1}° {side}, {longitude:.1}° E", latitude.abs())
    }

    /// Change of the mass since the first frame.
    pub fn mass(&self) -> String {
        drift(self.told.mass_drift)
    }

    /// Change of the energy since the first frame.
    pub fn energy(&self) -> String {
        drift(self.told.energy_drift)
    }
}

/// A value with as many digits as are of use: the geopotential varies in its third.
pub fn value(value: f32) -> String {
    if value.abs() >= 1000.0 {
        format!("{value:.0}").replace('-', "−")
    } else {
        short(f64::from(value))
    }
}

/// `1 hour`, `30 hours`.
pub fn hours(count: u32) -> String {
    format!("{count} {}", if count == 1 { "hour" } else { "hours" })
}

/// A relative change: in per cent where one can see it, else as a power of ten.
fn drift(share: f64) -> String {
    let size = share.abs();
    let sign = if share < 0.0 { "−" } else { "+" };
    if size < ROUNDING {
        "0 (rounding)".to_owned()
    } else if size >= 1e-4 {
        format!("{sign}{} %", short(100.0 * size))
    } else {
        format!("{sign}{}", scientific(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weather() -> Weather {
        let told = Hour {
            hour: 1,
            latitudes: 3,
            longitudes: 4,
            steps: 6,
            ms_per_hour: 1.5,
            mass_drift: 2e-16,
            energy_drift: -0.0123,
        };
        let frame = (0..36).map(|i| {
            if i % 3 == 1 {
                i as f32 * 1e-6
            } else {
                98_000.0
            }
        });
        Weather::from_fields(told, vec![frame.collect()]).expect("a whole frame")
    }

    #[test]
    fn the_sentence_is_made_from_the_numbers() {
        let place = Place {
            across: 0.3,
            upwards: 0.1,
        };
        let weather = weather();
        let field = Channel::Vorticity.of_frame(&weather.frame);
        assert_eq!(
            weather.sentence(Channel::Vorticity, &field, place),
            "Vorticity after 1 hour on 3 × 4 points: from 1 to 34 10⁻⁶ s⁻¹. At 90.0° S, 90.0° E: 28 10⁻⁶ s⁻¹."
        );
    }

    #[test]
    fn drifts_are_told_on_a_scale_that_shows_them() {
        let weather = weather();
        assert_eq!(weather.mass(), "0 (rounding)");
        assert_eq!(weather.energy(), "−1.23 %");
        assert_eq!(drift(3.4e-7), "+3.4 × 10⁻⁷");
    }

    #[test]
    fn the_geopotential_keeps_its_digits_and_its_middle() {
        let bar = Weather::bar(Channel::Geopotential, &[98_000.0, 98_400.0]);
        assert_eq!(bar.lo + bar.hi, 2.0 * 98_062.0);
        assert_eq!(value(98_061.6), "98062");
        assert_eq!(value(-3.217), "−3.22");
    }

    #[test]
    fn a_frame_of_the_wrong_size_is_refused() {
        let told = weather().told;
        assert_eq!(Weather::from_fields(told, vec![vec![0.0; 12]]), None);
        assert_eq!(Weather::from_fields(told, vec![]), None);
    }
}
