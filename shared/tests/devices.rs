//! The same ensemble on every device: masks bit for bit, normals and members to rounding.
#![cfg(all(feature = "wgpu", feature = "autodiff"))]

mod reference;

use burn::tensor::{Device, Tensor, TensorData};
use pno::checkpoint::{Checkpoint, Header, Precision, Provenance};
use pno::ensemble::forecast::Forecaster;
use pno::nn::{init, ops};
use pno::noise::mask::Rate;
use pno::spec::{Experiment, Method, ModelSpec};
use pno::task::Task;

/// A GPU through Vulkan, Metal or DX12; software adapters count here. Says so when there is none.
fn gpu() -> Option<Device> {
    static GPU: std::sync::OnceLock<Option<Device>> = std::sync::OnceLock::new();
    GPU.get_or_init(|| {
        let device = std::panic::catch_unwind(|| {
            let device = Device::wgpu(burn::tensor::DeviceKind::default());
            let sum = Tensor::<1>::ones([4], &device).sum().into_data();
            (sum.try_to_vec::<f32>().ok()? == [4.0]).then_some(device)
        });
        let device = device.ok().flatten();
        if device.is_none() {
            eprintln!("skipped: no adapter for wgpu on this machine");
        }
        device
    })
    .clone()
}

fn read<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("f32")
}

fn keys(device: &Device) -> ops::Keys {
    ops::Keys::new(
        &[[1, 2], [0xffff_ffff, 7], [0x8000_0000, 0x1234_5678]],
        device,
    )
}

#[test]
fn masks_are_equal_bit_for_bit() {
    let Some(gpu) = gpu() else { return };
    for count in [1, 63, 64, 1000] {
        let rate = Rate::new(0.2);
        let on = |device: &Device| read(ops::dropout_factors(&keys(device), count, rate));
        assert_eq!(on(&gpu), on(&Device::flex()), "{count} elements");
    }
}

#[test]
fn normals_are_equal_to_rounding() {
    let Some(gpu) = gpu() else { return };
    let on = |device: &Device| read(ops::normals(&keys(device), 5001));
    for (a, b) in on(&gpu).iter().zip(on(&Device::flex())) {
        assert!((a - b).abs() < 2e-5 * (1.0 + b.abs()), "{a} and {b}");
    }
}

#[test]
fn the_fused_activation_and_its_gradients_agree() {
    let Some(gpu) = gpu() else { return };
    let (cases, rows, points, hidden) = (2, 6, 11, 10);
    let run = |device: &Device| {
        let device = device.clone().autodiff();
        let wave = |len: usize, shape: &[usize]| {
            let values: Vec<f32> = (0..len).map(|i| 3.0 * (0.61 * i as f32).sin()).collect();
            TensorData::new(values, shape.to_vec())
        };
        let x = Tensor::<3>::from_data(
            wave(cases * points * hidden, &[cases, points, hidden]),
            &device,
        )
        .require_grad();
        let bias = Tensor::<1>::from_data(wave(hidden, &[hidden]), &device).require_grad();
        let keys: Vec<_> = (0..rows as u32).map(|r| [r, 77]).collect();
        let keys = ops::Keys::new(&keys, &device);
        let y = ops::bias_dropout_gelu(x.clone(), bias.clone(), Some((&keys, Rate::new(0.3))));
        let weight = Tensor::<3>::from_data(
            wave(rows * points * hidden, &[rows, points, hidden]),
            &device,
        );
        let grads = (y.clone() * weight).sum().backward();
        let (gx, gb) = (x.grad(&grads).expect("x"), bias.grad(&grads).expect("bias"));
        [read(y), read(gx), read(gb)]
    };
    for (found, wanted) in run(&gpu).iter().zip(run(&Device::flex())) {
        assert_eq!(found.len(), wanted.len());
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{a} and {b}");
        }
    }
}

/// A fresh KS network of the published size.
fn checkpoint(method: Method) -> Checkpoint {
    let spec = ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO");
    Checkpoint {
        tensors: init::tensors(&spec, 1),
        header: Header {
            spec,
            task: Task::ks(),
            provenance: Provenance::default(),
            scores: None,
            precision: Precision::F32,
        },
    }
}

#[test]
fn members_on_the_gpu_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for method in [Method::PnoD, Method::PnoR] {
        let checkpoint = checkpoint(method);
        let input: Vec<f32> = reference::wave(20 * 256, 0.0)
            .iter()
            .map(|&v| v as f32)
            .collect();
        let on = |device: &Device| {
            let forecaster = Forecaster::new(&checkpoint, device).expect("a model");
            let forecast = forecaster.start(&input, 7).expect("an input");
            pollster(forecast.members(0..2)).expect("members")
        };
        let (a, b) = (on(&gpu), on(&Device::flex()));
        let mean = b.iter().sum::<f32>() / b.len() as f32;
        let std = (b.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / b.len() as f32).sqrt();
        let gap = a
            .iter()
            .zip(&b)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f32::max);
        assert!(gap < 1e-3 * std, "{method}: {gap} of {std}");
    }
}

/// Runs a future that never waits for anything but the device.
fn pollster<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::yield_now();
    }
}
