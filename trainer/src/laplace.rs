//! Turns a trained deterministic network into a last-layer Laplace approximation.

mod options;

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use burn::tensor::{Device, Tensor, TensorData};
use pno::checkpoint::Checkpoint;
use pno::ensemble::forecast::MEMORY_BUDGET;
use pno::laplace::{Fit, Gram, LaplaceError};
use pno::nn::{Network, Plan};
use pno::spec::{Experiment, Method, Profile};
use pno::task::Task;

use crate::data::{Dataset, Loaded, Split};
use crate::eval::same_task;
use crate::interrupt::{self, Interrupted};

pub use options::Options;

/// Prefix of what the fit adds to a model's settings.
const PREFIX: &str = "laplace.";

/// Most cases of one pass through the network.
const TOGETHER: usize = 16;

/// Fits the posterior of the last layer on the cases that the network was trained on.
///
/// `progress` hears of every finished case, and of how many there are.
pub fn fit(
    model: &Checkpoint,
    data: &Dataset,
    options: Options,
    device: &Device,
    progress: impl Fn(usize, usize),
) -> Result<(Checkpoint, Fit)> {
    let loaded = splits(data, options.profile)
        .iter()
        .map(|&split| {
            let found = data.task_of(split);
            same_task(&model.header.task, &found)
                .with_context(|| format!("{}: its {split} split", data.path().display()))?;
            data.load(split)
        })
        .collect::<Result<Vec<_>>>()?;
    let (mut fitted, fit) = fit_cases(model, &loaded, options, device, progress)?;
    let source = source(data.path());
    fitted
        .header
        .provenance
        .settings
        .push((format!("{PREFIX}data"), source));
    fitted.header.provenance = fitted.header.provenance.tidied();
    Ok((fitted, fit))
}

/// The published fit of shallow water saw the validation cases as well.
fn splits(data: &Dataset, profile: Profile) -> &'static [Split] {
    let both = profile == Profile::Paper && data.experiment() == Experiment::Sswe;
    if both && !data.split(Split::Valid).is_empty() {
        &[Split::Train, Split::Valid]
    } else {
        &[Split::Train]
    }
}

