//! What the components share: the settings, and what has arrived of the current run.

use std::sync::Arc;

use leptos::prelude::*;

use super::consent::Consent;
use super::derived::{knobs, scales};
use super::files;
use crate::address;
use crate::catalogue::Catalogue;
use crate::ensemble::{Case, Ensemble, News};
use crate::field::{Probe, Scene};
use crate::guard::memory::Reduced;
use crate::message::{Arrived, Device, Model, Opening, Reply, Solver, Stage};
use crate::npy;
use crate::scales::Scales;
use crate::settings::Settings;
use crate::verify::Report;
use crate::views::{Knobs, Source};

/// What one reads where page and worker, or page and server, are of different builds.
const OUTDATED: &str = "This page was updated while it was open, or a part of it comes from an old store: what is here and what the server has are of different builds. Reload it to go on; the settings are kept.";

/// Sides that stand beside each other.
pub const SIDES: usize = 2;

/// A file that a visitor brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped<T> {
    /// Tells it from every other file, also of the same name.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// What is in it.
    pub content: T,
}

impl<T> Dropped<T> {
    /// A file that has just come.
    pub fn new(name: String, content: T) -> Self {
        Self {
            // The browser's history remembers numbers longer than this page lives: chance keeps old ones away.
            number: (js_sys::Math::random() * f64::from(u32::MAX)) as u32,
            name,
            content,
        }
    }
}

/// A run, and how good its members are.
pub type Verified = (u32, Arc<Report>);

/// Signals of the page. Copied into every component.
#[derive(Clone, Copy)]
pub struct Page {
    /// Whether it is a figure in somebody else's page.
    pub embedded: bool,
    /// Everything the visitor can set.
    pub settings: RwSignal<Settings>,
    /// Sentences about values in the address, or files, that were not understood.
    pub problems: RwSignal<Vec<String>>,
    /// The shipped models; `None` until the list has arrived or failed.
    pub catalogue: RwSignal<Option<Catalogue>>,
    /// A model that was dropped: its address in this browser.
    pub dropped: RwSignal<Option<Dropped<String>>>,
    /// Which servers of others may be asked for a model.
    pub consent: Consent,
    /// An input that was dropped.
    pub given: RwSignal<Option<Dropped<Arc<npy::Array>>>>,
    /// Number of the current run; answers to runs before `floor` are dropped.
    pub run: RwSignal<u32>,
    /// The oldest run whose answers are still shown: a picture that follows a brush may be a few runs late.
    pub floor: RwSignal<u32>,
    /// How often the visitor asked to try again.
    pub attempts: RwSignal<u32>,
    /// Whether the pictures are out of sight.
    pub hidden: RwSignal<bool>,
    /// Whether the visitor is changing the input right now.
    pub brushing: RwSignal<bool>,
    /// Whether the worker listens.
    pub listening: RwSignal<bool>,
    /// Bytes of the worker's program that have come.
    pub program_bytes: RwSignal<f64>,
    /// What the worker is doing; `None` until it listens.
    pub stage: RwSignal<Option<Stage>>,
    /// Input and truth.
    pub case: RwSignal<Option<Case>>,
    /// How the truth was found.
    pub solver: RwSignal<Option<Solver>>,
    /// Why there is no truth.
    pub no_truth: RwSignal<Option<String>>,
    /// The members so far, by side.
    pub sides: [RwSignal<Option<Ensemble>>; SIDES],
    /// How good they are, by side: the run, and what was found.
    pub verified: [RwSignal<Option<Verified>>; SIDES],
    /// The models that are loaded, by side.
    pub models: [RwSignal<Option<Model>>; SIDES],
    /// Where they run.
    pub device: RwSignal<Option<Device>>,
    /// Why the GPU is not used any more.
    pub gpu_lost: RwSignal<Option<String>>,
    /// Whether the run ended because the GPU that was asked for does not work: the CPU would.
    pub no_gpu: RwSignal<bool>,
    /// Why fewer members are drawn than were asked for.
    pub reduced: RwSignal<Option<Reduced>>,
    /// Whether the page itself made the last change of the settings, to fit what it found.
    pub corrected: StoredValue<bool>,
    /// How often Back or Forward led to another state.
    pub travels: RwSignal<u32>,
    /// Why the run ended, in one sentence.
    pub failure: RwSignal<Option<String>>,
    /// Whether it ended because page and worker, or page and server, are of different builds: only a new page helps.
    pub outdated: RwSignal<bool>,
    /// Where values lie.
    pub scene: Memo<Option<Arc<Scene>>>,
    /// Where values are read.
    pub probe: Memo<Option<Probe>>,
    /// Where the pixels of a picture lie: the same but for frames that are rows of one.
    pub picture: Memo<Option<Arc<Scene>>>,
    /// What the sliders say.
    pub knobs: Memo<Knobs>,
    /// The locked scales.
    pub scales: Memo<Option<Scales>>,
}

