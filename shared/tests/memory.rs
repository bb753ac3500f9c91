//! The largest published network in little memory: what a forward holds at once, and its largest single tensor.
//!
//! The same tensors exist on a GPU, where WebGPU by default binds no buffer above 128 MiB.
#![cfg(feature = "nn")]
#![allow(missing_docs)]

mod counting;

use burn::tensor::{Device, Tensor, TensorData};
use pno::nn::{Network, Plan, Rows};
use pno::spec::{Experiment, Method, ModelSpec};
use pno::task::Task;

const MIB: usize = 1 << 20;

// One test alone in this file: another beside it would be counted too.
#[test]
fn a_member_of_the_published_era5_fno_needs_less_than_a_gibibyte() {
    let (spec, task) = (
        ModelSpec::paper_fno(Experiment::Era5, Method::PnoD).expect("an FNO"),
        Task::era5(),
    );
    let device = Device::flex();
    let field: Vec<f32> = (0..task.input_values())
        .map(|i| 280.0 + 10.0 * (0.01 * i as f32).sin())
        .collect();
    let input = task.network_input(&field);
    drop(field);
    let network = Network::init(&spec, 3, &device);
    let points = task.points();
    let input = TensorData::new(input, [1, points, spec.in_channels]);
    let input = Tensor::from_data(input, &device);

    counting::restart();
    let plan = Plan::new(&spec, &task.grid(), &device);
    let out = network.forward(input, &plan, Some(&Rows::members(7, 0..1)));
    let values: Vec<f32> = out.mean.into_data().try_to_vec().expect("f32");
    let (peak, largest) = (counting::peak(), counting::largest());

    let mib = |bytes: usize| bytes as f64 / MIB as f64;
    println!(
        "peak {:.0} MiB, largest allocation {:.0} MiB",
        mib(peak),
        mib(largest)
    );
    assert_eq!(values.len(), points * spec.out_channels);
    assert!(values.iter().all(|v| v.is_finite()));
    assert!(peak < 1024 * MIB, "{:.0} MiB at once", mib(peak));
    assert!(largest < 128 * MIB, "{:.0} MiB in one", mib(largest));
    // The count is not blind: one field of the network's width alone is this large.
    assert!(largest >= points * spec.width * size_of::<f32>());
}
