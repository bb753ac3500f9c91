//! A new method: members of a deterministic model from perturbed inputs.

use std::task::{Context, Poll, Waker};

use burn::tensor::Device;
use pno::checkpoint::Checkpoint;
use pno::nn::init;
use pno::spec::{Experiment, Method, ModelSpec};
use pno::task::Task;

// ANCHOR: method
use pno::ensemble::forecast::{ForecastError, Forecaster};
use pno::noise::{key, normal};

/// Where this noise enters, as [`pno::noise::Place`] counts: a number that nothing else has.
const INPUT: u32 = 8;

/// One member for each perturbed input: white noise of a standard deviation is added to the field.
///
/// # Shapes
/// - input: `[points]`, physical units
/// - output: `[member, points]`
pub async fn perturbed(
    model: &Forecaster,
    input: &[f32],
    deviation: f32,
    members: u32,
    seed: u64,
) -> Result<Vec<f32>, ForecastError> {
    let mut fields = vec![];
    let mut noise = vec![0.0; input.len()];
    for member in 0..members {
        // A function of seed and member alone: the same member on every machine, in any order.
        normal::fill(key(seed, member, INPUT), &mut noise);
        let nudged = input.iter().zip(&noise).map(|(v, z)| v + deviation * z);
        let forecast = model.start(&nudged.collect::<Vec<_>>(), seed)?;
        fields.extend(forecast.members(0..1).await?);
    }
    Ok(fields)
}
// ANCHOR_END: method

/// On the CPU nothing has to be waited for.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the CPU does not wait"),
    }
}

fn model() -> Forecaster {
    let spec = ModelSpec {
        lifting: 16,
        projection: 16,
        width: 8,
        ..ModelSpec::paper_fno(Experiment::Ks, Method::Det).expect("an FNO")
    };
    let weights = init::tensors(&spec, 3);
    let checkpoint = Checkpoint::new(spec, Task::ks(), weights);
    Forecaster::new(&checkpoint, &Device::flex()).expect("a model")
}

// ANCHOR: test
#[test]
fn members_differ_by_the_perturbation_and_are_the_same_again() {
    let model = model();
    let input: Vec<f32> = (0..model.task().input_values())
        .map(|i| 2.0 * (0.11 * i as f32).sin())
        .collect();
    let draw = |deviation, seed| now(perturbed(&model, &input, deviation, 2, seed)).expect("drawn");
    let points = model.task().output_values();
    let spread = |members: &[f32]| {
        let (a, b) = members.split_at(points);
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>()
    };
    assert_eq!(spread(&draw(0.0, 7)), 0.0);
    let (little, more) = (spread(&draw(0.05, 7)), spread(&draw(0.5, 7)));
    assert!(0.0 < little && little < more, "{little}, {more}");
    assert_eq!(draw(0.5, 7), draw(0.5, 7));
    assert_ne!(draw(0.5, 7), draw(0.5, 8));
}
// ANCHOR_END: test