impl Page {
    /// The page of an address.
    pub fn new(query: &str) -> Self {
        let (settings, problems) = address::read(query);
        let settings = RwSignal::new(settings);
        let dropped = RwSignal::new(None);
        let case = RwSignal::new(None::<Case>);
        let sides = [(); SIDES].map(|()| RwSignal::new(None::<Ensemble>));
        let scene = Memo::new(move |_| {
            case.with(|case| case.as_ref().map(|case| Arc::new(case.scene.clone())))
        });
        let probe = Memo::new(move |_| {
            let scene = scene.get()?;
            Some(settings.with(|s| scene.probe(s.place, s.lead, &s.channel)))
        });
        let picture = Memo::new(move |_| {
            let scene: Arc<Scene> = scene.get()?;
            let stacked = scene.is_stacked();
            Some(if stacked {
                Arc::new(scene.picture())
            } else {
                scene
            })
        });
        let scales = Memo::new(move |_| scales(settings, case, sides, probe));
        let knobs = Memo::new(move |_| knobs(settings, scene, probe, scales));
        Self {
            embedded: super::embed::is_embedded(),
            settings,
            problems: RwSignal::new(problems),
            catalogue: RwSignal::new(None),
            dropped,
            consent: Consent::follow(settings, dropped),
            given: RwSignal::new(None),
            run: RwSignal::new(0),
            floor: RwSignal::new(0),
            attempts: RwSignal::new(0),
            hidden: RwSignal::new(false),
            brushing: RwSignal::new(false),
            listening: RwSignal::new(false),
            program_bytes: RwSignal::new(0.0),
            stage: RwSignal::new(None),
            case,
            solver: RwSignal::new(None),
            no_truth: RwSignal::new(None),
            sides,
            verified: [(); SIDES].map(|()| RwSignal::new(None)),
            models: [(); SIDES].map(|()| RwSignal::new(None)),
            device: RwSignal::new(None),
            gpu_lost: RwSignal::new(None),
            no_gpu: RwSignal::new(false),
            reduced: RwSignal::new(None),
            corrected: StoredValue::new(false),
            travels: RwSignal::new(0),
            failure: RwSignal::new(None),
            outdated: RwSignal::new(false),
            scene,
            probe,
            picture,
            knobs,
            scales,
        }
    }

    /// Whether a model is loaded or on its way; one that waits for the visitor's answer is not.
    pub fn has_model(self) -> bool {
        if self.consent.waits(0) {
            return false;
        }
        let own = self.dropped.with(Option::is_some);
        own || self.catalogue.with(|catalogue| {
            let catalogue = catalogue.as_ref();
            self.settings
                .with(|s| s.model.is_some() || catalogue.is_some_and(|c| c.address(s).is_some()))
        })
    }

    /// Whether there will be no truth: it cannot be solved, or the input is the visitor's own.
    pub fn without_truth(self) -> bool {
        let given = self.given.with(Option::is_some);
        let unknown = || {
            self.case
                .with(|case| case.as_ref().is_some_and(|case| case.truth.is_empty()))
        };
        self.no_truth.with(Option::is_some) || (given && unknown())
    }

    /// Follows everything that views are made from.
    pub fn track_sources(self) {
        self.case.track();
        self.sides.iter().for_each(Track::track);
        self.probe.track();
        self.knobs.track();
    }

    /// What a side's views are made from.
    pub fn with_source<T>(self, side: usize, work: impl FnOnce(&Source) -> T) -> Option<T> {
        let (probe, knobs) = (self.probe.get()?, self.knobs.get());
        self.case.with(|case| {
            let case = case.as_ref()?;
            self.sides[side].with(|ensemble| {
                self.sides[1 - side].with(|other| {
                    Some(work(&Source {
                        case,
                        ensemble: ensemble.as_ref(),
                        other: other.as_ref(),
                        frame: probe.frame,
                        channel: probe.channel,
                        knobs,
                    }))
                })
            })
        })
    }

