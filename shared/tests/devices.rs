//! The same ensemble on every device: masks bit for bit, normals and members to rounding.
#![cfg(all(feature = "wgpu", feature = "autodiff"))]

mod cases;
mod reference;
mod skip;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use burn::tensor::{Device, Tensor, TensorData};
use pno::checkpoint::Checkpoint;
use pno::ensemble::forecast::Forecaster;
use pno::laplace::Posterior;
use pno::nn::{Network, Plan, Rows, init, ops};
use pno::noise::mask::Rate;
use pno::spec::{Experiment, Method, ModelSpec};
use pno::spectral::{Fourier, Resampling, Spherical, Transform};
use pno::sphere::Latitudes;
use pno::task::Task;

/// A GPU through Vulkan, Metal or DX12; software adapters count here. Without one the calling test is skipped.
#[track_caller]
fn gpu() -> Option<Device> {
    static GPU: std::sync::OnceLock<Option<Device>> = std::sync::OnceLock::new();
    let found = GPU.get_or_init(|| {
        // cubecl looks for one on a thread of its own, and panics there.
        let none = Arc::new(AtomicBool::new(false));
        let (hear, before) = (none.clone(), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |panic| {
            if panic.to_string().contains("AdapterUnavailable") {
                hear.store(true, Ordering::SeqCst);
            }
            before(panic);
        }));
        let device = std::panic::catch_unwind(|| {
            let device = Device::wgpu(burn::tensor::DeviceKind::default());
            let sum = Tensor::<1>::ones([4], &device).sum();
            (device, read(sum))
        });
        match device {
            Ok((device, sum)) => {
                assert_eq!(sum, [4.0], "an adapter that cannot add");
                Some(device)
            }
            Err(_) if none.load(Ordering::SeqCst) => None,
            // An adapter that is there and does not work is a failure.
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    if found.is_none() {
        skip::skip("there is no adapter for wgpu on this machine");
    }
    found.clone()
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
        let dropout = ops::Dropout::new(&keys, Rate::new(0.3));
        let y = ops::bias_dropout_gelu(x.clone(), bias.clone(), Some(dropout));
        let weight = Tensor::<3>::from_data(
            wave(rows * points * hidden, &[rows, points, hidden]),
            &device,
        );
        // What is added has the same gradient as the activation: the kernel must leave it alone.
        let beside = Tensor::<3>::zeros([rows, points, hidden], &device).require_grad();
        let grads = ((y.clone() + beside.clone()) * weight).sum().backward();
        let (gx, gb) = (x.grad(&grads).expect("x"), bias.grad(&grads).expect("bias"));
        let kept = beside.grad(&grads).expect("beside");
        [read(y), read(gx), read(gb), read(kept)]
    };
    for (found, wanted) in run(&gpu).iter().zip(run(&Device::flex())) {
        assert_eq!(found.len(), wanted.len());
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{a} and {b}");
        }
    }
}

#[test]
fn transforms_agree() {
    let Some(gpu) = gpu() else { return };
    let spherical = |device: &Device| -> Transform {
        Spherical::new(Latitudes::Equiangular, [33, 40], 17, 10, device).into()
    };
    let resampling = |device: &Device| -> Transform {
        let (from, to) = ([9, 12, 10], [5, 12, 15]);
        Fourier::resampling(&from, &to, &[6, 5, 8], Resampling::Signed, device).into()
    };
    let run = |transform: &Transform, device: &Device| {
        let shape = [2, transform.points_in(), 3];
        let values: Vec<f32> = (0..shape.iter().product())
            .map(|i: usize| (0.61 * i as f32).sin())
            .collect();
        let field = Tensor::from_data(TensorData::new(values, shape), device);
        let spectrum = transform.analyse(field);
        [read(spectrum.clone()), read(transform.synthesise(spectrum))]
    };
    let cpu = Device::flex();
    let pairs = [
        (run(&spherical(&gpu), &gpu), run(&spherical(&cpu), &cpu)),
        (run(&resampling(&gpu), &gpu), run(&resampling(&cpu), &cpu)),
    ];
    for (found, wanted) in pairs {
        for (found, wanted) in found.iter().zip(wanted) {
            assert_eq!(found.len(), wanted.len());
            let largest = wanted.iter().fold(0.0_f32, |m, v| m.max(v.abs()));
            for (a, b) in found.iter().zip(wanted) {
                assert!((a - b).abs() < 1e-5 * largest, "{a} and {b}");
            }
        }
    }
}

