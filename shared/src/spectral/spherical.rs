//! The truncated spherical harmonic transform of one grid, on one device.

use burn::tensor::{Device, Tensor, TensorData};

use super::transform::{left, table};
use crate::sphere::{Latitudes, tables};

/// Transforms between fields `[rows, lat, lon, channel]` and their coefficients `a_lm`, `l < degrees`, `m < orders`.
///
/// Coefficients with `l < m` do not exist and are zero; a grid too coarse for some leaves those out.
#[derive(Debug, Clone)]
pub struct Spherical {
    n_lat: usize,
    n_lon: usize,
    degrees: usize,
    orders: usize,
    /// Behind a pointer, because tensors are large values and a transform is moved about.
    tables: Box<Tables>,
}

/// What the products are taken with.
#[derive(Debug, Clone)]
struct Tables {
    /// `[1, 2 orders, lon]`.
    from_longitudes: Tensor<3>,
    /// `[orders, degrees, lat]`.
    analysis: Tensor<3>,
    /// `[orders, lat, degrees]`.
    synthesis: Tensor<3>,
    /// `[1, lon, 2 orders]`.
    to_longitudes: Tensor<3>,
}

impl Spherical {
    /// Tables for a grid of `[lat, lon]` points.
    pub fn new(
        latitudes: Latitudes,
        [n_lat, n_lon]: [usize; 2],
        degrees: usize,
        orders: usize,
        device: &Device,
    ) -> Self {
        let put = |values, shape| Tensor::from_data(TensorData::new(values, shape), device);
        let analysis = tables::analysis(latitudes, n_lat, degrees, orders);
        let synthesis = tables::synthesis(latitudes, n_lat, degrees, orders);
        Self {
            n_lat,
            n_lon,
            degrees,
            orders,
            tables: Box::new(Tables {
                from_longitudes: table(tables::spectrum_from_longitudes(orders, n_lon), device),
                analysis: put(analysis, [orders, degrees, n_lat]),
                synthesis: put(synthesis, [orders, n_lat, degrees]),
                to_longitudes: table(tables::longitudes_from_spectrum(orders, n_lon), device),
            }),
        }
    }

    /// Number of grid points.
    pub fn points(&self) -> usize {
        self.n_lat * self.n_lon
    }

    /// Number of degrees `l`.
    pub fn degrees(&self) -> usize {
        self.degrees
    }

    /// Number of orders `m`.
    pub fn orders(&self) -> usize {
        self.orders
    }

    /// See [`Transform::analyse`](super::Transform::analyse).
    pub(super) fn analyse(&self, field: Tensor<3>) -> Tensor<3> {
        let [rows, _, channels] = field.dims();
        let (lat, degrees, orders) = (self.n_lat, self.degrees, self.orders);
        let circles = field.reshape([rows * lat, self.n_lon, channels]);
        let by_order = left(&self.tables.from_longitudes, circles)
            .reshape([rows, lat, 2, orders, channels])
            .permute([3, 1, 0, 2, 4])
            .reshape([orders, lat, rows * 2 * channels]);
        self.tables
            .analysis
            .clone()
            .matmul(by_order)
            .reshape([orders, degrees, rows, 2 * channels])
            .permute([1, 2, 0, 3])
            .reshape([degrees, rows * orders, 2 * channels])
    }

    /// See [`Transform::synthesise`](super::Transform::synthesise).
    pub(super) fn synthesise(&self, spectrum: Tensor<3>) -> Tensor<3> {
        let [degrees, lines, parts] = spectrum.dims();
        let (lat, orders) = (self.n_lat, self.orders);
        let (rows, channels) = (lines / orders, parts / 2);
        let by_order = spectrum
            .reshape([degrees, rows, orders, parts])
            .permute([2, 0, 1, 3])
            .reshape([orders, degrees, rows * parts]);
        let circles = self
            .tables
            .synthesis
            .clone()
            .matmul(by_order)
            .reshape([orders, lat, rows, 2, channels])
            .permute([2, 1, 3, 0, 4])
            .reshape([rows * lat, 2 * orders, channels]);
        left(&self.tables.to_longitudes, circles).reshape([rows, self.points(), channels])
    }
}
