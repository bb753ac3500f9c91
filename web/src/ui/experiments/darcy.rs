//! A steady flow through a ground.

use leptos::prelude::*;

use super::Row;

pub(super) const ROW: Row = Row { lead, about };

fn lead() -> AnyView {
    view! {
        <p class="lead">
            "Water is pressed through a square of sand and clay. "<em>"Paint the permeability"</em>
            ": the pressure is solved again while you paint, and a network says how sure it is of it."
        </p>
    }
    .into_any()
}

fn about() -> AnyView {
    view! {
        <p>
            "Darcy's law for a steady flow, "
            <span class="formula">"−∇·(a ∇u) = 1"</span>
            ": a source of one everywhere, pressure u zero around the square, and the permeability a, which is 1.0 where the ground conducts well and 0.1 where it does not. "
            "Where a is low, the pressure must be steep to press the same flow through. "
            "It is solved by finite volumes and conjugate gradients with multigrid: as exactly as a picture needs while the brush moves, to ten digits at rest. "
            "Random fields follow the law of the published data set, with a number that no data set reaches."
        </p>
    }
    .into_any()
}
