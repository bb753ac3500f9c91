//! When to stop and how fast to learn: the rules of the published runs as a pure function of the validation losses so far.
//!
//! Because nothing else goes in, a resumed run replays its history and is where it was.

use super::settings::{Schedule, TrainSettings};

/// Counter above which the plateau schedule halves.
const HALVE_ABOVE: usize = 5;
/// The plateau schedule stops halving at this rate.
const LOWEST_RATE: f64 = 1e-4;

/// Where a run stands after some epochs.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Epochs seen.
    pub epochs: usize,
    /// Stage of the coming epoch, from 0. After the last epoch it is the last stage.
    pub stage: usize,
    /// The model so far: the lowest validation loss of its stage, and its epoch (from 1). A later stage forgets those before
    /// as soon as it has an epoch of its own, because the losses of different forecasts do not compare.
    pub best: Option<(usize, f64)>,
    /// Consecutive validations of the stage that did not improve since counting began.
    pub counter: usize,
    /// Learning rate of the plateau and constant schedules, and what a cosine begins with.
    rate: f64,
    /// Epochs seen before the stage began.
    began: usize,
    /// Lowest loss of the stage.
    lowest: f64,
    /// Lowest loss of the stage since counting began.
    best_counted: f64,
    settings: TrainSettings,
}

impl Rules {
    /// Before the first epoch.
    pub fn new(settings: &TrainSettings) -> Self {
        Self {
            epochs: 0,
            stage: 0,
            best: None,
            counter: 0,
            rate: settings.learning_rate,
            began: 0,
            lowest: f64::INFINITY,
            best_counted: f64::INFINITY,
            settings: settings.clone(),
        }
    }

    /// After the epochs whose validation losses these are.
    pub fn replay(settings: &TrainSettings, losses: &[f64]) -> Self {
        let mut rules = Self::new(settings);
        for &loss in losses {
            rules.observe(loss);
        }
        rules
    }

    /// Takes the validation loss of the next epoch; says whether it is the lowest of its stage so far.
    pub fn observe(&mut self, loss: f64) -> bool {
        // The paper has this rule between training and validation, so it sees the counter of the epoch before.
        if self.settings.schedule == Schedule::Plateau
            && self.counter > HALVE_ABOVE
            && self.rate > LOWEST_RATE
        {
            self.rate *= 0.5;
        }
        self.epochs += 1;
        let improved = loss < self.lowest;
        if improved {
            self.lowest = loss;
            self.best = Some((self.epochs, loss));
        }
        // The paper counts epochs from 0 and is silent up to and including epoch `silent_epochs`; later stages count at once.
        let silent = match self.stage {
            0 => self.settings.silent_epochs + 1,
            _ => 0,
        };
        if self.done() > silent {
            if loss < self.best_counted {
                self.best_counted = loss;
                self.counter = 0;
            } else {
                self.counter += 1;
            }
        }
        if self.stage_is_over()
            && let Some(next) = self.settings.stages.get(self.stage)
        {
            self.rate *= next.rate;
            self.stage += 1;
            self.began = self.epochs;
            self.counter = 0;
            (self.lowest, self.best_counted) = (f64::INFINITY, f64::INFINITY);
        }
        improved
    }

    fn stage_is_over(&self) -> bool {
        self.counter >= self.settings.patience || self.done() >= self.settings.epochs_of(self.stage)
    }

    /// Finished epochs of the stage.
    pub fn done(&self) -> usize {
        self.epochs - self.began
    }

    /// Whether training is over.
    pub fn finished(&self) -> bool {
        self.stage == self.settings.stages.len() && self.stage_is_over()
    }

    /// Steps of the forecast in the loss of the coming epoch.
    pub fn steps(&self) -> usize {
        self.settings.steps_of(self.stage)
    }

