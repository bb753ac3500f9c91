//! Waves of the Kuramoto-Sivashinsky equation, step by step.

use leptos::prelude::*;

use super::Row;

pub(super) const ROW: Row = Row { lead, about };

fn lead() -> AnyView {
    view! {
        <p class="lead">
            "A chaotic wave goes on, two time units a step, for as long as you like: solved here, and forecast by a network that sees "<em>"one state"</em>
            " and gives the next. Every member goes its own way. "<em>"How well do we know today?"</em>" Let the network see less, and watch the futures part earlier."
        </p>
    }
    .into_any()
}

fn about() -> AnyView {
    view! {
        <p>
            "The Kuramoto-Sivashinsky equation, "
            <span class="formula">"∂"<sub>"t"</sub>"u = −½ u ∂"<sub>"x"</sub>"u − ∂"<sub>"x"</sub><sup>"2"</sup>"u − ∂"<sub>"x"</sub><sup>"4"</sup>"u"</span>
            ", on a ring. Time goes upwards in the pictures: the lowest row is the start, and every step adds a row. "
            "From an exact start a good network knows the next twenty steps nearly as well as the solver. What is observed of the start, with noise or at few points, leaves it open, and chaos makes small differences large."
        </p>
        <p>
            "A member of PNO"<sub>"F"</sub>" is the answer to one random "<em>"function"</em>
            ", which is the same on every grid. On the finer grid the start is the same one too, between its points by its Fourier series, and so is the truth: what then differs is rounding alone, and after some fifty steps chaos makes even that visible."
        </p>
    }
    .into_any()
}
