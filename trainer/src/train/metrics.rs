//! The epochs of a run for people and other programs: `metrics.csv`, `history.json`, and the loss curves.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::history::EpochRecord;
use crate::figure::chart::{Chart, Charts, Mark, Series};
use crate::files;

/// Columns of `metrics.csv`.
pub const COLUMNS: &str = "epoch,train_loss,valid_loss,learning_rate,members,steps,seconds";

/// Writes `metrics.csv` and `history.json`, both as a whole.
pub fn write(run: &Path, records: &[EpochRecord]) -> Result<()> {
    files::write_atomic(&run.join("metrics.csv"), csv(records).as_bytes())?;
    // Without times, so that two runs that did the same say the same.
    let timeless = |record: &EpochRecord| EpochRecord {
        seconds: None,
        ..record.clone()
    };
    let timeless: Vec<EpochRecord> = records.iter().map(timeless).collect();
    files::write_atomic(
        &run.join("history.json"),
        &serde_json::to_vec_pretty(&timeless)?,
    )
}

fn csv(records: &[EpochRecord]) -> String {
    let mut text = format!("{COLUMNS}\n");
    let number = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
    for record in records {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{}",
            record.epoch,
            number(record.train_loss),
            record.valid_loss,
            record.learning_rate,
            record.members,
            record.steps,
            record.seconds.map_or(String::new(), |s| format!("{s:.3}")),
        );
    }
    text
}

/// Writes `losses.svg`: both losses and the learning rate over the epochs, with the epoch of the model and its loss.
pub fn draw(
    run: &Path,
    title: &str,
    records: &[EpochRecord],
    (epoch, loss): (usize, f64),
) -> Result<()> {
    let curve = |name: &str, colour, value: fn(&EpochRecord) -> f64| Series {
        name: name.into(),
        mark: Mark::Line,
        colour,
        points: records.iter().map(|r| (r.epoch as f64, value(r))).collect(),
    };
    let chart = |title: &str, hint: String, label: &str, series| Chart {
        title: title.into(),
        hint,
        labels: ["epoch".into(), label.into()],
        series,
        band: None,
        logarithmic: [false; 2],
        from_zero: false,
    };
    // Losses of forecasts of different length do not compare.
    let several_stages = records
        .windows(2)
        .any(|pair| pair[0].steps != pair[1].steps);
    let of = if several_stages {
        " of the last stage"
    } else {
        ""
    };
    let hint = format!("lowest validation loss{of} {loss:.4} after epoch {epoch}");
    let losses = vec![
        curve("training", "#8a5a00", |r| r.train_loss.unwrap_or(f64::NAN)),
        curve("validation", "#0b5fa5", |r| r.valid_loss),
    ];
    let rate = vec![curve("rate", "#0b5fa5", |r| r.learning_rate)];
    let charts = Charts {
        title: title.into(),
        charts: vec![
            chart("Loss", hint, "mean loss of a case", losses),
            chart(
                "Learning rate",
                "at the end of each epoch".into(),
                "rate of Adam",
                rate,
            ),
        ],
    };
    charts.write(&run.join("losses.svg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<EpochRecord> {
        let record = |epoch: usize, valid_loss| EpochRecord {
            epoch,
            train_loss: Some(0.5),
            valid_loss,
            learning_rate: 1e-3,
            members: 3,
            steps: 2,
            seconds: Some(1.5),
        };
        vec![record(1, 0.25), record(2, 0.125)]
    }

    #[test]
    fn every_epoch_has_a_line_and_only_the_table_has_times() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &records()).expect("writes");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("reads");
        let wanted =
            format!("{COLUMNS}\n1,0.5,0.25,0.001,3,2,1.500\n2,0.5,0.125,0.001,3,2,1.500\n");
        assert_eq!(read("metrics.csv"), wanted);
        let history = read("history.json");
        assert!(history.contains("valid_loss") && !history.contains("seconds"));
    }

    #[test]
    fn the_curves_name_the_best_epoch() {
        let folder = tempfile::tempdir().expect("a folder");
        let drawn = |records: &[EpochRecord], best| {
            draw(folder.path(), "ks pno-d", records, best).expect("writes");
            std::fs::read_to_string(folder.path().join("losses.svg")).expect("reads")
        };
        let svg = drawn(&records(), (2, 0.125));
        assert!(
            svg.contains("lowest validation loss 0.1250 after epoch 2"),
            "{svg}"
        );
        // A loss of two steps is higher than one of one step, and is that of the model.
        let mut staged = records();
        staged[1] = EpochRecord {
            valid_loss: 0.5,
            steps: 3,
            ..staged[1].clone()
        };
        let svg = drawn(&staged, (2, 0.5));
        assert!(
            svg.contains("lowest validation loss of the last stage 0.5000 after epoch 2"),
            "{svg}"
        );
    }
}
