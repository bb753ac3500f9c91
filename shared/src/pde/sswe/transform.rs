//! Spherical harmonics in f64 on any grid, poles included: scalars, and winds from vorticity and divergence.

use std::f64::consts::TAU;

use rustfft::num_complex::Complex64;

use super::fourier::Fourier;
use super::legendre::Legendre;
use super::poles::Poles;
use super::state::{coefficients, order_start};
use super::wind::Wind;
use crate::sphere::Latitudes;

/// Most columns (real and imaginary parts of fields) that are transformed together.
const COLUMNS: usize = 6;

/// A plan for one grid and truncation, with its work space: no transform allocates.
///
/// Spectra are triangles as in [`State`](super::State), grids are `[lat, lon]` from north to south and eastwards.
#[derive(Debug, Clone)]
pub struct Transform {
    degrees: usize,
    n_lat: usize,
    n_lon: usize,
    pub(super) legendre: Legendre,
    pub(super) fourier: Fourier,
    pub(super) wind: Wind,
    poles: Option<Poles>,
    /// Weight of one point of each pair of circles in an integral over the unit sphere.
    pub(super) weights: Vec<f64>,
    /// `1 / sin(theta)` of each pair of circles; 0 at the poles, whose winds are made apart.
    pub(super) cosecants: Vec<f64>,
    columns: Vec<f64>,
    rows: Vec<f64>,
    lines: Vec<Complex64>,
}

impl Transform {
    /// A plan for `n_lat` circles of `n_lon` longitudes and all coefficients `m <= l < degrees`.
    ///
    /// # Panics
    /// If the grid does not carry the degrees: their products with each other have to be integrated exactly.
    pub fn new(latitudes: Latitudes, n_lat: usize, n_lon: usize, degrees: usize) -> Self {
        let carried = crate::sphere::tables::usable_degrees(latitudes, n_lat);
        assert!(
            (1..=carried).contains(&degrees),
            "{n_lat} {latitudes} circles carry 1 to {carried} degrees, not {degrees}"
        );
        let pairs = n_lat.div_ceil(2);
        let colatitudes = latitudes.colatitudes(n_lat);
        let weight = |(pair, w): (usize, f64)| {
            // The equator is its own mirror image, so a pair counts it twice.
            let alone = 2 * pair + 1 == n_lat;
            TAU * w / n_lon as f64 * if alone { 0.5 } else { 1.0 }
        };
        let poles = (latitudes == Latitudes::Equiangular && n_lat > 1).then(|| Poles::new(degrees));
        let cosecant = |(pair, theta): (usize, &f64)| match (pair, &poles) {
            (0, Some(_)) => 0.0,
            _ => theta.sin().recip(),
        };
        let cosecants = colatitudes[..pairs].iter().enumerate().map(cosecant);
        let cosecants = cosecants.collect();
        // One degree more than the truncation, for winds.
        let legendre = Legendre::new(&colatitudes[..pairs], degrees + 1, degrees);
        let weights = latitudes.weights(n_lat).into_iter().enumerate();
        Self {
            degrees,
            n_lat,
            n_lon,
            fourier: Fourier::new(n_lon, degrees),
            wind: Wind::new(degrees),
            poles,
            weights: weights.take(pairs).map(weight).collect(),
            cosecants,
            columns: vec![0.0; COLUMNS * legendre.columns()],
            rows: vec![0.0; COLUMNS * legendre.rows()],
            lines: vec![Complex64::default(); COLUMNS / 2 * n_lon],
            legendre,
        }
    }

    /// Degrees of the truncation.
    pub fn degrees(&self) -> usize {
        self.degrees
    }

    /// Circles of latitude.
    pub fn n_lat(&self) -> usize {
        self.n_lat
    }

    /// Longitudes.
    pub fn n_lon(&self) -> usize {
        self.n_lon
    }

    /// A field on the grid.
    ///
    /// # Panics
    /// If the spectrum or the grid has another size than the plan's.
    pub fn grid_from_spectrum(&mut self, spectrum: &[Complex64], grid: &mut [f64]) {
        self.check(&[spectrum], &[grid.len()]);
        self.columns_from_spectra::<2>(&[spectrum]);
        self.grid_from_columns::<2>(|_, _, point, value| grid[point] = value);
    }

