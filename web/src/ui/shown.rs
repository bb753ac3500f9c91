//! What a panel shows, and what is said of it.

use std::sync::Arc;

use leptos::prelude::*;

use super::page::Page;
use super::plot::Painted;
use crate::describe;
use crate::field::{Probe, Scene, Unit};
use crate::picture::{Bar, Key};
use crate::views::{self, View, sheet};

/// What a panel shows, and of which side.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shown {
    /// The view.
    pub view: View,
    /// The side.
    pub side: usize,
}

impl Shown {
    /// Its name for tests.
    pub fn name(self) -> String {
        let side = if self.side == 0 { "" } else { "-b" };
        format!("{}{side}", self.view.name())
    }

    /// The field of the view, `[point]`.
    pub fn field(self, page: Page) -> Option<Vec<f32>> {
        page.with_source(self.side, |source| views::pictured(self.view, source))
            .flatten()
    }

    /// Where the points of that field lie.
    pub fn scene(self, page: Page) -> Option<Arc<Scene>> {
        match self.view {
            View::Input => page.scene.get(),
            _ => page.picture.get(),
        }
    }

    /// Where values are read in it.
    pub fn probe(self, page: Page) -> Option<Probe> {
        let (scene, probe) = (page.scene.get()?, page.probe.get()?);
        Some(match self.view {
            View::Input => probe,
            _ => scene.in_picture(probe),
        })
    }

    /// The unit of the view's values.
    pub fn unit(self, page: Page) -> Option<Unit> {
        page.scene.track();
        let channel = page.probe.get()?.channel;
        page.scene.with(|scene| {
            let scene = scene.as_ref()?;
            let units = if self.view == View::Input {
                &scene.inputs
            } else {
                &scene.units
            };
            units.get(channel.min(units.len() - 1)).cloned()
        })
    }

    /// Its heading.
    pub fn title(self, page: Page) -> String {
        let unit = self.unit(page);
        match (self.view, unit) {
            (View::Input, Some(unit)) if unit.title.len() > 2 => unit.title,
            (_, Some(unit)) => (self.view.page().title)(&page.knobs.get(), &unit),
            _ => self.view.label().to_owned(),
        }
    }
}

/// What the canvas shows: the view's field, or a sheet of stamps.
pub fn paint(
    page: Page,
    shown: Shown,
    field: Memo<Option<Vec<f32>>>,
    bar: Memo<Option<Bar>>,
    stepwise: Memo<bool>,
) -> Option<Painted> {
    let scene = shown.scene(page)?;
    let key = match bar.get() {
        None => Key::Interval,
        Some(bar) if stepwise.get() => Key::Cells(bar),
        Some(bar) => Key::Bar(bar),
    };
    if shown.view == View::Stamps {
        let sheet = page.with_source(shown.side, sheet).flatten()?;
        return Some(Painted {
            field: sheet.values,
            shape: sheet.shape,
            periodic: false,
            key,
        });
    }
    Some(Painted {
        field: field.get()?,
        shape: scene.shape,
        periodic: scene.column.periodic,
        key,
    })
}

/// The picture as a sentence, and what keys do.
pub fn label(page: Page, shown: Shown, field: Memo<Option<Vec<f32>>>, changes: bool) -> String {
    let keys = if changes {
        "Arrow keys move the point, space changes the input there."
    } else {
        "Arrow keys move the point."
    };
    let title = shown.title(page);
    let sentence = || {
        let (scene, unit, probe) = (shown.scene(page)?, shown.unit(page)?, shown.probe(page)?);
        let side = side_words(page, shown.side, shown.view);
        let side = side.map(|words| format!(", {words}")).unwrap_or_default();
        let title = format!("{title}{side}");
        field.with(|field| {
            let field = field.as_ref()?;
            Some(views::sentence(
                shown.view, &title, &scene, &unit, field, probe,
            ))
        })
    };
    let sentence = sentence().unwrap_or_else(|| format!("{title}: not there yet."));
    format!("{sentence} {keys}")
}

/// What is said while there is no picture.
pub fn wait(page: Page, view: View, failed: bool) -> String {
    let compares = page.settings.with(crate::settings::Settings::compares);
    let empty = page
        .case
        .with(|case| case.as_ref().is_some_and(|case| case.input.is_none()));
    let waits = match view {
        View::Input if page.no_truth.with(Option::is_some) => "drop a file here",
        View::Truth if page.without_truth() => "no truth",
        _ if page.no_truth.with(Option::is_some) && empty => "needs an input",
        _ if view.needs_truth() && page.without_truth() => "needs a truth",
        _ if failed => "no forecast",
        View::Truth | View::Input => "solving …",
        View::Difference if !compares => "choose a method to compare with",
        _ => "waiting for members …",
    };
    waits.to_owned()
}

/// What the method of a side is called.
pub fn method_of(page: Page, side: usize) -> Option<&'static str> {
    let name = |model: &crate::message::Model| describe::method(model.header.spec.method);
    page.models[side].with(|model| model.as_ref().map(name))
}

/// `A, PNO_D`, where two sides are shown.
pub fn side_words(page: Page, side: usize, view: View) -> Option<String> {
    if view.is_shared() || !page.settings.with(crate::settings::Settings::compares) {
        return None;
    }
    let letter = if side == 0 { "A" } else { "B" };
    let method = method_of(page, side);
    Some(match method {
        Some(method) => format!("{letter} · {method}"),
        None => letter.to_owned(),
    })
}

/// Whether a view is drawn in squares, maps or wide pictures.
pub fn layout_class(page: Page) -> &'static str {
    page.picture.with(
        |scene| match scene.as_ref().map(|scene| (scene.layout, scene.shape)) {
            Some((crate::field::Layout::SpaceTime, _)) | None => "wide",
            Some((crate::field::Layout::Sphere, _)) => "spheres",
            Some((_, shape)) if shape.rows == 1 => "wide",
            Some((_, shape)) if shape.columns == shape.rows => "squares",
            Some(_) => "maps",
        },
    )
}
