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
    whole_mlp();
    forward();
}

/// The hidden layer of the Darcy network on 16 rows: forward, and forward with gradients.
fn whole_mlp() {
    #[cfg(feature = "autodiff")]
    let device = Device::flex().autodiff();
    #[cfg(not(feature = "autodiff"))]
    let device = Device::flex();
    let (rows, points, width, hidden) = (16, 4096, 32, 256);
    let random = |shape| Tensor::<2>::random(shape, Distribution::Default, &device);
    let x = random([rows * points, width]).reshape([rows, points, width]);
    let (a, b) = (random([width, hidden]), random([hidden, 1]));
    #[cfg(feature = "autodiff")]
    let (a, b) = (a.require_grad(), b.require_grad());
    let (a_bias, b_bias) = (
        Tensor::<1>::zeros([hidden], &device),
        Tensor::<1>::zeros([1], &device),
    );
    let keys: Vec<_> = (0..rows as u32).map(|r| [r, 1]).collect();
    let keys = ops::Keys::new(&keys, &device);
    let noise = Some(ops::Dropout::new(&keys, Rate::new(0.2)));
    let plain = || {
        let flat = x.clone().reshape([rows * points, width]);
        let z = flat.matmul(a.clone()).reshape([rows, points, hidden]);
        let active = ops::bias_dropout_gelu(z, a_bias.clone(), noise);
        let out = active.reshape([rows * points, hidden]).matmul(b.clone());
        (out + b_bias.clone().unsqueeze()).reshape([rows, points, 1])
    };
    let fused = || {
        let (a, b) = ((a.clone(), a_bias.clone()), (b.clone(), b_bias.clone()));
        ops::pointwise_mlp(x.clone(), a, b, noise)
    };
    println!("pointwise MLP 32-256-1 on 65 536 points");
    let one = timing::median("one operation", fused);
    let many = timing::median("two products and one activation", plain);
    let ratio = many.as_secs_f64() / one.as_secs_f64();
    println!("many / one: {ratio:.1}");
    #[cfg(feature = "autodiff")]
    {
        let one = timing::median("one operation, gradients", || fused().sum().backward());
        let many = timing::median("many, gradients", || plain().sum().backward());
        let ratio = many.as_secs_f64() / one.as_secs_f64();
        println!("many / one: {ratio:.1}");
    }
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
