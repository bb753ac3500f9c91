//! A batch carried out in chunks.

use super::*;

/// Losses, squared norms, and all gradients of a step whose batch is carried out in chunks.
fn in_chunks(
    trainee: &Trainee,
    batch: &Batch,
    (chunk, members): (usize, usize),
) -> (Vec<f32>, Vec<Vec<f32>>) {
    let trainee = Trainee {
        execution: Execution {
            chunk,
            members,
            others: vec![],
        },
        ..trainee.clone()
    };
    let output = TrainStep::step(&trainee, batch.clone());
    let mut collect = Collect(&output.grads, vec![]);
    trainee.visit(&mut collect);
    let numbers = output.item.0.numbers.try_to_vec_as().expect("numbers");
    (numbers, collect.1)
}

struct Collect<'a>(&'a GradientsParams, Vec<Vec<f32>>);

impl burn::module::ModuleVisitor for Collect<'_> {
    fn visit_float<const D: usize>(&mut self, param: &burn::module::Param<Tensor<D>>) {
        let gradient = self.0.get::<D>(param.id).expect("a gradient");
        self.1.push(gradient.try_to_vec_as().expect("numbers"));
    }
}

#[test]
fn a_batch_in_chunks_has_the_gradient_of_the_whole_batch() {
    let task = task(&[8, 16], Domain::Sphere(Latitudes::Gauss), 2);
    let close = |a: &[f32], b: &[f32]| {
        let scale = b.iter().fold(1e-12_f32, |most, x| most.max(x.abs()));
        let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        a.len() == b.len() && apart.fold(0.0, f32::max) < 2e-4 * scale
    };
    for (method, steps, rollout) in [
        (Method::PnoD, 1, Rollout::Member),
        (Method::PnoR, 1, Rollout::Member),
        (Method::Mcd, 1, Rollout::Member),
        (Method::PnoD, 2, Rollout::Member),
        (Method::PnoD, 2, Rollout::Mean),
        (Method::PnoR, 2, Rollout::Member),
    ] {
        let spec = ModelSpec {
            dropout: 0.3,
            ..spec(Operator::Sfno, method, &task)
        };
        let train = TrainSettings {
            steps,
            rollout,
            ..settings(method)
        };
        let fields = trajectories(&task, 5, 3, |x| 0.5 * x * x - 0.9 * x);
        let cases = Loaded::of_trajectories(task.clone(), 3, &fields);
        let device = Device::flex().autodiff();
        let batches = Batches::new(cases, 5, true, 5, 0, &device).with_steps(steps);
        let batch = batches.iter().next().expect("a batch").expect("in memory");
        let trainee = trainee(&spec, &train, &task);
        let (numbers, gradients) = in_chunks(&trainee, &batch, (0, 0));
        assert_eq!(numbers.len(), 5 + gradients.len());
        // Groups of members where they have passes of their own; with a mean that goes on they stay together.
        for chunk in [(1, 0), (2, 0), (4, 0), (1, 1), (1, 2)] {
            let (found, parts) = in_chunks(&trainee, &batch, chunk);
            assert!(
                close(&found, &numbers),
                "{method} {steps}: {found:?}, {numbers:?}"
            );
            for (part, whole) in parts.iter().zip(&gradients) {
                assert!(
                    close(part, whole),
                    "{method}, {steps} steps, chunks of {chunk:?}"
                );
            }
        }
    }
}
