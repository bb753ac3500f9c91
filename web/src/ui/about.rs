//! How to read the page.

use leptos::prelude::*;

use super::experiments::words;
use super::page::Page;

/// Words below the pictures.
#[component]
pub fn About() -> impl IntoView {
    let page = expect_context::<Page>();
    let experiment = Memo::new(move |_| page.settings.with(|s| s.experiment));
    let equation = move || (words(experiment.get()).about)();
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
