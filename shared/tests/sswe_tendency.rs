//! The right-hand side against the same equations written down in two other ways.

use std::f64::consts::PI;

use pno::pde::sswe::{
    OMEGA, RADIUS, State, Tendency, Transform, coefficients, index, random_initial_condition,
};
use pno::sphere::{Latitudes, legendre};
use rustfft::num_complex::Complex64;

fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b).norm_sqr()).sum();
    let scale: f64 = b.iter().map(Complex64::norm_sqr).sum();
    (squares / scale).sqrt()
}

/// As published: winds and products on a grid with poles, vector transforms of the fluxes.
fn on_the_published_grid(state: &State, n_lat: usize, n_lon: usize) -> State {
    let degrees = state.degrees();
    let mut transform = Transform::new(Latitudes::Equiangular, n_lat, n_lon, degrees);
    let [mut phi, mut zeta, mut u, mut v] = [(); 4].map(|()| vec![0.0; n_lat * n_lon]);
    transform.grid_from_spectrum(&state.phi, &mut phi);
    transform.grid_from_spectrum(&state.zeta, &mut zeta);
    transform.wind_from_spectra(&state.zeta, &state.delta, &mut u, &mut v);
    let colatitudes = Latitudes::Equiangular.colatitudes(n_lat);
    for (i, z) in zeta.iter_mut().enumerate() {
        *z += 2.0 * OMEGA * colatitudes[i / n_lon].cos();
    }
    let times =
        |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a * b).collect() };
    let energy: Vec<f64> = u
        .iter()
        .zip(&v)
        .map(|(u, v)| 0.5 * (u * u + v * v))
        .collect();

    let mut slope = State::zeros(degrees);
    let [mut curl, mut divergence, mut bernoulli] =
        [(); 3].map(|()| vec![Complex64::default(); coefficients(degrees)]);
    transform.spectra_from_wind(
        &times(&u, &phi),
        &times(&v, &phi),
        &mut curl,
        &mut divergence,
    );
    slope.phi = divergence.iter().map(|d| -d).collect();
    transform.spectra_from_wind(
        &times(&u, &zeta),
        &times(&v, &zeta),
        &mut curl,
        &mut divergence,
    );
    slope.zeta = divergence.iter().map(|d| -d).collect();
    transform.spectrum_from_grid(&energy, &mut bernoulli);
    for m in 0..degrees {
        for l in m..degrees {
            let i = index(degrees, l, m);
            let laplacian = -((l * (l + 1)) as f64) / (RADIUS * RADIUS);
            slope.delta[i] = curl[i] - laplacian * (bernoulli[i] + state.phi[i]);
        }
    }
    slope
}

#[test]
fn the_solvers_small_grid_gives_what_the_published_grid_gives() {
    for (n_lat, n_lon, degrees) in [(128, 256, 43), (64, 128, 22), (32, 64, 11)] {
        let state = random_initial_condition(3, 1, degrees);
        let mut tendency = Tendency::new(degrees);
        let mut found = State::zeros(degrees);
        tendency.evaluate(&state, &mut found);
        let wanted = on_the_published_grid(&state, n_lat, n_lon);
        for (name, (found, wanted)) in ["phi", "zeta", "delta"]
            .into_iter()
            .zip(found.fields().into_iter().zip(wanted.fields()))
        {
            let error = distance(found, wanted);
            println!(
                "{n_lat} x {n_lon} from {:?}, {name}: {error:.1e}",
                tendency.grid()
            );
            assert!(error < 1e-12, "{name}: {error:e}");
        }
    }
    assert_eq!(Tendency::new(43).grid(), [64, 128]);
}

/// Fields of low degree at any point by direct sums, and derivatives by central differences of fourth order.
struct Point<'a> {
    state: &'a State,
}

