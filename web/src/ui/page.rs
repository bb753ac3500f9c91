//! What the components share: the settings, and what has arrived of the current run.

use leptos::prelude::*;

use crate::address;
use crate::catalogue::Catalogue;
use crate::data::{Case, Ensemble};
use crate::flow::Flow;
use crate::message::{Device, Model, Reply, Stage};
use crate::panel::Scales;
use crate::settings::Settings;
use crate::weather::Weather;

/// Signals of the page. Copied into every component.
#[derive(Clone, Copy)]
pub struct Page {
    /// Everything the visitor can set.
    pub settings: RwSignal<Settings>,
    /// Sentences about values in the address that were not understood.
    pub problems: RwSignal<Vec<String>>,
    /// The shipped models; `None` until the list has arrived or failed.
    pub catalogue: RwSignal<Option<Catalogue>>,
    /// Number of the current run or problem; answers to others are dropped.
    pub run: RwSignal<u32>,
    /// Number of the last problem that was solved.
    pub solved: RwSignal<u32>,
    /// How often the visitor asked to try again.
    pub attempts: RwSignal<u32>,
    /// Whether the page is out of sight.
    pub hidden: RwSignal<bool>,
    /// Whether the worker listens.
    pub listening: RwSignal<bool>,
    /// Bytes of the worker's program that have come.
    pub program_bytes: RwSignal<f64>,
    /// What the worker is doing; `None` until it listens.
    pub stage: RwSignal<Option<Stage>>,
    /// The solved trajectory.
    pub case: RwSignal<Option<Case>>,
    /// The members so far.
    pub ensemble: RwSignal<Option<Ensemble>>,
    /// The Darcy flow that was solved last.
    pub flow: RwSignal<Option<Flow>>,
    /// The shallow water that was solved last.
    pub weather: RwSignal<Option<Weather>>,
    /// The model that is loaded.
    pub model: RwSignal<Option<Model>>,
    /// Where it runs.
    pub device: RwSignal<Option<Device>>,
    /// Why the run ended, in one sentence.
    pub failure: RwSignal<Option<String>>,
    /// The probe: frame and cell.
    pub probe: Memo<(usize, usize)>,
    /// Time of the first frame that the network sees.
    pub start: Memo<f64>,
    /// The member that is shown.
    pub member: Memo<u32>,
    /// Scales shared by panels and charts.
    pub scales: Memo<Option<Scales>>,
}

impl Page {
    /// The page of an address.
    pub fn new(query: &str) -> Self {
        let (settings, problems) = address::read(query);
        let settings = RwSignal::new(settings);
        let case = RwSignal::new(None::<Case>);
        let ensemble = RwSignal::new(None::<Ensemble>);
        Self {
            settings,
            problems: RwSignal::new(problems),
            catalogue: RwSignal::new(None),
            run: RwSignal::new(0),
            solved: RwSignal::new(0),
            attempts: RwSignal::new(0),
            hidden: RwSignal::new(false),
            listening: RwSignal::new(false),
            program_bytes: RwSignal::new(0.0),
            stage: RwSignal::new(None),
            case,
            ensemble,
            flow: RwSignal::new(None),
            weather: RwSignal::new(None),
            model: RwSignal::new(None),
            device: RwSignal::new(None),
            failure: RwSignal::new(None),
            probe: Memo::new(move |_| settings.with(|s| (s.frame(), s.point))),
            start: Memo::new(move |_| {
                case.with(|case| case.as_ref().map_or(0.0, |case| case.start))
            }),
            member: Memo::new(move |_| settings.with(|s| s.member)),
            scales: Memo::new(move |_| {
                case.with(|case| {
                    let case = case.as_ref()?;
                    Some(ensemble.with(|ensemble| Scales::new(case, ensemble.as_ref())))
                })
            }),
        }
    }

    /// Takes an answer of the worker; those of earlier runs are dropped.
    pub fn receive(self, reply: Reply, fields: Vec<Vec<f32>>) {
        let asked = self.run.get_untracked();
        // A picture that follows a brush may be a few requests late, and is shown all the same.
        let late = matches!(reply, Reply::Flow(..) | Reply::Weather(..));
        if !late && reply.run().is_some_and(|run| run != asked) {
            return;
        }
        match reply {
            // The page itself asks for no drawings of given inputs.
            Reply::Ready | Reply::Drawn(..) => {}
            Reply::Stage(_, stage) => self.stage.set(Some(stage)),
            Reply::Truth(_, start) => {
                self.ensemble.set(None);
                self.case.set(Case::from_fields(start, fields));
            }
            Reply::Flow(id, told) => {
                self.flow.set(Flow::from_fields(told, fields));
                self.solved.set(id);
            }
            Reply::Weather(id, told) => {
                self.weather.set(Weather::from_fields(told, fields));
                self.solved.set(id);
            }
            Reply::Model(_, model) => self.model.set(Some(*model)),
            Reply::Device(_, device) => self.device.set(Some(device)),
            Reply::Members(_, progress, scores) => self.ensemble.update(|ensemble| {
                *ensemble = Ensemble::extended(ensemble.take(), progress, scores, fields);
            }),
            Reply::Failed(_, sentence) => self.fail(sentence),
        }
    }

    /// Ends the current run with a sentence.
    pub fn fail(self, sentence: String) {
        self.failure.set(Some(sentence));
    }
}