    /// Three fields at once with their values beside each other, `[lat, lon, field]`, rounded to f32.
    ///
    /// # Panics
    /// If the spectra or the fields have another size than the plan's.
    pub fn fields_from_spectra(&mut self, spectra: [&[Complex64]; 3], fields: &mut [f32]) {
        assert_eq!(fields.len() % 3, 0, "three channels");
        self.check(&spectra, &[fields.len() / 3]);
        self.columns_from_spectra::<6>(&spectra);
        self.grid_from_columns::<6>(|_, field, point, value| {
            fields[3 * point + field] = value as f32;
        });
    }

    /// The coefficients of a field: exact if it has no degrees beyond the truncation.
    ///
    /// # Panics
    /// If the spectrum or the grid has another size than the plan's.
    pub fn spectrum_from_grid(&mut self, grid: &[f64], spectrum: &mut [Complex64]) {
        self.check(&[spectrum], &[grid.len()]);
        self.columns_from_grid::<2>(|_| 1.0, |_, point| grid[point]);
        for m in 0..self.degrees {
            let start = order_start(self.degrees, m);
            for i in 0..self.degrees - m {
                spectrum[start + i] = self.column::<2>(m, i, 0);
            }
        }
    }

    /// The wind `u` eastwards and `v` northwards from its vorticity and divergence.
    ///
    /// At a pole the components are those along the meridian of each longitude.
    ///
    /// # Panics
    /// If the spectra or the grids have another size than the plan's.
    pub fn wind_from_spectra(
        &mut self,
        zeta: &[Complex64],
        delta: &[Complex64],
        u: &mut [f64],
        v: &mut [f64],
    ) {
        self.check(&[zeta, delta], &[u.len(), v.len()]);
        let columns = self.columns.as_chunks_mut::<4>().0;
        for m in 0..self.degrees {
            let spans = [0, 1].map(|parity| self.legendre.span(m, parity).start);
            self.wind.each_wind(m, zeta, delta, |i, u, v| {
                columns[spans[i % 2] + i / 2] = [u.re, u.im, v.re, v.im];
            });
        }
        let cosecants = std::mem::take(&mut self.cosecants);
        self.grid_from_columns::<4>(|pair, field, point, value| {
            [&mut *u, &mut *v][field][point] = cosecants[pair] * value;
        });
        self.cosecants = cosecants;
        let Some(poles) = &self.poles else { return };
        let rows = [0, (self.n_lat - 1) * self.n_lon];
        for (wind, row) in poles.winds(zeta, delta).into_iter().zip(rows) {
            for j in 0..self.n_lon {
                let turn = Complex64::cis(TAU * j as f64 / self.n_lon as f64);
                u[row + j] = 2.0 * (wind[0] * turn).re;
                v[row + j] = 2.0 * (wind[1] * turn).re;
            }
        }
    }

    /// The vorticity (or curl) and divergence of a wind, or of any other vector field.
    ///
    /// # Panics
    /// If the spectra or the grids have another size than the plan's.
    pub fn spectra_from_wind(
        &mut self,
        u: &[f64],
        v: &[f64],
        zeta: &mut [Complex64],
        delta: &mut [Complex64],
    ) {
        self.check(&[zeta, delta], &[u.len(), v.len()]);
        let cosecants = std::mem::take(&mut self.cosecants);
        self.columns_from_grid::<4>(|pair| cosecants[pair], |field, point| [u, v][field][point]);
        self.cosecants = cosecants;
        for m in 0..self.degrees {
            let start = order_start(self.degrees, m);
            for i in 0..self.degrees - m {
                let around = [i.saturating_sub(1), i, i + 1];
                let [east, north] =
                    [0, 1].map(|field| around.map(|i| self.column::<4>(m, i, field)));
                let factors = &self.wind.factors(m)[i];
                delta[start + i] = factors.divergence(east, north);
                zeta[start + i] = factors.curl(east, north);
            }
        }
        if let Some(poles) = &self.poles {
            let rows = [0, (self.n_lat - 1) * self.n_lon];
            let fluxes = rows.map(|row| [u, v].map(|field| self.first_order(&field[row..])));
            poles.add_flux(&fluxes, zeta, delta);
        }
    }

