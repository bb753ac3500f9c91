//! Where fields live.

use serde::{Deserialize, Serialize};

use crate::sphere::Latitudes;

/// The shape of the domain, which decides transforms and weights of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// A box: every point counts the same.
    Flat,
    /// A sphere: the first axis is latitude from north to south, the second longitude from 0 all the way round.
    Sphere(Latitudes),
}

/// Sizes and domain: all that a network has to know about a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Points along each axis, outermost first.
    pub sizes: Vec<usize>,
    /// The shape of the domain.
    pub domain: Domain,
}

impl Grid {
    /// A grid of a box.
    pub fn flat(sizes: &[usize]) -> Self {
        Self {
            sizes: sizes.to_vec(),
            domain: Domain::Flat,
        }
    }

    /// A grid of a sphere.
    pub fn sphere(latitudes: Latitudes, sizes: [usize; 2]) -> Self {
        Self {
            sizes: sizes.to_vec(),
            domain: Domain::Sphere(latitudes),
        }
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Weight of every point in a mean over the domain, with mean 1: the quadrature of a sphere, all equal in a box.
    pub fn weights(&self) -> Vec<f64> {
        match (self.domain, self.sizes.as_slice()) {
            (Domain::Sphere(latitudes), &[n_lat, n_lon]) => latitudes.area_weights(n_lat, n_lon),
            _ => vec![1.0; self.points()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_mean_one_and_give_means_over_the_domain() {
        let flat = Grid::flat(&[3, 5]);
        assert_eq!(flat.weights(), vec![1.0; 15]);
        for latitudes in Latitudes::ALL {
            let grid = Grid::sphere(*latitudes, [9, 8]);
            let weights = grid.weights();
            let theta = latitudes.colatitudes(9);
            let mean = |f: fn(f64) -> f64| {
                let values = (0..72).map(|i| weights[i] * f(theta[i / 8].cos()));
                values.sum::<f64>() / 72.0
            };
            // Over the sphere cos(theta)^2 has mean 1/3, and cos(theta)^4 has 1/5.
            for (found, wanted) in [
                (mean(|_| 1.0), 1.0),
                (mean(|z| z), 0.0),
                (mean(|z| z * z), 1.0 / 3.0),
                (mean(|z| z.powi(4)), 0.2),
            ] {
                assert!((found - wanted).abs() < 1e-12, "{latitudes}: {found}");
            }
        }
    }
}
