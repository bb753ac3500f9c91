//! One Kuramoto-Sivashinsky case: 78 time units, 40 frames.
//!
//! `cargo bench -p pno --bench ks`

use std::hint::black_box;

use pno::pde::ks::{CELLS, FRAME_STEP, Solver, WINDOW, initial_condition};

mod timing;

fn main() {
    let frames = 2 * WINDOW;
    let [a, b] = [0, 1].map(|trajectory| initial_condition(1, trajectory, CELLS));
    timing::median("ks, plan and one trajectory", || {
        Solver::default_plan().trajectory(black_box(&a), frames, FRAME_STEP)
    });
    let mut solver = Solver::default_plan();
    let one = timing::median("ks, one trajectory", || {
        solver.trajectory(black_box(&a), frames, FRAME_STEP)
    });
    let two = timing::median("ks, two trajectories at once", || {
        solver.trajectory_pair(black_box([&a, &b]), frames, FRAME_STEP)
    });
    let ratio = 2.0 * one.as_secs_f64() / two.as_secs_f64();
    println!("a pair is {ratio:.2} times as fast as two single ones");
}
