//! `pno inspect`: what a checkpoint says about itself.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use pno::score::{ESTIMATORS, Scores};
use pno::spec::{Level, ModelSpec, TensorSpec};
use pno::task::{Axis, Domain, Normalisation, Quantity};
use serde_json::{Value, json};

use crate::files::Model;

const EXAMPLES: &str = "\
Examples:
  pno inspect models/ks-pno-d.pno
  pno inspect runs/ks                       the best model of a training run so far
  pno inspect model.pno --json | jq .scores.energy_score";

/// Show what is in a checkpoint: model, grid, how it was made, how well it scores.
///
/// The whole file is checked on the way: lengths, hash, table, weights.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A .pno file, or the folder of a training run.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Print JSON for other programs.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let model = Model::read(&args.model)?;
    let text = if args.json {
        serde_json::to_string_pretty(&as_json(&model)?)
            .context("cannot write the header as JSON")?
    } else {
        as_text(&model)?
    };
    super::print(&text)
}

/// Everything, with the keys of the library's types.
fn as_json(model: &Model) -> Result<Value> {
    let header = &model.checkpoint.header;
    let mut provenance = serde_json::to_value(&header.provenance)?;
    let settings: BTreeMap<_, _> = header.provenance.settings.iter().cloned().collect();
    provenance["settings"] = json!(settings);
    let scores = header.scores.map(|scores| {
        let mut value = json!(scores);
        value["estimators"] = json!(ESTIMATORS.iter().copied().collect::<BTreeMap<_, _>>());
        value
    });
    Ok(json!({
        "file": model.path.display().to_string(),
        "format_version": model.version,
        "bytes": model.bytes,
        "blake3": model.fingerprint,
        "precision": header.precision,
        "parameters": header.spec.parameter_count(),
        "spec": header.spec,
        "task": header.task,
        "provenance": provenance,
        "scores": scores,
        "calibration": header.calibration,
        "tensors": header.spec.stored_tensors(),
    }))
}

/// The same for people.
fn as_text(model: &Model) -> Result<String> {
    let header = &model.checkpoint.header;
    let (spec, task, made) = (&header.spec, &header.task, &header.provenance);
    let mut rows = Rows::titled(&model.path.display().to_string());
    rows.add("experiment", &spec.experiment);
    rows.add("method", &spec.method);
    rows.add(
        "operator",
        &format!(
            "{}: {}, lifting {}, projection {}",
            spec.operator,
            blocks(spec),
            spec.lifting,
            spec.projection
        ),
    );
    rows.add(
        "channels",
        &format!(
            "{} in (coordinates included), {} out",
            spec.in_channels, spec.out_channels
        ),
    );
    if let Some(worst) = &spec.observed {
        rows.add(
            "observed inputs",
            &format!("told how exact they are, up to {worst}"),
        );
    }
    rows.add(
        "dropout",
        &format!(
            "{} on activations, {} on Fourier coefficients",
            spec.dropout, spec.fourier_dropout
        ),
    );
    let tensors: Vec<TensorSpec> = spec.tensors();
    let of_networks = match spec.networks {
        1 => String::new(),
        n => format!(" of each of {n} networks"),
    };
    rows.add(
        "parameters",
        &format!(
            "{} in {} tensors{of_networks}",
            spec.parameter_count(),
            tensors.len()
        ),
    );
    rows.add("input", &grid(&task.input));
    rows.add("output", &grid(&task.output));
    if let Domain::Sphere(latitudes) = task.domain {
        rows.add("domain", &format!("sphere, {latitudes} latitudes"));
    }
    if task.inputs == task.outputs {
        rows.add("quantity", &quantities(&task.outputs));
    } else {
        rows.add("takes", &quantities(&task.inputs));
        rows.add("gives", &quantities(&task.outputs));
    }
    rows.add("precision", &header.precision);
    rows.add("size", &format!("{} bytes", model.bytes));
    rows.add("blake3", &model.fingerprint);

    rows.title("made by");
    rows.add("command", &made.command);
    rows.add("created", &made.created);
    rows.add("version", &made.version);
    rows.add("data", &made.data);
    rows.add("seed", &made.seed);
    rows.add("epochs", &made.epochs);
    rows.add("note", &made.note);
    if !made.settings.is_empty() {
        rows.title("settings");
        for (key, value) in &made.settings {
            rows.add(key, value);
        }
    }
    if let Some(calibration) = &header.calibration {
        rows.title(&format!(
            "members are spread to coverage {}: conformal scaling on {} cases with {} members",
            calibration.coverage, calibration.cases, calibration.members
        ));
        rows.add("data", &calibration.data);
        rows.add("factors", &super::conformal::factors(calibration, task));
    }
    match &header.scores {
        Some(scores) => add_scores(&mut rows, scores)?,
        None => rows.title("scores: none recorded; `pno eval` computes them"),
    }
    Ok(rows.text.trim_end().to_owned())
}

fn add_scores(rows: &mut Rows, scores: &Scores) -> Result<()> {
    rows.title(&format!(
        "scores of {} cases with {} members, in network units",
        scores.cases, scores.members
    ));
    let values = serde_json::to_value(scores)?;
    for (key, estimator) in ESTIMATORS {
        // JSON has neither NaN nor infinity, only null.
        let value = values[key]
            .as_f64()
            .map_or_else(|| "not finite".to_owned(), |v| format!("{v:.4}"));
        rows.add(key, &format!("{value:>10}  {estimator}"));
    }
    Ok(())
}

