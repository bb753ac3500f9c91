//! Cases that come with the page: the list, the one that is chosen, and its values.

use std::sync::Arc;

use js_sys::Uint8Array;
use leptos::prelude::*;
use pno::spec::Experiment;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::files;
use super::page::Page;
use super::select::{Choice, Select};
use crate::cases::{Cases, Entry, FOLDER};
use crate::experiments::row;
use crate::npy::{self, Array};

/// What a run can take.
#[derive(Debug, Clone, PartialEq)]
pub enum Shipped {
    /// There is no such case.
    None,
    /// It is on its way.
    Waiting,
    /// It is here.
    Ready(Entry, Arc<Array>),
}

/// What has come of the shipped cases. Copied into every component.
#[derive(Clone, Copy)]
pub struct Shelf {
    /// The list; `None` until it has arrived or failed.
    list: RwSignal<Option<Cases>>,
    /// Values of the last case that was asked for, by its file; `None` where they could not be had.
    values: RwSignal<Option<(String, Option<Arc<Array>>)>>,
    /// The case that is chosen, if a model can take it.
    pub chosen: Memo<Option<Entry>>,
    offered: Memo<Vec<Entry>>,
}

fn has_cases(experiment: Experiment) -> bool {
    row(experiment).solve.is_none()
}

impl Shelf {
    /// Fetches what the settings ask for, when they do.
    pub fn follow(page: Page) -> Self {
        let list = RwSignal::new(None::<Cases>);
        let values = RwSignal::new(None::<(String, Option<Arc<Array>>)>);
        let experiment = Memo::new(move |_| page.settings.with(|s| s.experiment));
        let task = Memo::new(move |_| {
            let experiment = experiment.get();
            page.models[0].with(|model| {
                let header = &model.as_ref()?.header;
                (header.spec.experiment == experiment).then(|| header.task.clone())
            })
        });
        let offered = Memo::new(move |_| {
            let (experiment, task) = (experiment.get(), task.get());
            list.with(|list| {
                let list = list.as_ref();
                let fitting =
                    list.map(|list| list.of(experiment, task.as_ref()).cloned().collect());
                fitting.unwrap_or_default()
            })
        });
        let chosen = Memo::new(move |_| {
            let name = page.settings.with(|s| s.case.clone());
            offered.with(|all: &Vec<Entry>| {
                let named = all.iter().find(|entry| entry.name() == name);
                named.or(all.first()).cloned()
            })
        });
        Effect::new(move |before: Option<bool>| {
            let asked = before == Some(true);
            if asked || !has_cases(experiment.get()) {
                return asked;
            }
            leptos::task::spawn_local(async move {
                let text = files::fetch_text(&files::path(&format!("{FOLDER}/index.json"))).await;
                let cases = text.as_deref().and_then(Cases::parse);
                if cases.is_none() && page.is_replaced().await {
                    return;
                }
                let cases = cases.unwrap_or_default();
                complain(page, &cases);
                list.set(Some(cases));
            });
            true
        });
        Effect::new(move |_| {
            let Some(entry) = chosen.get() else {
                return;
            };
            if values.with_untracked(|v| v.as_ref().is_some_and(|(file, _)| *file == entry.file)) {
                return;
            }
            leptos::task::spawn_local(async move {
                let read = fetch_array(&files::path(&entry.address())).await;
                if let Err(why) = &read {
                    if page.is_replaced().await {
                        return;
                    }
                    let sentence = format!("The case {} could not be opened: {why}.", entry.name());
                    page.problems.update(|problems| problems.push(sentence));
                }
                values.set(Some((entry.file, read.ok().map(Arc::new))));
            });
        });
        Self {
            list,
            values,
            chosen,
            offered,
        }
    }

    /// The moment that lies so many hours ahead, where a shipped case is on the screen.
    pub fn moment(self, page: Page, hours_ahead: f64) -> Option<String> {
        if page.given.with(Option::is_some) || self.shipped_is_none(page) {
            return None;
        }
        let now = self.chosen.get()?.now()?;
        Some(now.after(hours_ahead).words())
    }

    fn shipped_is_none(self, page: Page) -> bool {
        let experiment = page.settings.with(|s| s.experiment);
        self.shipped(experiment) == Shipped::None
    }

    /// What a run of the experiment on the screen can take.
    pub fn shipped(self, experiment: Experiment) -> Shipped {
        if !has_cases(experiment) {
            return Shipped::None;
        }
        if self.list.with(Option::is_none) {
            return Shipped::Waiting;
        }
        let Some(entry) = self.chosen.get() else {
            return Shipped::None;
        };
        self.values.with(|values| match values {
            Some((file, Some(array))) if *file == entry.file => {
                Shipped::Ready(entry, Arc::clone(array))
            }
            Some((file, None)) if *file == entry.file => Shipped::None,
            _ => Shipped::Waiting,
        })
    }
}

/// Tells of a case in the address that is not there.
fn complain(page: Page, cases: &Cases) {
    let (name, experiment) = page
        .settings
        .with_untracked(|s| (s.case.clone(), s.experiment));
    let mut offered = cases.of(experiment, None);
    if name.is_empty() || offered.any(|entry| entry.name() == name) {
        return;
    }
    let first = cases.of(experiment, None).next().map(Entry::name);
    let used = first.map_or_else(
        || "there is none".to_owned(),
        |name| format!("{name} is used"),
    );
    page.problems.update(|problems| {
        problems.push(format!(
            "The address says case={name}, but no such case comes with the page; {used}."
        ));
    });
}

async fn fetch_array(address: &str) -> Result<Array, String> {
    let refused = |_| "the server cannot be reached".to_owned();
    let response = JsFuture::from(window().fetch_with_str(address)).await;
    let response: Response = response.map_err(refused)?.unchecked_into();
    if !response.ok() {
        return Err(format!("the server answered {}", response.status()));
    }
    let bytes = JsFuture::from(response.array_buffer().map_err(refused)?).await;
    npy::decode(&Uint8Array::new(&bytes.map_err(refused)?).to_vec())
}

/// The choice of a case, where some come with the page.
#[component]
pub fn CaseSelect() -> impl IntoView {
    let page = expect_context::<Page>();
    let shelf = expect_context::<Shelf>();
    let options = Signal::derive(move || {
        let mut options: Vec<Choice> = shelf.offered.with(|all| {
            let choice = |entry: &Entry| (entry.name().to_owned(), entry.label());
            all.iter().map(choice).collect()
        });
        if let Some(given) = page
            .given
            .with(|given| given.as_ref().map(|g| g.name.clone()))
        {
            options.push((String::new(), given));
        }
        options
    });
    let chosen = Signal::derive(move || {
        if page.given.with(Option::is_some) {
            return String::new();
        }
        let name = |entry: Entry| entry.name().to_owned();
        shelf.chosen.get().map(name).unwrap_or_default()
    });
    let set = move |name: String| {
        if !name.is_empty() {
            page.given.set(None);
            page.settings.update(|s| s.case = name);
        }
    };
    view! {
        <Show when=move || options.with(|all| !all.is_empty())>
            <div class="control">
                <label for="case">"Case"</label>
                <Select id="case" options chosen on_choose=set/>
            </div>
        </Show>
    }
}
