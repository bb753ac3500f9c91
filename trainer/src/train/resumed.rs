//! What a resumed run may be asked for: what it began with, and another length.

use anyhow::{Result, bail};

use super::rules::Rules;
use super::settings::Settings;

/// Said of every difference.
pub const KEPT: &str = "a resumed run keeps its settings, only stages that are not over can get another number of epochs; leave it out, or begin another run";

/// Refuses settings that a run with these validation losses cannot go on with, naming the first of them with both values.
///
/// The numbers of epochs may be others: `train.epochs` as long as the first stage is not over (or there is no other), and
/// those of later stages likewise.
pub fn check(run: &Settings, asked: &Settings, losses: &[f64]) -> Result<()> {
    let stage = Rules::replay(&run.train, losses).stage;
    let mut same = asked.clone();
    if stage == 0 {
        same.train.epochs = run.train.epochs;
    }
    let later = same.train.stages.iter_mut().zip(&run.train.stages);
    for (asked, run) in later.skip(stage.saturating_sub(1)) {
        asked.epochs = run.epochs;
    }
    let Some((key, found, wanted)) = run.first_difference(&same)? else {
        return Ok(());
    };
    if key == "train.epochs" {
        bail!(
            "setting `{key}` is {found} in the run, but {wanted} is asked for, and that stage is over: {KEPT}"
        );
    }
    bail!("setting `{key}` is {found} in the run, but {wanted} is asked for: {KEPT}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use pno::spec::{Experiment, Method, Operator, Profile};

    /// Two epochs of one step, then three of two.
    fn settings(set: &[&str]) -> Settings {
        let (experiment, method) = (Experiment::Sswe, Method::PnoR);
        let (operator, profile) = (Operator::Sfno, Profile::Fixed);
        let preset = Settings::preset(experiment, operator, method, profile, Size::Demo, None);
        let staged = ["train.epochs=2", "train.stages=[{steps=2,epochs=3}]"];
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
