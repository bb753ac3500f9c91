//! Shallow water on the sphere, hour by hour.

use leptos::prelude::*;

use super::Row;

pub(super) const ROW: Row = Row { lead, about };

fn lead() -> AnyView {
    view! {
        <p class="lead">
            "A shallow ocean covers a rotating planet of the size of the Earth, and is stirred at random. "
            <em>"Hour by hour"</em>" its waves and eddies are solved here, and every member of an ensemble goes its own way beside them."
        </p>
    }
    .into_any()
}

fn about() -> AnyView {
    view! {
        <p>
            "The shallow water equations on a rotating sphere of the size of the Earth: a layer of fluid, ten kilometres deep in the mean, without mountains or coasts. "
            "They hold what makes weather: fast gravity waves, and slow eddies that the rotation keeps in balance. "
            <b>"Geopotential"</b>" is the depth times gravity; "<b>"vorticity"</b>" says how fast the fluid turns (positive: counter-clockwise); "<b>"divergence"</b>" how fast it spreads. "
            "Truth and members start from the same state; every member goes on from its own last hour, so that their spread grows."
        </p>
    }
    .into_any()
}
