//! Fused activation against plain operations, and a forward of the published KS network per member.
//!
//! `cargo bench -p pno -p pno-trainer --features pno-trainer/wgpu --bench network` (the features of the tests, so burn is not compiled again)

mod timing;

use burn::tensor::{Device, Distribution, Tensor, activation};
use pno::nn::{Network, Plan, Rows, ops};
use pno::noise::mask::Rate;
use pno::spec::{Experiment, Method, ModelSpec};
use pno::task::Task;

fn main() {
    fused_activation();
    forward();
}

fn fused_activation() {
    let device = Device::flex();
    let (rows, points, hidden) = (16, 4096, 256);
    let x = Tensor::<3>::random([rows, points, hidden], Distribution::Default, &device);
    let bias = Tensor::<1>::random([hidden], Distribution::Default, &device);
    let keys: Vec<_> = (0..rows as u32).map(|r| [r, 1]).collect();
    let keys = ops::Keys::new(&keys, &device);
    println!("bias, dropout, GELU on 65 536 x 256");
    timing::median("fused, no mask", || {
        ops::bias_dropout_gelu(x.clone(), bias.clone(), None)
    });
    let noise = Some(ops::Dropout::new(&keys, Rate::new(0.2)));
    let fused = timing::median("fused, rate 0.2", || {
        ops::bias_dropout_gelu(x.clone(), bias.clone(), noise)
    });
    let plain = timing::median("plain operations, rate 0.2", || {
        let z = x.clone() + bias.clone().unsqueeze();
        let mask = Tensor::<3>::random(z.shape(), Distribution::Bernoulli(0.8), &device);
        activation::gelu(z * mask * 1.25)
    });
    println!(
        "plain / fused: {:.1}",
        plain.as_secs_f64() / fused.as_secs_f64()
    );
}

fn forward() {
    let device = Device::flex();
    let task = Task::ks();
    let spec = ModelSpec::paper_fno(Experiment::Ks, Method::PnoD).expect("an FNO");
    let network = Network::init(&spec, 1, &device);
    let plan = Plan::new(&spec, &task.grid(), &device);
    let input = Tensor::<3>::random([1, task.points(), 3], Distribution::Default, &device);
    println!("KS forward with dropout, published size");
    for members in [1_u32, 8, 32, 128] {
        let rows = Rows::members(7, 0..members);
        let time = timing::median(&format!("{members} members"), || {
            network.forward(input.clone(), &plan, Some(&rows)).mean
        });
        println!(
            "{:>8.2} ms per member",
            time.as_secs_f64() * 1e3 / f64::from(members)
        );
    }
}