    /// Takes an answer of the worker; those of earlier runs are dropped.
    pub fn receive(self, reply: Reply, fields: Vec<Vec<f32>>) {
        let (asked, floor) = (self.run.get_untracked(), self.floor.get_untracked());
        let passing = matches!(
            reply,
            Reply::Stage(..)
                | Reply::Failed(..)
                | Reply::NoTruth(..)
                | Reply::NoGpu(..)
                | Reply::Reduced(..)
                | Reply::Missing(..)
        );
        // What is on its way for an older run is what a newer one waits for.
        let download = matches!(reply, Reply::Stage(_, Stage::Download { .. }));
        let oldest = match (download, passing) {
            (true, _) => 0,
            (_, true) => asked,
            _ => floor,
        };
        if reply.run().is_some_and(|run| run < oldest) {
            return;
        }
        match reply {
            // The page itself asks for no drawings of given inputs.
            Reply::Ready | Reply::Drawn(..) => {}
            Reply::Stage(_, stage) => self.stage.set(Some(stage)),
            Reply::Truth(run, opening) => self.open(run, &opening, fields),
            Reply::Later(_, frame, solver) => {
                self.solver.set(Some(solver));
                self.case.update(|case| {
                    if let Some(case) = case {
                        case.truth.truncate(frame as usize);
                        case.truth.extend(fields);
                    }
                });
            }
            Reply::NoTruth(_, why) => self.no_truth.set(Some(why)),
            Reply::Model(_, side, model) => {
                if side == 0 {
                    self.follow_model(&model);
                }
                // A run that follows a brush says the same again and again.
                let slot = self.models.get(usize::from(side));
                let news = |slot: &&RwSignal<Option<Model>>| {
                    slot.with_untracked(|m| m.as_ref() != Some(&*model))
                };
                if let Some(slot) = slot.filter(news) {
                    slot.set(Some(*model));
                }
            }
            Reply::Device(_, device) => {
                if self.device.with_untracked(|d| d.as_ref() != Some(&device)) {
                    self.device.set(Some(device));
                }
            }
            Reply::Members(run, arrived) => self.gather(run, *arrived, fields),
            Reply::Verified(run, report) => {
                if let Some(slot) = self.verified.get(usize::from(report.side)) {
                    slot.set(Some((run, Arc::from(report))));
                }
            }
            Reply::Reduced(_, reduced) => self.reduced.set(Some(reduced)),
            Reply::NoGpu(_, sentence) => {
                self.no_gpu.set(true);
                self.fail(sentence);
            }
            Reply::Failed(_, sentence) => self.fail(sentence),
            Reply::Missing(run, sentence) => leptos::task::spawn_local(async move {
                let replaced = self.is_replaced().await;
                if !replaced && self.run.get_untracked() == run {
                    self.fail(sentence);
                }
            }),
        }
    }

    fn open(self, run: u32, opening: &Opening, fields: Vec<Vec<f32>>) {
        let scene = Scene::new(opening.experiment, &opening.task, opening.steps as usize);
        if opening.continued {
            self.case.update(|case| {
                if let Some(case) = case {
                    case.scene = scene;
                }
            });
            for side in self.sides {
                side.update(|ensemble| {
                    if let Some(ensemble) = ensemble {
                        ensemble.run = run;
                    }
                });
            }
            return;
        }
        // What follows a brush is replaced when its successor is there, so that nothing flickers.
        let same = self
            .case
            .with_untracked(|case| case.as_ref().is_some_and(|case| case.scene == scene));
        let follows = run > self.floor.get_untracked();
        // A run that had to give way begins anew under its number.
        let repeated = self
            .sides
            .iter()
            .any(|side| side.with_untracked(|e| e.as_ref().is_some_and(|e| e.run == run)));
        if !(same && follows) || repeated {
            self.forget_members();
        }
        self.solver.set(opening.solver);
        self.case
            .set(Case::of_observed(scene, fields, opening.observation));
    }

    fn gather(self, run: u32, arrived: Arrived, fields: Vec<Vec<f32>>) {
        let values = self
            .case
            .with_untracked(|case| case.as_ref().map(|case| case.scene.shape.values()));
        let (Some(values), Some(side)) = (values, self.sides.get(usize::from(arrived.side))) else {
            return;
        };
        let news = News {
            run,
            frame: arrived.frame as usize,
            progress: arrived.progress,
            scores: arrived.scores,
            extents: arrived.extents,
        };
        side.update(|ensemble| {
            *ensemble = Ensemble::extended(ensemble.take(), news, values, fields);
        });
    }

    /// A model of one's own brings its experiment along.
    fn follow_model(self, model: &Model) {
        let experiment = model.header.spec.experiment;
        let own = self.dropped.with_untracked(Option::is_some)
            || self.settings.with_untracked(|s| s.model.is_some());
        if own && self.settings.with_untracked(|s| s.experiment != experiment) {
            self.corrected.set_value(true);
            self.settings.update(|s| {
                let (model, members) = (s.model.clone(), s.members);
                s.switch(experiment);
                (s.model, s.members) = (model, members);
            });
        }
    }

    /// Forgets the members of all sides, and how good they were.
    pub fn forget_members(self) {
        self.sides.iter().for_each(|side| side.set(None));
        self.verified.iter().for_each(|side| side.set(None));
    }

    /// Says that page and worker, or page and server, are of different builds.
    pub fn outdate(self) {
        self.outdated.set(true);
        self.fail(OUTDATED.to_owned());
    }

    /// Whether the server has another page by now; this one says so. What it does not find is there under another name.
    pub async fn is_replaced(self) -> bool {
        let replaced = files::is_replaced().await;
        if replaced {
            self.outdate();
        }
        replaced
    }

    /// Ends the current run with a sentence.
    pub fn fail(self, sentence: String) {
        self.failure.set(Some(sentence));
    }
}
