//! Which coefficients of a field count in the spectral CRPS, and in which shell.
//!
//! Coefficients are those of an orthonormal real basis: `√2 Re c` and `√2 Im c` where `c` stands for itself and its
//! conjugate, `Re c` alone where it is its own conjugate. Then all of a shell have the same variance in a field whose
//! statistics do not depend on the place, and their squares add up to the mean square of the field.

use std::f64::consts::{PI, SQRT_2};

use burn::tensor::{Device, Tensor};

use crate::spectral::{Fourier, Spherical, Transform, half_frequencies, signed_frequencies};
use crate::sphere::tables::usable_degrees;
use crate::task::{Domain, Grid};

/// One real coefficient: where it belongs and how it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// Wavenumber or degree.
    pub shell: usize,
    /// Factor that brings what the transform gives to the orthonormal basis.
    pub amplitude: f64,
    /// One, a half for what is listed twice, zero for what does not count.
    pub share: f64,
}

/// What is beyond the band, and imaginary parts that are always zero.
const NOWHERE: Place = Place {
    shell: 0,
    amplitude: 1.0,
    share: 0.0,
};

/// The transform of a grid up to a wavenumber, and the shell of every coefficient.
///
/// - In a box the wavenumber of `c_k` is `K sqrt(Σ (k_a / h_a)²)`, rounded, where `h_a` is the highest frequency that the
///   modes keep along an axis and `K` the largest of them: isotropic where all axes keep as many, and on axes of different
///   kinds (time and space) an ellipse that ends at the band of each. Shells go up to `K`. A box need not be periodic.
/// - On the sphere it is the degree.
#[derive(Debug, Clone)]
pub struct Band {
    transform: Transform,
    shells: usize,
    /// `[weight, order, (real, imaginary)]`.
    places: Vec<Place>,
}

impl Band {
    /// The coefficients that modes in the paper's counting keep, as far as the grid carries them.
    pub fn new(grid: &Grid, modes: &[usize], device: &Device) -> Self {
        match (grid.domain, grid.sizes.as_slice()) {
            (Domain::Sphere(latitudes), &[n_lat, n_lon]) => {
                let degrees = modes[0].min(usable_degrees(latitudes, n_lat)).max(1);
                // The order of the Nyquist frequency has no imaginary part, and is left out.
                let orders = degrees.min(n_lon.div_ceil(2)).max(1);
                let sizes = [n_lat, n_lon];
                Self {
                    transform: Spherical::new(latitudes, sizes, degrees, orders, device).into(),
                    shells: degrees,
                    places: on_sphere(degrees, orders),
                }
            }
            (_, sizes) => {
                let half: Vec<usize> = (modes.iter().zip(sizes))
                    .map(|(&n, &size)| n.min(size) / 2)
                    .collect();
                let last = sizes.len() - 1;
                // One frequency more on either side, so that whatever is inside the band is there with both signs.
                let listed: Vec<usize> = (half.iter().zip(sizes).enumerate())
                    .map(|(axis, (&h, &size))| {
                        if axis == last {
                            2 * h
                        } else {
                            (2 * h + 2).min(size)
                        }
                    })
                    .collect();
                Self {
                    transform: Fourier::new(sizes, &listed, device).into(),
                    shells: half.iter().max().map_or(1, |most| most + 1),
                    places: in_box(sizes, &half, &listed),
                }
            }
        }
    }

    /// Number of shells, that of the mean included.
    pub fn shells(&self) -> usize {
        self.shells
    }

    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    /// Number of real coefficients of a channel, with those that do not count.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The spectra of some fields.
    ///
    /// # Shapes
    /// - fields: `[rows, points * channels]`
    /// - output: `[rows, coefficients * channels]`: for every weight and order the channels' real parts, then the imaginary
    ///   ones
    pub fn of(&self, fields: Tensor<2>) -> Tensor<2> {
        let [rows, values] = fields.dims();
        let channels = values / self.transform.points_in();
        let (weights, orders) = (self.transform.weights(), self.transform.orders());
        self.transform
            .analyse(fields.reshape([rows, values / channels, channels]))
            .reshape([weights, rows, orders * 2 * channels])
            .swap_dims(0, 1)
            .reshape([rows, self.len() * channels])
    }

    /// Where the coefficient of a channel is in what [`of`](Self::of) gives.
    pub(super) fn position(place: usize, channel: usize, channels: usize) -> usize {
        place * channels + channel
    }
}

/// Places of spherical harmonics, whose coefficients add up to the mean square times the area of the sphere.
fn on_sphere(degrees: usize, orders: usize) -> Vec<Place> {
    let unit = (4.0 * PI).sqrt().recip();
    let mut places = vec![];
    for shell in 0..degrees {
        for order in 0..orders {
            let place = |amplitude, share| Place {
                shell,
                amplitude: amplitude * unit,
                share,
            };
            places.extend(match order {
                0 => [place(1.0, 1.0), NOWHERE],
                m if m <= shell => [place(SQRT_2, 1.0); 2],
                _ => [NOWHERE; 2],
            });
        }
    }
    places
}

