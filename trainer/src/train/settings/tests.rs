//! Presets, overrides and the file of the settings.

use super::*;

fn preset() -> Settings {
    of(Operator::Fno)
}

fn of(operator: Operator) -> Settings {
    let (experiment, method) = (Experiment::Ks, Method::PnoD);
    let preset = Settings::preset(
        experiment,
        operator,
        method,
        Profile::Fixed,
        Size::Small,
        None,
    );
    preset.expect("a preset")
}

fn set(overrides: &[&str]) -> Result<Settings> {
    let overrides: Vec<Override> = overrides
        .iter()
        .map(|s| s.parse().expect("key=value"))
        .collect();
    preset().with_overrides(&overrides)
}

#[test]
fn overrides_change_what_they_name_and_nothing_else() {
    let changed = set(&[
        "train.batch=32",
        "model.modes=[10, 48]",
        "train.clip=2",
        "train.schedule=plateau",
    ])
    .expect("valid");
    let mut expected = preset();
    expected.train.batch = 32;
    expected.model.modes = vec![10, 48];
    expected.train.clip = 2.0;
    expected.train.schedule = Schedule::Plateau;
    assert_eq!(changed, expected);
}

#[test]
fn a_stage_has_its_own_numbers_or_those_of_the_stage_before() {
    let stages = "train.stages=[{steps=2,epochs=1},{steps=4,epochs=1,batch=8,members=2},{steps=8,epochs=1,entries=5}]";
    let settings = set(&["train.batch=32", "train.members=6", stages]).expect("valid");
    let train = &settings.train;
    let of = |number: &dyn Fn(usize) -> usize| train.each_stage().map(number).collect::<Vec<_>>();
    assert_eq!(of(&|s| train.batch_of(s)), [32, 32, 8, 8]);
    assert_eq!(of(&|s| train.entries_of(s)), [0, 0, 0, 5]);
    assert_eq!(of(&|s| train.most_members_of(s)), [6, 6, 2, 2]);
    let text = settings.to_toml().expect("TOML");
    assert_eq!(Settings::from_toml(&text).expect("readable"), settings);
    for (stage, wanted) in [
        ("batch=0", "batch of at least 1"),
        ("members=1", "at least 2"),
    ] {
        let stages = format!("train.stages=[{{steps=2,epochs=1,{stage}}}]");
        let message = set(&[stages.as_str()]).expect_err(stage).to_string();
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn a_spectral_term_needs_a_loss_that_it_goes_with() {
    assert!(set(&["train.spectral=0.5", "train.loss=energy+crps"]).is_ok());
    for wrong in [
        &["train.spectral=-1"][..],
        &["train.spectral=1", "train.loss=kernel"],
    ] {
        let message = set(wrong).expect_err("refused").to_string();
        assert!(message.contains("`train.spectral` must be"), "{message}");
    }
}

#[test]
fn settings_survive_their_file() {
    for operator in [Operator::Fno, Operator::Uno] {
        let text = of(operator).to_toml().expect("TOML");
        assert_eq!(Settings::from_toml(&text).expect("readable"), of(operator));
    }
}

#[test]
fn a_wrong_key_or_value_is_named() {
    let message = |o: &str| set(&[o]).unwrap_err().to_string();
    assert!(message("train.bath=3").contains("did you mean `train.batch`"));
    assert!(message("trian.batch=3").contains("did you mean `train.batch`"));
    assert!(message("batch=3").contains("did you mean `train.batch`"));
    assert!(message("train.modes=[3]").contains("did you mean `model.modes`"));
    assert!(message("train.stages=[{steps=2}]").contains("epochs"));
    assert!(message("train.stages=[{steps=2,epochs=0}]").contains("train.stages"));
    assert!(message("train.stages=[{steps=1,epochs=3}]").contains("another number of steps"));
    assert!(message("train.batch=many").contains("train.batch"));
    assert!(message("train.members=1").contains("at least 2"));
    assert!(message("model.width=0").contains("width is 0"));
    assert!(message("train.loss=energie").contains("train.loss"));
    assert!(message("train.loss=l2").contains("`pno-d` cannot be trained with loss `l2`"));
    assert!(message("train.loss_weight=-1").contains("at least 0"));
    assert!(message("train.members_schedule=[[5,3],[5,8]]").contains("rising epochs"));
    assert!(message("train.members_schedule=[[5,1]]").contains("train.members` is 1"));
    assert!(message("train.steps=0").contains("train.steps"));
    assert!(message("train.bandwidth=0").contains("positive"));
    assert!(message("model.method=det").contains("`det` cannot be trained with"));
}

#[test]
fn every_method_has_its_loss_and_its_members() {
    let of = |method| {
        let (experiment, operator) = (Experiment::Ks, Operator::Fno);
        Settings::preset(
            experiment,
            operator,
            method,
            Profile::Paper,
            Size::Paper,
            None,
        )
    };
    for (method, loss, members) in [
        (Method::Det, Loss::L2, 1),
        (Method::Mcd, Loss::L2, 1),
        (Method::PnoD, Loss::Energy, 3),
        (Method::PnoR, Loss::Energy, 3),
    ] {
        let settings = of(method).expect("a preset");
        settings.validate().expect("valid");
        let train = settings.train;
        assert_eq!((train.loss, train.members), (loss, members), "{method}");
        assert_eq!(train.rollout, Rollout::Mean, "as published");
    }
    let several = |method, members: usize| {
        let mut settings = of(method).expect("a preset");
        settings.train.members = members;
        settings.validate()
    };
    several(Method::Mcd, 3).expect("every pass has its mask");
    let refused = several(Method::Det, 3).expect_err("copies").to_string();
    assert!(refused.contains("must be 1, since"), "{refused}");
}

#[test]
fn losses_and_schedules_survive_their_file() {
    for loss in ["crps", "energy+crps", "kernel"] {
        let loss = format!("train.loss={loss}");
        let settings = set(&[&loss, "train.members_schedule=[[0,3],[20,8]]"]).expect(&loss);
        assert_eq!(settings.train.members_schedule, [(0, 3), (20, 8)]);
        let text = settings.to_toml().expect("TOML");
        assert_eq!(Settings::from_toml(&text).expect("readable"), settings);
        let name = settings.train.loss.name();
        assert!(text.contains(&format!("loss = \"{name}\"")), "{text}");
    }
}

#[test]
fn settings_from_before_there_were_losses_are_still_read() {
    let text = preset().to_toml().expect("TOML");
    let new = [
        "loss",
        "loss_weight",
        "bandwidth",
        "members_schedule",
        "steps",
        "rollout",
        "micro_batch",
        "micro_members",
        "keep_every",
        "from",
        "stages",
    ];
    let is_new = |line: &str| new.iter().any(|key| line.starts_with(&format!("{key} = ")));
    let old: Vec<&str> = text.lines().filter(|line| !is_new(line)).collect();
    assert_eq!(old.len() + new.len(), text.lines().count());
    assert_eq!(
        Settings::from_toml(&old.join("\n")).expect("readable"),
        preset()
    );
}

#[test]
fn the_two_rates_of_dropout_are_set_each_by_itself() {
    let settings = set(&["model.dropout=0.3", "model.fourier_dropout=0"]).expect("valid");
    assert_eq!(
        (settings.model.dropout, settings.model.fourier_dropout),
        (0.3, 0.0)
    );
}

#[test]
fn a_slip_in_the_file_of_a_run_is_told_what_was_meant() {
    let text = preset().to_toml().expect("TOML");
    let slip = text.replace("learning_rate", "lerning_rate");
    assert_eq!(
        Settings::from_toml(&slip).expect_err("a slip").to_string(),
        "unknown setting `train.lerning_rate`, did you mean `train.learning_rate`?"
    );
}
