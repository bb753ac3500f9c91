//! What a model is, in words.

use pno::spec::{Method, ModelSpec, Operator};

use crate::field::{Scene, Span};

/// What a method is called.
pub fn method(method: Method) -> &'static str {
    match method {
        Method::PnoD => "PNO_D",
        Method::PnoR => "PNO_R",
        Method::Det => "Deterministic",
        Method::Mcd => "MC dropout",
        Method::Laplace => "Laplace",
        Method::Ensemble => "Deep ensemble",
        Method::PnoF => "PNO_F",
        Method::Perturbed => "Perturbed inputs",
    }
}

/// Where a method's uncertainty comes from.
pub fn method_hint(method: Method) -> &'static str {
    match method {
        Method::PnoD => {
            "Dropout stays on: every member is another thinned network, and whole fields vary together"
        }
        Method::PnoR => {
            "One pass gives a mean and a spread at every point; members are drawn from them"
        }
        Method::Det => "One network, one answer: no uncertainty",
        Method::Mcd => "Dropout stays on in a network that was trained for one answer",
        Method::Laplace => {
            "The last layer's weights are drawn from what the training data left open"
        }
        Method::Ensemble => "Several networks, each trained from another start; one member each",
        Method::PnoF => {
            "A random function is one more input: every member is the answer to another one"
        }
        Method::Perturbed => {
            "The classic ensemble: one network, begun from many states that the observation allows"
        }
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

/// What a network of maps over time sees and gives: `10 maps, 6 h apart, of 15° N to 75° N, 160° W to 30° W`.
pub fn maps(scene: &Scene) -> Option<String> {
    scene.window()?;
    let ends = |span: &Span| {
        let last = span.len().checked_sub(1)?;
        Some(format!("{} to {}", span.words(0), span.words(last)))
    };
    let apart = match scene.frame.coordinates.as_slice() {
        [first, second, ..] if scene.frame.unit == "hours" => {
            format!(", {} h apart,", crate::scale::short(second - first))
        }
        _ => String::new(),
    };
    let (rows, columns) = (ends(&scene.row)?, ends(&scene.column)?);
    Some(format!(
        "{} maps{apart} of {rows}, {columns}",
        scene.shape.frames
    ))
}

/// `10 × 12`.
pub fn times(sizes: &[usize]) -> String {
    let texts: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    texts.join(" × ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::spec::{Experiment, Profile};

    fn spec(experiment: Experiment, operator: Operator, profile: Profile) -> ModelSpec {
        ModelSpec::paper(experiment, operator, Method::PnoD, profile).expect("published")
    }

    #[test]
    fn maps_say_where_they_are_and_only_maps_do() {
        use pno::task::{Axis, Task};
        let mut task = Task::era5();
        task.output[1] = Axis::new("latitude", 25, 15.0, 2.5, "degrees_north");
        task.output[2] = Axis::new("longitude", 53, 200.0, 2.5, "degrees_east");
        let scene = Scene::new(Experiment::Era5, &task, 1);
        let wanted = "10 maps, 6 h apart, of 15° N to 75° N, 160° W to 30° W";
        assert_eq!(maps(&scene).as_deref(), Some(wanted));
        assert_eq!(maps(&Scene::new(Experiment::Ks, &Task::ks(), 1)), None);
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
}
