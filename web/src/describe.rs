//! What a model is, in words: for its card, and for the sentence where the page cannot show it.

use pno::checkpoint::Header;
use pno::pde::ks::{CELLS, WINDOW};
use pno::spec::{Experiment, ModelSpec, Operator};
use pno::task::Quantity;

/// What an experiment is called.
pub fn experiment(experiment: Experiment) -> &'static str {
    match experiment {
        Experiment::Darcy => "Darcy flow",
        Experiment::Ks => "the Kuramoto-Sivashinsky equation",
        Experiment::Sswe => "shallow water on the sphere",
        Experiment::Era5 => "2 m temperature over Europe",
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
    Ok(())
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
    use pno::task::Task;

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
    fn what_another_model_is_for_is_told() {
        let sphere = spec(Experiment::Sswe, Operator::Sfno, Profile::Fixed);
        let task = Task::published(Experiment::Sswe);
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
