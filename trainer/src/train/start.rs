//! What a run begins with: fresh weights, or those of a trained model (fine-tuning).

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use burn::module::{Module, ModuleMapper, Param, ParamId};
use burn::tensor::{Device, Tensor};
use pno::checkpoint::Checkpoint;
use pno::nn::{Network, init, parts_of_white_noise};
use pno::spec::ModelSpec;
use pno::task::Task;

use super::keep::short;
use super::run::Run;
use super::settings::Settings;
use crate::files::Model;

/// The copy in the run's folder: a run that is killed in its first epoch begins again with the same weights.
pub const NAME: &str = "start.pno";

/// The tensor that takes the input.
const LIFTING: &str = "lifting.hidden.weight";

/// The value of `train.from` for a model file or a run: its path and the first characters of its hash.
pub fn named(source: &Path) -> Result<String> {
    let model = Model::read(source)?;
    let (path, hash) = (model.path.display(), short(&model.fingerprint));
    Ok(format!("{path}#{hash}"))
}

/// The file that a run is to begin with, after a look whether its weights can be taken.
pub fn bytes(settings: &Settings) -> Result<Option<Vec<u8>>> {
    let from = &settings.train.from;
    if from.is_empty() {
        return Ok(None);
    }
    let (path, wanted) = match from.rsplit_once('#') {
        Some((path, hash)) => (path, Some(hash)),
        None => (from.as_str(), None),
    };
    let model = Model::read(Path::new(path)).context("setting `train.from`")?;
    let found = short(&model.fingerprint);
    if let Some(wanted) = wanted.filter(|wanted| *wanted != found) {
        bail!(
            "{path} is {found}, but setting `train.from` names {wanted}: it is another model now"
        );
    }
    taken(&settings.model, settings.train.seed, &model.checkpoint)
        .with_context(|| format!("{path} cannot be gone on with"))?;
    let bytes = std::fs::read(&model.path).with_context(|| model.path.display().to_string())?;
    Ok(Some(bytes))
}

/// The network that a run begins with.
pub fn network(run: &Run, device: &Device) -> Result<Network> {
    let Settings { model, train, .. } = &run.settings;
    if train.from.is_empty() {
        let mut numbers = Numbers(0);
        return Ok(Network::init(model, train.seed, device).map(&mut numbers));
    }
    let path = run.folder.join(NAME);
    let start = Model::read(&path).with_context(|| {
        let folder = run.folder.display();
        format!("{folder} began with {}, but its copy is gone", train.from)
    })?;
    let start = taken(model, train.seed, &start.checkpoint)?;
    Ok(Network::from_tensors(model, &start.tensors, device).map(&mut Numbers(0)))
}

/// Gives the parameters numbers in their order, by which the optimiser knows them: drawn at random, they would make the
/// states of two runs that did the same different files.
struct Numbers(u64);

impl ModuleMapper for Numbers {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (_, value, mapper) = param.consume();
        self.0 += 1;
        Param::from_mapped_value(ParamId::from(self.0), value, mapper)
    }
}

/// Weights of a run that goes on from a model.
pub struct Taken {
    /// All tensors of the new network.
    pub tensors: Vec<Vec<f32>>,
    /// What was taken and what is fresh, for people.
    pub said: String,
}

/// What a network takes beside its input: how far that may be off, and functional noise.
fn beside(spec: &ModelSpec) -> (bool, bool) {
    (spec.observed.is_some(), !spec.noise.is_empty())
}

/// Whether a network takes what another one does, and something behind it: how far the input may be off, or functional
/// noise.
fn takes_more(spec: &ModelSpec, than: &ModelSpec) -> bool {
    let (behind, of_other) = (beside(spec), beside(than));
    (spec.in_channels, spec.lifting) == (than.in_channels, than.lifting)
        && !of_other.1
        && behind.0 >= of_other.0
        && behind != of_other
}

fn words(spec: &ModelSpec) -> &'static str {
    match beside(spec) {
        (false, false) => "the input alone",
        (true, false) => "how uncertain the input is",
        (false, true) => "functional noise",
        (true, true) => "how uncertain the input is and functional noise",
    }
}

/// Lets each of the first functions of the noise be added to a field of the input, as much as white noise has of it. A network
/// that is told how uncertain its input is so begins as the classic ensemble of perturbed inputs, and not with members that
/// are alike.
fn perturb(spec: &ModelSpec, task: &Task, values: &mut [f32]) {
    let factors = parts_of_white_noise(spec, task.points());
    for (field, factor) in factors.iter().take(task.inputs.len()).enumerate() {
        let (from, to) = (
            field * spec.lifting,
            (spec.input_channels() + field) * spec.lifting,
        );
        for i in 0..spec.lifting {
            values[to + i] = factor * values[from + i];
        }
    }
}

