//! What a panel shows, to take away: picture, table, array.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement};

use super::colour_bar::{css, ends};
use super::downloads::save;
use super::page::Page;
use super::shown::{Shown, side_words};
use crate::address;
use crate::coast::{self, Window};
use crate::npy;
use crate::table::{self, Caption};
use crate::views::{Kind, View};

/// Width of a saved picture, and the room around it.
const WIDTH: f64 = 1000.0;
const MARGIN: f64 = 24.0;

/// A small menu in the head of a panel.
#[component]
pub fn SaveMenu(shown: Shown, canvas: NodeRef<html::Canvas>) -> impl IntoView {
    let page = expect_context::<Page>();
    let menu = NodeRef::<html::Details>::new();
    let close = move || {
        if let Some(menu) = menu.get_untracked() {
            menu.set_open(false);
        }
    };
    let item = move |what: &'static str, words: &'static str| {
        let work = move |_| {
            close();
            untrack(|| match what {
                "png" => save_picture(page, shown, canvas),
                _ => save_numbers(page, shown, what),
            });
        };
        view! { <button type="button" data-testid=format!("save-{what}-{}", shown.name()) on:click=work>{words}</button> }
    };
    let label = move || format!("Save: {}", shown.title(page));
    view! {
        <details class="menu" node_ref=menu>
            <summary data-testid=format!("save-{}", shown.name()) aria-label=label title="Save">
                <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2V10M4.5 7 8 10.5 11.5 7M2.5 13.5H13.5"/></svg>
            </summary>
            <div>
                {item("png", "Picture (PNG)")}
                {item("csv", "Table (CSV)")}
                {item("npy", "NumPy (.npy)")}
                {item("json", "JSON")}
            </div>
        </details>
    }
}

/// `ks-seed7-std-b.csv`.
fn file_name(page: Page, shown: Shown, ending: &str) -> String {
    let scene = shown.scene(page);
    page.settings.with(|s| {
        let lead = scene.filter(|scene| scene.shape.frames > 1 || scene.rollout);
        let lead = lead.map(|_| format!("-lead{}", s.lead)).unwrap_or_default();
        format!(
            "{}-seed{}-{}{lead}.{ending}",
            s.experiment,
            s.seed,
            shown.name()
        )
    })
}

fn caption(page: Page, shown: Shown) -> Option<Caption> {
    let unit = shown.unit(page)?;
    let side = side_words(page, shown.side, shown.view).map(|words| format!(" ({words})"));
    Some(Caption {
        title: format!("{}{}", shown.title(page), side.unwrap_or_default()),
        quantity: unit.name,
        unit: unit.unit,
        address: format!("?{}", page.settings.with(address::write)),
    })
}

fn save_numbers(page: Page, shown: Shown, what: &str) {
    let (Some(scene), Some(field), Some(caption)) =
        (shown.scene(page), shown.field(page), caption(page, shown))
    else {
        return;
    };
    let bytes = match what {
        "csv" => table::csv(&scene, &field, &caption).into_bytes(),
        "json" => table::json(&scene, &field, &caption).into_bytes(),
        _ => {
            let sizes = match scene.shape.order {
                crate::field::Order::Columns => [scene.shape.columns, scene.shape.rows],
                _ => [scene.shape.rows, scene.shape.columns],
            };
            npy::encode(&field, &sizes)
        }
    };
    save(&file_name(page, shown, what), &bytes);
}

/// The picture with its heading and its scale.
fn save_picture(page: Page, shown: Shown, canvas: NodeRef<html::Canvas>) {
    let (Some(canvas), Some(caption)) = (canvas.get(), caption(page, shown)) else {
        return;
    };
    let drawn = compose(page, shown, &canvas, &caption);
    let address = drawn.and_then(|canvas| canvas.to_data_url().ok());
    let Some(address) = address else {
        log::error!("the picture could not be saved");
        return;
    };
    if let Ok(anchor) = document().create_element("a") {
        let anchor: HtmlAnchorElement = anchor.unchecked_into();
        anchor.set_href(&address);
        anchor.set_download(&file_name(page, shown, "png"));
        anchor.click();
    }
}

