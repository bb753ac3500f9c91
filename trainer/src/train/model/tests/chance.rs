//! Losses are random where the method table says so.

use super::*;

/// Two losses of the same cases with different seeds.
fn two_seeds(method: Method, training: bool) -> [f32; 2] {
    let task = task(&[24], Domain::Flat, 1);
    let device = Device::flex();
    let spec = ModelSpec {
        dropout: 0.3,
        fourier_dropout: 0.3,
        ..spec(Operator::Fno, method, &task)
    };
    let trainee = trainee(&spec, &settings(method), &task);
    let fields = waves(&task, 2);
    [1, 2].map(|seed| {
        let cases = Loaded::of_fields(task.clone(), &fields, &fields);
        let device = if training {
            device.clone().autodiff()
        } else {
            device.clone()
        };
        let batches = Batches::new(cases, 2, false, seed, 0, &device);
        let batch = batches.iter().next().expect("a batch").expect("in memory");
        let losses = if training {
            TrainStep::step(&trainee, batch).item
        } else {
            InferenceStep::step(&trainee.clone().valid(), batch)
        };
        mean(&losses)
    })
}

#[test]
fn losses_are_random_where_the_method_table_says_so() {
    for (method, random_validation) in [
        (Method::Det, false),
        (Method::PnoD, true),
        // No masks, but its members are draws.
        (Method::PnoR, true),
        (Method::Mcd, true),
    ] {
        let [a, b] = two_seeds(method, true);
        assert_ne!(a, b, "{method} in training");
        let [a, b] = two_seeds(method, false);
        assert_eq!(
            a != b,
            random_validation,
            "{method} in validation: {a}, {b}"
        );
    }
}

#[test]
fn more_members_come_with_their_epoch() {
    let task = task(&[24], Domain::Flat, 1);
    let spec = spec(Operator::Fno, Method::PnoD, &task);
    let fields = waves(&task, 2);
    let loss = |schedule: &[(usize, usize)], members, epoch| {
        let train = TrainSettings {
            members,
            members_schedule: schedule.to_vec(),
            ..settings(Method::PnoD)
        };
        let cases = Loaded::of_fields(task.clone(), &fields, &fields);
        let device = Device::flex().autodiff();
        let batches = Batches::new(cases, 2, false, 4, epoch, &device);
        let batch = batches.iter().next().expect("a batch").expect("in memory");
        mean(&TrainStep::step(&trainee(&spec, &train, &task), batch).item)
    };
    let schedule = [(2, 5)];
    assert_eq!(loss(&schedule, 3, 1), loss(&[], 3, 1));
    assert_eq!(loss(&schedule, 3, 2), loss(&[], 5, 2));
    assert_ne!(loss(&schedule, 3, 2), loss(&[], 3, 2));
}
