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
    /// Lowest validation loss of all epochs, and its epoch (from 1).
    pub best: Option<(usize, f64)>,
    /// Consecutive validations that did not improve since counting began.
    pub counter: usize,
    /// Learning rate of the plateau and constant schedules.
    rate: f64,
    best_counted: f64,
    settings: TrainSettings,
}

impl Rules {
    /// Before the first epoch.
    pub fn new(settings: &TrainSettings) -> Self {
        Self {
            epochs: 0,
            best: None,
            counter: 0,
            rate: settings.learning_rate,
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

    /// Takes the validation loss of the next epoch; says whether it is the lowest so far.
    pub fn observe(&mut self, loss: f64) -> bool {
        self.epochs += 1;
        let improved = self.best.is_none_or(|(_, best)| loss < best);
        if improved {
            self.best = Some((self.epochs, loss));
        }
        // The paper counts epochs from 0 and is silent up to and including epoch `silent_epochs`.
        if self.epochs > self.settings.silent_epochs + 1 {
            if loss < self.best_counted {
                self.best_counted = loss;
                self.counter = 0;
            } else {
                self.counter += 1;
            }
        }
        if self.settings.schedule == Schedule::Plateau
            && self.counter > HALVE_ABOVE
            && self.rate > LOWEST_RATE
        {
            self.rate *= 0.5;
        }
        improved
    }

    /// Whether training is over.
    pub fn finished(&self) -> bool {
        self.counter >= self.settings.patience || self.epochs >= self.settings.epochs
    }

    /// Learning rate of a step of the coming epoch; `fraction` is how much of the epoch is done.
    pub fn learning_rate(&self, fraction: f64) -> f64 {
        match self.settings.schedule {
            Schedule::Constant | Schedule::Plateau => self.rate,
            Schedule::Cosine => {
                let progress = (self.epochs as f64 + fraction) / self.settings.epochs as f64;
                0.5 * self.rate * (1.0 + (std::f64::consts::PI * progress.clamp(0.0, 1.0)).cos())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use crate::train::settings::Settings;
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
        // Counter 6, 7, 8, 9 halve 1e-3 to 6.25e-5; at 10 the run ends (below 1e-4 nothing is halved).
        assert!((rules.learning_rate(0.0) - 6.25e-5).abs() < 1e-12);
        assert!(rules.finished());
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
}
