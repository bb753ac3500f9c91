//! Plain progress lines for when nobody sits at a terminal (burn-train's dashboard is for those who do).

use std::io::Write;
use std::time::Instant;

use burn::train::logger::{EvaluationProgressLogger, TrainingProgressLogger};
use burn::train::metric::MetricDefinition;
use burn::train::renderer::{
    EvaluationName, MetricState, MetricsRenderer, MetricsRendererEvaluation,
    MetricsRendererTraining,
};

use super::history::{EpochRecord, History};

/// Epochs whose mean time tells how long the rest will take.
const RECENT: usize = 5;

/// Writes one line per epoch, and one per tenth of a long epoch.
pub struct PlainLines {
    history: History,
    total_epochs: usize,
    split: String,
    items: usize,
    tenths: usize,
    epoch: usize,
    /// Epochs already told.
    told: usize,
    epoch_began: Instant,
}

impl PlainLines {
    /// Lines that tell what `history` will hold.
    pub fn new(history: History) -> Self {
        Self {
            told: history.records().len(),
            history,
            total_epochs: 0,
            split: String::new(),
            items: 0,
            tenths: 0,
            epoch: 0,
            epoch_began: Instant::now(),
        }
    }

    fn line(text: &str) {
        // Progress is not the product: a closed pipe must not end the training.
        let _ = writeln!(std::io::stdout(), "{text}");
    }

    /// Tells the epochs that have ended since the last time.
    fn tell(&mut self) {
        let records = self.history.records();
        let best = self.history.rules().best;
        for record in records.iter().skip(self.told) {
            let is_best = best.is_some_and(|(epoch, _)| epoch == record.epoch);
            let left = match self.total_epochs.saturating_sub(record.epoch) {
                0 => String::new(),
                epochs => format!(
                    ", at most {} left",
                    spoken(epochs as f64 * recent(&records[..record.epoch]))
                ),
            };
            Self::line(&format!(
                "epoch {}/{}: train {:.4}, valid {:.4}{}, rate {:.1e}, {}{left}",
                record.epoch,
                self.total_epochs,
                record.train_loss.unwrap_or(f64::NAN),
                record.valid_loss,
                if is_best { " (best)" } else { "" },
                record.learning_rate,
                spoken(record.seconds.unwrap_or(0.0)),
            ));
        }
        self.told = records.len();
    }
}

/// Mean seconds of the last epochs.
fn recent(records: &[EpochRecord]) -> f64 {
    let last = &records[records.len().saturating_sub(RECENT)..];
    let seconds: Vec<f64> = last.iter().filter_map(|record| record.seconds).collect();
    seconds.iter().sum::<f64>() / seconds.len().max(1) as f64
}

/// Seconds as people say them.
fn spoken(secs: f64) -> String {
    match secs {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

impl TrainingProgressLogger for PlainLines {
    fn start(
        &mut self,
        total_epochs: usize,
        starting_epoch: usize,
        _items: Option<usize>,
        _label: Option<&str>,
    ) {
        self.total_epochs = total_epochs;
        self.epoch = starting_epoch;
        self.epoch_began = Instant::now();
    }

    fn start_split(&mut self, split: &str, total_items: usize) {
        split.clone_into(&mut self.split);
        (self.items, self.tenths) = (total_items, 0);
        // The rules see an epoch right after it ends; by the time the next one starts its line can be written.
        if split.eq_ignore_ascii_case("train") {
            self.tell();
            self.epoch_began = Instant::now();
        }
    }

    fn update_split(&mut self, items_processed: usize) {
        let tenths = items_processed * 10 / self.items.max(1);
        let slow = self.epoch_began.elapsed().as_secs() > 30;
        if tenths > self.tenths && slow && tenths < 10 {
            Self::line(&format!(
                "  epoch {}: {} {tenths}0 %",
                self.epoch,
                self.split.to_lowercase()
            ));
            self.tenths = tenths;
        }
    }

    fn update_epoch(&mut self, epoch: usize) {
        self.epoch = epoch + 1;
    }

    fn end_split(&mut self) {}

    fn end(&mut self) {
        self.tell();
    }

    // One event per step: too many for lines.
    fn log_event_training(&mut self, _event: String) {}
}

impl EvaluationProgressLogger for PlainLines {
    fn start_global_progress(&mut self, _total_tests: usize) {}
    fn start_test(&mut self, _name: &str, _total_items: usize) {}
    fn update_test_progress(&mut self, _items_processed: usize) {}
    fn end_test(&mut self) {}
    fn end_global_progress(&mut self) {}
    fn log_event_evaluation(&mut self, _event: String) {}
}

impl MetricsRendererTraining for PlainLines {
    fn update_train(&mut self, _state: MetricState) {}
    fn update_valid(&mut self, _state: MetricState) {}
}

impl MetricsRendererEvaluation for PlainLines {
    fn update_test(&mut self, _name: EvaluationName, _state: MetricState) {}
}

impl MetricsRenderer for PlainLines {
    fn manual_close(&mut self) {}
    fn register_metric(&mut self, _definition: MetricDefinition) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_last_epochs() {
        let record = |seconds: f64| EpochRecord {
            epoch: 1,
            train_loss: None,
            valid_loss: 1.0,
            learning_rate: 1e-3,
            members: 3,
            steps: 1,
            seconds: Some(seconds),
        };
        let slow = [100.0; 9].map(record);
        let mut records = slow.to_vec();
        records.extend([2.0, 2.0, 2.0, 2.0, 7.0].map(record));
        assert!((recent(&records) - 3.0).abs() < 1e-12);
        assert!((recent(&slow[..1]) - 100.0).abs() < 1e-12);
        assert_eq!(recent(&[]), 0.0);
        assert_eq!(
            [spoken(75.0), spoken(600.0), spoken(9000.0)],
            ["75 s", "10 min", "2.5 h"]
        );
    }
}
