//! Paths of figures.

use std::fmt::Write;

use super::{Figure, Layer, Paint, Role, SIDE};

type Words = Option<&'static str>;

impl Figure {
    /// A line through `(x, y)`; where `y` is NaN it has a gap.
    pub fn line(&mut self, role: Role, words: Words, xs: &[f64], ys: &[f64]) {
        let mut path = String::new();
        self.extend(&mut path, true, xs.iter().copied().zip(ys.iter().copied()));
        self.push(role, Paint::Line, words, path);
    }

    /// Several lines `[line, xs]` in one path.
    pub fn lines(&mut self, role: Role, words: Words, xs: &[f64], ys: &[f64]) {
        let mut path = String::new();
        for line in ys.chunks_exact(xs.len().max(1)) {
            self.extend(
                &mut path,
                true,
                xs.iter().copied().zip(line.iter().copied()),
            );
        }
        self.push(role, Paint::Line, words, path);
    }

    /// The area between two lines; positions where either is NaN are left out.
    pub fn band(&mut self, role: Role, words: Words, xs: &[f64], lower: &[f64], upper: &[f64]) {
        let all = xs.iter().zip(lower).zip(upper);
        let whole: Vec<_> = all
            .map(|((&x, &lo), &hi)| (x, lo, hi))
            .filter(|(_, lo, hi)| !lo.is_nan() && !hi.is_nan())
            .collect();
        let mut path = String::new();
        self.extend(&mut path, true, whole.iter().map(|&(x, lo, _)| (x, lo)));
        self.extend(
            &mut path,
            false,
            whole.iter().rev().map(|&(x, _, hi)| (x, hi)),
        );
        if !path.is_empty() {
            path.push('Z');
        }
        self.push(role, Paint::Area, words, path);
    }

    /// Rectangles `(left, right, bottom, top)`.
    pub fn boxes(&mut self, role: Role, words: Words, boxes: &[[f64; 4]]) {
        let mut path = String::new();
        for &[left, right, bottom, top] in boxes {
            let corners = [(left, bottom), (left, top), (right, top), (right, bottom)];
            self.extend(&mut path, true, corners.into_iter());
            path.push('Z');
        }
        self.push(role, Paint::Area, words, path);
    }

    /// Straight strokes `(x, y)` to `(x, y)`.
    pub fn strokes(&mut self, role: Role, words: Words, strokes: &[[(f64, f64); 2]]) {
        let mut path = String::new();
        for stroke in strokes {
            self.extend(&mut path, true, stroke.iter().copied());
        }
        self.push(role, Paint::Line, words, path);
    }

    /// Dots.
    pub fn dots(&mut self, role: Role, words: Words, points: impl Iterator<Item = (f64, f64)>) {
        let mut path = String::new();
        for (x, y) in points.filter(|(_, y)| !y.is_nan()) {
            self.extend(&mut path, true, std::iter::once((x, y)));
            // A stroke without length is a dot of the size of the pen, however the page stretches the square.
            path.push_str("h0");
        }
        self.push(role, Paint::Dots, words, path);
    }

    /// A line from the bottom to the top.
    pub fn upright(&mut self, role: Role, words: Words, x: f64) {
        self.strokes(role, words, &[[(x, self.y.lo), (x, self.y.hi)]]);
    }

    /// The line where both axes have the same value.
    pub fn diagonal(&mut self, words: Words) {
        let ends = [self.x.lo.max(self.y.lo), self.x.hi.min(self.y.hi)];
        self.line(Role::Ideal, words, &ends, &ends);
    }

    fn push(&mut self, role: Role, paint: Paint, words: Words, path: String) {
        self.layers.push(Layer {
            role,
            paint,
            words,
            path,
        });
    }

    fn extend(&self, path: &mut String, begin: bool, points: impl Iterator<Item = (f64, f64)>) {
        let mut lifted = begin;
        for (x, y) in points {
            if x.is_nan() || y.is_nan() {
                lifted = true;
                continue;
            }
            let command = if lifted { 'M' } else { 'L' };
            let side = f64::from(SIDE);
            let (x, y) = (self.x.share(x) * side, (1.0 - self.y.share(y)) * side);
            // Writing to a string cannot fail.
            let _ = write!(path, "{command}{x:.1} {y:.1}");
            lifted = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::figure::{Axis, Figure, Role};

    fn figure() -> Figure {
        Figure::new(
            "test",
            "Test",
            Axis::new("", 0.0, 10.0),
            Axis::new("", 0.0, 1.0),
        )
    }

    fn path(draw: impl FnOnce(&mut Figure)) -> String {
        let mut figure = figure();
        draw(&mut figure);
        figure.layers.remove(0).path
    }

    #[test]
    fn up_is_up_and_a_nan_is_a_gap() {
        let nan = f64::NAN;
        let found = path(|f| {
            f.line(
                Role::Found,
                None,
                &[0.0, 5.0, 7.5, 10.0],
                &[0.0, 1.0, nan, 0.5],
            )
        });
        assert_eq!(found, "M0.0 1000.0L500.0 0.0M1000.0 500.0");
        let found = path(|f| {
            f.band(
                Role::Chance,
                None,
                &[0.0, 5.0, 10.0],
                &[0.0, nan, 0.0],
                &[1.0; 3],
            )
        });
        assert_eq!(found, "M0.0 1000.0L1000.0 1000.0L1000.0 0.0L0.0 0.0Z");
    }

    #[test]
    fn boxes_dots_and_the_diagonal() {
        let found = path(|f| f.boxes(Role::Inner, None, &[[0.0, 5.0, 0.0, 1.0]]));
        assert_eq!(found, "M0.0 1000.0L0.0 0.0L500.0 0.0L500.0 1000.0Z");
        let found = path(|f| f.dots(Role::Found, None, [(5.0, 0.5), (6.0, f64::NAN)].into_iter()));
        assert_eq!(found, "M500.0 500.0h0");
        let found = path(|f| f.diagonal(None));
        assert_eq!(found, "M0.0 1000.0L100.0 0.0");
        assert_eq!(path(|f| f.line(Role::Found, None, &[], &[])), "");
    }
}
