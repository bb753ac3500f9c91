//! Drawing panels as SVG: rasters embedded as PNG, everything else as lines and text.

use std::fmt::Write;

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::panel::{Key, Panel, Span};
use super::paper::{INK, QUIET, sheet, text};
use super::raster::Image;
use super::ticks::{label, ticks};

const HEIGHT: f64 = 300.0;
const TOP: f64 = 84.0;
const TITLE: f64 = 36.0;
const LEFT: f64 = 58.0;
const GAP: f64 = 30.0;
const BELOW: f64 = 110.0;
const SCALE_TOP: f64 = 52.0;

/// The whole figure.
pub fn document(title: &str, rows: &[Vec<Panel>]) -> Result<String> {
    let width_of = |row: &Vec<Panel>| row.iter().map(|panel| panel.width(HEIGHT) + GAP).sum();
    let width = LEFT + rows.iter().map(width_of).fold(0.0, f64::max);
    let row_height = TITLE + HEIGHT + BELOW;
    let height = TOP - TITLE + row_height * rows.len() as f64;
    let mut out = sheet([width, height], LEFT, 13, title);
    for (row, panels) in rows.iter().enumerate() {
        let _ = writeln!(
            out,
            "<g transform=\"translate(0 {})\">",
            row_height * row as f64
        );
        let mut left = LEFT;
        for (index, panel) in panels.iter().enumerate() {
            draw(&mut out, panel, left, index == 0)?;
            left += panel.width(HEIGHT) + GAP;
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    Ok(out)
}

fn draw(out: &mut String, panel: &Panel, left: f64, first: bool) -> Result<()> {
    let (width, bottom) = (panel.width(HEIGHT), TOP + HEIGHT);
    text(out, (left, TOP - 12.0), &panel.title, "font-weight=\"600\"");
    image(out, &panel.image, [left, TOP, width, HEIGHT], true)?;
    let _ = writeln!(
        out,
        "<rect x=\"{left}\" y=\"{TOP}\" width=\"{width}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"{INK}\"/>"
    );

    let place = |span: &Span, value: f64| (value - span.lo) / (span.hi - span.lo);
    for value in ticks(panel.across.lo, panel.across.hi, 4) {
        let x = left + width * place(&panel.across, value);
        line(out, [x, bottom, x, bottom + 5.0]);
        text(
            out,
            (x, bottom + 18.0),
            &label(value),
            "text-anchor=\"middle\"",
        );
    }
    let middle = left + width / 2.0;
    text(
        out,
        (middle, bottom + 35.0),
        &panel.across.label,
        &format!("text-anchor=\"middle\" fill=\"{QUIET}\""),
    );
    for value in ticks(panel.up.lo, panel.up.hi, 5) {
        let y = bottom - HEIGHT * place(&panel.up, value);
        line(out, [left - 5.0, y, left, y]);
        if first {
            text(
                out,
                (left - 9.0, y + 4.5),
                &label(value),
                "text-anchor=\"end\"",
            );
        }
    }
    if first {
        let mut style = format!("text-anchor=\"middle\" fill=\"{QUIET}\"");
        let (x, y) = (left - 40.0, TOP + HEIGHT / 2.0);
        // A name that is longer than the margin runs upwards.
        if panel.up.label.chars().count() > 3 {
            let _ = write!(style, " transform=\"rotate(-90 {x:.1} {y:.1})\"");
        }
        text(out, (x, y), &panel.up.label, &style);
    }
    if let Some(value) = panel.rule {
        let x = left + width * place(&panel.across, value);
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"{INK}\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\"/>"
        );
    }
    key(out, &panel.key, left, width, bottom + SCALE_TOP)
}

fn key(out: &mut String, key: &Key, left: f64, width: f64, top: f64) -> Result<()> {
    match key {
        Key::Scale { table, lo, hi } => {
            image(out, &Image::scale(table), [left, top, width, 12.0], false)?;
            let _ = writeln!(
                out,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"12\" fill=\"none\" stroke=\"{INK}\"/>"
            );
            let (lo, hi) = (f64::from(*lo), f64::from(*hi));
            for value in ticks(lo, hi, 4) {
                let x = left + width * (value - lo) / (hi - lo);
                line(out, [x, top + 12.0, x, top + 17.0]);
                text(
                    out,
                    (x, top + 31.0),
                    &label(value),
                    "text-anchor=\"middle\"",
                );
            }
        }
        Key::Names(names) => {
            for (index, (colour, name)) in names.iter().enumerate() {
                let y = top + 20.0 * index as f64;
                let [r, g, b] = colour;
                let _ = writeln!(
                    out,
                    "<rect x=\"{left}\" y=\"{y}\" width=\"13\" height=\"13\" fill=\"rgb({r},{g},{b})\" stroke=\"{INK}\"/>"
                );
                text(out, (left + 20.0, y + 11.0), name, "");
            }
        }
    }
    Ok(())
}

fn image(
    out: &mut String,
    image: &Image,
    [x, y, width, height]: [f64; 4],
    crisp: bool,
) -> Result<()> {
    let data = STANDARD.encode(image.png()?);
    let style = if crisp {
        " style=\"image-rendering:pixelated\""
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\"{style} href=\"data:image/png;base64,{data}\"/>"
    );
    Ok(())
}

fn line(out: &mut String, [x1, y1, x2, y2]: [f64; 4]) {
    let _ = writeln!(
        out,
        "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"{INK}\"/>"
    );
}
