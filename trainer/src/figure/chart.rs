//! Charts: points, lines, bars and bands on two axes, several in one drawing.

use std::fmt::Write;

use super::paper::{INK, QUIET, escape, sheet, text};
use super::ticks::{label, ticks};
use crate::cli::Usage;

const WIDTH: f64 = 330.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 50.0;
const BELOW: f64 = 74.0;
const RIGHT: f64 = 24.0;
const TITLE: f64 = 44.0;
const PER_ROW: usize = 3;

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points.
    Line,
    /// A dashed line: what would be perfect.
    Dashed,
    /// A line with dots.
    Dots,
    /// A bar at each point.
    Bars,
}

/// Points with a name.
pub struct Series {
    /// What it is.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Its colour.
    pub colour: &'static str,
    /// Where it is; points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
}

/// One pair of axes.
pub struct Chart {
    /// What is shown.
    pub title: String,
    /// How to read it, in a sentence.
    pub hint: String,
    /// Names of the axes.
    pub labels: [String; 2],
    /// What is drawn.
    pub series: Vec<Series>,
    /// A horizontal band: where a perfect forecast would lie.
    pub band: Option<[f64; 2]>,
    /// Whether equal distances are equal factors: across, and up.
    pub logarithmic: [bool; 2],
    /// Whether the upright axis begins at zero, so that what hardly changes looks so.
    pub from_zero: bool,
}

/// Charts under one title.
pub struct Charts {
    /// What they are about.
    pub title: String,
    /// The charts.
    pub charts: Vec<Chart>,
}

impl Charts {
    /// Refuses a name that is not one of an SVG; commands ask before the long work begins.
    pub fn check(path: &std::path::Path) -> anyhow::Result<()> {
        if path.extension().is_none_or(|ending| ending != "svg") {
            anyhow::bail!(Usage(format!(
                "{}: plots are written as .svg",
                path.display()
            )));
        }
        Ok(())
    }

    /// Writes them as SVG.
    pub fn write(&self, path: &std::path::Path) -> anyhow::Result<()> {
        crate::files::write_atomic(path, self.svg().as_bytes())
    }

    fn svg(&self) -> String {
        let columns = self.charts.len().clamp(1, PER_ROW);
        let rows = self.charts.len().div_ceil(PER_ROW).max(1);
        let (cell, line) = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BELOW);
        let (width, height) = (cell * columns as f64, TITLE + line * rows as f64);
        let mut out = sheet([width, height], LEFT, 12, &self.title);
        for (i, chart) in self.charts.iter().enumerate() {
            let x = cell * (i % PER_ROW) as f64;
            let y = TITLE + line * (i / PER_ROW) as f64;
            let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
            chart.draw(&mut out);
            out.push_str("</g>\n");
        }
        out.push_str("</svg>\n");
        out
    }
}

/// From a value to a place.
struct Scale {
    lo: f64,
    hi: f64,
    logarithmic: bool,
}

impl Scale {
    /// A scale that holds all values, with zero where they come near it.
    fn of(values: impl Iterator<Item = f64>, logarithmic: bool) -> Self {
        let usable = values.filter(|v| v.is_finite() && (!logarithmic || *v > 0.0));
        let (mut lo, mut hi) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
            (lo.min(v), hi.max(v))
        });
        if lo > hi {
            (lo, hi) = if logarithmic { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if !logarithmic {
            if lo > 0.0 && lo < 0.5 * hi {
                lo = 0.0;
            }
            if lo == hi {
                (lo, hi) = (lo - 0.5, hi + 0.5);
            }
        } else if lo == hi {
            (lo, hi) = (lo / 2.0, hi * 2.0);
        }
        Self {
            lo,
            hi,
            logarithmic,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let f = |v: f64| if self.logarithmic { v.ln() } else { v };
        (f(value) - f(self.lo)) / (f(self.hi) - f(self.lo))
    }

    fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            return ticks(self.lo, self.hi, 5);
        }
        let decades = self.lo.log10().ceil() as i32..=self.hi.log10().floor() as i32;
        let every = (decades.clone().count() / 6 + 1) as i32;
        let kept = decades.filter(|decade| decade.rem_euclid(every) == 0);
        let kept: Vec<f64> = kept.map(|decade| 10_f64.powi(decade)).collect();
        // One power of ten alone says nothing of the distances.
        if kept.len() < 2 {
            return ticks(self.lo, self.hi, 5);
        }
        kept
    }

    fn label(&self, value: f64) -> String {
        if !self.logarithmic || (0.01..=1000.0).contains(&value) {
            return label(value);
        }
        let power = value.log10();
        if (power - power.round()).abs() > 1e-9 {
            return format!("{value:.0e}");
        }
        format!(
            "10<tspan dy=\"-4\" font-size=\"9\">{}</tspan>",
            power.round()
        )
    }
}

