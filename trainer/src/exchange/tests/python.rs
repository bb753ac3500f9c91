//! What a Python user sees: our files in NumPy and in PyTorch. Skipped with a word where those are not installed.
//!
//! `PNO_PYTHON` names another interpreter than `python3`.

use std::path::Path;
use std::process::Command;

use pno::checkpoint::{Checkpoint, Precision};
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile};
use pno::task::{Grid, Task};

use super::super::safetensors;
use super::{error, forward, random};
use crate::npy;
use crate::skip::skip;

/// Runs Python, or says why not.
#[track_caller]
fn python(modules: &str, arguments: &[&str]) -> bool {
    let program = std::env::var("PNO_PYTHON").unwrap_or_else(|_| "python3".into());
    let run = |arguments: &[&str]| Command::new(&program).args(arguments).output();
    let import = format!("import {modules}");
    if !run(&["-c", &import]).is_ok_and(|output| output.status.success()) {
        skip(&format!("{program} with {modules} is not installed here"));
        return false;
    }
    let output = run(arguments).expect("python starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    true
}

/// Writes a model with random weights and an input, lets Python answer, and compares: the difference in units of the
/// standard deviation, or nothing where Python could not.
#[track_caller]
fn difference(spec: &ModelSpec, grid: &Grid, modules: &str, script: &[&str]) -> Option<f64> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let [model, input, output] = ["model.safetensors", "input.npy", "output.npy"].map(file);
    let weights = random(spec);
    let task = Task::published(spec.experiment).expect("published");
    let checkpoint = Checkpoint::new(spec.clone(), task, weights.clone());
    let bytes = safetensors::write(&checkpoint, Precision::F32).expect("writes");
    std::fs::write(&model, bytes).expect("writes");
    let shape = [&[2, spec.in_channels], grid.sizes.as_slice()].concat();
    let values = pno::noise::uniforms(9, 9, shape.iter().product());
    let values: Vec<f32> = values
        .into_iter()
        .map(|u| (3.0 * (u - 0.5)) as f32)
        .collect();
    npy::write(Path::new(&input), &shape, &values, true).expect("writes");
    let arguments = [script, &[&model, &input, &output]].concat();
    python(modules, &arguments).then(|| {
        let theirs = npy::read(Path::new(&output)).expect("an answer");
        let ours = forward(spec, grid, &weights, &npy::Array { shape, values });
        error(&ours, &theirs)
    })
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exchange");

#[test]
fn the_published_ks_network_is_what_its_formulas_say() {
    let script = format!("{FOLDER}/formulas.py");
    for method in [Method::PnoD, Method::PnoR] {
        let spec = ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO");
        let grid = Task::ks().grid();
        if let Some(error) = difference(&spec, &grid, "numpy", &[&script]) {
            eprintln!("ks {method}: formulas differ by {error:.1e} of the standard deviation");
            assert!(error < 1e-4, "{method}: {error:.1e}");
        }
    }
}

/// Opens a model of ours in the modules of neuraloperator, strictly, and writes what it answers.
const STRICT: &str = r#"
import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import numpy, torch
from safetensors import safe_open
from safetensors.torch import load_file
from make_fixtures import build
model, source, target = sys.argv[2:]
with safe_open(model, "pt") as file:
    spec = json.loads(file.metadata()["pno"])["spec"]
network = build(spec)
network = getattr(network, "model", network)
network.load_state_dict(load_file(model))
with torch.no_grad():
    numpy.save(target, network(torch.from_numpy(numpy.load(source))).numpy())
"#;

#[test]
fn pytorch_loads_our_models_strictly_and_answers_the_same() {
    let narrow = |experiment, operator, method| {
        let spec = ModelSpec::paper(experiment, operator, method, Profile::Paper);
        let mut spec = spec.expect("published");
        (spec.width, spec.lifting, spec.projection) = (4, 8, 8);
        for level in &mut spec.levels {
            level.width = 2 + level.width / 32;
        }
        spec
    };
    for (experiment, operator, method) in [
        (Experiment::Ks, Operator::Fno, Method::PnoD),
        (Experiment::Darcy, Operator::Uno, Method::PnoR),
        (Experiment::Ks, Operator::Uno, Method::Det),
        (Experiment::Sswe, Operator::Sfno, Method::PnoR),
    ] {
        let spec = narrow(experiment, operator, method);
        let grid = Task::published(experiment).expect("published").grid();
        let modules = "neuralop, safetensors";
        let what = format!("{experiment} {operator} {method}");
        if let Some(error) = difference(&spec, &grid, modules, &["-c", STRICT, FOLDER]) {
            eprintln!("{what}: PyTorch differs by {error:.1e} of the standard deviation");
            assert!(error < 1e-4, "{what}: {error:.1e}");
        }
    }
}
