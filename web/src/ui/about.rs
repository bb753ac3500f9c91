//! How to read the page.

use leptos::prelude::*;
use pno::spec::Experiment;

use super::page::Page;

/// Words below the pictures.
#[component]
pub fn About() -> impl IntoView {
    let page = expect_context::<Page>();
    let experiment = Memo::new(move |_| page.settings.with(|s| s.experiment));
    let equation = move || match experiment.get() {
        Experiment::Ks => view! { <Waves/> }.into_any(),
        Experiment::Darcy => view! { <Flow/> }.into_any(),
        Experiment::Sswe => view! { <Water/> }.into_any(),
        Experiment::Era5 => view! { <Weather/><Given/> }.into_any(),
        Experiment::Arrays | Experiment::KsStep => view! { <Given/> }.into_any(),
    };
    view! {
        <section class="card words about">
            <h2>"How to read this page"</h2>
            {equation}
            <ul>
                <li><b>"Mean and error"</b>": the mean is sharp where the members agree and fades where they do not; the error should be large only there."</li>
                <li><b>"Standard deviation"</b>" is drawn on the same scale as the error: a well calibrated ensemble knows where it is wrong."</li>
                <li><b>"The interval"</b>" holds the middle members at every point; blue and red points are misses. Even a perfect ensemble of 64 members misses the 95 % interval at about one point in thirteen, because it is estimated."</li>
                <li>
                    <b>"The methods"</b>": PNO"<sub>"D"</sub>" leaves dropout on, so each member is another network and a whole field. "
                    "PNO"<sub>"R"</sub>" gives a mean and a spread per point in one pass; its members are drawn point by point and look like noise, but they are calibrated, and cheap."
                </li>
                <li><b>"Scores"</b>" are in units of the data's standard deviation, as in the paper. The energy score rates the whole field, CRPS each point."</li>
                <li><b>"Keys"</b>": arrow keys move the point in a picture (with shift, eight cells; on a globe shift turns it); on the input, space paints or nudges, and Ctrl+Z takes back."</li>
            </ul>
            <p>
                "Equation, network and scores run on your own machine, on the GPU through WebGPU or on the CPU through WebAssembly, and rest while you look elsewhere. "
                "The page asks its own server for its files, and another one only for a model that you agreed to fetch; what is computed, or opened from your disk, is sent to nobody. "
                "The address of the page holds every setting, so any view is a link."
            </p>
        </section>
    }
}

#[component]
fn Waves() -> impl IntoView {
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
}

#[component]
fn Flow() -> impl IntoView {
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
}

#[component]
fn Water() -> impl IntoView {
    view! {
        <p>
            "The shallow water equations on a rotating sphere of the size of the Earth: a layer of fluid, ten kilometres deep in the mean, without mountains or coasts. "
            "They hold what makes weather: fast gravity waves, and slow eddies that the rotation keeps in balance. "
            <b>"Geopotential"</b>" is the depth times gravity; "<b>"vorticity"</b>" says how fast the fluid turns (positive: counter-clockwise); "<b>"divergence"</b>" how fast it spreads. "
            "Truth and members start from the same state; every member goes on from its own last hour, so that their spread grows."
        </p>
    }
}

#[component]
fn Weather() -> impl IntoView {
    view! {
        <p>
            "Temperature of the air near the ground, from a reanalysis: past weather as observations and a weather model together tell it. "
            "It is in kelvins in the files and in degrees Celsius on the page; blue is frost, red is above freezing, where a scale reaches to both sides. "
            "The network knows nothing of wind, pressure or the ground: it has seen many such series of maps, and says how they may go on. "
            "The card of the model says which data it was trained on, and which area and time they cover."
        </p>
    }
}

#[component]
fn Given() -> impl IntoView {
    view! {
        <p>
            "Drop a NumPy file (.npy, 32 or 64 bit floats, C order) with an input of the model's shape in physical units. "
            "A file with twice as many times as the model sees holds input and truth one after the other, and is scored."
        </p>
    }
}
