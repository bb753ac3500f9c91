//! Darcy flow: the permeability is painted, and the pressure follows.

mod easel;
mod permeability;
mod pressure;
mod tools;

use leptos::prelude::*;

use super::facts::{Fact, Facts};
use super::link;
use super::page::Page;
use super::problem::Problems;
use super::status::Status;
use crate::flow::{Flow, high_share};
use crate::message::Problem;
use crate::scale::short;
use easel::Easel;
use permeability::Permeability;
use pressure::{Pressure, SaveFlow};
use tools::Tools;

/// The experiment.
#[component]
pub fn Darcy() -> impl IntoView {
    let page = expect_context::<Page>();
    let easel = Easel::new(page);
    provide_context(easel);
    follow(page, easel);
    view! {
        <Tools/>
        <Problems/>
        <Status/>
        <div class="panels squares">
            <Permeability/>
            <Pressure/>
        </div>
        <Numbers/>
        <SaveFlow/>
        <AboutFlow/>
    }
}

/// Asks for the pressure at the beginning, with every dab of the brush, and to try again.
fn follow(page: Page, easel: Easel) {
    let wanted = Memo::new(move |_| {
        let at_rest = easel.at_rest();
        page.settings.with(|s| {
            let painting = s.live.painting.clone();
            // The seed does not matter for what was painted.
            let seed = if painting.is_some() { 0 } else { s.seed };
            (
                seed,
                s.live.cells(),
                at_rest || painting.is_none(),
                painting,
            )
        })
    });
    Effect::new(move |_| {
        page.attempts.track();
        let (seed, cells, exact, painting) = wanted.get();
        let cells = cells as u32;
        match painting {
            None => link::solve(page, Problem::RandomFlow { seed, cells }, vec![]),
            Some(painting) => {
                let problem = Problem::PaintedFlow { cells, exact };
                link::solve(page, problem, painting.coefficient());
            }
        }
    });
}

#[component]
fn Numbers() -> impl IntoView {
    let page = expect_context::<Page>();
    let of = move |text: fn(&Flow) -> String| {
        Signal::derive(move || page.flow.with(|flow| flow.as_ref().map(text)))
    };
    let aside = |words: &'static str| Signal::stored(words.to_owned());
    let facts = vec![
        Fact {
            name: "solve-ms",
            label: "Solved in",
            hint: "Time of the last solution in the worker",
            value: of(|flow| short(flow.told.milliseconds)),
            aside: aside("ms"),
        },
        Fact {
            name: "iterations",
            label: "Iterations",
            hint: "Of conjugate gradients, each with one multigrid cycle, from the pressure before",
            value: of(|flow| flow.told.iterations.to_string()),
            aside: aside("multigrid cycles"),
        },
        Fact {
            name: "residual",
            label: "Residual",
            hint: "What is left of the discrete equation, relative to the source",
            value: of(Flow::residual),
            aside: aside("of the source"),
        },
        Fact {
            name: "largest-pressure",
            label: "Largest pressure",
            hint: "Over all cells",
            value: of(|flow| short(f64::from(flow.peak().0))),
            aside: aside("model units"),
        },
        Fact {
            name: "mean-pressure",
            label: "Mean pressure",
            hint: "Over all cells",
            value: of(|flow| short(flow.mean())),
            aside: aside("model units"),
        },
        Fact {
            name: "high-share",
            label: "High permeability",
            hint: "Share of the square",
            value: of(|flow| short(100.0 * high_share(&flow.permeability))),
            aside: aside("% of the square"),
        },
    ];
    view! { <Facts label="The solution in numbers" facts/> }
}

#[component]
fn AboutFlow() -> impl IntoView {
    view! {
        <section class="card words about sides">
            <h2>"What is solved"</h2>
            <div>
                <p>
                    "Darcy's law for a steady flow, "
                    <span class="formula">"−∇·(a ∇u) = 1"</span>
                    ": a source of one everywhere, pressure u zero around the square, and the permeability a, which is 1.0 where the ground conducts well and 0.1 where it does not. "
                    "Where a is low, the pressure must be steep to press the same flow through."
                </p>
                <p>"Nothing is sent anywhere. The address of the page holds the seed, every setting and the painting, so any view is a link."</p>
            </div>
            <ul>
                <li><b>"Method"</b>": finite volumes on the cells of the picture, as in the published data; conjugate gradients with multigrid, started from the last pressure. While the brush moves a picture's accuracy is enough; at rest it is solved to ten digits."</li>
                <li><b>"Random fields"</b>" follow the law of the published data set (five bumps, cut at their mean), with a number that no data set reaches."</li>
                <li><b>"Keys"</b>": arrow keys move the cursor (with shift, eight cells), space paints, Ctrl+Z takes back."</li>
            </ul>
        </section>
    }
}
