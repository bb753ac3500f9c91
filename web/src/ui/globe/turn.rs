//! What is in the middle of the globes: they turn together, and the address says how.

use leptos::prelude::*;

use crate::globe::{Camera, Eye, Spot};
use crate::ui::page::Page;

/// A probe nearer to the rim than this, as the cosine of its distance from the middle, is turned into sight.
const IN_SIGHT: f64 = 0.25;
/// Degrees by which the globe turns after a probe.
const FOLLOW_DEGREES: f64 = 25.0;

/// What is in the middle of one or several globes, and whether they move: globes that share it turn together.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// What is in the middle.
    pub camera: RwSignal<Camera>,
    pub(super) moving: RwSignal<bool>,
    globes: StoredValue<usize>,
}

impl Turn {
    /// At rest above a place.
    pub fn new(camera: Camera) -> Self {
        Self {
            camera: RwSignal::new(camera),
            moving: RwSignal::new(false),
            globes: StoredValue::new(0),
        }
    }

    /// As the settings say, and they as the visitor turns it.
    pub fn follow(page: Page) -> Self {
        let turn = Self::new(page.settings.with_untracked(|s| s.eye.camera()));
        let eye = Memo::new(move |_| page.settings.with(|s| s.eye));
        Effect::new(move |_| {
            let wanted = eye.get();
            // The settings hold whole degrees: what rounds to them is where it should be.
            if Eye::of(turn.camera.get_untracked()) != wanted {
                turn.camera.set(wanted.camera());
            }
        });
        Effect::new(move |_| {
            let found = Eye::of(turn.camera.get());
            if !turn.moving.get() && eye.get_untracked() != found {
                page.settings.update(|s| s.eye = found);
            }
        });
        turn
    }

    /// How many globes share it.
    pub(super) fn globes(self) -> usize {
        self.globes.get_value()
    }

    /// Counts a globe for as long as the component that calls it lives.
    pub(super) fn join(self) {
        self.globes.update_value(|count| *count += 1);
        on_cleanup(move || {
            // At the end of the page there may be nothing left to count.
            self.globes
                .try_update_value(|count| *count = count.saturating_sub(1));
        });
    }

    /// Turns a probe into sight that has left the side that is seen.
    pub(super) fn show(self, probe: Option<Spot>) {
        let Some(spot) = probe else {
            return;
        };
        let camera = self.camera.get_untracked();
        if camera.project(spot)[2] < IN_SIGHT {
            let east = (spot.lon - camera.middle.lon + 180.0).rem_euclid(360.0) - 180.0;
            let north = spot.lat - camera.middle.lat;
            let step = |way: f64| way.clamp(-FOLLOW_DEGREES, FOLLOW_DEGREES);
            self.camera.set(camera.turned(step(north), step(east)));
        }
    }
}
