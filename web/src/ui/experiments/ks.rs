//! Waves of the Kuramoto-Sivashinsky equation, twenty frames to the next twenty.

use leptos::prelude::*;

use super::Row;
use crate::ui::page::Page;

pub(super) const ROW: Row = Row { lead, about };

fn lead() -> AnyView {
    let page = expect_context::<Page>();
    let members = move || page.settings.with(|s| s.members);
    view! {
        <p class="lead">
            "A chaotic wave is solved here, in your browser. A small network sees its first half and is asked for the second; because it is "
            <em>"probabilistic"</em>
            ", it gives not one answer but " {members} ". Click any picture to see them all at that point."
        </p>
    }
    .into_any()
}

fn about() -> AnyView {
    view! {
        <p>
            "The Kuramoto-Sivashinsky equation, "
            <span class="formula">"∂"<sub>"t"</sub>"u = −½ u ∂"<sub>"x"</sub>"u − ∂"<sub>"x"</sub><sup>"2"</sup>"u − ∂"<sub>"x"</sub><sup>"4"</sup>"u"</span>
            ", makes waves that merge and split without end. It is chaotic: two nearly equal states part within a few dozen time units, so a single forecast of the far future is wrong with certainty, and a good forecast says how far it can be trusted. "
            "The truth is solved live from random noise; the network sees twenty frames, two time units apart, and forecasts the next twenty. Nudge the start, and see how far the bump reaches."
        </p>
        <p>
            "The models that come with the page are small: each was trained on two CPU cores in less than an hour, by the command in its card. "
            "They show what such an ensemble is, not how far ahead one can forecast."
        </p>
    }
    .into_any()
}