fn compose(
    page: Page,
    shown: Shown,
    picture: &HtmlCanvasElement,
    caption: &Caption,
) -> Option<HtmlCanvasElement> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.unchecked_into();
    let inner = WIDTH - 2.0 * MARGIN;
    let aspect =
        f64::from(picture.client_height().max(1)) / f64::from(picture.client_width().max(1));
    let height = inner * aspect;
    canvas.set_width(WIDTH as u32);
    canvas.set_height((height + 150.0) as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.unchecked_into();
    context.set_fill_style_str("#ffffff");
    context.fill_rect(0.0, 0.0, WIDTH, height + 150.0);
    context.set_fill_style_str("#1d2530");
    context.set_font("600 26px system-ui, sans-serif");
    context.fill_text(&caption.title, MARGIN, 40.0).ok()?;
    let (scene, probe) = (shown.scene(page)?, shown.probe(page)?);
    let when = scene
        .lead_words(probe.frame + 1)
        .filter(|_| scene.shape.frames > 1 || scene.rollout);
    let below = format!("{} {}", shown.unit(page)?.title, when.unwrap_or_default());
    context.set_font("18px system-ui, sans-serif");
    context.fill_text(&below, MARGIN, 66.0).ok()?;
    context
        .draw_image_with_html_canvas_element_and_dw_and_dh(picture, MARGIN, 80.0, inner, height)
        .ok()?;
    if let Some(window) = scene.window().filter(|_| shown.view != View::Stamps) {
        draw_coasts(&context, window, [MARGIN, 80.0, inner, height]);
    }
    let kind = shown.view.page().kind;
    let foot = height + 100.0;
    context.set_fill_style_str("#1d2530");
    if let Some(bar) = page.scales.get()?.bar(kind) {
        let (low, high, unit) = ends(kind, &shown.unit(page)?, bar);
        context.fill_text(&low, MARGIN, foot + 14.0).ok()?;
        context
            .fill_text(
                &format!("{high} {unit}"),
                MARGIN + 0.66 * inner,
                foot + 14.0,
            )
            .ok()?;
        let (start, width) = (MARGIN + 0.15 * inner, 0.49 * inner);
        for step in 0..256_u32 {
            let [r, g, b] = bar.palette.table()[step as usize];
            context.set_fill_style_str(&css([r, g, b, 255]));
            context.fill_rect(
                start + width * f64::from(step) / 256.0,
                foot,
                width / 256.0 + 1.0,
                16.0,
            );
        }
    } else if kind == Kind::Interval {
        context
            .fill_text(
                "grey: truth inside the interval, blue stripes: below, red: above",
                MARGIN,
                foot + 14.0,
            )
            .ok()?;
    }
    Some(canvas)
}

/// Coastlines above a map, in a box of the picture: left, top, width, height.
fn draw_coasts(context: &CanvasRenderingContext2d, window: Window, [x, y, w, h]: [f64; 4]) {
    context.save();
    context.begin_path();
    context.rect(x, y, w, h);
    context.clip();
    context.begin_path();
    let (across, upwards) = (window.east - window.west, window.north - window.south);
    for line in coast::within(window) {
        for (i, [lon, lat]) in line.into_iter().enumerate() {
            let right = x + w * f64::from((lon - window.west) / across);
            let down = y + h * f64::from((window.north - lat) / upwards);
            if i == 0 {
                context.move_to(right, down);
            } else {
                context.line_to(right, down);
            }
        }
    }
    for (colour, width) in [
        ("rgb(255 255 255 / 45%)", 3.0),
        ("rgb(16 20 24 / 85%)", 1.4),
    ] {
        context.set_stroke_style_str(colour);
        context.set_line_width(width);
        context.stroke();
    }
    context.restore();
}
