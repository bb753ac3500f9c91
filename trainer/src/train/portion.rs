//! What an epoch takes of the data: the same in all epochs of a stage.

use super::settings::TrainSettings;

/// How the trajectories of an epoch become steps of the training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portion {
    /// Cases per step.
    pub batch: usize,
    /// How often every trajectory is entered, each time at a frame drawn anew; 0 for once, where the data set says.
    pub entries: usize,
    /// Steps of the forecast.
    pub steps: usize,
}

impl Portion {
    /// Those of all stages, in order. Trajectories are entered at most so often.
    pub fn of_stages(train: &TrainSettings, most_entries: usize) -> Vec<Self> {
        let of = |stage| Self {
            batch: train.batch_of(stage),
            entries: train.entries_of(stage).min(most_entries),
            steps: train.steps_of(stage),
        };
        train.each_stage().map(of).collect()
    }

    /// How many cases every trajectory is.
    pub fn each(&self) -> usize {
        self.entries.max(1)
    }

    /// Cases of an epoch over so many trajectories.
    pub fn cases(&self, trajectories: usize) -> usize {
        trajectories * self.each()
    }

    /// Steps of such an epoch.
    pub fn batches(&self, trajectories: usize) -> usize {
        self.cases(trajectories).div_ceil(self.batch)
    }
}