/// A fresh KS network of the published size, with a posterior as wide as the weights where the method has one.
fn checkpoint(method: Method) -> Checkpoint {
    let spec = ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO");
    let (size, weights) = (spec.projection + 1, init::tensors(&spec, 1));
    let model = Checkpoint::new(spec, Task::ks(), weights);
    if method != Method::Laplace {
        return model;
    }
    let factor: Vec<f32> = reference::wave(size * size, 0.3)
        .iter()
        .map(|&v| 0.01 * v as f32)
        .collect();
    let posterior = Posterior::from_tensors(&factor, 0.3).expect("square");
    model.with_posterior(posterior)
}

#[test]
fn members_of_every_operator_on_the_gpu_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for case in cases::each_operator() {
        let whole = |device: &Device| Plan::new(&case.spec, &case.grid, device).whole();
        let found = both_heads(&case, &whole(&gpu), &gpu);
        let wanted = both_heads(&case, &whole(&Device::flex()), &Device::flex());
        for (found, wanted) in found.iter().zip(&wanted) {
            let error = cases::gap(found, wanted) / reference::std(wanted);
            println!("{}: {error:.1e}", case.name);
            assert!(error < 1e-3, "{}: {error}", case.name);
        }
    }
}

#[test]
fn pieces_on_the_gpu_have_the_masks_of_the_whole_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut case = cases::each_operator().swap_remove(1);
    case.grid.sizes = vec![17, 19];
    let plan = |device: &Device| Plan::new(&case.spec, &case.grid, device);
    let pieces = plan(&gpu).with_hidden_bytes(1);
    assert!(2 * pieces.piece(4, case.spec.lifting) < case.grid.points());
    let found = both_heads(&case, &pieces, &gpu);
    let wanted = both_heads(&case, &plan(&Device::flex()).whole(), &Device::flex());
    for (found, wanted) in found.iter().zip(&wanted) {
        let error = cases::gap(found, wanted) / reference::std(wanted);
        assert!(error < 1e-3, "{error}");
    }
}

/// Two inputs with two members each, through a network with both heads.
fn both_heads(case: &cases::Case, plan: &Plan, device: &Device) -> [Vec<f64>; 2] {
    let (spec, points) = (case.with(Method::PnoR), case.grid.points());
    let network = Network::from_tensors(&spec, &init::tensors(&spec, 4), device);
    let input = reference::wave(2 * points * spec.in_channels, 0.0);
    let input = cases::tensor(&input, [2, points, spec.in_channels], device);
    let out = network.forward(input, plan, Some(&Rows::members(7, 0..4)));
    [out.mean, out.spread.expect("a spread head")].map(cases::read)
}

#[test]
fn members_on_the_gpu_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for method in [Method::PnoD, Method::PnoR, Method::Laplace] {
        let checkpoint = checkpoint(method);
        let input: Vec<f32> = reference::wave(20 * 256, 0.0)
            .iter()
            .map(|&v| v as f32)
            .collect();
        let on = |device: &Device| {
            let forecaster = Forecaster::new(&checkpoint, device).expect("a model");
            let forecast = forecaster.start(&input, 7).expect("an input");
            cases::waited(forecast.members(0..2)).expect("members")
        };
        let [found, wanted] = [on(&gpu), on(&Device::flex())].map(|members| {
            let wide = members.into_iter().map(f64::from);
            wide.collect::<Vec<f64>>()
        });
        let error = cases::gap(&found, &wanted) / reference::std(&wanted);
        assert!(error < 1e-3, "{method}: {error}");
    }
}
