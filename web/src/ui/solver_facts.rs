//! What the solver of the truth tells about its work.

use leptos::prelude::*;

use super::facts::{Fact, Facts};
use super::page::Page;
use crate::message::Solver;
use crate::scale::{scientific, short};

/// Energy and mass change by rounding alone below this.
const ROUNDING: f64 = 1e-12;

/// The row; there is none for waves, whose time stands beside the scores.
#[component]
pub fn SolverFacts() -> impl IntoView {
    let page = expect_context::<Page>();
    let kind = Memo::new(move |_| match page.solver.get() {
        Some(Solver::Flow(_)) => 1,
        Some(Solver::Water(_)) => 2,
        _ => 0,
    });
    let of = move |text: fn(Solver) -> Option<String>| {
        Signal::derive(move || page.solver.get().and_then(text))
    };
    let aside = |words: &'static str| Signal::stored(words.to_owned());
    move || match kind.get() {
        1 => {
            let facts = vec![
                fact(
                    "solve-ms",
                    "Solved in",
                    "Time of the last solution in the worker",
                    of(|s| Some(short(s.milliseconds()))),
                    aside("ms"),
                ),
                fact(
                    "solved-cells",
                    "Cells",
                    "Along a side of the square that was solved",
                    of(|s| flow(s, |f| f.cells.to_string())),
                    aside("along a side"),
                ),
                fact(
                    "iterations",
                    "Iterations",
                    "Of conjugate gradients, each with one multigrid cycle, from the pressure before",
                    of(|s| flow(s, |f| f.iterations.to_string())),
                    aside("multigrid cycles"),
                ),
                fact(
                    "residual",
                    "Residual",
                    "What is left of the discrete equation, relative to the source",
                    of(|s| flow(s, |f| scientific(f.residual))),
                    aside("of the source"),
                ),
            ];
            view! { <Facts label="The solver in numbers" facts/> }.into_any()
        }
        2 => {
            let facts = vec![
                fact(
                    "hour-solved",
                    "Solved until",
                    "Hours since the start, which is three hours after the random stirring",
                    of(|s| water(s, |h| h.hour.to_string())),
                    aside("hours"),
                ),
                fact(
                    "ms-per-hour",
                    "Per hour",
                    "Time of the solver in the worker for the last simulated hour",
                    of(|s| Some(short(s.milliseconds()))),
                    aside("ms"),
                ),
                fact(
                    "mass-drift",
                    "Mass",
                    "The equations conserve it, and so does the scheme",
                    of(|s| water(s, |h| drift(h.mass_drift))),
                    aside("since the start"),
                ),
                fact(
                    "energy-drift",
                    "Energy",
                    "Kinetic and available. The damping of the smallest waves takes some out, as it is meant to",
                    of(|s| water(s, |h| drift(h.energy_drift))),
                    aside("since the start"),
                ),
            ];
            view! { <Facts label="The solver in numbers" facts/> }.into_any()
        }
        _ => ().into_any(),
    }
}

fn fact(
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    value: Signal<Option<String>>,
    aside: Signal<String>,
) -> Fact {
    Fact {
        name,
        label,
        hint,
        value,
        aside,
    }
}

fn flow(solver: Solver, text: fn(&crate::message::Solved) -> String) -> Option<String> {
    match solver {
        Solver::Flow(solved) => Some(text(&solved)),
        _ => None,
    }
}

fn water(solver: Solver, text: fn(&crate::message::Hour) -> String) -> Option<String> {
    match solver {
        Solver::Water(hour) => Some(text(&hour)),
        _ => None,
    }
}

/// A relative change: in per cent where one can see it, else as a power of ten.
fn drift(share: f64) -> String {
    let size = share.abs();
    let sign = if share < 0.0 { "−" } else { "+" };
    if size < ROUNDING {
        "0 (rounding)".to_owned()
    } else if size >= 1e-4 {
        format!("{sign}{} %", short(100.0 * size))
    } else {
        format!("{sign}{}", scientific(size))
    }
}
