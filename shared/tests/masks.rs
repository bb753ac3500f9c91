//! Scores of fields with masks are those of the values that are left, however the masked ones look.

use pno::noise::uniforms;
use pno::score::{Event, Measure, Numbers, Options, Report, Verification};
use pno::task::Mask;

const MEMBERS: usize = 7;
const SIZES: [usize; 3] = [2, 4, 6];
const CHANNELS: usize = 2;
const VALUES: usize = 48 * CHANNELS;

fn masks() -> Vec<Option<Mask>> {
    vec![
        Mask::new(&SIZES[1..], |i| i % 6 < 2 && i / 6 < 3),
        Mask::new(&SIZES[1..], |i| i % 5 == 3),
    ]
}

fn weights() -> Vec<f64> {
    (0..24).map(|i| 0.5 + 0.1 * f64::from(i)).collect()
}

fn values(stream: u64, count: usize) -> Vec<f32> {
    let uniforms = uniforms(11, stream, count);
    uniforms.iter().map(|u| (3.0 * u - 1.0) as f32).collect()
}

/// The case, with one kind of nonsense at the masked values.
fn case(measure: &Measure, nonsense: f32) -> (Vec<f32>, Vec<f32>) {
    let (mut members, mut truth) = (values(1, MEMBERS * VALUES), values(2, VALUES));
    for (i, value) in members.iter_mut().enumerate() {
        if measure.leaves_out(i % VALUES) {
            *value = nonsense;
        }
    }
    for (i, value) in truth.iter_mut().enumerate() {
        if measure.leaves_out(i) {
            *value = nonsense;
        }
    }
    (members, truth)
}

fn options() -> Options {
    Options {
        events: vec![Event {
            threshold: 0.4,
            channel: None,
        }],
        variogram: false,
        spectra: false,
        // Of each channel by itself.
        rank_correlation: false,
        ..Options::default()
    }
}

fn report(measure: &Measure, options: Options, members: &[f32], truth: &[f32]) -> Report {
    let mut verification = Verification::new(measure.clone(), options);
    verification.push(members, truth).expect("a case");
    verification.finish().0
}

fn close(a: &Numbers, b: &Numbers, about: &str) {
    for ((name, found), (_, wanted)) in a.named().into_iter().zip(b.named()) {
        match (found, wanted) {
            (Some(found), Some(wanted)) => assert!(
                (found - wanted).abs() < 1e-9 * (1.0 + wanted.abs()),
                "{about}, {name}: {found} instead of {wanted}"
            ),
            (found, wanted) => assert_eq!(found, wanted, "{about}, {name}"),
        }
    }
}

#[test]
fn scores_with_masks_are_those_of_the_values_that_are_left() {
    let measure = Measure::grid(&SIZES)
        .with_channels(CHANNELS)
        .with_weights(weights())
        .with_masks(masks())
        .with_extent(0.7);
    let left: Vec<usize> = (0..VALUES).filter(|&v| !measure.leaves_out(v)).collect();
    assert_eq!(left.len(), 2 * (24 - 6) + 2 * (24 - 5));
    let all: f64 = (0..VALUES).map(|v| measure.weight(v)).sum();
    assert!((all / VALUES as f64 - 1.0).abs() < 1e-12, "mean 1: {all}");

    // The norm sums channels, which are points here.
    let alone = Measure::flat(left.len())
        .with_weights(left.iter().map(|v| weights()[v / CHANNELS % 24]).collect())
        .with_extent(0.7 * CHANNELS as f64);
    let (members, truth) = case(&measure, 0.0);
    let pick = |field: &[f32]| -> Vec<f32> { left.iter().map(|&v| field[v]).collect() };
    let picked: Vec<f32> = members.chunks(VALUES).flat_map(pick).collect();
    let wanted = report(&alone, options(), &picked, &pick(&truth));

    for nonsense in [0.0, f32::NAN, f32::INFINITY, 1e30] {
        let (members, truth) = case(&measure, nonsense);
        let found = report(&measure, options(), &members, &truth);
        close(&found.scores, &wanted.scores, &format!("{nonsense}"));
        let pairs = found.rank_histogram.frequencies.iter();
        for (found, wanted) in pairs.zip(&wanted.rank_histogram.frequencies) {
            assert!(
                (found - wanted).abs() < 1e-12,
                "{found} instead of {wanted}"
            );
        }
        let pairs = found.pit.iter().zip(&wanted.pit);
        assert!(pairs.map(|(a, b)| (a - b).abs()).all(|gap| gap < 1e-12));
        for (found, wanted) in found.quantile_scores.iter().zip(&wanted.quantile_scores) {
            assert!((found.score - wanted.score).abs() < 1e-9);
        }
        let brier = |report: &Report| report.events[0].brier.score;
        assert!((brier(&found) - brier(&wanted)).abs() < 1e-12);
    }
}

