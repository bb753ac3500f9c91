//! The published KS network written as safetensors and read back, against the paper's formulas by direct sums in f64.

use burn::tensor::{Device, Tensor, TensorData};
use pno::checkpoint::{Checkpoint, Precision};
use pno::nn::{Network, Plan};
use pno::spec::{Experiment, Method, ModelSpec};
use pno::task::Task;

use super::super::{assemble, safetensors};
use super::random;

#[path = "../../../../shared/tests/reference/mod.rs"]
mod reference;

/// Largest difference in units of the reference's standard deviation.
fn share(found: Tensor<3>, wanted: &[f64]) -> f64 {
    let found: Vec<f32> = found.into_data().try_to_vec().expect("f32");
    assert_eq!(found.len(), wanted.len());
    let differences = found.iter().zip(wanted).map(|(&a, b)| f64::from(a) - b);
    differences.fold(0.0, |worst: f64, d| worst.max(d.abs())) / reference::std(wanted)
}

#[test]
fn a_network_with_weights_from_safetensors_is_what_its_formulas_say() {
    let spec = ModelSpec::paper_fno(Experiment::Ks, Method::PnoR).expect("an FNO");
    let (task, weights, device) = (Task::ks(), random(&spec), Device::flex());
    let model = Checkpoint::new(spec.clone(), task.clone(), weights.clone());
    let bytes = safetensors::write(&model, Precision::F32).expect("writes");
    let tensors = safetensors::tensors(&bytes).expect("reads");
    let read = assemble::assemble(&spec, &tensors).expect("the tensors of the model");

    let grid = task.grid();
    let input = reference::wave(grid.points() * spec.in_channels, 0.5);
    let narrow: Vec<f32> = input.iter().map(|&v| v as f32).collect();
    let shape = [1, grid.points(), spec.in_channels];
    let found = Network::from_tensors(&spec, &read, &device).forward(
        Tensor::from_data(TensorData::new(narrow, shape), &device),
        &Plan::new(&spec, &grid, &device),
        None,
    );
    let wide = reference::widen(&weights);
    let wanted = reference::network::heads(&spec, &wide, &grid, &input, None);
    let mean = share(found.mean, &wanted.mean);
    let spread = share(found.spread.expect("a spread head"), &wanted.spread);
    assert!(mean < 1e-4 && spread < 1e-4, "{mean:.1e}, {spread:.1e}");
}
