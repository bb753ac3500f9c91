//! A box of latitudes and longitudes.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, ensure};

/// A box in degrees, edges included. It may cross Greenwich or the date line: then `east` is beyond 360 or `west` below 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Region {
    /// Southern edge.
    pub south: f64,
    /// Northern edge.
    pub north: f64,
    /// Western edge.
    pub west: f64,
    /// Eastern edge; never west of `west`.
    pub east: f64,
}

impl Region {
    /// The box of the paper: Europe, 160 by 220 points of the quarter-degree grid.
    pub const PUBLISHED: Self = Self {
        south: 35.0,
        north: 74.75,
        west: -12.5,
        east: 42.25,
    };

    /// A box with its edges in order. Longitudes may count from -180 or from 0, and `170..-170` crosses the date line.
    pub fn new(south: f64, north: f64, west: f64, east: f64) -> Result<Self> {
        ensure!(
            (-90.0..=90.0).contains(&south) && south <= north && north <= 90.0,
            "the latitudes {south}..{north} are not a range from -90 to 90 degrees, south first"
        );
        let longitude = |value: f64| (-360.0..=720.0).contains(&value);
        ensure!(
            longitude(west) && longitude(east),
            "the longitudes {west}..{east} are not a range from -180 to 360 degrees, west first"
        );
        let mut east = east;
        if east < west {
            east += 360.0;
        }
        ensure!(
            west <= east && east - west <= 360.0,
            "the longitudes {west}..{east} are not a range of at most 360 degrees, west first"
        );
        // As they were given, unless they lie beyond what either way of counting has.
        let turns = if east > 360.0 {
            -360.0
        } else if west < -180.0 {
            360.0
        } else {
            0.0
        };
        Ok(Self {
            south,
            north,
            west: west + turns,
            east: east + turns,
        })
    }
}

impl FromStr for Region {
    type Err = anyhow::Error;

    /// Latitudes and longitudes, like `35..74.75,-12.5..42.25`.
    fn from_str(text: &str) -> Result<Self> {
        let range = |part: &str| {
            let (from, to) = part.split_once("..")?;
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
            Some((number(from)?, number(to)?))
        };
        let parsed = text
            .split_once(',')
            .and_then(|(latitudes, longitudes)| Some((range(latitudes)?, range(longitudes)?)));
        let ((south, north), (west, east)) = parsed.with_context(|| {
            format!("`{text}` is not a box like 35..74.75,-12.5..42.25 (latitudes, longitudes)")
        })?;
        Self::new(south, north, west, east)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            south,
            north,
            west,
            east,
        } = self;
        write!(f, "{south}..{north},{west}..{east}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_read_and_written() {
        let parse = |text: &str| text.parse::<Region>();
        assert_eq!(
            parse("35..74.75,-12.5..42.25").expect("a box"),
            Region::PUBLISHED
        );
        assert_eq!(
            parse("35..74.75, 347.5..42.25").expect("a box"),
            Region::PUBLISHED
        );
        let pacific = parse("-10..10,170..-170").expect("a box");
        assert_eq!((pacific.west, pacific.east), (170.0, 190.0));
        assert_eq!(parse("-90..90,0..360").expect("a box").east, 360.0);
        assert_eq!(Region::PUBLISHED.to_string(), "35..74.75,-12.5..42.25");
    }

    #[test]
    fn what_is_not_a_box_is_refused() {
        for text in [
            "",
            "35..74",
            "35..74,a..b",
            "74..35,0..10",
            "-91..0,0..10",
            "0..1,0..800",
            "0..nan,0..1",
            "0..1,-180..360",
        ] {
            let message = format!("{:#}", text.parse::<Region>().expect_err(text));
            assert!(message.contains("not a"), "{text}: {message}");
        }
    }
}