/// The name of a data set without the folders it is in.
fn source(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn fit_cases(
    model: &Checkpoint,
    loaded: &[Loaded],
    options: Options,
    device: &Device,
    progress: impl Fn(usize, usize),
) -> Result<(Checkpoint, Fit)> {
    let spec = &model.header.spec;
    if !matches!(spec.method, Method::Det | Method::Laplace) {
        bail!(
            "a Laplace approximation is made of a deterministic network (method det), but this one is of method {}",
            spec.method
        );
    }
    let task = &model.header.task;
    check_masks(task)?;
    let network = Network::from_tensors(spec, &model.tensors, device);
    let plan = Plan::of_task(spec, task, device);
    let Some([.., weight, bias]) = model.tensors.get(..spec.tensors().len()) else {
        bail!("the model has {} tensors, too few", model.tensors.len());
    };
    let mut gram = Gram::new(weight, bias);
    let total = loaded.iter().map(Loaded::len).sum();
    let mut done = 0;
    // As many cases as fit the budget of a forecast: on a GPU one at a time would leave most of it idle.
    let row_bytes = plan.row_values() * size_of::<f32>();
    let together = (MEMORY_BUDGET / row_bytes.max(1)).clamp(1, TOGETHER);
    for loaded in loaded {
        let indices: Vec<usize> = (0..loaded.len()).collect();
        for indices in indices.chunks(together) {
            if interrupt::requested() {
                bail!(Interrupted(format!(
                    "after {done} of {total} cases; nothing was written"
                )));
            }
            let (mut inputs, mut truths) = (vec![], vec![]);
            for &index in indices {
                let case = loaded.case(index);
                inputs.extend(task.network_input(&case.input));
                truths.extend(known_output(task, &case.truth));
            }
            let shape = |channels| [indices.len(), task.points(), channels];
            let inputs = TensorData::new(inputs, shape(spec.in_channels));
            let inputs = Tensor::from_data(inputs, device);
            if let Some(increments) = plan.increments() {
                // What the last layer should have given are the changes.
                let fields = TensorData::new(truths, shape(spec.out_channels));
                let changes = increments.between(&inputs, Tensor::from_data(fields, device));
                truths = changes
                    .into_data()
                    .try_to_vec::<f32>()
                    .map_err(|e| anyhow!("the changes of case {}: {e:?}", indices[0]))?;
            }
            let mut first = 0;
            for piece in network.features(inputs, &plan) {
                let [_, points, hidden] = piece.dims();
                let features = piece
                    .into_data()
                    .try_to_vec::<f32>()
                    .map_err(|e| anyhow!("the features of case {}: {e:?}", indices[0]))?;
                let values = first * spec.out_channels..(first + points) * spec.out_channels;
                let truths = truths.chunks(task.output_values());
                for (features, truth) in features.chunks(points * hidden).zip(truths) {
                    gram.push(features, &truth[values.clone()]);
                }
                first += points;
            }
            done += indices.len();
            progress(done, total);
        }
    }
    let last_axis = task.output.last().map_or(1, |axis| axis.size);
    let fit = Fit::new(gram, total, last_axis, options.profile, options.noise)?;
    Ok((noted(model, &fit, total, options.profile), fit))
}

/// What the network should give, in its units: NaN where the model has no value, whatever the data have there. The
/// network was never trained at such a point.
fn known_output(task: &Task, fields: &[f32]) -> Vec<f32> {
    let mut values = task.network_output(fields);
    task.blank(&mut values);
    values
}

/// Refuses output fields that have no point in common, before any case is seen.
fn check_masks(task: &Task) -> Result<(), LaplaceError> {
    let (points, fields) = (task.points(), task.outputs.len());
    let is_masked = |point: usize| (0..fields).any(|f| task.masks_output(point * fields + f));
    if (0..points).all(is_masked) {
        let points = points as u64;
        return Err(LaplaceError::NothingInCommon { points });
    }
    Ok(())
}

/// The model with its posterior, and with a record of how that was made.
fn noted(model: &Checkpoint, fit: &Fit, cases: usize, profile: Profile) -> Checkpoint {
    let mut fitted = model.clone().with_posterior(fit.posterior.clone());
    let made = &mut fitted.header.provenance;
    made.settings.retain(|(key, _)| !key.starts_with(PREFIX));
    for (key, value) in [
        ("profile", profile.to_string()),
        ("cases", cases.to_string()),
        ("prior_precision", fit.scales.delta.to_string()),
        ("noise_scale", fit.scales.noise.to_string()),
        ("noise_of_members", fit.posterior.noise().to_string()),
        ("determined", format!("{:.2}", fit.determined)),
    ] {
        made.settings.push((format!("{PREFIX}{key}"), value));
    }
    let note = format!("last-layer Laplace approximation ({profile}) on {cases} cases");
    if !made.note.is_empty() && !made.note.contains("last-layer Laplace") {
        made.note.push_str("; ");
    }
    // What stands before the note of an earlier fit stays.
    let before = made.note.split("last-layer Laplace").next().unwrap_or("");
    made.note = format!("{before}{note}");
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::nn::init;
    use pno::noise::uniforms;
    use pno::spec::ModelSpec;
    use pno::task::Mask;

    fn model(method: Method) -> Checkpoint {
        let spec = ModelSpec {
            width: 4,
            lifting: 8,
            projection: 6,
            layers: 2,
            modes: vec![4, 4],
            ..ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO")
        };
        let tensors = init::tensors(&spec, 2);
        Checkpoint::new(spec, Task::ks().on_grid(&[6, 16]), tensors)
    }

    /// Five fields.
    fn fields(task: &Task, stream: u64) -> Vec<f32> {
        let values = uniforms(4, stream, 5 * task.points());
        values.iter().map(|u| (4.0 * u - 2.0) as f32).collect()
    }

    fn cases(task: &Task) -> Vec<Loaded> {
        let (inputs, truths) = (fields(task, 1), fields(task, 2));
        vec![Loaded::of_fields(task.clone(), &inputs, &truths)]
    }

    fn options(profile: Profile, noise: bool) -> Options {
        Options { profile, noise }
    }

    #[test]
    fn the_noise_scale_is_that_of_the_networks_own_residuals() {
        let model = model(Method::Det);
        let (task, device) = (model.header.task.clone(), Device::flex());
        let loaded = cases(&task);
        let heard = std::cell::Cell::new((0, 0));
        let hear = |done, total| heard.set((done, total));
        let (fitted, fit) = fit_cases(
            &model,
            &loaded,
            options(Profile::Fixed, true),
            &device,
            hear,
        )
        .expect("a fit");
        assert_eq!(heard.get(), (5, 5));
        // By a way of its own: whole passes through the network.
        let network = Network::from_tensors(&model.header.spec, &model.tensors, &device);
        let plan = Plan::new(&model.header.spec, &task.grid(), &device).whole();
        let mut squares = 0.0;
        for index in 0..5 {
            let case = loaded[0].case(index);
            let input = TensorData::new(task.network_input(&case.input), [1, task.points(), 3]);
            let heads = network.forward(Tensor::from_data(input, &device), &plan, None);
            let found: Vec<f32> = heads.mean.into_data().try_to_vec().expect("f32");
            let pairs = found.iter().zip(task.network_output(&case.truth));
            squares += pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
        }
        let values = (5 * task.points()) as f64;
        let wanted = (squares / (values - fit.determined)).sqrt();
        assert!(
            (fit.scales.noise / wanted - 1.0).abs() < 1e-5,
            "{fit:?}, {wanted}"
        );
        assert_eq!(fitted.header.spec.method, Method::Laplace);
        assert_eq!(fitted.tensors[..model.tensors.len()], model.tensors);
        assert_eq!(fitted.posterior(), Some(fit.posterior));
    }

    #[test]
    fn a_second_fit_replaces_the_first_and_its_record() {
        let (model, device) = (model(Method::Det), Device::flex());
        let loaded = cases(&model.header.task);
        let fit = |model: &Checkpoint, profile, noise| {
            fit_cases(model, &loaded, options(profile, noise), &device, |_, _| {})
                .expect("a fit")
                .0
        };
        let paper = fit(&model, Profile::Paper, true);
        assert_eq!(paper.posterior().expect("one").noise(), 0.0);
        let again = fit(&paper, Profile::Fixed, false);
        assert_eq!(again, fit(&model, Profile::Fixed, false));
        assert_ne!(again.posterior(), paper.posterior());
        let note = &again.header.provenance.note;
        assert_eq!(note, "last-layer Laplace approximation (fixed) on 5 cases");
    }

    #[test]
    fn what_data_have_behind_the_masks_of_the_model_has_no_part_in_the_fit() {
        let mut model = model(Method::Det);
        let without_mask = model.header.task.clone();
        model.header.task.outputs[0].mask = Mask::new(&[16], |x| x < 5);
        let task = &model.header.task;
        let (inputs, truths) = (fields(task, 1), fields(task, 2));
        let masked = |i: usize| task.masks_output(i % task.output_values());
        let behind = |value: f32| -> Vec<f32> {
            let truths = truths.iter().enumerate();
            let changed = truths.map(|(i, &y)| if masked(i) { value } else { y });
            changed.collect()
        };
        let fit = |truths: &[f32]| {
            let loaded = [Loaded::of_fields(without_mask.clone(), &inputs, truths)];
            let options = options(Profile::Fixed, true);
            let fit = fit_cases(&model, &loaded, options, &Device::flex(), |_, _| {});
            fit.expect("a fit").1
        };
        let blank = fit(&behind(f32::NAN));
        assert_eq!(fit(&truths), blank);
        assert_eq!(fit(&behind(1e9)), blank);
    }

    #[test]
    fn fields_that_have_no_point_in_common_are_refused_before_the_work() {
        let with_masks = |most: usize| {
            let mut task = Task::ks().on_grid(&[6, 16]);
            task.outputs.push(task.outputs[0].clone());
            task.outputs[0].mask = Mask::new(&[16], |x| x < 9);
            task.outputs[1].mask = Mask::new(&[16], |x| x >= most);
            check_masks(&task)
        };
        assert_eq!(with_masks(10), Ok(()));
        let said = with_masks(9).expect_err("land and sea").to_string();
        assert!(said.contains("none of 96 points"), "{said}");
    }

    #[test]
    fn other_methods_are_refused() {
        let model = model(Method::PnoR);
        let loaded = cases(&model.header.task);
        let refused = fit_cases(
            &model,
            &loaded,
            options(Profile::Fixed, true),
            &Device::flex(),
            |_, _| {},
        );
        let message = refused.expect_err("two heads").to_string();
        assert!(message.contains("method pno-r"), "{message}");
    }
}