impl Point<'_> {
    const LOW: usize = 4;
    const STEP: f64 = 1e-3;

    fn sum(&self, field: &[Complex64], factor: impl Fn(f64) -> f64, at: [f64; 2]) -> f64 {
        let degrees = self.state.degrees();
        let p = legendre::functions(at[0], Self::LOW, Self::LOW);
        let mut sum = 0.0;
        for m in 0..Self::LOW {
            for l in m..Self::LOW {
                let pair = if m == 0 { 1.0 } else { 2.0 };
                let turned = field[index(degrees, l, m)] * Complex64::cis(m as f64 * at[1]);
                sum += pair * factor(l as f64) * turned.re * p[m * Self::LOW + l];
            }
        }
        sum
    }

    fn slope(f: impl Fn([f64; 2]) -> f64, axis: usize, at: [f64; 2]) -> f64 {
        let h = Self::STEP;
        let moved = |by: f64| {
            let mut place = at;
            place[axis] += by;
            f(place)
        };
        (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h)
    }

    fn potential(&self, field: &[Complex64], at: [f64; 2]) -> f64 {
        let inverse = |l: f64| {
            if l == 0.0 {
                0.0
            } else {
                -RADIUS * RADIUS / (l * (l + 1.0))
            }
        };
        self.sum(field, inverse, at)
    }

    /// `(u, v)` from `psi` and `chi`.
    fn wind(&self, at: [f64; 2]) -> [f64; 2] {
        let psi = |at| self.potential(&self.state.zeta, at);
        let chi = |at| self.potential(&self.state.delta, at);
        let cos_lat = at[0].sin();
        [
            Self::slope(psi, 0, at) / RADIUS + Self::slope(chi, 1, at) / (RADIUS * cos_lat),
            Self::slope(psi, 1, at) / (RADIUS * cos_lat) - Self::slope(chi, 0, at) / RADIUS,
        ]
    }

    fn phi(&self, at: [f64; 2]) -> f64 {
        self.sum(&self.state.phi, |_| 1.0, at)
    }

    fn absolute(&self, at: [f64; 2]) -> f64 {
        self.sum(&self.state.zeta, |_| 1.0, at) + 2.0 * OMEGA * at[0].cos()
    }

    /// Divergence of `(east, north)`.
    fn divergence(flux: impl Fn([f64; 2]) -> [f64; 2], at: [f64; 2]) -> f64 {
        let cos_lat = |at: [f64; 2]| at[0].sin();
        let across = Self::slope(|at| flux(at)[1] * cos_lat(at), 0, at);
        (Self::slope(|at| flux(at)[0], 1, at) - across) / (RADIUS * cos_lat(at))
    }

    fn tendencies(&self, at: [f64; 2]) -> [f64; 3] {
        let times = |w: [f64; 2], by: f64| w.map(|w| w * by);
        let vorticity_flux = |at| times(self.wind(at), self.absolute(at));
        let turned = |at| {
            let [east, north] = vorticity_flux(at);
            [north, -east]
        };
        let bernoulli = |at| {
            let [u, v] = self.wind(at);
            self.phi(at) + 0.5 * (u * u + v * v)
        };
        let gradient = |at: [f64; 2]| {
            [
                Self::slope(bernoulli, 1, at) / (RADIUS * at[0].sin()),
                -Self::slope(bernoulli, 0, at) / RADIUS,
            ]
        };
        [
            -Self::divergence(|at| times(self.wind(at), self.phi(at)), at),
            -Self::divergence(vorticity_flux, at),
            Self::divergence(turned, at) - Self::divergence(gradient, at),
        ]
    }
}

#[test]
fn tendencies_are_those_of_finite_differences_at_single_points() {
    // Products of degrees up to 3 have degrees up to 6: eleven degrees hold them, and nothing is truncated.
    let degrees = 11;
    let mut state = random_initial_condition(8, 0, degrees)
        .truncated(Point::LOW)
        .truncated(degrees);
    // Differences of a large mean would drown in rounding.
    state.phi[0] = (2e4 * (4.0 * PI).sqrt()).into();
    for field in [&mut state.zeta, &mut state.delta] {
        for z in field {
            *z *= 5.0;
        }
    }
    let mut slope = State::zeros(degrees);
    Tendency::new(degrees).evaluate(&state, &mut slope);

    let (n_lat, n_lon) = (33, 64);
    let mut transform = Transform::new(Latitudes::Equiangular, n_lat, n_lon, degrees);
    let mut grid = vec![0.0; n_lat * n_lon];
    let places = [(3, 5), (9, 40), (16, 0), (17, 63), (22, 21), (29, 11)];
    for (channel, field) in slope.fields().into_iter().enumerate() {
        transform.grid_from_spectrum(field, &mut grid);
        let scale = grid.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        for (row, column) in places {
            let at = [
                PI * row as f64 / (n_lat - 1) as f64,
                2.0 * PI * column as f64 / n_lon as f64,
            ];
            let wanted = Point { state: &state }.tendencies(at)[channel];
            let found = grid[row * n_lon + column];
            assert!(
                (found - wanted).abs() < 1e-6 * scale,
                "channel {channel} at {row} {column}: {found:e} for {wanted:e}"
            );
        }
    }
}

#[test]
fn the_means_have_no_tendency() {
    let degrees = 22;
    let mut slope = State::zeros(degrees);
    Tendency::new(degrees).evaluate(&random_initial_condition(1, 0, degrees), &mut slope);
    for field in slope.fields() {
        assert_eq!(field[0], Complex64::default());
    }
}
