//! The loss of every batch, read once: counted for the epoch, shown on the dashboard, and watched for divergence.

use std::fmt::Write;
use std::sync::Arc;

use burn::tensor::{Tensor, TensorReadError};
use burn::train::Interrupter;
use burn::train::logger::MetricLogger;
use burn::train::metric::state::{FormatOptions, NumericMetricState};
use burn::train::metric::store::{EpochSummary, MetricsUpdate, Split};
use burn::train::metric::{
    Metric, MetricAttributes, MetricDefinition, MetricMetadata, MetricName, Numeric,
    NumericAttributes, NumericEntry, SerializedEntry,
};

use super::history::{History, Phase};

/// What a step says of itself. The numbers stay on the device until the metric reads them, on its own thread.
#[derive(Debug, Clone)]
pub struct Report {
    /// Loss of each case, then the squared norm of the gradient of each tensor.
    pub numbers: Tensor<1>,
    /// How many of them are losses.
    pub cases: usize,
    /// Epoch, from 1.
    pub epoch: usize,
    /// Batch of the epoch, from 1.
    pub batch: usize,
}

/// The metric "Loss".
#[derive(Clone)]
pub struct Watch {
    phase: Phase,
    history: History,
    interrupter: Interrupter,
    tensors: Arc<Vec<String>>,
    state: NumericMetricState,
}

impl Watch {
    /// Counts for `history`, and stops through `interrupter`; `tensors` are the names of the weights.
    pub fn new(
        phase: Phase,
        history: &History,
        interrupter: &Interrupter,
        tensors: Vec<String>,
    ) -> Self {
        Self {
            phase,
            history: history.clone(),
            interrupter: interrupter.clone(),
            tensors: Arc::new(tensors),
            state: NumericMetricState::new(),
        }
    }

    fn stop(&self, report: &Report, loss: f64, squares: &[f32]) {
        let phase = match self.phase {
            Phase::Train => "training",
            Phase::Valid => "validation",
        };
        let of = match self.phase {
            Phase::Train => format!(" of {}", self.history.batches()),
            Phase::Valid => String::new(),
        };
        let mut sentence = format!(
            "{phase} diverged in epoch {}, batch {}{of}: the loss is {loss:.3e}",
            report.epoch, report.batch
        );
        // What is not a number is larger than any number here; of several, the first is named.
        let largest = self
            .tensors
            .iter()
            .zip(squares)
            .rev()
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        if let Some((name, square)) = largest {
            let _ = write!(
                sentence,
                ", and the largest gradient is that of `{name}` with norm {:.3e}",
                f64::from(*square).sqrt()
            );
        }
        let advice = self.history.advice(report.epoch);
        self.history.fail(format!("{sentence}; {advice}"));
        self.interrupter.stop(Some("divergence"));
    }
}

impl Metric for Watch {
    type Input = Report;

    fn name(&self) -> MetricName {
        Arc::new("Loss".to_owned())
    }

    fn attributes(&self) -> MetricAttributes {
        let attributes = NumericAttributes {
            unit: None,
            higher_is_better: false,
        };
        attributes.into()
    }

    fn update(
        &mut self,
        report: &Report,
        _: &MetricMetadata,
    ) -> Result<SerializedEntry, TensorReadError> {
        let numbers = report.numbers.try_to_vec_as::<f32>()?;
        let (losses, squares) = numbers.split_at(report.cases);
        let sum: f64 = losses.iter().map(|loss| f64::from(*loss)).sum();
        let loss = sum / losses.len() as f64;
        // Where a square overflows, clipping leaves nothing of the gradient: no use in going on either.
        if !(loss.is_finite() && squares.iter().all(|square| square.is_finite())) {
            self.stop(report, loss, squares);
        }
        self.history.count(self.phase, loss, losses.len());
        self.state.update(loss, losses.len());
        let format = FormatOptions::new(self.name()).precision(4);
        Ok(self.state.compute_update(format))
    }

    fn compute(&mut self) -> Result<SerializedEntry, TensorReadError> {
        let format = FormatOptions::new(self.name()).precision(4);
        Ok(self.state.compute_final(format))
    }

    fn clear(&mut self) {
        self.state.reset();
    }
}

impl Numeric for Watch {
    fn value(&self) -> Option<NumericEntry> {
        Some(self.state.current_value())
    }

    fn running_value(&self) -> Option<NumericEntry> {
        Some(self.state.running_value())
    }

    fn final_value(&self) -> NumericEntry {
        self.state.final_value()
    }
}

/// Keeps burn-train from writing two log files an epoch: the history has what is in them.
pub struct NoLog;

impl MetricLogger for NoLog {
    fn log(&mut self, _: MetricsUpdate, _: usize, _: &Split) {}

    fn read_numeric(&mut self, _: &str, _: usize, _: &Split) -> Result<Vec<NumericEntry>, String> {
        Ok(vec![])
    }

    fn log_metric_definition(&mut self, _: MetricDefinition) {}

    fn log_epoch_summary(&mut self, _: EpochSummary) {}
}
