//! The published numbers, written out once more, against what the files give.

use super::*;
use crate::train::settings::{Schedule, Settings};
use pno::spec::{Loss, ModelSpec};
use pno::task::Task;
use {Experiment as E, Method as M, Operator as O, Schedule as S};

fn paper(experiment: Experiment, operator: Operator, method: Method) -> Settings {
    let preset = Settings::preset(
        experiment,
        operator,
        method,
        Profile::Paper,
        Size::Paper,
        None,
    );
    preset.expect("published")
}

/// Learning rate; then for PNO_D, PNO_R, MCD and DET: batch, schedule, dropout.
type Published = (E, O, f64, [(usize, S, f32); 4]);

const METHODS: [M; 4] = [M::PnoD, M::PnoR, M::Mcd, M::Det];
const PUBLISHED: [Published; 6] = [
    (
        E::Darcy,
        O::Fno,
        1e-3,
        [
            (64, S::Constant, 0.2),
            (64, S::Plateau, 0.01),
            (64, S::Plateau, 0.02),
            (64, S::Plateau, 0.02),
        ],
    ),
    (
        E::Darcy,
        O::Uno,
        1e-3,
        [
            (64, S::Constant, 0.15),
            (64, S::Constant, 0.001),
            (64, S::Constant, 0.05),
            (64, S::Constant, 0.001),
        ],
    ),
    (
        E::Ks,
        O::Fno,
        1e-3,
        [
            (64, S::Constant, 0.2),
            (64, S::Constant, 0.1),
            (64, S::Constant, 0.05),
            (64, S::Constant, 0.01),
        ],
    ),
    (
        E::Ks,
        O::Uno,
        1e-3,
        [
            (32, S::Constant, 0.02),
            (32, S::Plateau, 0.005),
            (32, S::Constant, 0.15),
            (32, S::Plateau, 0.001),
        ],
    ),
    (
        E::Sswe,
        O::Sfno,
        5e-3,
        [
            (16, S::Plateau, 0.01),
            (32, S::Plateau, 0.005),
            (32, S::Plateau, 0.01),
            (32, S::Plateau, 0.001),
        ],
    ),
    (
        E::Era5,
        O::Fno,
        5e-3,
        [
            (8, S::Plateau, 0.2),
            (16, S::Plateau, 0.1),
            (16, S::Plateau, 0.05),
            (16, S::Plateau, 0.01),
        ],
    ),
];

#[test]
fn every_number_of_the_published_runs_is_theirs() {
    for (experiment, operator, rate, methods) in PUBLISHED {
        for (method, (batch, schedule, dropout)) in METHODS.into_iter().zip(methods) {
            let what = format!("{experiment} {operator} {method}");
            let Settings { model, train, .. } = paper(experiment, operator, method);
            assert_eq!(train.learning_rate, rate, "{what}");
            assert_eq!((train.batch, train.schedule), (batch, schedule), "{what}");
            assert_eq!(
                (model.dropout, model.fourier_dropout),
                (dropout, dropout),
                "{what}"
            );
            let scores = matches!(method, M::PnoD | M::PnoR);
            let loss = if scores {
                (Loss::Energy, 3)
            } else {
                (Loss::L2, 1)
            };
            assert_eq!((train.loss, train.members), loss, "{what}");
            assert_eq!(
                (train.epochs, train.silent_epochs, train.patience),
                (1000, 50, 10)
            );
            assert_eq!(
                (train.clip, train.steps, train.stages.len()),
                (1.0, 1, 0),
                "{what}"
            );
        }
    }
}

