//! Lines on the globe, cut to the side that is seen.

use super::camera::{Camera, Spot};

/// Degrees between two points of a line of the graticule.
const STEP: usize = 5;

/// A line in the picture: radii to the right and upwards.
pub type Line = Vec<[f64; 2]>;

/// Meridians and circles of latitude every 30 degrees.
pub fn graticule(camera: &Camera) -> Vec<Line> {
    let steps = |from: i32, to: i32| (from..=to).step_by(STEP).map(f64::from);
    let mut lines = vec![];
    for lon in (0..360).step_by(30).map(f64::from) {
        // Meridians stop before the poles, where all would meet; four go on.
        let end = if lon % 90.0 == 0.0 { 90 } else { 80 };
        seen(
            camera,
            steps(-end, end).map(|lat| Spot { lat, lon }),
            &mut lines,
        );
    }
    for lat in (-60..=60).step_by(30).map(f64::from) {
        seen(
            camera,
            steps(0, 360).map(|lon| Spot { lat, lon }),
            &mut lines,
        );
    }
    lines
}

/// Adds the seen parts of a line through places. They end on the rim.
pub fn seen(camera: &Camera, spots: impl Iterator<Item = Spot>, lines: &mut Vec<Line>) {
    let mut part: Line = vec![];
    let mut before: Option<[f64; 3]> = None;
    for spot in spots {
        let now = camera.project(spot);
        if let Some(before) = before
            && (before[2] > 0.0) != (now[2] > 0.0)
        {
            part.push(rim(before, now));
        }
        if now[2] > 0.0 {
            part.push([now[0], now[1]]);
        } else if !part.is_empty() {
            lines.push(std::mem::take(&mut part));
        }
        before = Some(now);
    }
    if part.len() > 1 {
        lines.push(part);
    }
}

/// Where the way from one point to another crosses the rim.
fn rim(a: [f64; 3], b: [f64; 3]) -> [f64; 2] {
    let share = a[2] / (a[2] - b[2]);
    let (x, y) = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]));
    let length = x.hypot(y).max(1e-9);
    [x / length, y / length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_on_the_disc_and_hidden_ones_are_left_out() {
        let camera = Camera::above(20.0, 77.0);
        let lines = graticule(&camera);
        assert!(lines.len() > 10);
        for [x, y] in lines.iter().flatten() {
            assert!(x.hypot(*y) <= 1.0 + 1e-9);
        }
        let mut hidden = vec![];
        let far = (0..20).map(|i| Spot {
            lat: -20.0 + f64::from(i),
            lon: 257.0,
        });
        seen(&camera, far, &mut hidden);
        assert!(hidden.is_empty());
    }

    #[test]
    fn the_equator_from_above_it_is_one_straight_line_from_rim_to_rim() {
        let camera = Camera::above(0.0, 180.0);
        let mut lines = vec![];
        seen(
            &camera,
            (0..=72).map(|i| Spot {
                lat: 0.0,
                lon: 5.0 * f64::from(i),
            }),
            &mut lines,
        );
        assert_eq!(lines.len(), 1);
        assert!(lines[0].iter().all(|p| p[1].abs() < 1e-9));
        let (first, last) = (lines[0][0][0], lines[0][lines[0].len() - 1][0]);
        assert!(
            (first + 1.0).abs() < 1e-9 && (last - 1.0).abs() < 1e-9,
            "{first} {last}"
        );
    }
}
