//! Training with two steps on the sphere.

use super::*;

#[test]
fn two_steps_on_a_sphere_are_learned_by_every_method() {
    let task = task(&[8, 16], Domain::Sphere(Latitudes::Gauss), 2);
    for rollout in [Rollout::Member, Rollout::Mean] {
        for method in [Method::Det, Method::Mcd, Method::PnoD, Method::PnoR] {
            let spec = spec(Operator::Sfno, method, &task);
            let train = TrainSettings {
                steps: 2,
                rollout,
                ..settings(method)
            };
            let fields = trajectories(&task, 4, 3, |x| 0.5 * x * x - 0.9 * x);
            let cases = Loaded::of_trajectories(task.clone(), 3, &fields);
            let device = Device::flex().autodiff();
            let batches = Batches::new(cases, 4, true, 5, 0, &device).with_steps(2);
            let (first, last) = learn(trainee(&spec, &train, &task), &batches);
            assert!(last < 0.6 * first, "{rollout} {method}: {first} to {last}");
        }
    }
}

#[test]
fn the_loss_of_two_steps_is_the_mean_of_the_norms_of_both_forecasts() {
    let task = task(&[8, 16], Domain::Sphere(Latitudes::Equiangular), 2);
    let spec = spec(Operator::Sfno, Method::Det, &task);
    let train = TrainSettings {
        steps: 2,
        ..settings(Method::Det)
    };
    let frames = trajectories(&task, 1, 3, |x| 0.5 * x * x - x);
    let cases = Loaded::of_trajectories(task.clone(), 3, &frames);
    let batches = Batches::new(cases, 1, false, 5, 0, &Device::flex()).with_steps(2);
    let batch = batches.iter().next().expect("a batch").expect("in memory");
    let found = InferenceStep::step(&trainee(&spec, &train, &task).valid(), batch);
    let found = f64::from(mean(&found));

    // The same network as a forecaster, its errors weighed on the host.
    let model = Checkpoint::new(spec.clone(), task.clone(), init::tensors(&spec, 3));
    let forecaster = Forecaster::new(&model, &Device::flex()).expect("fits");
    let values = task.output_values();
    let areas = task.grid().weights();
    let norm = |steps: usize| {
        let forecast = forecaster.start_steps(&frames[..values], 1, steps, Rollout::Member);
        let forecast = forecast.expect("feeds back");
        let field = block_on(forecast.members(0..1)).expect("a member");
        let truth = &frames[steps * values..(steps + 1) * values];
        let squares = field.iter().zip(truth).enumerate();
        let squares = squares.map(|(i, (u, y))| f64::from(u - y).powi(2) * areas[i / 2]);
        (squares.sum::<f64>() / areas.len() as f64).sqrt()
    };
    let wanted = 0.5 * (norm(1) + norm(2));
    assert!((found - wanted).abs() < 1e-5, "{found} instead of {wanted}");
}
