//! Darcy flow: a steady solution, a stroke of the brush, a sample of each profile.
//!
//! `cargo bench -p pno --bench darcy`

use std::hint::black_box;

use pno::pde::darcy::{
    Batch, CELLS, END_TIME, Law, PICTURE_TOLERANCE, Scheme, Solver, Steady, TOLERANCE, coefficient,
    evolve, explicit_f32, explicit_f64, initial_field,
};
use pno::spec::Profile;

mod timing;

fn main() {
    for n in [64, 128, 256] {
        for law in [Law::Bumps, Law::Gaussian] {
            let a = wide(&coefficient(law, 1, 0, n));
            let mut iterations = 0;
            timing::median(&format!("darcy, steady, {law:?}, {n} x {n}"), || {
                let mut steady =
                    Steady::new(n, black_box(&a), Scheme::default()).expect("a coefficient");
                iterations = steady.solve().expect("a solution").iterations;
                steady
            });
            println!("  {iterations} iterations");
        }
    }
    strokes();
    timing::median("darcy, threshold of a batch", || Batch::of(1, 0, CELLS));
    let mut solver = Solver::new(CELLS);
    for profile in [Profile::Fixed, Profile::Paper] {
        let mut index = 0;
        timing::median(&format!("darcy, sample, {profile:?}"), || {
            index += 1;
            solver
                .sample(1, index, profile, Law::Bumps)
                .expect("a solution")
        });
    }
    explicit();
}

/// A brush of radius 4 cells moves over a sample.
fn strokes() {
    let mut a = coefficient(Law::Bumps, 1, 0, CELLS);
    let mut solver = Solver::new(CELLS);
    for tolerance in [TOLERANCE, PICTURE_TOLERANCE] {
        let mut at = 0;
        let mut iterations = Vec::new();
        timing::median(&format!("darcy, stroke to {tolerance:e}"), || {
            at += 1;
            for (cell, a) in a.iter_mut().enumerate() {
                let [x, y] = [cell / CELLS, cell % CELLS].map(|i| i as f64);
                if (x - 60.0).hypot(y - 20.0 - 3.0 * f64::from(at)) < 4.0 {
                    *a = 1.1 - *a;
                }
            }
            let (solution, report) = solver.paint(&a, tolerance).expect("a solution");
            iterations.push(report.iterations);
            solution
        });
        println!("  iterations {iterations:?}");
    }
}

/// The published scheme for a thousandth of its time, against the exponential for the whole.
fn explicit() {
    let a = coefficient(Law::Bumps, 1, 0, CELLS);
    let initial = initial_field(1, 0, CELLS);
    let part = END_TIME / 1000.0;
    let single: Vec<f32> = initial.iter().map(|&u| u as f32).collect();
    timing::median("darcy, explicit f32, 1/1000 of a sample", || {
        explicit_f32(CELLS, black_box(&a), &single, part)
    });
    let a = wide(&a);
    timing::median("darcy, explicit f64, 1/1000 of a sample", || {
        explicit_f64(CELLS, black_box(&a), &initial, part)
    });
    let (_, report) = evolve(CELLS, &a, &initial, END_TIME, Scheme::default()).expect("a state");
    println!("{report:?}");
}

fn wide(field: &[f32]) -> Vec<f64> {
    field.iter().map(|&a| f64::from(a)).collect()
}
