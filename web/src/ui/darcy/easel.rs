//! The painting in the making: strokes, and the way back.

use std::sync::Arc;

use leptos::prelude::*;

use crate::live::{DarcyGrid, Place};
use crate::painting::Painting;
use crate::ui::page::Page;

/// Steps that can be taken back.
const MOST_STEPS: usize = 100;

/// What a step changes.
#[derive(Clone)]
struct Step {
    seed: u64,
    grid: DarcyGrid,
    painting: Option<Arc<Painting>>,
}

/// Shared by the panels and the tools.
#[derive(Clone, Copy)]
pub struct Easel {
    page: Page,
    steps: RwSignal<Vec<Step>>,
    /// Where the brush was last, while it is down.
    brush: RwSignal<Option<Place>>,
    /// Where a pointer is, also while it is up.
    pub hover: RwSignal<Option<Place>>,
}

impl Easel {
    /// Nothing painted yet.
    pub fn new(page: Page) -> Self {
        Self {
            page,
            steps: RwSignal::new(vec![]),
            brush: RwSignal::new(None),
            hover: RwSignal::new(None),
        }
    }

    /// Whether the brush is up.
    pub fn at_rest(self) -> bool {
        self.brush.with(Option::is_none)
    }

    /// Whether there is a step to take back.
    pub fn can_undo(self) -> bool {
        self.steps.with(|steps| !steps.is_empty())
    }

    /// Where values are read: under the pointer, else at the cursor.
    pub fn place(self) -> Place {
        let hover = self.hover.get();
        hover.unwrap_or_else(|| self.page.settings.with(|s| s.live.place))
    }

    /// The permeability on the screen and its cells: the painting, else the random field that was solved.
    pub fn with_permeability<T>(self, work: impl FnOnce(usize, &[f32]) -> T) -> Option<T> {
        let painting = self.page.settings.with(|s| s.live.painting.clone());
        if let Some(painting) = painting {
            return Some(work(painting.cells(), &painting.coefficient()));
        }
        self.page.flow.with(|flow| {
            let flow = flow.as_ref()?;
            Some(work(flow.cells(), &flow.permeability))
        })
    }

    /// Puts the brush down, unless there is nothing to paint on yet.
    pub fn begin(self, place: Place) {
        let Some(painting) = self.ground() else {
            return;
        };
        self.remember();
        self.page
            .settings
            .update(|s| s.live.painting = Some(painting));
        self.brush.set(Some(place));
        self.to(place);
    }

    /// Draws the brush on to a place, if it is down.
    pub fn to(self, place: Place) {
        let Some(from) = self.brush.get_untracked() else {
            return;
        };
        self.brush.set(Some(place));
        self.page.settings.update(|s| s.live.stroke(from, place));
    }

    /// Lifts the brush.
    pub fn end(self) {
        if self.brush.with_untracked(Option::is_some) {
            self.brush.set(None);
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
            });
        }
    }

    /// Fills the square with the low value.
    pub fn clear(self) {
        self.remember();
        self.page.settings.update(|s| {
            let empty = Painting::filled(s.live.cells(), false);
            s.live.painting = Some(Arc::new(empty));
        });
    }

    /// Goes to the random field of a seed.
    pub fn draw(self, seed: u64) {
        self.remember();
        self.page.settings.update(|s| {
            // The grid on the screen stays, also where the painting had brought its own.
            s.live.grid = DarcyGrid::with_cells(s.live.cells()).unwrap_or_default();
            s.seed = seed;
            s.live.painting = None;
        });
    }

    /// What the brush would paint on.
    fn ground(self) -> Option<Arc<Painting>> {
        let painting = self
            .page
            .settings
            .with_untracked(|s| s.live.painting.clone());
        if painting.is_some() {
            return painting;
        }
        // A random field that is on its way must not be painted as the one before it.
        let settled = self.page.solved.get_untracked() == self.page.run.get_untracked();
        self.page.flow.with_untracked(|flow| {
            let flow = flow.as_ref().filter(|_| settled)?;
            Painting::from_coefficient(flow.cells(), &flow.permeability).map(Arc::new)
        })
    }

    fn remember(self) {
        let step = self.page.settings.with_untracked(|s| Step {
            seed: s.seed,
            grid: s.live.grid,
            painting: s.live.painting.clone(),
        });
        self.steps.update(|steps| {
            if steps.len() == MOST_STEPS {
                steps.remove(0);
            }
            steps.push(step);
        });
    }
}