/// Places of Fourier modes in the order of the transform, last axis fastest.
fn in_box(sizes: &[usize], half: &[usize], listed: &[usize]) -> Vec<Place> {
    let last = sizes.len() - 1;
    let unit = 1.0 / sizes.iter().product::<usize>() as f64;
    let most = half.iter().max().copied().unwrap_or(0);
    let mut all: Vec<Vec<i64>> = vec![vec![]];
    for (axis, &n) in listed.iter().enumerate() {
        let frequencies = if axis == last {
            half_frequencies(n)
        } else {
            signed_frequencies(n)
        };
        let longer = |k: Vec<i64>| {
            let next = frequencies.iter();
            next.map(move |&f| [k.as_slice(), &[f]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    let of = |k: &Vec<i64>| {
        // A frequency beyond the Nyquist frequency is a lower one of the other sign.
        let lowest = |(&k, &size): (&i64, &usize)| {
            let residue = k.rem_euclid(size as i64) as usize;
            residue.min(size - residue)
        };
        let lowest: Vec<usize> = k.iter().zip(sizes).map(lowest).collect();
        let squares = lowest.iter().zip(half).map(|(&k, &h)| match (k, h) {
            (0, _) => 0.0,
            (_, 0) => f64::INFINITY,
            (k, h) => (k as f64 / h as f64).powi(2),
        });
        let radius = (most as f64 * squares.sum::<f64>().sqrt()).round();
        // Also where there is but one shell, and zero times infinity.
        if radius.is_nan() || radius > most as f64 {
            return [NOWHERE; 2];
        }
        let is_lone = |axis: usize| (2 * lowest[axis]).is_multiple_of(sizes[axis]);
        let place = |amplitude: f64, share| Place {
            shell: radius as usize,
            amplitude: amplitude * unit,
            share,
        };
        match (is_lone(last), (0..last).all(is_lone)) {
            (true, true) => [place(1.0, 1.0), NOWHERE],
            // Its conjugate is in the list, too.
            (true, false) => [place(SQRT_2, 0.5); 2],
            (false, _) => [place(SQRT_2, 1.0); 2],
        }
    };
    all.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sum of the shares: how many real coefficients count.
    fn counted(sizes: &[usize], modes: &[usize]) -> f64 {
        let band = Band::new(&Grid::flat(sizes), modes, &Device::flex());
        assert_eq!(band.len(), 2 * band.transform.weights());
        band.places.iter().map(|place| place.share).sum()
    }

    #[test]
    fn every_real_coefficient_counts_once() {
        // A line: all that eight, or nine, points have.
        assert_eq!(counted(&[8], &[8]), 8.0);
        assert_eq!(counted(&[9], &[9]), 9.0);
        assert_eq!(counted(&[9], &[4]), 5.0);
        // A square up to wavenumber 2 of 4, rounded: within a radius of 2.5 there are 21 points of the lattice.
        for sizes in [[16, 16], [15, 9]] {
            assert_eq!(counted(&sizes, &[4, 4]), 21.0, "{sizes:?}");
        }
        // An axis of one point, or one mode, adds nothing.
        assert_eq!(counted(&[1, 9], &[4, 4]), 5.0);
        assert_eq!(counted(&[9, 9], &[1, 4]), 5.0);
        assert_eq!(counted(&[5], &[1]), 1.0);
        let sphere = Grid::sphere(crate::sphere::Latitudes::Gauss, [6, 12]);
        let band = Band::new(&sphere, &[5, 10], &Device::flex());
        let shares: f64 = band.places.iter().map(|place| place.share).sum();
        assert_eq!((shares, band.shells()), (25.0, 5));
    }

    #[test]
    fn axes_of_different_bands_make_an_ellipse() {
        let band = Band::new(&Grid::flat(&[20, 40]), &[8, 16], &Device::flex());
        assert_eq!(band.shells(), 9);
        let shell = |k: [i64; 2]| {
            let outer = signed_frequencies(10).iter().position(|&f| f == k[0]);
            let at = outer.expect("listed") * 9 + k[1] as usize;
            (band.places[2 * at].share > 0.0).then_some(band.places[2 * at].shell)
        };
        let found = [[0, 0], [4, 0], [-4, 0], [0, 8], [3, 4], [-5, 0], [4, 8]].map(shell);
        let wanted = [Some(0), Some(8), Some(8), Some(8), Some(7), None, None];
        assert_eq!(found, wanted);
    }
}
