//! Waves of the Kuramoto-Sivashinsky equation, from noise: a window of frames and the next one.

use pno::pde::ks::{DEFAULT_DT, LENGTH, LIVE_TRAJECTORY, Solver, initial_condition, whole_frames};
use pno::task::Task;

use super::{Asked, Solvers, Truth, quantities};
use crate::message;
use crate::nudge::Nudge;

/// Latest time that is solved: integrating to it takes a second or two.
const LATEST: f64 = 10_000.0;
/// Most cells and frames.
const MOST_CELLS: usize = 1024;
const MOST_FRAMES: usize = 256;

/// The window of a case and the next one.
pub fn windows(asked: &Asked, _: &mut Solvers) -> Result<Truth, String> {
    let begun = (asked.now)();
    let (input, next) = solve(asked.task, asked.seed, asked.nudges)?;
    Ok(Truth {
        input,
        frames: vec![next],
        solver: message::Solver::Waves((asked.now)() - begun),
        later: None,
    })
}

/// What the network sees and what happens next, each `[time, x]`; if the task cannot be solved, why.
fn solve(task: &Task, seed: u64, nudges: &[Nudge]) -> Result<(Vec<f32>, Vec<f32>), String> {
    quantities(task, 1, 1)?;
    let [seen, space] = task.input.as_slice() else {
        return Err(format!(
            "it has {} axes, and time and space can be solved",
            task.input.len()
        ));
    };
    let asked = &task.output[0];
    let (frames, cells) = (seen.size, space.size);
    let length = space.step * cells as f64;
    let fits = (length - LENGTH).abs() < 1e-6 * LENGTH
        && (8..=MOST_CELLS).contains(&cells)
        && cells.is_multiple_of(2)
        && (1..=MOST_FRAMES).contains(&frames);
    if !fits {
        return Err(format!(
            "it has {frames} frames of {cells} cells on a length of {length}, and up to {MOST_FRAMES} frames of up to {MOST_CELLS} cells on {LENGTH} can be solved"
        ));
    }
    let step = seen.step;
    let whole = whole_frames(step, DEFAULT_DT).is_some_and(|steps| steps > 0)
        && whole_frames(seen.start, step).is_some()
        && (asked.step - step).abs() < 1e-9
        && (asked.start - seen.start - frames as f64 * step).abs() < 1e-9;
    if !whole || seen.start < 0.0 || asked.start + frames as f64 * step > LATEST + 1000.0 {
        return Err(format!(
            "it sees times from {} in steps of {step} and forecasts from {} in steps of {}, and a window and the next one can be solved, from a multiple of the step up to {LATEST}",
            seen.start, asked.start, asked.step
        ));
    }
    let noise = initial_condition(seed, LIVE_TRAJECTORY, cells);
    let mut solver = Solver::new(cells, LENGTH, DEFAULT_DT);
    let mut input = if nudges.is_empty() {
        solver.trajectory_from(&noise, seen.start, 2 * frames, step)
    } else {
        let mut start = noise;
        if seen.start > 0.0 {
            solver.advance(&mut start, seen.start);
        }
        let scale = task.inputs[0].normalisation.std;
        for (cell, value) in start.iter_mut().enumerate() {
            let share = cell as f64 / cells as f64;
            *value += scale * nudges.iter().map(|nudge| nudge.on_line(share)).sum::<f64>();
        }
        solver.trajectory(&start, 2 * frames, step)
    };
    let truth = input.split_off(frames * cells);
    Ok((input, truth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Place;
    use pno::pde::ks::{CELLS, FRAME_STEP, WINDOW};

    #[test]
    fn the_truth_is_one_trajectory_cut_in_two() {
        let (input, truth) = solve(&Task::ks(), 7, &[]).expect("solvable");
        let noise = initial_condition(7, LIVE_TRAJECTORY, CELLS);
        let whole = Solver::default_plan().trajectory(&noise, 2 * WINDOW, FRAME_STEP);
        assert_eq!([input, truth].concat(), whole);
    }

    #[test]
    fn a_nudge_of_nothing_changes_nothing_and_a_bump_grows() {
        let place = Place::MIDDLE;
        let (plain, _) = solve(&Task::ks(), 7, &[]).expect("solvable");
        let (same, _) = solve(&Task::ks(), 7, &[Nudge::at(place, 0.0)]).expect("solvable");
        assert_eq!(plain, same);
        let (input, truth) = solve(&Task::ks(), 7, &[Nudge::at(place, 1.0)]).expect("solvable");
        let there = input[CELLS / 2] - plain[CELLS / 2];
        assert!((there - 2.6431).abs() < 1e-3, "{there}");
        let (_, before) = solve(&Task::ks(), 7, &[]).expect("solvable");
        let apart: f32 = truth.iter().zip(&before).map(|(a, b)| (a - b).abs()).sum();
        assert!(apart / truth.len() as f32 > 0.1, "chaos: {apart}");
    }

    #[test]
    fn a_later_window_is_solved_and_others_have_their_sentence() {
        let at = |start: f64, step: f64, gap: f64| {
            let mut task = Task::ks();
            for (axis, start) in [
                (&mut task.input[0], start),
                (&mut task.output[0], start + gap),
            ] {
                (axis.start, axis.step) = (start, step);
            }
            solve(&task, 1, &[]).map(|_| ())
        };
        assert_eq!(at(100.0, 2.0, 40.0), Ok(()));
        for (start, step, gap) in [
            (101.0, 2.0, 40.0),
            (-2.0, 2.0, 40.0),
            (1e9, 2.0, 40.0),
            (f64::NAN, 2.0, 40.0),
            (0.0, 2.0, 60.0),
            (0.0, 0.0, 0.0),
        ] {
            let why = at(start, step, gap).expect_err("not to be solved");
            assert!(
                why.contains(&format!("from {start} in steps of {step}")),
                "{why}"
            );
        }
        let coarse = Task::ks().on_grid(&[20, 128]);
        assert!(
            solve(&coarse, 1, &[]).is_ok(),
            "another grid over the same length"
        );
        let mut short = Task::ks();
        short.input[1].step = 0.1;
        assert!(
            solve(&short, 1, &[])
                .expect_err("another length")
                .contains("on a length of 25.6")
        );
    }
}
