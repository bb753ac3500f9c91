//! What a resumed run may be asked for: what it began with, and another length.

use anyhow::{Result, bail};

use super::rules::Rules;
use super::settings::{Schedule, Settings, TrainSettings};

/// Said of every difference.
pub const KEPT: &str = "a resumed run keeps its settings, only stages that are not over can get another number of epochs; leave it out, or begin another run";

/// Refuses settings that a run with these validation losses cannot go on with, naming the first of them with both values.
///
/// The numbers of epochs may be others: `train.epochs` as long as the first stage is not over (or there is no other), and
/// those of later stages likewise. What is done must be what a run of the new length would have done.
pub fn check(run: &Settings, asked: &Settings, losses: &[f64]) -> Result<()> {
    let rules = Rules::replay(&run.train, losses);
    let stage = rules.stage;
    let mut same = asked.clone();
    if stage == 0 {
        same.train.epochs = run.train.epochs;
    }
    let later = same.train.stages.iter_mut().zip(&run.train.stages);
    for (asked, run) in later.skip(stage.saturating_sub(1)) {
        asked.epochs = run.epochs;
    }
    let Some((key, found, wanted)) = run.first_difference(&same)? else {
        return check_length(&run.train, &asked.train, &rules);
    };
    if key == "train.epochs" {
        bail!(
            "setting `{key}` is {found} in the run, but {wanted} is asked for, and that stage is over: {KEPT}"
        );
    }
    bail!("setting `{key}` is {found} in the run, but {wanted} is asked for: {KEPT}");
}

