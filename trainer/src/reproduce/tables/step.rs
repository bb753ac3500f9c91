//! Ours: operators of one step, on the windows of the paper, from inputs that are known exactly and from noisy ones.

use pno::observation::Observation;
use pno::spec::{Method, Operator, Profile};

use crate::reproduce::source::{Data, Evaluation, Source, Training};
use crate::reproduce::table::{Picture, Row, STEPS, Table};

/// How noisy the inputs of the second half of the tables are, in standard deviations of the field.
const NOISE: f32 = 0.1;
/// Steps of a published window of Kuramoto-Sivashinsky.
const WINDOW: usize = 20;
/// Hours of the published forecasts of shallow water.
const HOURS: usize = 10;

/// Kuramoto-Sivashinsky: every method on the same network, beside the published numbers for the same windows.
pub fn ks() -> Table {
    let det = Training::step(Data::KsStep, Operator::Fno, Method::Det);
    let training = |method| match method {
        Method::Det => det.clone(),
        other => begun_with(&det, other),
    };
    let rows = |observation: Observation, published: bool| -> Vec<Row> {
        let evaluation = Evaluation::window(Data::KsStep, WINDOW, observation);
        let mut rows: Vec<Row> = [
            ("DET", Method::Det),
            ("PNO_D", Method::PnoD),
            ("PNO_R", Method::PnoR),
            ("MCD", Method::Mcd),
        ]
        .map(|(label, method)| Row::trained(label, training(method), Some(method.name())))
        .to_vec();
        let of = training(Method::Det);
        let profile = Profile::Fixed;
        rows.push(Row::new(
            "LA",
            Source::Laplace { of, profile },
            Some("laplace"),
        ));
        if !observation.is_exact() {
            rows.push(perturbed(training(Method::Det)));
        }
        rows.push(Row::trained("PNO_F", training(Method::PnoF), None));
        for row in &mut rows {
            row.evaluation = evaluation;
            row.published = row.published.take().filter(|_| published);
        }
        rows
    };
    Table {
        published: Some("ks"),
        ..steps(
            "ks-step",
            "Kuramoto-Sivashinsky, step by step: twenty steps as one field",
            [
                rows(Observation::EXACT, true),
                rows(Observation::noisy(NOISE), false),
            ],
        )
    }
    .with_note("The windows are the published ones: inputs up to time 38, truth from 40 to 78, all of it scored as one field. The published networks take twenty frames at once; ours take the last of them, twenty times.")
    .with_note("All methods begin with the weights of DET and are trained on for the same number of cases.")
}

/// Shallow water: the ensembles that matter, after ten hours.
pub fn sswe() -> Table {
    let det = Training::step(Data::SsweStep, Operator::Sfno, Method::Det);
    let noise = begun_with(&det, Method::PnoF);
    let rows = |observation: Observation| -> Vec<Row> {
        let mut rows = vec![Row::trained("DET", det.clone(), None)];
        if !observation.is_exact() {
            rows.push(perturbed(det.clone()));
        }
        rows.push(Row::trained("PNO_F", noise.clone(), None));
        for row in &mut rows {
            row.evaluation = Evaluation {
                steps: HOURS,
                observation,
                ..row.evaluation
            };
        }
        rows
    };
    let table = steps(
        "sswe-fixed",
        "Spherical shallow water, SFNO as a flow map: after ten hours",
        [rows(Observation::EXACT), rows(Observation::noisy(NOISE))],
    );
    table.with_note("Every member goes its own way; scores are those of the tenth hour alone, on the grid that the data have at this size.")
}

/// What the parts of functional noise are worth: one change at a time, all from the same deterministic network.
pub fn noise() -> Table {
    let det = Training::step(Data::KsStep, Operator::Fno, Method::Det);
    let usual = begun_with(&det, Method::PnoF);
    let changed = |suffix: &str, sets: &[&str]| usual.clone().with(suffix, sets);
    let choices = [
        ("four functions, two members", usual.clone()),
        ("one function", changed("one", &["model.noise=[8.0]"])),
        (
            "eight functions",
            changed(
                "eight",
                &["model.noise=[2.0,3.0,4.5,7.0,10.0,15.0,22.0,32.0]"],
            ),
        ),
        (
            "smooth functions",
            changed("smooth", &["model.noise=[1.5,2.0,3.0,4.0]"]),
        ),
        (
            "rough functions",
            changed("rough", &["model.noise=[16.0,24.0,32.0,48.0]"]),
        ),
        (
            "four members",
            changed("four-members", &["train.members=4"]),
        ),
        (
            "with the CRPS of spectra",
            changed("spectral", &["train.spectral=0.1"]),
        ),
    ];
    let rows = |observation: Observation| -> Vec<Row> {
        let evaluation = Evaluation::window(Data::KsStep, WINDOW, observation);
        let row = |(label, training): &(&str, Training)| Row {
            evaluation,
            ..Row::trained(label, training.clone(), None)
        };
        choices.iter().map(row).collect()
    };
    steps(
        "noise",
        "Functional noise: how many functions, how smooth, how many members",
        [rows(Observation::EXACT), rows(Observation::noisy(NOISE))],
    )
}

/// Another method that begins with the weights of the deterministic network.
fn begun_with(det: &Training, method: Method) -> Training {
    let training = Training::step(det.data, det.operator, method);
    training.varied("rollout").after(det.clone())
}

/// The classic ensemble of a deterministic network.
fn perturbed(of: Training) -> Row {
    Row::new("DET, perturbed inputs", Source::Perturbed(of), None)
}

/// A table of two halves: from exact inputs, and from noisy ones.
fn steps(name: &'static str, title: &'static str, [exact, noisy]: [Vec<Row>; 2]) -> Table {
    let exact = exact
        .into_iter()
        .map(|row| row.under("input known exactly"));
    let noisy = noisy
        .into_iter()
        .map(|row| row.under("input observed with noise of 0.1 standard deviations"));
    Table {
        published: None,
        columns: STEPS,
        ..Table::scores(name, title, exact.chain(noisy).collect())
    }
    .with_pictures(&[Picture::Predictions])
}