#[test]
fn the_networks_are_those_whose_parameters_are_counted_against_the_paper() {
    for (experiment, operator, ..) in PUBLISHED {
        for method in METHODS {
            for profile in [Profile::Fixed, Profile::Paper] {
                let preset =
                    Settings::preset(experiment, operator, method, profile, Size::Paper, None);
                let model = preset.expect("published").model;
                let wanted = ModelSpec::paper(experiment, operator, method, profile);
                assert_eq!(Some(model), wanted, "{experiment} {operator} {method}");
            }
        }
    }
    for experiment in [E::Darcy, E::Ks, E::Sswe, E::Era5] {
        let named = operators(experiment).expect("a file");
        let wanted = PUBLISHED.iter().filter(|row| row.0 == experiment);
        assert_eq!(named, wanted.map(|row| row.1).collect::<Vec<_>>());
    }
}

#[test]
fn data_sets_and_seeds_are_the_published_ones() {
    let paper = |experiment| recipe(experiment, Size::Paper, &[]).expect("a recipe");
    let nine = [
        1,
        12,
        123,
        1234,
        12345,
        123_456,
        1_234_567,
        12_345_678,
        123_456_789,
    ];
    for (experiment, shares, grid) in [
        (E::Darcy, [7200, 1800, 1000], vec![64, 64]),
        (E::Ks, [7200, 1800, 1000], vec![20, 256]),
        (E::Sswe, [4000, 1000, 500], vec![128, 256]),
    ] {
        let recipe = paper(experiment);
        assert_eq!(recipe.seeds, nine, "{experiment}");
        let task = recipe.task().expect("a source").expect("a task");
        assert_eq!(task.input_shape(), grid, "{experiment}, training");
        let data = recipe.data.expect("generated");
        assert_eq!((data.shares, data.profile), (shares, Profile::Paper));
    }
    let long = paper(E::Sswe).rollout.expect("for ten hours");
    assert_eq!((long.shares, long.frames), ([0, 0, 500], Some(11)));
    assert_eq!(paper(E::Era5).seeds, nine[..4]);
    assert_eq!(paper(E::Era5).data, None);
}

#[test]
fn every_choice_of_every_file_is_valid_and_every_key_is_known() {
    for experiment in E::ALL {
        let file = file(*experiment).expect("a file");
        layer::check_layer(&file).expect("known keys");
        for size in Size::ALL {
            let recipe = recipe(*experiment, size, &[]).expect("a recipe");
            assert!(!recipe.seeds.is_empty(), "{experiment} {size}");
            let names = variants(*experiment).expect("variants");
            for operator in operators(*experiment).expect("operators") {
                for method in METHODS {
                    for variant in std::iter::once(None).chain(names.iter().map(Some)) {
                        let variants: Vec<String> = variant.iter().map(|v| v.0.clone()).collect();
                        let Some(task) = task_of(*experiment, size, &variants) else {
                            continue;
                        };
                        let choice = Choice {
                            experiment: *experiment,
                            operator,
                            method,
                            profile: Profile::Fixed,
                            size,
                            variants: &variants,
                            task: Some(&task),
                        };
                        let what = format!("{choice:?}");
                        let settings = Settings::chosen(&choice, None).expect(&what);
                        settings.model.fits(&task).expect(&what);
                        assert_eq!(
                            settings.train.seed == 12345,
                            variant.is_some_and(|v| v.0 == "fine-tune")
                                && size == Size::Paper
                                && *experiment == E::Ks
                        );
                    }
                }
            }
        }
    }
}

/// The task of the data that a choice would be trained on, with the sizes of the changes that are counted when they are made.
fn task_of(experiment: E, size: Size, variants: &[String]) -> Option<Task> {
    let recipe = recipe(experiment, size, variants).expect("a recipe");
    let mut task = recipe.task().expect("a source")?;
    if task.feeds_back() {
        for output in &mut task.outputs {
            output.increment.get_or_insert(1.0);
        }
    }
    Some(task)
}