    /// Learning rate of a step of the coming epoch; `fraction` is how much of the epoch is done.
    pub fn learning_rate(&self, fraction: f64) -> f64 {
        let done = (self.epochs - self.began) as f64 + fraction;
        let warm_up = match self.stage {
            0 => self.settings.warm_up,
            _ => 0.0,
        };
        if done < warm_up {
            return self.rate * done / warm_up;
        }
        match self.settings.schedule {
            Schedule::Constant | Schedule::Plateau => self.rate,
            Schedule::Cosine => {
                let epochs = self.settings.epochs_of(self.stage) as f64;
                let progress = (done - warm_up) / (epochs - warm_up).max(f64::MIN_POSITIVE);
                0.5 * self.rate * (1.0 + (std::f64::consts::PI * progress.clamp(0.0, 1.0)).cos())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use crate::train::settings::{Settings, Stage};
    use pno::spec::{Experiment, Method, Operator, Profile};

    fn paper(schedule: Schedule) -> TrainSettings {
        let (experiment, method) = (Experiment::Ks, Method::PnoR);
        let (operator, profile) = (Operator::Fno, Profile::Paper);
        let preset = Settings::preset(experiment, operator, method, profile, Size::Paper, None);
        let preset = preset.expect("a preset");
        TrainSettings {
            schedule,
            ..preset.train
        }
    }

    #[test]
    fn a_run_that_never_improves_stops_after_the_published_sixty_two_epochs() {
        // Epoch indices 0..=50 are silent, 51 starts the count at its best, then ten without improvement.
        let mut rules = Rules::new(&paper(Schedule::Constant));
        let epochs = (1..1000).find(|_| {
            rules.observe(1.0);
            rules.finished()
        });
        assert_eq!(epochs, Some(62));
        assert_eq!(rules.best, Some((1, 1.0)));
    }

    #[test]
    fn an_improvement_resets_the_counter_even_if_it_is_not_the_best_of_all() {
        let mut losses = vec![0.1];
        losses.extend([1.0; 59]);
        losses.push(0.9);
        let rules = Rules::replay(&paper(Schedule::Constant), &losses);
        assert_eq!((rules.counter, rules.best), (0, Some((1, 0.1))));
    }

    #[test]
    fn a_plateau_halves_every_epoch_down_to_the_published_rate() {
        let rules = Rules::replay(&paper(Schedule::Plateau), &[1.0; 62]);
        // Counters 6, 7, 8, 9 halve 1e-3 to 6.25e-5, each after the training of the next epoch; at 10 the run ends.
        assert!((rules.learning_rate(0.0) - 6.25e-5).abs() < 1e-12);
        assert!(rules.finished());
        let rate = |epochs| {
            let losses = vec![1.0; epochs];
            Rules::replay(&paper(Schedule::Plateau), &losses).learning_rate(0.0)
        };
        // Epoch 58 brings the counter to 6, which epoch 59 still trains with.
        assert_eq!(
            [rate(57), rate(58), rate(59), rate(60)],
            [1e-3, 1e-3, 5e-4, 2.5e-4]
        );
    }

    #[test]
    fn the_cosine_ends_at_zero_and_replay_is_exact() {
        let settings = TrainSettings {
            epochs: 10,
            ..paper(Schedule::Cosine)
        };
        let rules = Rules::replay(&settings, &[1.0; 5]);
        assert!((rules.learning_rate(0.0) - 0.5e-3).abs() < 1e-12);
        let last = Rules::replay(&settings, &[1.0; 9]);
        assert!(last.learning_rate(1.0).abs() < 1e-12);
        let mut stepped = Rules::new(&settings);
        for loss in [3.0, 2.0, 2.5] {
            stepped.observe(loss);
        }
        assert_eq!(stepped, Rules::replay(&settings, &[3.0, 2.0, 2.5]));
    }

    #[test]
    fn a_warm_up_rises_from_zero_and_the_cosine_has_what_is_left() {
        let settings = TrainSettings {
            epochs: 10,
            warm_up: 2.0,
            ..paper(Schedule::Cosine)
        };
        let rate = |epochs: usize, fraction| {
            Rules::replay(&settings, &vec![1.0; epochs]).learning_rate(fraction)
        };
        let all = [
            rate(0, 0.0),
            rate(0, 0.5),
            rate(1, 0.0),
            rate(2, 0.0),
            rate(6, 0.0),
        ];
        for (found, wanted) in all.into_iter().zip([0.0, 0.25e-3, 0.5e-3, 1e-3, 0.5e-3]) {
            assert!((found - wanted).abs() < 1e-12, "{found}, not {wanted}");
        }
        assert!(rate(9, 1.0).abs() < 1e-12);
    }

    /// The published two steps on the sphere.
    fn two_step() -> TrainSettings {
        let preset = |variants: &[String]| {
            let choice = crate::experiments::Choice {
                experiment: Experiment::Sswe,
                operator: Operator::Sfno,
                method: Method::PnoD,
                profile: Profile::Paper,
                size: Size::Paper,
                variants,
                task: None,
            };
            Settings::chosen(&choice, None)
        };
        preset(&["two-step".into()]).expect("a preset").train
    }

    /// Losses that fall until index 60, then stay.
    fn plateau(epochs: usize) -> Vec<f64> {
        let loss = |e: usize| 1.0 - 0.01 * e.min(60) as f64;
        (0..epochs).map(loss).collect()
    }

    #[test]
    fn the_second_stage_begins_with_half_the_rate_two_steps_and_its_own_best() {
        let settings = two_step();
        let at = |epochs| Rules::replay(&settings, &plateau(epochs));
        // Index 60 is the lowest; the tenth epoch after it ends the stage.
        assert_eq!((at(70).stage, at(70).counter), (0, 9));
        let before = at(71);
        assert_eq!((before.stage, before.steps()), (1, 2));
        // 5e-3 halved four times in the plateau, and once for the stage.
        assert!((before.learning_rate(0.0) - 5e-3 / 32.0).abs() < 1e-15);
        assert_eq!(before.counter, 0);
        assert!(!before.finished());
        // Until the stage has an epoch, the model is that of the stage before; then its own, although the loss is higher.
        assert_eq!(before.best.map(|(epoch, _)| epoch), Some(61));
        let mut after = before.clone();
        assert!(after.observe(2.0), "the lowest of its stage");
        assert_eq!(after.best, Some((72, 2.0)));
    }

    #[test]
    fn the_second_stage_stops_at_once_when_nothing_improves_and_replay_is_exact() {
        let settings = two_step();
        let mut rules = Rules::new(&settings);
        let mut losses = vec![];
        let mut loss = |rules: &Rules| {
            let in_stage = losses.len() - rules.began;
            let next = match rules.stage {
                0 => 1.0 - 0.001 * in_stage.min(60) as f64,
                _ => 2.0 - 0.1 * in_stage.min(5) as f64,
            };
            losses.push(next);
            next
        };
        let mut states = vec![];
        while !rules.finished() {
            rules.observe(loss(&rules));
            states.push(rules.clone());
        }
        // 61 falling and 10 flat epochs; 6 falling and 10 flat ones without any silence.
        assert_eq!(rules.epochs, 71 + 16);
        assert_eq!(rules.best, Some((71 + 6, 1.5)));
        for (i, state) in states.iter().enumerate() {
            assert_eq!(state, &Rules::replay(&settings, &losses[..=i]), "epoch {i}");
        }
    }

    #[test]
    fn with_a_cosine_every_stage_has_its_own() {
        let settings = TrainSettings {
            schedule: Schedule::Cosine,
            learning_rate: 2e-3,
            epochs: 15,
            stages: vec![Stage {
                steps: 2,
                epochs: 4,
                rate: 0.25,
                batch: None,
                entries: None,
                members: None,
            }],
            ..two_step()
        };
        let at = |epochs: usize| Rules::replay(&settings, &vec![1.0; epochs]);
        assert!(at(14).learning_rate(1.0).abs() < 1e-12);
        assert!((at(15).learning_rate(0.0) - 5e-4).abs() < 1e-12);
        assert!((at(17).learning_rate(0.0) - 2.5e-4).abs() < 1e-12);
        assert!(!at(18).finished() && at(19).finished());
        assert_eq!((at(14).steps(), at(15).steps(), at(19).steps()), (1, 2, 2));
    }
}
