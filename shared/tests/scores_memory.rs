//! All scores of one case in little memory: less than half of the input beside it.
#![allow(missing_docs)]

mod counting;

use pno::noise::normal::fill;
use pno::score::{Event, Measure, Options, Verification};

// One test alone in this file: another beside it would be counted too.
#[test]
fn a_case_is_scored_in_less_than_one_and_a_half_times_its_size_however_many_there_are() {
    let (members, shape) = (100, [80, 125]);
    let points = shape.iter().product();
    let mut ensemble = vec![0.0; members * points];
    fill([1, 2], &mut ensemble);
    let mut truth = vec![0.0; points];
    fill([3, 4], &mut truth);
    let input = size_of_val(ensemble.as_slice()) + size_of_val(truth.as_slice());
    let options = Options {
        events: vec![Event::above(1.0)],
        ..Options::default()
    };

    let before = counting::live();
    counting::restart();
    let mut verification = Verification::new(Measure::grid(&shape), options);
    verification.push(&ensemble, &truth).expect("a case");
    let (one_case, first_peak) = (counting::live() - before, counting::peak() - before);
    for _ in 0..2 {
        verification.push(&ensemble, &truth).expect("a case");
    }
    let three_cases = counting::live() - before;
    let (report, maps) = verification.finish();
    let peak = counting::peak() - before;

    let share = |bytes: usize| bytes as f64 / input as f64;
    println!(
        "beside {input} bytes of input: {:.3} of it for one case, {:.3} for three",
        share(first_peak),
        share(peak)
    );
    assert!(
        share(peak) < 0.5,
        "{:.2} of the input beside it",
        share(peak)
    );
    assert_eq!(one_case, three_cases, "memory grows with the cases");
    // The count is not blind: the maps alone are this large.
    assert!(one_case >= 48 * points);
    assert_eq!((report.cases, maps.crps.len()), (3, points));
}