/// `10 x 12`.
fn join<T: ToString>(numbers: &[T], by: &str) -> String {
    let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    texts.join(by)
}

/// `4 layers of width 20, modes 10 x 12`, or the blocks of a UNO one by one.
fn blocks(spec: &ModelSpec) -> String {
    if spec.levels.is_empty() {
        let modes = join(&spec.modes, " x ");
        return format!(
            "{} layers of width {}, modes {modes}",
            spec.layers, spec.width
        );
    }
    let level = |l: &Level| {
        let (modes, scale) = (join(&l.modes, " x "), join(&l.scale, " x "));
        format!("width {} modes {modes} scale {scale}", l.width)
    };
    let levels: Vec<String> = spec.levels.iter().map(level).collect();
    let profile = spec.profile;
    format!(
        "{profile}, from width {}: {}",
        spec.width,
        levels.join("; ")
    )
}

/// `u (m/s, mean 0, standard deviation 2.6)`.
fn quantities(quantities: &[Quantity]) -> String {
    let one = |q: &Quantity| {
        let Normalisation { mean, std } = q.normalisation;
        let unit = if q.unit.is_empty() {
            "model units"
        } else {
            &q.unit
        };
        format!("{} ({unit}, mean {mean}, standard deviation {std})", q.name)
    };
    quantities.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `time 20 (0 to 38), x 256 (0 to 99.609375)`.
fn grid(axes: &[Axis]) -> String {
    let axis = |a: &Axis| {
        let last = a.start + a.step * a.size.saturating_sub(1) as f64;
        let unit = if a.unit.is_empty() {
            String::new()
        } else {
            format!(" {}", a.unit)
        };
        format!("{} {} ({} to {last}{unit})", a.name, a.size, a.start)
    };
    axes.iter().map(axis).collect::<Vec<_>>().join(", ")
}

/// Names and values in two columns.
struct Rows {
    text: String,
}

impl Rows {
    fn titled(title: &str) -> Self {
        Self {
            text: format!("{title}\n"),
        }
    }

    fn title(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n{title}");
    }

    /// Leaves out what is empty; further lines of a value stay in its column.
    fn add(&mut self, name: &str, value: &dyn std::fmt::Display) {
        let value = value.to_string();
        if !value.is_empty() {
            let _ = writeln!(
                self.text,
                "  {name:<16} {}",
                value.replace('\n', &format!("\n{:19}", ""))
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::checkpoint::{Checkpoint, Header, Precision, Provenance};
    use pno::spec::{Experiment, Method, ModelSpec};
    use pno::task::Task;

    fn model(scores: Option<Scores>) -> Model {
        let spec = ModelSpec::paper_fno(Experiment::Ks, Method::PnoR).expect("an FNO");
        Model {
            path: "ks.pno".into(),
            bytes: 1000,
            version: 3,
            fingerprint: "abc".into(),
            checkpoint: Checkpoint {
                tensors: Vec::new(),
                header: Header {
                    spec,
                    task: Task::ks(),
                    provenance: Provenance {
                        command: "pno train ks".into(),
                        settings: vec![("train.batch".into(), "32".into())],
                        note: "first line\nsecond line".into(),
                        ..Provenance::default()
                    },
                    scores,
                    calibration: None,
                    precision: Precision::F16,
                },
            },
        }
    }

    fn scores() -> Scores {
        Scores {
            members: 100,
            cases: 20,
            l2: 0.5,
            energy_score: 0.25,
            crps: 0.125,
            nll: f64::INFINITY,
            coverage: 0.93,
            interval_width: 1.5,
        }
    }

    #[test]
    fn the_text_says_what_a_reader_asks_first() {
        let text = as_text(&model(Some(scores()))).expect("a text");
        for wanted in [
            "  method           pno-r\n",
            "234406 in 28 tensors",
            "time 20 (40 to 78), x 256 (0 to 99.609375)",
            "  precision        f16\n",
            "  train.batch      32\n",
            "  note             first line\n                   second line\n",
            "scores of 20 cases with 100 members",
            "  energy_score         0.2500  ",
            "  nll              not finite  ",
        ] {
            assert!(text.contains(wanted), "`{wanted}` is missing in\n{text}");
        }
        assert!(
            as_text(&model(None))
                .expect("a text")
                .ends_with("`pno eval` computes them")
        );
    }

    #[test]
    fn every_score_has_its_estimator_beside_it() {
        let text = as_text(&model(Some(scores()))).expect("a text");
        let json = as_json(&model(Some(scores()))).expect("a value");
        for (key, estimator) in ESTIMATORS {
            assert!(text.contains(estimator), "{key}");
            assert_eq!(json["scores"]["estimators"][key], *estimator);
            assert!(json["scores"].get(key).is_some(), "{key}");
        }
    }

    #[test]
    fn the_json_has_the_keys_of_the_library() {
        let json = as_json(&model(None)).expect("a value");
        assert_eq!(json["spec"]["method"], "pno-r");
        assert_eq!(json["task"]["output"][0]["start"], 40.0);
        assert_eq!(json["precision"], "f16");
        assert_eq!(json["parameters"], 234_406);
        assert_eq!(json["provenance"]["settings"]["train.batch"], "32");
        assert_eq!(json["tensors"][0]["name"], "lifting.hidden.weight");
        assert!(json["scores"].is_null());
    }
}