impl Chart {
    fn draw(&self, out: &mut String) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let across = Scale::of(points().map(|p| p.0), self.logarithmic[0]);
        let bars = self.series.iter().any(|series| series.mark == Mark::Bars);
        let zero = (bars || self.from_zero).then_some(0.0);
        let extra = self.band.into_iter().flatten().chain(zero);
        let up = Scale::of(points().map(|p| p.1).chain(extra), self.logarithmic[1]);
        let bottom = TOP + HEIGHT;
        let x = |value: f64| LEFT + WIDTH * across.place(value);
        let y = |value: f64| bottom - HEIGHT * up.place(value);
        let (bold, quiet) = (
            "font-weight=\"600\" font-size=\"13\"",
            format!("fill=\"{QUIET}\""),
        );
        text(out, (LEFT, 18.0), &self.title, bold);
        text(out, (LEFT, 36.0), &self.hint, &quiet);
        if let Some([lo, hi]) = self.band {
            let (top, height) = (y(hi), y(lo) - y(hi));
            let _ = writeln!(
                out,
                "<rect x=\"{LEFT}\" y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{height:.1}\" fill=\"#dbe5ee\"/>"
            );
        }
        for value in across.ticks() {
            let _ = writeln!(
                out,
                "<path d=\"M{0:.1} {bottom}v5\" stroke=\"{INK}\"/><text x=\"{0:.1}\" y=\"{1}\" text-anchor=\"middle\">{2}</text>",
                x(value),
                bottom + 18.0,
                across.label(value)
            );
        }
        for value in up.ticks() {
            let _ = writeln!(
                out,
                "<path d=\"M{LEFT} {0:.1}h{WIDTH}\" stroke=\"#e3e7eb\"/><text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{3}</text>",
                y(value),
                LEFT - 7.0,
                y(value) + 4.0,
                up.label(value)
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{QUIET}\">{}</text>\n\
             <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\" fill=\"{QUIET}\">{}</text>",
            LEFT + WIDTH / 2.0,
            bottom + 35.0,
            escape(&self.labels[0]),
            TOP + HEIGHT / 2.0,
            escape(&self.labels[1])
        );
        let mut legend = LEFT;
        for series in &self.series {
            series.draw(out, &x, &y, bottom);
            if self.series.len() > 1 {
                let _ = writeln!(
                    out,
                    "<rect x=\"{legend}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>",
                    bottom + 49.0,
                    series.colour,
                    legend + 19.0,
                    bottom + 55.0,
                    escape(&series.name)
                );
                legend += 34.0 + 6.3 * series.name.len() as f64;
            }
        }
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {TOP}V{bottom}H{}\" fill=\"none\" stroke=\"{INK}\"/>",
            LEFT + WIDTH
        );
    }
}

impl Series {
    fn draw(
        &self,
        out: &mut String,
        x: &impl Fn(f64) -> f64,
        y: &impl Fn(f64) -> f64,
        bottom: f64,
    ) {
        let places: Vec<(f64, f64)> = self
            .points
            .iter()
            .map(|&(a, b)| (x(a), y(b)))
            .filter(|(a, b)| a.is_finite() && b.is_finite())
            .collect();
        let colour = self.colour;
        match self.mark {
            Mark::Bars => {
                let wide = (WIDTH / places.len().max(1) as f64 * 0.85).max(1.0);
                for (a, b) in &places {
                    let _ = writeln!(
                        out,
                        "<rect x=\"{:.1}\" y=\"{b:.1}\" width=\"{wide:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
                        a - wide / 2.0,
                        (bottom - b).max(0.0)
                    );
                }
            }
            mark => {
                let path: Vec<String> = places
                    .iter()
                    .map(|(a, b)| format!("{a:.1} {b:.1}"))
                    .collect();
                let dashes = if mark == Mark::Dashed {
                    " stroke-dasharray=\"5 4\""
                } else {
                    ""
                };
                let _ = writeln!(
                    out,
                    "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dashes}/>",
                    path.join("L")
                );
                if mark == Mark::Dots {
                    for (a, b) in &places {
                        let _ = writeln!(
                            out,
                            "<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"3\" fill=\"{colour}\"/>"
                        );
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logarithmic(values: &[f64]) -> Scale {
        Scale::of(values.iter().copied(), true)
    }

    #[test]
    fn an_axis_of_factors_has_powers_of_ten_or_within_one_round_numbers() {
        let wide = logarithmic(&[0.01, 0.05, 0.2]);
        assert_eq!(wide.ticks(), [0.01, 0.1]);
        assert!((wide.place(0.1) - 10_f64.ln() / 20_f64.ln()).abs() < 1e-12);
        let narrow = logarithmic(&[0.8828, 0.9072]);
        let ticks = narrow.ticks();
        assert!(ticks.len() >= 4, "{ticks:?}");
        assert!(ticks.iter().all(|tick| (0.88..0.91).contains(tick)));
    }

    #[test]
    fn only_a_power_of_ten_is_labelled_as_one() {
        let scale = logarithmic(&[1e-7, 1e-3]);
        assert!(scale.label(1e-6).ends_with(">-6</tspan>"));
        assert_eq!(scale.label(2e-6), "2e-6");
        assert_eq!(scale.label(0.05), "0.05");
    }
}
