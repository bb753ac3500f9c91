//! Against PyTorch itself: the files in `tests/exchange/fixtures` hold models of neuraloperator and what they answer.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use burn::tensor::{Device, Tensor, TensorData};
use pno::checkpoint::Checkpoint;
use pno::nn::{Network, Plan};
use pno::spec::{Experiment, Method, ModelSpec, TensorSpec};
use pno::sphere::Latitudes;
use pno::task::{Grid, Task};
use serde_json::{Value, json};

use super::{File, assemble};
use crate::npy;

mod direct_sums;
mod hostile;
mod peer;
mod python;
mod refusals;

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exchange/fixtures");
    folder.join(name)
}

/// Specification and grid of a case.
fn case(name: &str) -> (ModelSpec, Grid) {
    let text = fs::read_to_string(fixture("fixtures.json")).expect("an index");
    let index: Value = serde_json::from_str(&text).expect("JSON");
    let case = &index["cases"][name];
    let mut spec = case["spec"].clone();
    spec["dropout"] = json!(0.0);
    spec["fourier_dropout"] = json!(0.0);
    let spec: ModelSpec = serde_json::from_value(spec).expect("a specification");
    spec.validate().expect("valid");
    assert_eq!(json!(spec.parameter_count()), case["parameters"], "{name}");
    let sizes: Vec<usize> = serde_json::from_value(case["grid"].clone()).expect("sizes");
    let grid = match (spec.experiment, sizes.as_slice()) {
        (Experiment::Sswe, &[lat, lon]) => Grid::sphere(Latitudes::Equiangular, [lat, lon]),
        _ => Grid::flat(&sizes),
    };
    (spec, grid)
}

/// Our tensors from a file of a case.
fn weights(spec: &ModelSpec, file: &str) -> Vec<Vec<f32>> {
    let file = File::read(&fixture(file)).expect("a file");
    let (_, tensors) = assemble::without_prefix(spec, file.tensors().expect("tensors"));
    assemble::assemble(spec, &tensors).expect("the tensors of the model")
}

/// What our network says, in PyTorch's order: `[rows, heads * channels, points]`.
fn forward(spec: &ModelSpec, grid: &Grid, weights: &[Vec<f32>], input: &npy::Array) -> Vec<f32> {
    let device = Device::flex();
    let (rows, points) = (input.shape[0], grid.points());
    let channels = spec.in_channels;
    let swapped = |values: &[f32], from: usize, to: usize| -> Vec<f32> {
        let at = |row: usize, i: usize, j: usize| values[(row * from + j) * to + i];
        (0..rows)
            .flat_map(|r| (0..to).flat_map(move |i| (0..from).map(move |j| at(r, i, j))))
            .collect()
    };
    let data = TensorData::new(
        swapped(&input.values, channels, points),
        [rows, points, channels],
    );
    let network = Network::from_tensors(spec, weights, &device);
    let plan = Plan::new(spec, grid, &device);
    let heads = network.forward(Tensor::from_data(data, &device), &plan, None);
    let heads: Vec<Vec<f32>> = std::iter::once(heads.mean)
        .chain(heads.spread)
        .map(|head| head.into_data().try_to_vec::<f32>().expect("floats"))
        .map(|head| swapped(&head, points, spec.out_channels))
        .collect();
    let of_row = |r: usize| {
        let size = spec.out_channels * points;
        heads.iter().flat_map(move |head| &head[r * size..][..size])
    };
    (0..rows).flat_map(of_row).copied().collect()
}

/// Largest difference, for each channel in units of its standard deviation.
fn error(ours: &[f32], theirs: &npy::Array) -> f64 {
    let (rows, channels) = (theirs.shape[0], theirs.shape[1]);
    let points = theirs.values.len() / (rows * channels);
    assert_eq!(ours.len(), theirs.values.len());
    let of_channel = |values: &[f32], c: usize| -> Vec<f64> {
        let at = |r: usize| values[(r * channels + c) * points..][..points].to_vec();
        (0..rows).flat_map(at).map(f64::from).collect()
    };
    let worst = |c: usize| {
        let (a, b) = (of_channel(ours, c), of_channel(&theirs.values, c));
        let mean = b.iter().sum::<f64>() / b.len() as f64;
        let variance = b.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / b.len() as f64;
        let differences = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f64::max) / variance.sqrt()
    };
    (0..channels).map(worst).fold(0.0, f64::max)
}

/// Weights that nobody trained, scaled so that fields keep their size on the way through.
fn random(spec: &ModelSpec) -> Vec<Vec<f32>> {
    let values = |(i, t): (usize, TensorSpec)| {
        let fan_in = match t.shape.as_slice() {
            [from, _] | [_, from, _] => *from,
            _ => 4,
        };
        let scale = (12.0 / fan_in as f64).sqrt();
        let uniforms = pno::noise::uniforms(1, i as u64, t.len());
        uniforms
            .into_iter()
            .map(|u| (scale * (u - 0.5)) as f32)
            .collect()
    };
    spec.tensors().into_iter().enumerate().map(values).collect()
}

/// A model of our own, small.
fn own(method: Method) -> Checkpoint {
    let spec = ModelSpec {
        width: 4,
        lifting: 8,
        projection: 6,
        layers: 2,
        modes: vec![4, 6],
        ..ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO")
    };
    let tensors = random(&spec);
    Checkpoint::new(spec, Task::ks(), tensors)
}

/// The tensors of a file as bytes, to be changed and written again.
type Loose = BTreeMap<String, (::safetensors::Dtype, Vec<usize>, Vec<u8>)>;

fn loose(name: &str) -> Loose {
    let bytes = fs::read(fixture(name)).expect("a file");
    let file = ::safetensors::SafeTensors::deserialize(&bytes).expect("tensors");
    file.tensors()
        .into_iter()
        .map(|(name, t)| (name, (t.dtype(), t.shape().to_vec(), t.data().to_vec())))
        .collect()
}

fn written(tensors: &Loose) -> Vec<u8> {
    let views = tensors.iter().map(|(name, (dtype, shape, data))| {
        let view = ::safetensors::tensor::TensorView::new(*dtype, shape.clone(), data);
        (name.as_str(), view.expect("a tensor"))
    });
    ::safetensors::serialize(views, None).expect("writes")
}