#[test]
fn maps_are_blank_at_masked_points_and_a_nan_elsewhere_is_still_a_broken_forecast() {
    let measure = Measure::grid(&SIZES)
        .with_channels(CHANNELS)
        .with_masks(masks());
    let (mut members, truth) = case(&measure, f32::NAN);
    let mut verification = Verification::new(measure.clone(), Options::default());
    verification.push(&members, &truth).expect("a case");
    let maps = verification.finish().1;
    for (name, map) in maps.named() {
        for (v, value) in map.iter().enumerate() {
            assert_eq!(value.is_nan(), measure.leaves_out(v), "{name} {v}: {value}");
        }
    }
    members[(0..VALUES).find(|&v| !measure.leaves_out(v)).expect("one")] = f32::NAN;
    let broken = report(&measure, options(), &members, &truth).scores;
    assert!(broken.crps.is_nan() && broken.energy_score.is_none_or(f64::is_nan));
}

#[test]
fn neighbours_of_masked_points_are_no_pairs_and_rows_with_one_have_no_spectrum() {
    let only = |mask: Option<Mask>| Measure::grid(&[3, 4]).with_masks(vec![mask]);
    let field = |stream| values(stream, 12);
    let members = [field(1), field(2), field(3)].concat();
    let truth = field(4);
    let options = || Options {
        variogram: true,
        spectra: true,
        ..options()
    };
    // The last row is masked: what is left is a grid of two rows.
    let measure = only(Mask::new(&[3, 4], |i| i >= 8));
    let found = report(&measure, options(), &members, &truth);
    let top =
        |fields: &[f32]| -> Vec<f32> { fields.chunks(12).flat_map(|f| f[..8].to_vec()).collect() };
    let wanted = report(
        &Measure::grid(&[2, 4]),
        options(),
        &top(&members),
        &top(&truth),
    );
    close(&found.scores, &wanted.scores, "two rows");
    for (found, wanted) in found.spectra[0]
        .members
        .iter()
        .zip(&wanted.spectra[0].members)
    {
        assert!(
            (found - wanted).abs() < 1e-12,
            "{found} instead of {wanted}"
        );
    }
    // A column is masked: there is no whole row left.
    let measure = only(Mask::new(&[4], |x| x == 2));
    let found = report(&measure, options(), &members, &truth);
    assert!(found.spectra.is_empty());
    let variogram = found.scores.variogram_score.expect("asked for");
    let root = |a: f32, b: f32| f64::from((a - b).abs()).sqrt();
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (a, b) in [(0, 1), (4, 5), (8, 9)]
        .into_iter()
        .chain([0, 1, 3, 4, 5, 7].map(|i| (i, i + 4)))
    {
        let mean: f64 = members.chunks(12).map(|m| root(m[a], m[b])).sum::<f64>() / 3.0;
        sum += (root(truth[a], truth[b]) - mean).powi(2);
        pairs += 1.0;
    }
    assert!(
        (variogram - sum / pairs).abs() < 1e-6,
        "{variogram} instead of {}",
        sum / pairs
    );
}