/// Refuses another length of the stage under way that its finished epochs are not a part of.
fn check_length(run: &TrainSettings, asked: &TrainSettings, rules: &Rules) -> Result<()> {
    let (stage, done) = (rules.stage, rules.done());
    let (found, wanted) = (run.epochs_of(stage), asked.epochs_of(stage));
    if found == wanted || done == 0 {
        return Ok(());
    }
    let what = match stage {
        0 => format!("setting `train.epochs` is {found} in the run, but {wanted} is asked for"),
        later => format!(
            "setting `train.stages` has epochs = {found} in stage {} of the run, but {wanted} is asked for",
            later + 1
        ),
    };
    if run.schedule == Schedule::Cosine {
        bail!(
            "{what}, and with the schedule `cosine` the number of epochs decided the rates of the {done} that are done: leave it out, or begin another run with --from this one"
        );
    }
    if wanted < done {
        bail!(
            "{what}, and {done} of them are done: ask for {done} or more, leave it out, or begin another run"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use pno::spec::{Experiment, Method, Operator, Profile};

    /// Two epochs of one step, then three of two; the rate does not depend on their number.
    fn settings(set: &[&str]) -> Settings {
        let (experiment, method) = (Experiment::Sswe, Method::PnoR);
        let (operator, profile) = (Operator::Sfno, Profile::Fixed);
        let preset = Settings::preset(experiment, operator, method, profile, Size::Demo, None);
        let staged = [
            "train.epochs=2",
            "train.stages=[{steps=2,epochs=3}]",
            "train.schedule=constant",
        ];
        let all = staged.iter().chain(set).map(|text| text.parse());
        let all: Result<Vec<_>, String> = all.collect();
        preset
            .expect("a preset")
            .with_overrides(&all.expect("overrides"))
            .expect("valid")
    }

    fn refused(set: &[&str], losses: &[f64]) -> Option<String> {
        let checked = check(&settings(&[]), &settings(set), losses);
        checked.err().map(|error| error.to_string())
    }

    #[test]
    fn the_same_is_never_refused() {
        for done in 0..=5 {
            assert_eq!(refused(&[], &vec![1.0; done]), None);
        }
    }

    #[test]
    fn stages_that_are_not_over_can_get_another_length() {
        let first = ["train.epochs=4"];
        assert_eq!(refused(&first, &[1.0]), None);
        let message = refused(&first, &[1.0; 3]).expect("over");
        assert!(
            message.contains("`train.epochs` is 2 in the run, but 4 is asked for")
                && message.contains("that stage is over"),
            "{message}"
        );
        let second = ["train.stages=[{steps=2,epochs=7}]"];
        for done in 0..=5 {
            assert_eq!(refused(&second, &vec![1.0; done]), None, "{done}");
        }
    }

    #[test]
    fn a_stage_cannot_be_shorter_than_what_is_done_of_it() {
        let run = settings(&["train.epochs=10"]);
        let epochs = |first: usize, second: usize| {
            let first = format!("train.epochs={first}");
            let second = format!("train.stages=[{{steps=2,epochs={second}}}]");
            settings(&[first.as_str(), second.as_str()])
        };
        let refused = |asked: &Settings, done: usize| {
            let checked = check(&run, asked, &vec![1.0; done]);
            checked.err().map(|error| error.to_string())
        };
        // Eight epochs of one step: with five asked for, three of them would count as epochs of two steps.
        let message = refused(&epochs(5, 3), 8).expect("below what is done");
        assert!(
            message.contains("`train.epochs` is 10 in the run, but 5 is asked for")
                && message.contains("8 of them are done: ask for 8 or more"),
            "{message}"
        );
        assert_eq!(refused(&epochs(8, 3), 8), None);
        assert_eq!(refused(&epochs(8, 1), 8), None, "not begun");
        // Ten of one step, two of two.
        let message = refused(&epochs(10, 1), 12).expect("below what is done");
        assert!(
            message.contains("epochs = 3 in stage 2 of the run, but 1 is asked for")
                && message.contains("2 of them are done"),
            "{message}"
        );
        assert_eq!(refused(&epochs(10, 2), 12), None);
    }

    #[test]
    fn a_run_without_stages_cannot_be_shorter_than_what_is_done_of_it() {
        let alone = |epochs: &str| settings(&["train.stages=[]", epochs]);
        let run = alone("train.epochs=10");
        let refused = |epochs: &str| check(&run, &alone(epochs), &[1.0; 10]).is_err();
        assert!(refused("train.epochs=5"));
        assert!(!refused("train.epochs=10") && !refused("train.epochs=11"));
    }

    #[test]
    fn a_cosine_that_has_begun_keeps_its_number_of_epochs() {
        let cosine =
            |epochs: &str, stages: &str| settings(&["train.schedule=cosine", epochs, stages]);
        let (four, three) = ("train.epochs=4", "train.stages=[{steps=2,epochs=3}]");
        let run = cosine(four, three);
        let refused = |asked: &Settings, done: usize| {
            let checked = check(&run, asked, &vec![1.0; done]);
            checked.err().map(|error| error.to_string())
        };
        let longer = cosine("train.epochs=6", three);
        assert_eq!(refused(&longer, 0), None, "no rate was used yet");
        let message = refused(&longer, 1).expect("other rates");
        assert!(
            message.contains("`train.epochs` is 4 in the run, but 6 is asked for")
                && message.contains("decided the rates of the 1 that are done"),
            "{message}"
        );
        // Every stage has a cosine of its own.
        let second = cosine(four, "train.stages=[{steps=2,epochs=7}]");
        assert_eq!(refused(&second, 4), None);
        assert!(
            refused(&second, 5)
                .expect("other rates")
                .contains("stage 2")
        );
    }

    #[test]
    fn what_is_another_training_is_named_with_both_values() {
        let message = refused(&["train.seed=9"], &[]).expect("another");
        let (was, is) = (settings(&[]).train.seed, 9);
        let words = format!("`train.seed` is {was} in the run, but {is} is asked for");
        assert!(message.contains(&words), "{message}");
        let stages = ["train.stages=[{steps=3,epochs=3}]"];
        assert!(
            refused(&stages, &[])
                .expect("another")
                .contains("train.stages")
        );
        let none = ["train.stages=[]"];
        assert!(
            refused(&none, &[])
                .expect("another")
                .contains("train.stages")
        );
    }
}
