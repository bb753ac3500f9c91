//! A loss that is no number.

use super::*;

#[test]
fn a_batch_with_a_value_that_is_no_number_stops_training_with_a_sentence() {
    use crate::train::history::{History, Phase};
    use crate::train::watch::Watch;
    use burn::data::dataloader::Progress;
    use burn::train::Interrupter;
    use burn::train::metric::{Metric, MetricMetadata};

    let task = task(&[24], Domain::Flat, 1);
    let (spec, train) = (
        spec(Operator::Fno, Method::PnoD, &task),
        settings(Method::PnoD),
    );
    let device = Device::flex().autodiff();
    for (planted, finite) in [(f32::NAN, false), (1.0, true)] {
        let mut fields = waves(&task, 6);
        fields[4 * 24 + 3] = planted;
        let cases = Loaded::of_fields(task.clone(), &fields, &fields);
        let batches = Batches::new(cases, 2, false, 5, 6, &device);
        let batch = batches.iter().nth(2).expect("a batch").expect("in memory");
        let output = TrainStep::step(&trainee(&spec, &train, &task), batch);
        let (history, interrupter) = (
            History::new(vec![], &train, vec![3], vec![1]),
            Interrupter::new(),
        );
        let names = spec.tensors().into_iter().map(|t| t.name).collect();
        let mut watch = Watch::new(Phase::Train, &history, &interrupter, names);
        let metadata = MetricMetadata {
            progress: Progress::new(1, 1, None),
            iteration: None,
            lr: None,
        };
        watch.update(&output.item.0, &metadata).expect("read");
        assert_eq!(interrupter.should_stop(), !finite);
        let failure = history.failure();
        let Some(sentence) = failure.filter(|_| !finite) else {
            assert!(finite);
            continue;
        };
        for part in [
            "epoch 7, batch 3 of 3",
            "the loss is NaN",
            "` with norm NaN",
        ] {
            assert!(sentence.contains(part), "{sentence}");
        }
    }
}