#[test]
fn small_is_the_published_network_on_less() {
    for (experiment, operator, train, test) in [
        (E::Darcy, O::Fno, vec![32, 32], vec![64, 64]),
        (E::Ks, O::Fno, vec![20, 128], vec![20, 128]),
        (E::Sswe, O::Sfno, vec![32, 64], vec![32, 64]),
    ] {
        let recipe = recipe(experiment, Size::Small, &[]).expect("a recipe");
        let data = recipe.data.expect("generated");
        let shape = |split| data.task(experiment, split).expect("a task").input_shape();
        assert_eq!(shape(crate::data::Split::Train), train);
        assert_eq!(shape(crate::data::Split::Test), test);
        for method in METHODS {
            let small = Settings::preset(
                experiment,
                operator,
                method,
                Profile::Paper,
                Size::Small,
                None,
            );
            let (mut small, paper) = (small.expect("small"), paper(experiment, operator, method));
            assert_eq!(small.train.schedule, S::Cosine, "{experiment} {method}");
            if experiment == E::Sswe {
                // 32 circles carry half the degrees.
                assert_eq!(small.model.modes, [16, 16]);
                small.model.modes = vec![32, 32];
            }
            assert_eq!(small.model, paper.model, "{experiment} {method}");
        }
    }
}

fn ks(size: Size, variants: &[&str], method: M) -> Result<Settings> {
    let variants: Vec<String> = variants.iter().map(|&v| v.to_owned()).collect();
    let choice = Choice {
        experiment: E::Ks,
        operator: O::Fno,
        method,
        profile: Profile::Fixed,
        size,
        variants: &variants,
        task: None,
    };
    Settings::chosen(&choice, None)
}

#[test]
fn the_shipped_models_can_still_be_trained_by_name() {
    // Settings of models/ks-pno-r.pno, from its header.
    let demo = ks(Size::Demo, &[], M::PnoR).expect("demo");
    let model = &demo.model;
    assert_eq!(
        (model.lifting, model.projection, &model.modes[..]),
        (32, 64, &[10, 40][..])
    );
    let train = &demo.train;
    assert_eq!(
        (train.batch, train.epochs, train.schedule),
        (8, 8, S::Cosine)
    );
    assert_eq!(train.learning_rate, 2e-3);
}

#[test]
fn the_whole_spectrum_is_a_variant_of_any_size_and_differs_in_nothing_else() {
    for size in [Size::Small, Size::Paper] {
        let narrow = ks(size, &[], M::PnoD).expect("narrow");
        let mut wide = ks(size, &["full-spectrum"], M::PnoD).expect("wide");
        assert_eq!(wide.model.modes, [20, 64]);
        wide.model.modes.clone_from(&narrow.model.modes);
        assert_eq!(wide, narrow);
    }
    let refused = ks(Size::Small, &["full-spectrun"], M::PnoD).expect_err("a slip");
    assert_eq!(
        refused.to_string(),
        "unknown variant of ks `full-spectrun`, did you mean `full-spectrum`?"
    );
}

#[test]
fn fine_tuning_is_the_published_study() {
    let tuned = ks(Size::Paper, &["fine-tune"], M::PnoD).expect("tuned");
    let train = &tuned.train;
    assert_eq!(
        (train.silent_epochs, train.schedule, train.seed),
        (5, S::Plateau, 12345)
    );
    assert_eq!((train.learning_rate, tuned.model.dropout), (1e-3, 0.2));
}

#[test]
fn a_users_file_lies_over_ours_and_inner_tables_over_outer_ones() {
    let own: Table = "
        [train]
        batch = 5
        [method.det.train]
        batch = 6
        [size.small.method.det.train]
        batch = 7"
        .parse()
        .expect("TOML");
    layer::check_layer(&own).expect("known");
    let batch = |method, size| {
        let choice = Choice {
            experiment: E::Ks,
            operator: O::Uno,
            method,
            profile: Profile::Fixed,
            size,
            variants: &[],
            task: None,
        };
        Settings::chosen(&choice, Some(&own))
            .expect("valid")
            .train
            .batch
    };
    assert_eq!(batch(M::PnoD, Size::Paper), 5);
    assert_eq!(batch(M::Det, Size::Paper), 6);
    assert_eq!(batch(M::Det, Size::Small), 7);
}