    /// Order 1 along a pole's longitudes, times the pole's weight.
    fn first_order(&self, row: &[f64]) -> Complex64 {
        let turn = |j: usize| Complex64::cis(-TAU * j as f64 / self.n_lon as f64);
        let longitudes = row[..self.n_lon].iter().enumerate();
        let sum: Complex64 = longitudes.map(|(j, &value)| turn(j) * value).sum();
        sum * self.weights[0]
    }

    fn check(&self, spectra: &[&[Complex64]], grids: &[usize]) {
        for spectrum in spectra {
            let wanted = coefficients(self.degrees);
            assert_eq!(spectrum.len(), wanted, "coefficients of a spectrum");
        }
        for &points in grids {
            assert_eq!(points, self.n_lat * self.n_lon, "points of a grid");
        }
    }

    fn columns_from_spectra<const C: usize>(&mut self, spectra: &[&[Complex64]]) {
        let columns = self.columns.as_chunks_mut::<C>().0;
        for m in 0..self.degrees {
            let range = order_start(self.degrees, m)..order_start(self.degrees, m + 1);
            let spans = [0, 1].map(|parity| self.legendre.span(m, parity).start);
            for i in 0..=self.degrees - m {
                let column = &mut columns[spans[i % 2] + i / 2];
                for (parts, spectrum) in column.chunks_exact_mut(2).zip(spectra) {
                    // The degree beyond the truncation is there for winds only.
                    let value = spectrum[range.clone()].get(i).copied().unwrap_or_default();
                    parts.copy_from_slice(&[value.re, value.im]);
                }
            }
        }
    }

    /// Calls `put(pair of circles, field, point, value)` for every value of the fields in `self.columns`.
    fn grid_from_columns<const C: usize>(&mut self, mut put: impl FnMut(usize, usize, usize, f64)) {
        let (columns, rows) = (self.columns.as_chunks().0, self.rows.as_chunks_mut().0);
        let columns: &[[f64; C]] = &columns[..self.legendre.columns()];
        let rows = &mut rows[..self.legendre.rows()];
        self.legendre.synthesise(columns, rows);
        let lines = &mut self.lines[..C / 2 * self.n_lon];
        for pair in 0..self.weights.len() {
            let spans = self.legendre.spans();
            self.fourier
                .lines_from_rows(&rows[pair * spans..][..spans], lines);
            let (north, south) = (pair, self.n_lat - 1 - pair);
            for (field, line) in lines.chunks_exact(self.n_lon).enumerate() {
                for (j, z) in line.iter().enumerate() {
                    put(pair, field, north * self.n_lon + j, z.re);
                    put(pair, field, south * self.n_lon + j, z.im);
                }
            }
        }
    }

    /// Coefficients in `self.columns` of the fields `get(field, point) * scale(pair of circles)`.
    fn columns_from_grid<const C: usize>(
        &mut self,
        scale: impl Fn(usize) -> f64,
        get: impl Fn(usize, usize) -> f64,
    ) {
        let (columns, rows) = (self.columns.as_chunks_mut().0, self.rows.as_chunks_mut().0);
        let columns: &mut [[f64; C]] = &mut columns[..self.legendre.columns()];
        let rows = &mut rows[..self.legendre.rows()];
        let lines = &mut self.lines[..C / 2 * self.n_lon];
        for pair in 0..self.weights.len() {
            let (north, south) = (pair, self.n_lat - 1 - pair);
            for (field, line) in lines.chunks_exact_mut(self.n_lon).enumerate() {
                for (j, z) in line.iter_mut().enumerate() {
                    let [re, im] = [north, south].map(|row| get(field, row * self.n_lon + j));
                    *z = Complex64::new(re, im);
                }
            }
            let spans = self.legendre.spans();
            self.fourier.rows_from_lines(
                lines,
                self.weights[pair] * scale(pair),
                &mut rows[pair * spans..][..spans],
            );
        }
        self.legendre.analyse(rows, columns);
    }

    /// Degree `m + i` of a field in `self.columns`.
    fn column<const C: usize>(&self, m: usize, i: usize, field: usize) -> Complex64 {
        let column = self.legendre.span(m, i % 2).start + i / 2;
        let parts = &self.columns[C * column + 2 * field..];
        Complex64::new(parts[0], parts[1])
    }
}
