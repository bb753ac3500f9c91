//! The grids, and transforms on them.

use std::f64::consts::TAU;

use burn::tensor::{Device, Tensor, TensorData};
use pno::spectral::{Spherical, Transform};
use pno::sphere::Latitudes;

pub const ROWS: usize = 2;
pub const CHANNELS: usize = 3;

/// A grid, and how many degrees and orders to take on it.
pub struct Case {
    pub latitudes: Latitudes,
    pub grid: [usize; 2],
    pub degrees: usize,
    pub orders: usize,
}

pub const fn case(latitudes: Latitudes, grid: [usize; 2], degrees: usize, orders: usize) -> Case {
    Case {
        latitudes,
        grid,
        degrees,
        orders,
    }
}

/// Grids that carry all of their degrees and orders: even, odd and prime sizes, the paper's, and the fullest ones.
pub const CASES: &[Case] = &[
    case(Latitudes::Equiangular, [128, 256], 32, 16),
    case(Latitudes::Equiangular, [127, 255], 64, 40),
    case(Latitudes::Equiangular, [33, 40], 17, 10),
    case(Latitudes::Equiangular, [32, 64], 16, 16),
    case(Latitudes::Equiangular, [7, 5], 4, 3),
    case(Latitudes::Equiangular, [1, 4], 1, 1),
    case(Latitudes::Gauss, [128, 256], 128, 128),
    case(Latitudes::Gauss, [64, 129], 64, 64),
    case(Latitudes::Gauss, [31, 37], 31, 19),
    case(Latitudes::Gauss, [16, 31], 16, 8),
    case(Latitudes::Gauss, [1, 1], 1, 1),
];

impl Case {
    pub fn transform(&self, device: &Device) -> Transform {
        Spherical::new(self.latitudes, self.grid, self.degrees, self.orders, device).into()
    }

    pub fn points(&self) -> usize {
        self.grid[0] * self.grid[1]
    }

    /// Colatitude and longitude of every point.
    pub fn places(&self) -> Vec<(f64, f64)> {
        let [n_lat, n_lon] = self.grid;
        let longitude = |j| TAU * j as f64 / n_lon as f64;
        self.latitudes
            .colatitudes(n_lat)
            .into_iter()
            .flat_map(|theta| (0..n_lon).map(move |j| (theta, longitude(j))))
            .collect()
    }

    /// Place of a coefficient's real part; the imaginary one is `CHANNELS` further.
    pub fn index(&self, l: usize, row: usize, m: usize, channel: usize) -> usize {
        ((l * ROWS + row) * self.orders + m) * 2 * CHANNELS + channel
    }

    pub fn shape(&self) -> [usize; 3] {
        [self.degrees, ROWS * self.orders, 2 * CHANNELS]
    }

    /// Some spectrum of a real field, falling with the degree.
    pub fn spectrum(&self) -> Vec<f32> {
        let [degrees, lines, parts] = self.shape();
        let mut spectrum = vec![0.0; degrees * lines * parts];
        for (l, m) in pairs(degrees, self.orders) {
            for (row, channel) in pairs_of_fields() {
                let i = self.index(l, row, m, channel);
                let size = 1.0 / (1.0 + l as f32).sqrt();
                spectrum[i] = size * (i as f32 * 1.3 + 0.5).sin();
                if m > 0 {
                    spectrum[i + CHANNELS] = size * (i as f32 * 0.7 + 1.0).cos();
                }
            }
        }
        spectrum
    }
}

/// `(l, m)` of the coefficients that exist.
pub fn pairs(degrees: usize, orders: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..degrees).flat_map(move |l| (0..orders.min(l + 1)).map(move |m| (l, m)))
}

pub fn pairs_of_fields() -> impl Iterator<Item = (usize, usize)> {
    (0..ROWS).flat_map(|row| (0..CHANNELS).map(move |channel| (row, channel)))
}

/// `c_m`.
pub fn multiplicity(m: usize) -> f64 {
    if m == 0 { 1.0 } else { 2.0 }
}

pub fn tensor<const D: usize>(values: &[f32], shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
}

pub fn read<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("f32")
}

pub fn wave(len: usize, phase: f32) -> Vec<f32> {
    (0..len)
        .map(|i| (0.7 * i as f32 + phase).sin() + (i % 7) as f32 * 0.1)
        .collect()
}

/// Largest difference, relative to the largest wanted value.
pub fn gap(found: &[f32], wanted: &[f32]) -> f32 {
    assert_eq!(found.len(), wanted.len());
    let largest = wanted.iter().fold(f32::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let gap = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    gap.fold(0.0, f32::max) / largest
}

pub fn analyse(case: &Case, field: &[f32]) -> Vec<f32> {
    let device = Device::flex();
    let field = tensor(field, [ROWS, case.points(), CHANNELS], &device);
    let spectrum = case.transform(&device).analyse(field);
    assert_eq!(spectrum.dims(), case.shape());
    read(spectrum)
}

pub fn synthesise(case: &Case, spectrum: &[f32]) -> Vec<f32> {
    let device = Device::flex();
    let spectrum = tensor(spectrum, case.shape(), &device);
    let field = case.transform(&device).synthesise(spectrum);
    assert_eq!(field.dims(), [ROWS, case.points(), CHANNELS]);
    read(field)
}
