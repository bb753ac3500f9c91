//! Shallow water on the sphere: a step, an hour, and what they are made of.
//!
//! `cargo bench -p pno --features simd --bench sswe`
//!
//! On one of two shared cores of an AMD EPYC (AVX2), a step at 128 x 256 takes 0.15 ms. In turns with it, fastest of
//! several runs on the busy machine, the same step of torch-harmonics 0.6.5 (torch 2.3.1, one trajectory, one thread;
//! two were slower) took 12.0 ms in f64 and 10.3 ms in f32: 80 and 70 times as long. On the solver's own 64 x 128 Gauss
//! points it took about as long (14.1 and 9.3 ms), so the smaller grid is not where the ratio comes from.

use std::hint::black_box;

use pno::pde::sswe::{Solver, State, Stepper, Tendency, degrees, random_initial_condition};
use pno::spec::Profile;
use pno::sphere::Latitudes;

mod timing;

fn main() {
    for n_lat in [32, 64, 128] {
        let n_lon = 2 * n_lat;
        let name = |what: &str| format!("sswe {n_lat} x {n_lon}, {what}");
        let degrees = degrees(n_lat);
        let state = random_initial_condition(1, 0, degrees);
        let mut solver = Solver::new(n_lat, n_lon, Latitudes::Equiangular, Profile::Paper);
        let dt_secs = 3600.0 / solver.steps_per_hour() as f64;

        let mut tendency = Tendency::new(degrees);
        let mut slope = State::zeros(degrees);
        let calls = 20;
        let time = timing::median(&name("20 tendencies"), || {
            for _ in 0..calls {
                tendency.evaluate(black_box(&state), &mut slope);
            }
        });
        let each = time.as_secs_f64() / f64::from(calls);

        let mut stepper = Stepper::new(degrees, dt_secs, Profile::Paper);
        stepper.load(&state);
        let time = timing::median(&name("20 steps"), || stepper.advance(20));
        let step = time.as_secs_f64() / 20.0;

        solver.load(&state);
        timing::median(&name("one hour"), || solver.advance_hours(1));
        let mut frame = vec![0.0; solver.frame_len()];
        timing::median(&name("one frame"), || solver.show(&mut frame));

        let [legendre, fourier] = tendency.operations();
        println!(
            "  a step of {dt_secs} s: {:.3} ms, of which tendencies {:.3} ms on {:?} points; {:.2} Mflop Legendre + {:.2} \
             Mflop Fourier: {:.1} Gflop/s",
            1e3 * step,
            1e3 * each,
            tendency.grid(),
            legendre / 1e6,
            fourier / 1e6,
            (legendre + fourier) / each / 1e9,
        );
    }
}
