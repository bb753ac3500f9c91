//! Small networks of every operator on small grids, and what tests do with them.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use burn::tensor::{Device, Tensor, TensorData};
use pno::spec::{Experiment, Level, Method, ModelSpec, Operator, Output, Profile};
use pno::sphere::Latitudes;
use pno::task::Grid;

/// A network and a grid for it.
pub struct Case {
    /// What is particular about it.
    pub name: &'static str,
    /// The network.
    pub spec: ModelSpec,
    /// The grid.
    pub grid: Grid,
}

impl Case {
    /// The same network with residual blocks.
    fn residual(mut self, name: &'static str) -> Self {
        self.name = name;
        self.spec.mlp = 6;
        self
    }

    /// The same network for another method.
    pub fn with(&self, method: Method) -> ModelSpec {
        ModelSpec {
            method,
            ..self.spec.clone()
        }
    }
}

/// Odd widths, two output channels, rates that drop something everywhere.
fn base(operator: Operator, profile: Profile) -> ModelSpec {
    ModelSpec {
        experiment: Experiment::Ks,
        method: Method::PnoD,
        operator,
        profile,
        in_channels: 3,
        out_channels: 2,
        width: 3,
        lifting: 7,
        projection: 5,
        layers: 3,
        modes: vec![],
        levels: vec![],
        dropout: 0.25,
        fourier_dropout: 0.3,
        networks: 1,
        output: Output::Field,
        mlp: 0,
        noise: vec![],
        observed: None,
    }
}

fn fno(name: &'static str, sizes: &[usize], modes: &[usize]) -> Case {
    let spec = ModelSpec {
        modes: modes.to_vec(),
        ..base(Operator::Fno, Profile::Fixed)
    };
    let grid = Grid::flat(sizes);
    Case { name, spec, grid }
}

fn sfno(name: &'static str, latitudes: Latitudes, sizes: [usize; 2], modes: [usize; 2]) -> Case {
    let spec = ModelSpec {
        modes: modes.to_vec(),
        ..base(Operator::Sfno, Profile::Fixed)
    };
    let grid = Grid::sphere(latitudes, sizes);
    Case { name, spec, grid }
}

fn uno<const D: usize>(
    name: &'static str,
    profile: Profile,
    sizes: [usize; D],
    levels: &[(usize, [usize; D], [f64; D])],
) -> Case {
    let level = |&(width, modes, scale): &(usize, [usize; D], [f64; D])| Level {
        width,
        modes: modes.to_vec(),
        scale: scale.to_vec(),
    };
    let spec = ModelSpec {
        layers: 0,
        levels: levels.iter().map(level).collect(),
        ..base(Operator::Uno, profile)
    };
    let grid = Grid::flat(&sizes);
    Case { name, spec, grid }
}

/// A UNO whose axes shrink and grow against each other: 8, 4, 7, 7, 4, 8 and 9, 12, 7, 7, 10, 9.
fn uneven(name: &'static str, profile: Profile) -> Case {
    let levels = [
        (4, [5, 6], [0.5, 1.34]),
        (2, [4, 7], [1.75, 0.6]),
        (3, [3, 6], [1.0, 1.0]),
        (4, [6, 6], [0.6, 1.5]),
        (3, [4, 8], [1.9, 0.83]),
    ];
    uno(name, profile, [8, 9], &levels)
}

/// One network of every kind.
pub fn each_operator() -> Vec<Case> {
    use Latitudes::{Equiangular, Gauss};
    let one_axis = [(4, [6], [0.5]), (3, [5], [1.0]), (2, [4], [1.5])];
    let three_axes = [
        (2, [3, 3, 4], [0.5, 1.0, 1.25]),
        (3, [2, 2, 4], [2.0, 0.5, 0.8]),
        (2, [3, 2, 3], [1.0, 2.0, 1.0]),
    ];
    vec![
        fno("fno in 1D", &[9], &[5]),
        fno("fno in 2D", &[6, 9], &[3, 5]),
        fno("fno in 3D", &[4, 5, 6], &[3, 2, 4]),
        uneven("published uno", Profile::Paper),
        uneven("fixed uno", Profile::Fixed),
        uno("fixed uno in 1D", Profile::Fixed, [13], &one_axis),
        uno("fixed uno in 3D", Profile::Fixed, [4, 5, 6], &three_axes),
        sfno("sfno, even circles", Equiangular, [8, 10], [4, 6]),
        sfno("sfno, Gauss", Gauss, [5, 9], [5, 6]),
        fno("", &[9], &[5]).residual("residual fno in 1D"),
        fno("", &[6, 9], &[3, 5]).residual("residual fno in 2D"),
        uneven("", Profile::Fixed).residual("residual uno"),
        sfno("", Gauss, [5, 9], [5, 6]).residual("residual sfno"),
    ]
}

/// Grids at the edge of what a network can use.
pub fn edges() -> Vec<Case> {
    use Latitudes::{Equiangular, Gauss};
    // 6, 4, 6, 6 and 12, 8, 16, 12: frequencies at and beyond the Nyquist frequencies of either grid.
    let nyquist = [
        (3, [6, 12], [0.67, 0.67]),
        (2, [4, 8], [1.5, 2.0]),
        (3, [6, 16], [1.0, 0.75]),
    ];
    let (paper, fixed) = (Profile::Paper, Profile::Fixed);
    vec![
        uno(
            "every frequency of a published uno",
            paper,
            [6, 12],
            &nyquist,
        ),
        uno("every frequency of a fixed uno", fixed, [6, 12], &nyquist),
        fno("more modes than points", &[5, 6], &[9, 10]),
        fno("every frequency of an even grid", &[6, 8], &[6, 8]),
        fno("every frequency of an odd grid", &[5, 7], &[5, 7]),
        fno("one frequency", &[4, 6], &[1, 1]),
        sfno("odd circles", Equiangular, [9, 12], [4, 6]),
        sfno("even Gauss circles", Gauss, [6, 12], [6, 8]),
        sfno("too many degrees", Equiangular, [7, 16], [6, 8]),
        sfno("too many degrees for Gauss", Gauss, [4, 16], [7, 8]),
        sfno("every order of the circle", Gauss, [6, 8], [6, 10]),
        sfno("too many orders", Gauss, [6, 6], [6, 10]),
    ]
}

/// A tensor of given values.
pub fn tensor<const D: usize>(values: &[f64], shape: [usize; D], device: &Device) -> Tensor<D> {
    let values: Vec<f32> = values.iter().map(|&v| v as f32).collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// The values of a tensor.
pub fn read<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    let values: Vec<f32> = tensor.into_data().try_to_vec().expect("f32");
    values.into_iter().map(f64::from).collect()
}

/// Largest difference.
pub fn gap(found: &[f64], wanted: &[f64]) -> f64 {
    assert_eq!(found.len(), wanted.len());
    let differences = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |largest, d| if d <= largest { largest } else { d })
}

/// What a future gives that has nothing to wait for: on the CPU a member is there as soon as it is asked for.
pub fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the CPU does not wait"),
    }
}

/// What a future gives that waits for a device and nothing else.
pub fn waited<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::yield_now();
    }
}
