//! The numbers that the browser tests expect of the live solvers, held against the native ones.
//!
//! `live-reference.json` is read by `live-page.mjs` too. `PNO_WRITE_REFERENCE=1 cargo test -p pno-web` writes it anew.

use std::path::PathBuf;

use pno::pde::darcy::{self, Law};
use pno::pde::sswe;
use pno::spec::Profile;
use pno::sphere::Latitudes;
use serde_json::{Value, json};

const SEED: u64 = 7;
const CELLS: usize = 64;
const GRID: [usize; 2] = [32, 64];

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/live-reference.json")
}

/// Every `stride`-th value of a field, and its mean.
fn probe(field: &[f32], stride: usize) -> Value {
    let mean = field.iter().map(|&v| f64::from(v)).sum::<f64>() / field.len() as f64;
    let values: Vec<f32> = field.iter().step_by(stride).copied().collect();
    json!({ "stride": stride, "mean": mean, "values": values })
}

fn found() -> Value {
    let flow = darcy::sample(SEED, darcy::LIVE_SAMPLE, Profile::Fixed, Law::Bumps, CELLS)
        .expect("a field of the law can be solved");
    let [n_lat, n_lon] = GRID;
    let mut solver = sswe::Solver::new(n_lat, n_lon, Latitudes::Equiangular, Profile::Fixed);
    let frames = solver.trajectory(SEED, sswe::LIVE_TRAJECTORY, 2);
    let hours: Vec<Value> = frames
        .chunks_exact(solver.frame_len())
        .map(|frame| {
            let channel =
                |c: usize| -> Vec<f32> { frame.iter().skip(c).step_by(3).copied().collect() };
            json!([0, 1, 2].map(|c| probe(&channel(c), 37)))
        })
        .collect();
    json!({
        "seed": SEED,
        "darcy": {
            "cells": CELLS,
            "permeability": probe(&flow.coefficient, 61),
            "pressure": probe(&flow.solution, 61),
        },
        "sswe": { "grid": GRID, "hours": hours },
    })
}

/// The largest difference of two numbers in the same places, as a share of the larger one.
fn apart(a: &Value, b: &Value) -> f64 {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let [a, b] = [a, b].map(|n| n.as_f64().expect("a finite number"));
            (a - b).abs() / a.abs().max(b.abs()).max(1e-9)
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "numbers in an array");
            a.iter()
                .zip(b)
                .map(|(a, b)| apart(a, b))
                .fold(0.0, f64::max)
        }
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{:?}", a.keys());
            a.iter()
                .map(|(key, a)| apart(a, &b[key]))
                .fold(0.0, f64::max)
        }
        _ => panic!("{a} beside {b}"),
    }
}

#[test]
fn the_browser_tests_expect_what_the_native_solvers_give() {
    let found = found();
    if std::env::var_os("PNO_WRITE_REFERENCE").is_some() {
        std::fs::write(path(), format!("{found}\n")).expect("the file can be written");
    }
    let text = std::fs::read_to_string(path()).expect("live-reference.json beside this test");
    let wanted = serde_json::from_str(&text).expect("JSON");
    let apart = apart(&found, &wanted);
    // Other machines round exponentials and sines in their own way.
    assert!(apart < 1e-5, "{apart:e}");
}
