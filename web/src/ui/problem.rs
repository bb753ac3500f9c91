//! Errors, in sentences, with the rest of the page alive.

use leptos::prelude::*;

use super::fault;
use super::link;
use super::page::Page;
use crate::settings::DeviceChoice;

/// What went wrong: in the address, and in the run.
#[component]
pub fn Problems() -> impl IntoView {
    let page = expect_context::<Page>();
    let address = move || {
        page.problems
            .get()
            .into_iter()
            .map(|sentence| view! { <p>{sentence}</p> })
            .collect_view()
    };
    view! {
        <Show when=move || page.problems.with(|p| !p.is_empty())>
            <div class="problem mild" role="alert" data-testid="address-problem">
                <div>{address}</div>
                <button type="button" on:click=move |_| page.problems.set(vec![])>"Dismiss"</button>
            </div>
        </Show>
        <Show when=move || page.no_truth.with(Option::is_some)>
            <div class="problem mild" role="status" data-testid="no-truth"><p>{move || page.no_truth.get()}</p></div>
        </Show>
        <Show when=move || page.gpu_lost.with(Option::is_some)>
            <div class="problem mild" role="alert" data-testid="gpu-lost">
                <p>"The GPU was lost ("{move || page.gpu_lost.get()}"), so the CPU goes on."</p>
                <button type="button" data-testid="gpu-again" on:click=move |_| { page.gpu_lost.set(None); link::restart(page); }>"Try the GPU again"</button>
            </div>
        </Show>
        <Show when=move || page.failure.with(Option::is_some)>
            <div class="problem" role="alert" data-testid="error">
                <p>{move || page.failure.get()}</p>
                <Show when=move || page.no_gpu.get()>
                    <button type="button" data-testid="use-cpu"
                        on:click=move |_| page.settings.update(|s| s.device = DeviceChoice::Cpu)>"Use the CPU"</button>
                </Show>
                <Again/>
            </div>
        </Show>
    }
}

/// The way on after a failure: another run, or another page where this one is outdated.
#[component]
pub fn Again() -> impl IntoView {
    let page = expect_context::<Page>();
    let retry = move |_| {
        if page.no_gpu.get_untracked() {
            // A worker starts the GPU once: another attempt needs another worker.
            link::restart(page);
        } else {
            page.attempts.update(|n| *n += 1);
        }
    };
    move || {
        if page.outdated.get() {
            view! { <button type="button" data-testid="reload" on:click=move |_| fault::reload()>"Reload"</button> }.into_any()
        } else {
            view! {
                <button type="button" data-testid="retry" on:click=retry>"Try again"</button>
            }
            .into_any()
        }
    }
}
