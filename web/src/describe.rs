//! What a model is, in words: for its card, and for the sentence where the page cannot show it.

use pno::checkpoint::Header;
use pno::pde::ks::{CELLS, FRAME_STEP, WINDOW, whole_frames};
use pno::spec::{Experiment, ModelSpec, Operator};
use pno::task::{Quantity, Task};

/// Latest start of a model's truth: integrating to it takes a second or two.
const LATEST_START: f64 = 10_000.0;

/// What an experiment is called.
pub fn experiment(experiment: Experiment) -> &'static str {
    match experiment {
        Experiment::Darcy => "Darcy flow",
        Experiment::Ks => "the Kuramoto-Sivashinsky equation",
        Experiment::Sswe => "shallow water on the sphere",
        Experiment::Era5 => "2 m temperature over Europe",
        Experiment::Arrays => "a problem of its owner",
    }
}

/// `a Fourier neural operator (FNO): 4 blocks, modes 10 × 12, 20 channels`.
pub fn network(spec: &ModelSpec) -> String {
    let modes = || times(&spec.modes);
    let (layers, width) = (spec.layers, spec.width);
    match spec.operator {
        Operator::Fno => format!(
            "a Fourier neural operator (FNO): {layers} blocks, modes {}, {width} channels",
            modes()
        ),
        Operator::Sfno => format!(
            "a spherical Fourier neural operator (SFNO): {layers} blocks, modes {}, {width} channels",
            modes()
        ),
        Operator::Uno => {
            let widths = || spec.levels.iter().map(|level| level.width);
            let (least, most) = (widths().min(), widths().max());
            format!(
                "a U-shaped neural operator (UNO, {}): {} blocks, {} to {} channels",
                spec.profile,
                spec.levels.len(),
                least.unwrap_or(width),
                most.unwrap_or(width)
            )
        }
    }
}

/// Whether the page can show what a model forecasts; if not, what the model is for.
pub fn shown(header: &Header) -> Result<(), String> {
    let (spec, task) = (&header.spec, &header.task);
    let grid = times(&task.input_shape());
    let names = |quantities: &[Quantity]| {
        let names: Vec<&str> = quantities.iter().map(|q| q.name.as_str()).collect();
        names.join(", ")
    };
    if spec.experiment != Experiment::Ks {
        return Err(format!(
            "it is for {} ({} to {} on {grid} points), and this page shows {}",
            experiment(spec.experiment),
            names(&task.inputs),
            names(&task.outputs),
            experiment(Experiment::Ks),
        ));
    }
    let fields = (task.inputs.len(), task.outputs.len());
    if task.input_shape() != [WINDOW, CELLS] || fields != (1, 1) {
        return Err(format!(
            "it maps {} to {} on {grid} points, and this page shows one field on {WINDOW} × {CELLS}",
            names(&task.inputs),
            names(&task.outputs),
        ));
    }
    times_of_truth(task)
}

/// Whether the page can solve the truth for a model's times.
fn times_of_truth(task: &Task) -> Result<(), String> {
    let (seen, asked) = (&task.input[0], &task.output[0]);
    let frames = |time| whole_frames(time, FRAME_STEP);
    let steps = frames(seen.step) == Some(1) && frames(asked.step) == Some(1);
    let follows = frames(asked.start - seen.start) == Some(WINDOW);
    if steps && follows && frames(seen.start).is_some() && seen.start <= LATEST_START {
        return Ok(());
    }
    Err(format!(
        "it sees times from {} in steps of {} and forecasts from {}, and this page solves {WINDOW} frames and the next \
         {WINDOW}, {FRAME_STEP} apart, from a multiple of {FRAME_STEP} up to {LATEST_START}",
        seen.start, seen.step, asked.start
    ))
}

/// `10 × 12`.
fn times(sizes: &[usize]) -> String {
    let texts: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    texts.join(" × ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::checkpoint::Checkpoint;
    use pno::spec::{Method, Profile};

    fn spec(experiment: Experiment, operator: Operator, profile: Profile) -> ModelSpec {
        ModelSpec::paper(experiment, operator, Method::PnoD, profile).expect("published")
    }

    fn header(spec: ModelSpec, task: Task) -> Header {
        Checkpoint::new(spec, task, vec![]).header
    }

    #[test]
    fn a_network_says_which_operator_it_is() {
        assert_eq!(
            network(&spec(Experiment::Ks, Operator::Fno, Profile::Fixed)),
            "a Fourier neural operator (FNO): 4 blocks, modes 10 × 12, 20 channels"
        );
        assert_eq!(
            network(&spec(Experiment::Ks, Operator::Uno, Profile::Fixed)),
            "a U-shaped neural operator (UNO, fixed): 7 blocks, 16 to 128 channels"
        );
        let uno = network(&spec(Experiment::Darcy, Operator::Uno, Profile::Paper));
        assert!(uno.contains("(UNO, paper): 5 blocks"), "{uno}");
        let sphere = network(&spec(Experiment::Sswe, Operator::Sfno, Profile::Fixed));
        assert!(sphere.contains("(SFNO): 4 blocks"), "{sphere}");
    }

    #[test]
    fn every_operator_for_the_pages_equation_is_shown() {
        for operator in [Operator::Fno, Operator::Uno] {
            let spec = spec(Experiment::Ks, operator, Profile::Fixed);
            assert_eq!(shown(&header(spec, Task::ks())), Ok(()));
        }
    }

    #[test]
    fn a_model_of_a_later_window_is_shown_if_the_page_can_solve_it() {
        let at = |start: f64, step: f64, gap: f64| {
            let mut task = Task::ks();
            for (axis, start) in [
                (&mut task.input[0], start),
                (&mut task.output[0], start + gap),
            ] {
                (axis.start, axis.step) = (start, step);
            }
            shown(&header(
                spec(Experiment::Ks, Operator::Fno, Profile::Fixed),
                task,
            ))
        };
        for start in [0.0, 2.0, 100.0, LATEST_START] {
            assert_eq!(at(start, 2.0, 40.0), Ok(()), "{start}");
        }
        for (start, step, gap) in [
            (101.0, 2.0, 40.0),
            (-2.0, 2.0, 40.0),
            (1e9, 2.0, 40.0),
            (f64::NAN, 2.0, 40.0),
            (0.0, 1.0, 40.0),
            (0.0, 2.0, 60.0),
        ] {
            let why = at(start, step, gap).expect_err("not this page's times");
            assert!(
                why.contains(&format!("from {start} in steps of {step}")),
                "{why}"
            );
        }
    }

    #[test]
    fn what_another_model_is_for_is_told() {
        let sphere = spec(Experiment::Sswe, Operator::Sfno, Profile::Fixed);
        let task = Task::sswe();
        let why = shown(&header(sphere, task)).expect_err("another experiment");
        assert!(
            why.contains("is for shallow water on the sphere (geopotential, vorticity, divergence")
                && why.contains("on 128 × 256 points"),
            "{why}"
        );
        let coarse = Task::ks().on_grid(&[20, 128]);
        let ks = spec(Experiment::Ks, Operator::Uno, Profile::Fixed);
        let why = shown(&header(ks, coarse)).expect_err("another grid");
        assert!(why.contains("on 20 × 128 points"), "{why}");
    }
}
