//! How to read the page.

use leptos::prelude::*;

/// Words below the pictures.
#[component]
pub fn About() -> impl IntoView {
    view! {
        <section class="card words about">
            <h2>"How to read this page"</h2>
            <p>
                "The Kuramoto-Sivashinsky equation, "
                <span class="formula">"∂"<sub>"t"</sub>"u = −½ u ∂"<sub>"x"</sub>"u − ∂"<sub>"x"</sub><sup>"2"</sup>"u − ∂"<sub>"x"</sub><sup>"4"</sup>"u"</span>
                ", makes waves that merge and split without end. It is chaotic: two nearly equal states part within a few dozen time units, so a single forecast of the far future is wrong with certainty, and a good forecast says how far it can be trusted."
            </p>
            <ul>
                <li><b>"Truth"</b>" is solved live from random noise; the network sees twenty frames, two time units apart, and forecasts the next twenty."</li>
                <li><b>"Mean and error"</b>": the mean is sharp where the members agree and fades where they do not; the error should be large only there."</li>
                <li><b>"Standard deviation"</b>" is drawn on the same scale as the error: a well calibrated ensemble knows where it is wrong."</li>
                <li><b>"95 % interval"</b>": blue and orange points are misses. Even a perfect ensemble of 64 members misses about one point in thirteen, because its interval is estimated."</li>
                <li>
                    <b>"The methods"</b>": PNO"<sub>"D"</sub>" leaves dropout on, so each member is another network and a whole field. "
                    "PNO"<sub>"R"</sub>" gives a mean and a spread per point in one pass; its members are drawn point by point and look like noise, but they are calibrated, and cheap."
                </li>
                <li><b>"Scores"</b>" are in units of the data's standard deviation (2.64), as in the paper. The energy score rates the whole field, CRPS each point."</li>
            </ul>
            <p>
                "The models that come with the page are small: each was trained on two CPU cores in less than an hour, by the command in its card. "
                "They show what such an ensemble is, not how far ahead one can forecast."
            </p>
            <p>
                "Nothing is sent anywhere: equation, network and scores run on your own machine, on the GPU through WebGPU or on the CPU through WebAssembly. "
                "The address of the page holds every setting, so any view is a link."
            </p>
        </section>
    }
}
