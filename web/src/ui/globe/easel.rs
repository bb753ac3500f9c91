//! The picture of the globe: pixels, lines above them, the probe.

use std::sync::Arc;

use leptos::prelude::window;
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use super::hand::now;
use crate::coast;
use crate::globe::{Camera, Line, RADIUS, Spot, Surface, draw, graticule, seen};
use crate::picture::{Key, Picture};

/// Where full pictures of all globes take longer than this, in milliseconds, they are drawn at half resolution while they turn.
const SLOW_MS: f64 = 14.0;
/// Most pixels along a side.
const MOST_PIXELS: f64 = 1600.0;

/// What is drawn.
pub struct Scene {
    /// The field.
    pub surface: Arc<Surface>,
    /// How values become colours.
    pub key: Key,
    /// What is in the middle.
    pub camera: Camera,
    /// The probe.
    pub probe: Option<Spot>,
    /// Whether coastlines are drawn.
    pub coasts: bool,
    /// Whether the globe turns.
    pub moving: bool,
    /// How many turn together.
    pub globes: usize,
}

/// Pixels that are used again, and how long the last full picture took.
pub struct Easel {
    picture: Picture,
    full_ms: f64,
}

impl Default for Easel {
    fn default() -> Self {
        Self {
            picture: Picture {
                width: 0,
                height: 0,
                rgba: vec![],
            },
            full_ms: 0.0,
        }
    }
}

impl Easel {
    /// Draws the scene, at half resolution while the globe turns if a full picture takes too long.
    /// `width` is that of the canvas on the screen.
    pub fn paint(&mut self, canvas: &HtmlCanvasElement, width: f64, scene: &Scene) {
        let side = (width * window().device_pixel_ratio()).clamp(2.0, MOST_PIXELS);
        let halved = scene.moving && self.full_ms * scene.globes.max(1) as f64 > SLOW_MS;
        let size = if halved { 0.5 * side } else { side } as u32;
        let begin = now();
        draw(
            &scene.surface,
            &scene.camera,
            scene.key,
            size as usize,
            &mut self.picture,
        );
        // Setting a size clears the canvas, also to the same one.
        if (canvas.width(), canvas.height()) != (size, size) {
            canvas.set_width(size);
            canvas.set_height(size);
        }
        if let Err(error) = self.show(canvas, width, scene, size) {
            log::error!("the globe could not be drawn: {error:?}");
        }
        if !halved {
            self.full_ms = now() - begin;
        }
    }

    fn show(
        &self,
        canvas: &HtmlCanvasElement,
        width: f64,
        scene: &Scene,
        size: u32,
    ) -> Result<(), JsValue> {
        let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?;
        let context: CanvasRenderingContext2d = context.unchecked_into();
        let image =
            ImageData::new_with_u8_clamped_array_and_sh(Clamped(&self.picture.rgba), size, size)?;
        context.put_image_data(&image, 0.0, 0.0)?;
        let pen = f64::from(size) / width.max(1.0);
        let to = |[right, up]: [f64; 2]| {
            let (half, radius) = (0.5 * f64::from(size), 0.5 * f64::from(size) * RADIUS);
            (half + right * radius, half - up * radius)
        };
        let stroke = |lines: &[Line], colour: &str, width: f64| {
            context.begin_path();
            for line in lines {
                for (i, point) in line.iter().enumerate() {
                    let (x, y) = to(*point);
                    if i == 0 {
                        context.move_to(x, y);
                    } else {
                        context.line_to(x, y);
                    }
                }
            }
            context.set_line_width(width * pen);
            context.set_stroke_style_str(colour);
            context.stroke();
        };
        stroke(&graticule(&scene.camera), "rgb(90 90 90 / 60%)", 0.9);
        if scene.coasts {
            let mut lines = vec![];
            for line in coast::lines() {
                let spots = line.iter().map(|[lon, lat]| Spot {
                    lat: f64::from(*lat),
                    lon: f64::from(*lon),
                });
                seen(&scene.camera, spots, &mut lines);
            }
            stroke(&lines, "rgb(20 20 20 / 75%)", 0.9);
        }
        let probe = scene.probe.map(|spot| scene.camera.project(spot));
        if let Some([right, up, near]) = probe
            && near > 0.0
        {
            let (x, y) = to([right, up]);
            for (colour, width) in [("rgb(0 0 0 / 65%)", 4.0), ("rgb(255 255 255)", 2.0)] {
                context.begin_path();
                context.arc(x, y, 6.0 * pen, 0.0, std::f64::consts::TAU)?;
                context.set_line_width(width * pen);
                context.set_stroke_style_str(colour);
                context.stroke();
            }
        }
        Ok(())
    }
}
