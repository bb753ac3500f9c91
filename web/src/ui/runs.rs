//! When the worker is asked for what.

use leptos::prelude::*;

use super::cases::{Shelf, Shipped};
use super::consent::Consent;
use super::files;
use super::link;
use super::page::Page;
use crate::catalogue::{Catalogue, FOLDER};
use crate::experiments::{Hand, row};
use crate::message::{Checkpoint, Problem, Run};
use crate::settings::{DeviceChoice, Settings};

/// Members while a brush moves: enough to see where they disagree.
const QUICK_MEMBERS: u32 = 4;

/// Starts a run at the beginning, whenever something that it depends on changes, and to try again.
pub fn follow(page: Page) {
    fetch_catalogue(page);
    let shelf = Shelf::follow(page);
    provide_context(shelf);
    let wanted = Memo::new(move |_| {
        let brushing = page.brushing.get();
        let gpu_lost = page.gpu_lost.with(Option::is_some);
        let own = page.dropped.get();
        let given = page.given.with(|given| {
            given.as_ref().map(|given| Problem::Given {
                shape: given.content.shape.clone(),
                name: given.name.clone(),
                task: None,
            })
        });
        let shipped = match &given {
            Some(_) => Shipped::None,
            None => shelf.shipped(page.settings.with(|s| s.experiment)),
        };
        let (given, values) = match shipped {
            Shipped::Waiting => return None,
            Shipped::None => (given, None),
            Shipped::Ready(entry, array) => {
                let problem = Problem::Given {
                    shape: array.shape.clone(),
                    name: entry.file,
                    task: Some(Box::new(entry.note.task)),
                };
                (Some(problem), Some(array))
            }
        };
        page.catalogue.with(|catalogue| {
            let catalogue = catalogue.as_ref()?;
            Some(page.settings.with(|settings| {
                let mut run = run_of(settings, catalogue, page.consent);
                if let Some(own) = own {
                    run.sides.splice(
                        ..run.sides.len().min(1),
                        [Checkpoint {
                            address: own.content,
                            name: own.name,
                            ..Checkpoint::default()
                        }],
                    );
                }
                if let Some(given) = given {
                    run.problem = given;
                }
                if gpu_lost {
                    run.device = DeviceChoice::Cpu;
                }
                if brushing {
                    run.quick = true;
                    run.members = run.members.min(QUICK_MEMBERS);
                }
                let painting = settings.live.painting.clone();
                (run, painting, values)
            }))
        })
    });
    Effect::new(move |_| {
        page.attempts.track();
        let Some((run, painting, values)) = wanted.get() else {
            return;
        };
        let field = match run.problem {
            Problem::Given { .. } => values
                .or_else(|| {
                    let given = page.given.get_untracked();
                    given.map(|given| given.content)
                })
                .map(|array| array.values.clone()),
            Problem::Painted => painting.map(|painting| painting.coefficient()),
            Problem::Seed(_) => None,
        };
        link::start(page, run, field.unwrap_or_default());
    });
}

/// What makes a new run necessary.
fn run_of(settings: &Settings, catalogue: &Catalogue, consent: Consent) -> Run {
    let row = row(settings.experiment);
    let painted = row.hand == Hand::Paints && settings.live.painting.is_some();
    let both = [catalogue.address(settings), catalogue.address2(settings)];
    Run {
        id: 0,
        experiment: settings.experiment,
        sides: both
            .into_iter()
            // What nobody has agreed to yet is as if it were not there.
            .map_while(|address| checkpoint(&address?, catalogue, consent))
            .collect(),
        problem: if painted {
            Problem::Painted
        } else {
            Problem::Seed(settings.nudges.clone())
        },
        grid: row.grid.sizes(&settings.live),
        seed: settings.seed,
        members: settings.members,
        steps: row.step.map_or(1, |_| settings.steps),
        device: settings.device,
        quick: false,
        observation: settings.observe,
        finer: settings.finer,
        resume: false,
    }
}

/// The model at an address; `None` where the visitor has not agreed to its server.
fn checkpoint(address: &str, catalogue: &Catalogue, consent: Consent) -> Option<Checkpoint> {
    let entry = catalogue.entry(address);
    consent.allows(address).then(|| Checkpoint {
        name: files::absolute(address),
        address: files::location(address),
        version: entry.and_then(|entry| entry.version.clone()),
        bytes: entry.and_then(|entry| entry.bytes),
        agreed: consent.has(address),
    })
}

fn fetch_catalogue(page: Page) {
    leptos::task::spawn_local(async move {
        let text = files::fetch_text(&files::path(&format!("{FOLDER}/index.json"))).await;
        let catalogue = text.as_deref().and_then(Catalogue::parse);
        if catalogue.is_none() && page.is_replaced().await {
            return;
        }
        page.catalogue.set(Some(catalogue.unwrap_or_default()));
    });
}