/// Weights of `spec` from a trained model: every tensor of the same name, fresh ones for what it does not have.
pub fn taken(spec: &ModelSpec, seed: u64, start: &Checkpoint) -> Result<Taken> {
    let theirs = start.header.spec.tensors();
    let theirs: Vec<_> = theirs.iter().zip(&start.tensors).collect();
    let ours = spec.tensors();
    let (mut tensors, mut fresh) = (init::tensors(spec, seed), vec![]);
    for (tensor, values) in ours.iter().zip(&mut tensors) {
        match theirs.iter().find(|(found, _)| found.name == tensor.name) {
            // Rows for other things may be as many.
            Some((found, _))
                if tensor.name == LIFTING
                    && found.shape == tensor.shape
                    && beside(spec) != beside(&start.header.spec) =>
            {
                bail!(
                    "its tensor `{LIFTING}` has rows for {}, but the network to be trained for {}: give both the same model.observed and model.noise, or begin with a model that takes neither",
                    words(&start.header.spec),
                    words(spec)
                )
            }
            Some((found, trained)) if found.shape == tensor.shape => values.clone_from(trained),
            Some((_, trained))
                if tensor.name == LIFTING && takes_more(spec, &start.header.spec) =>
            {
                values[..trained.len()].copy_from_slice(trained);
                if spec.observed.is_some() {
                    perturb(spec, &start.header.task, values);
                }
                fresh.push("the rows of lifting.hidden.weight for what it takes besides");
            }
            Some((found, _)) => bail!(
                "its tensor `{}` is {:?}, but the network to be trained has {:?}: give both the same model.* settings",
                tensor.name,
                found.shape,
                tensor.shape
            ),
            None => fresh.push(tensor.name.as_str()),
        }
    }
    let left = theirs.iter().map(|(found, _)| found.name.as_str());
    let left: Vec<&str> = left
        .filter(|name| !ours.iter().any(|tensor| tensor.name == *name))
        .collect();
    let of = &start.header.spec;
    let mut said = format!(
        "{} of {} tensors are those of a {} {} {} with dropout {} (here {})",
        ours.len() - fresh.len(),
        ours.len(),
        of.experiment,
        of.operator,
        of.method,
        of.dropout,
        spec.dropout
    );
    for (names, what) in [(fresh, "begin fresh"), (left, "are left behind")] {
        if !names.is_empty() {
            let _ = write!(said, "; {} {what}", names.join(", "));
        }
    }
    Ok(Taken { tensors, said })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::observation::Observation;
    use pno::spec::{Experiment, Method};
    use pno::task::Task;

    fn spec(method: Method) -> ModelSpec {
        ModelSpec {
            width: 4,
            lifting: 8,
            projection: 8,
            layers: 2,
            modes: vec![4, 6],
            ..ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO")
        }
    }

    fn trained(method: Method) -> Checkpoint {
        let spec = spec(method);
        let tensors = init::tensors(&spec, 99);
        Checkpoint::new(spec, Task::ks(), tensors)
    }

    #[test]
    fn another_method_with_the_same_network_takes_every_tensor() {
        let start = trained(Method::Mcd);
        let taken = taken(&spec(Method::PnoD), 1, &start).expect("the same network");
        assert_eq!(taken.tensors, start.tensors);
        assert!(
            taken.said.contains("mcd with dropout 0.05 (here 0.2)"),
            "{}",
            taken.said
        );
    }

    #[test]
    fn a_second_head_is_fresh_and_a_head_too_many_is_left_behind() {
        let start = trained(Method::Det);
        let two = taken(&spec(Method::PnoR), 1, &start).expect("one head more");
        let shared = start.tensors.len();
        assert_eq!(two.tensors[..shared], start.tensors);
        let fresh = init::tensors(&spec(Method::PnoR), 1);
        assert_eq!(two.tensors[shared..], fresh[shared..]);
        assert!(two.said.contains("spread.hidden.weight"), "{}", two.said);
        assert!(two.said.ends_with("begin fresh"), "{}", two.said);
        let start = trained(Method::PnoR);
        let one = taken(&spec(Method::PnoD), 1, &start).expect("one head less");
        assert_eq!(one.tensors, start.tensors[..shared]);
        assert!(one.said.ends_with("are left behind"), "{}", one.said);
    }

    /// The channels of the task come first, then the level of an observation, then the noise.
    #[test]
    fn what_is_taken_behind_the_input_begins_fresh() {
        let observed = Some(Observation::noisy(0.3));
        let of = |observed, noise: &[f32]| ModelSpec {
            observed,
            noise: noise.to_vec(),
            ..spec(Method::PnoF)
        };
        for (start, spec, rows) in [
            (of(None, &[]), of(None, &[3.0]), Some(3)),
            (of(None, &[]), of(observed, &[]), Some(3)),
            (of(None, &[]), of(observed, &[3.0, 6.0]), Some(3)),
            (of(observed, &[]), of(observed, &[3.0, 6.0]), Some(4)),
            (of(observed, &[]), of(None, &[3.0]), None),
            (of(None, &[3.0]), of(None, &[3.0, 6.0]), None),
        ] {
            let tensors = init::tensors(&start, 99);
            let start = Checkpoint::new(start, Task::ks(), tensors);
            let found = taken(&spec, 1, &start);
            let Some(rows) = rows else {
                let message = found.err().expect("refused").to_string();
                assert!(message.contains("lifting.hidden.weight"), "{message}");
                continue;
            };
            let found = found.expect("taken").tensors;
            let (kept, behind) = found[0].split_at(rows * spec.lifting);
            assert_eq!(kept, start.tensors[0]);
            // Where it is told how uncertain the input is, the first function perturbs the first field.
            let first = spec.input_channels() * spec.lifting;
            let factors = parts_of_white_noise(&spec, Task::ks().points());
            if let (Some(_), Some(factor)) = (spec.observed, factors.first()) {
                let row = found[0][first..first + spec.lifting].iter();
                for (found, field) in row.zip(&start.tensors[0]) {
                    assert_eq!(*found, factor * field);
                }
            } else {
                assert_eq!(behind, &init::tensors(&spec, 1)[0][kept.len()..]);
            }
            assert_eq!(found[1..], start.tensors[1..]);
        }
    }

    #[test]
    fn a_network_of_other_shapes_is_named() {
        let wider = ModelSpec {
            width: 5,
            ..spec(Method::PnoD)
        };
        let refused = taken(&wider, 1, &trained(Method::Det))
            .err()
            .expect("refused");
        let message = refused.to_string();
        assert!(
            message.contains("`lifting.output.weight` is [8, 4]"),
            "{message}"
        );
    }
}
