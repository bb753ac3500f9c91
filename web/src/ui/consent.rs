//! Models on servers of others are fetched only where the visitor has agreed, server by server.
//!
//! Whoever writes a link chooses its model, and a server that is asked for a file learns who asks. So the page asks its
//! visitor first, and names the server. The answer is kept nowhere: it ends with the page. The worker, which fetches,
//! refuses what no answer came with.

use leptos::prelude::*;

use super::files;
use super::page::{Dropped, SIDES};
use crate::settings::Settings;

/// A model on a server of another origin than the page's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// Scheme, host and port: what is agreed to.
    pub origin: String,
    /// What the visitor reads.
    pub host: String,
    /// The whole address.
    pub address: String,
}

/// The model at an address, where that is not the page's own server.
fn foreign(address: &str) -> Option<Foreign> {
    let url = files::resolved(address)?;
    let own = files::resolved("")?.origin();
    (url.origin() != own).then(|| Foreign {
        origin: url.origin(),
        host: url.host(),
        address: url.href(),
    })
}

/// What is asked, and what was agreed to. Copied into every component.
#[derive(Clone, Copy)]
pub struct Consent {
    agreed: RwSignal<Vec<String>>,
    /// Models that wait for an answer, by side.
    pub asked: Memo<[Option<Foreign>; SIDES]>,
}

impl Consent {
    /// Follows the models that the settings name.
    pub fn follow(
        settings: RwSignal<Settings>,
        dropped: RwSignal<Option<Dropped<String>>>,
    ) -> Self {
        let agreed = RwSignal::new(Vec::<String>::new());
        let open = move |model: Option<String>| {
            let foreign = foreign(&model?)?;
            agreed
                .with(|agreed| !agreed.contains(&foreign.origin))
                .then_some(foreign)
        };
        let asked = Memo::new(move |_| {
            let (first, second) = settings.with(|s| (s.model.clone(), s.model2.clone()));
            // A file of the visitor's own stands before the first.
            let first = first.filter(|_| dropped.with(Option::is_none));
            [open(first), open(second)]
        });
        Self { agreed, asked }
    }

    /// Whether the visitor agreed to fetch from the server of an address.
    pub fn has(self, address: &str) -> bool {
        foreign(address).is_some_and(|model| self.agreed.with(|a| a.contains(&model.origin)))
    }

    /// Whether the model at an address may be asked for: it is the page's own, or agreed to.
    pub fn allows(self, address: &str) -> bool {
        foreign(address).is_none() || self.has(address)
    }

    /// Whether the model of a side waits for an answer.
    pub fn waits(self, side: usize) -> bool {
        self.asked.with(|asked| asked[side].is_some())
    }

    /// The server that is asked about: that of the first model that waits.
    fn server(self) -> Option<Foreign> {
        self.asked
            .with(|asked| asked.iter().flatten().next().cloned())
    }

    fn agree(self, origin: String) {
        self.agreed.update(|agreed| agreed.push(origin));
    }
}

/// The question, where there is one: one server at a time.
#[component]
pub fn Question() -> impl IntoView {
    let page = expect_context::<super::page::Page>();
    let consent = page.consent;
    let server = Memo::new(move |_| consent.server());
    let addresses = move |origin: &str| {
        consent.asked.with(|asked| {
            let here = asked.iter().flatten().filter(|f| f.origin == origin);
            let mut found: Vec<String> = here.map(|f| f.address.clone()).collect();
            found.dedup();
            found
        })
    };
    let refuse = move |origin: &str| {
        let asked = consent.asked.get_untracked();
        let of = |side: usize| asked[side].as_ref().is_some_and(|f| f.origin == origin);
        page.settings.update(|s| {
            if of(0) {
                s.model = None;
            }
            if of(1) {
                s.model2 = None;
                s.settle_view();
            }
        });
    };
    let place = if page.embedded { "figure" } else { "page" };
    move || {
        server.get().map(|Foreign { origin, host, .. }| {
            let list = addresses(&origin)
                .into_iter()
                .map(|address| view! { <code>{address}</code> })
                .collect_view();
            let (yes, no) = (origin.clone(), origin);
            view! {
                <section class="problem mild ask" role="alert" aria-labelledby="ask-title" data-testid="consent">
                    <div>
                        <h2 id="ask-title">"Fetch a model from "<span data-testid="consent-host">{host}</span>"?"</h2>
                        <p>"The address of this "{place}" names a model on another server. Nothing has been sent there."</p>
                        <p class="addresses">{list}</p>
                        <p class="soft">
                            "If you agree, that server learns what every server learns that is asked for a file: your network address, your browser, and the name of this site. "
                            "What you set or open here stays on your machine. The answer holds until this "{place}" is closed."
                        </p>
                    </div>
                    <div class="answers">
                        <button type="button" class="first" data-testid="consent-agree"
                            on:click=move |_| consent.agree(yes.clone())>"Fetch it"</button>
                        <button type="button" data-testid="consent-refuse"
                            on:click=move |_| refuse(&no)>"Go on without it"</button>
                    </div>
                </section>
            }
        })
    }
}
