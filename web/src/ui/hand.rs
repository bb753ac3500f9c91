//! The visitor's hand on the input: a brush for a ground, bumps for a start, and the way back.

use std::sync::Arc;

use leptos::prelude::*;

use super::page::Page;
use crate::experiments::{self, row};
use crate::live::{DarcyGrid, Place};
use crate::nudge::{self, Nudge};
use crate::painting::Painting;

/// Steps that can be taken back.
const MOST_STEPS: usize = 100;

/// What a step changes.
#[derive(Clone)]
struct Step {
    seed: u64,
    grid: DarcyGrid,
    painting: Option<Arc<Painting>>,
    nudges: Vec<Nudge>,
}

/// Shared by the input's panel and its tools.
#[derive(Clone, Copy)]
pub struct Hand {
    page: Page,
    steps: RwSignal<Vec<Step>>,
    /// Where the hand was last, while it is down.
    last: RwSignal<Option<Place>>,
    /// Height of the next bump, in standard deviations.
    pub amount: RwSignal<f32>,
    /// Where a pointer is, also while it is up.
    pub hover: RwSignal<Option<Place>>,
}

impl Hand {
    /// Nothing changed yet.
    pub fn new(page: Page) -> Self {
        Self {
            page,
            steps: RwSignal::new(vec![]),
            last: RwSignal::new(None),
            amount: RwSignal::new(1.0),
            hover: RwSignal::new(None),
        }
    }

    /// Whether the input of the experiment can be changed by hand.
    pub fn can_change(self) -> bool {
        let experiment = self.page.settings.with(|s| s.experiment);
        let rests = row(experiment).hand == experiments::Hand::Rests;
        !rests && self.page.given.with(Option::is_none)
    }

    /// Whether it is a ground that is painted.
    pub fn paints(self) -> bool {
        let experiment = self.page.settings.with(|s| s.experiment);
        row(experiment).hand == experiments::Hand::Paints
    }

    /// Whether there is a step to take back.
    pub fn can_undo(self) -> bool {
        self.steps.with(|steps| !steps.is_empty())
    }

    /// Forgets all steps: another experiment has none of them.
    pub fn forget(self) {
        self.steps.set(vec![]);
    }

    /// Puts the hand down, unless there is nothing to change yet.
    pub fn begin(self, place: Place) {
        if !untrack(|| self.can_change()) {
            return;
        }
        if untrack(|| self.paints()) {
            let Some(ground) = self.ground() else {
                return;
            };
            self.remember();
            self.page
                .settings
                .update(|s| s.live.painting = Some(ground));
        } else {
            self.remember();
            let amount = self.amount.get_untracked();
            self.page.settings.update(|s| {
                if s.nudges.len() == nudge::MOST {
                    s.nudges.remove(0);
                }
                s.nudges.push(Nudge::at(place, amount));
            });
        }
        self.page.brushing.set(true);
        self.last.set(Some(place));
        self.to(place);
    }

    /// Goes on to a place, if the hand is down.
    pub fn to(self, place: Place) {
        let Some(from) = self.last.get_untracked() else {
            return;
        };
        self.last.set(Some(place));
        let paints = untrack(|| self.paints());
        self.page.settings.update(|s| {
            if paints {
                s.live.stroke(from, place);
            } else if let Some(nudge) = s.nudges.last_mut() {
                *nudge = Nudge::at(place, nudge.amount);
            }
            s.place = place;
        });
    }

    /// Lifts the hand.
    pub fn end(self) {
        if self.last.with_untracked(Option::is_some) {
            self.last.set(None);
            self.page.brushing.set(false);
        }
    }

    /// Takes the last step back.
    pub fn undo(self) {
        let step = self.steps.try_update(Vec::pop).flatten();
        if let Some(step) = step {
            self.page.settings.update(|s| {
                s.seed = step.seed;
                s.live.grid = step.grid;
                s.live.painting = step.painting;
                s.nudges = step.nudges;
            });
        }
    }

    /// Fills the square with the low value, or takes all bumps away.
    pub fn clear(self) {
        self.remember();
        let paints = untrack(|| self.paints());
        self.page.settings.update(|s| {
            if paints {
                s.live.painting = Some(Arc::new(Painting::filled(s.live.cells(), false)));
            } else {
                s.nudges.clear();
            }
        });
    }

    /// Goes to the case of a seed.
    pub fn draw(self, seed: u64) {
        self.remember();
        self.page.given.set(None);
        self.page.settings.update(|s| {
            // The grid on the screen stays, also where the painting had brought its own.
            s.live.grid = DarcyGrid::with_cells(s.live.cells()).unwrap_or_default();
            s.new_case(seed);
        });
    }

    /// What the brush would paint on: the painting, else the random field that is on the screen.
    fn ground(self) -> Option<Arc<Painting>> {
        let painting = self
            .page
            .settings
            .with_untracked(|s| s.live.painting.clone());
        if painting.is_some() {
            return painting;
        }
        let cells = self.page.settings.with_untracked(|s| s.live.cells());
        self.page.case.with_untracked(|case| {
            let case = case.as_ref()?;
            let n = case.scene.shape.columns;
            let painting = Painting::from_coefficient(n, case.input.as_ref()?)?;
            // A model's grid may be one that no address holds.
            let known = DarcyGrid::with_cells(n).is_some();
            Some(Arc::new(if known { painting } else { painting.on(cells) }))
        })
    }

    fn remember(self) {
        let step = self.page.settings.with_untracked(|s| Step {
            seed: s.seed,
            grid: s.live.grid,
            painting: s.live.painting.clone(),
            nudges: s.nudges.clone(),
        });
        self.steps.update(|steps| {
            if steps.len() == MOST_STEPS {
                steps.remove(0);
            }
            steps.push(step);
        });
    }
}
