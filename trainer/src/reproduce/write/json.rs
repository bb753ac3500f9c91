//! A table as JSON: every number in full, every run of ours.

use serde_json::{Map, Value, json};

use crate::reproduce::report::{Block, Cell, Line, Report, Whose};

/// The table as JSON text.
pub fn text(report: &Report) -> String {
    let columns: Vec<&str> = report.heads.iter().map(|head| head.key.as_str()).collect();
    let rows = report.blocks.iter().flat_map(|block| {
        let lines = block.lines.iter();
        lines.map(|line| row(report, block, line))
    });
    let all = json!({
        "table": report.name,
        "title": report.title,
        "published_in": report.source,
        "columns": columns,
        "rows": rows.collect::<Vec<_>>(),
        "notes": report.notes,
        "missing": report.gaps,
        "figures": report.figures,
        "about": report.about,
    });
    format!("{all:#}\n")
}

fn row(report: &Report, block: &Block, line: &Line) -> Value {
    let values = report.heads.iter().zip(&line.cells);
    let values = values.filter_map(|(head, cell)| {
        let value = match cell {
            Cell::Empty => return None,
            Cell::Gap => Value::Null,
            Cell::Text(words) => json!(words),
            Cell::Number { mean, std, runs } if runs.is_empty() => {
                json!({ "mean": mean, "std": std })
            }
            Cell::Number { mean, std, runs } => json!({ "mean": mean, "std": std, "runs": runs }),
        };
        Some((head.key.clone(), value))
    });
    json!({
        "group": block.title,
        "label": line.label,
        "whose": match line.whose { Whose::Ours => "ours", Whose::Paper => "paper" },
        "runs": line.runs.map(|[found, _]| found),
        "wanted_runs": line.runs.map(|[_, wanted]| wanted),
        "values": values.collect::<Map<_, _>>(),
        "note": line.note,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::report::tests::example;

    #[test]
    fn every_run_can_be_read_back() {
        let json: Value = serde_json::from_str(&text(&example())).expect("JSON");
        assert_eq!(json["rows"][0]["values"]["l2"]["runs"], json!([0.49, 0.51]));
        assert_eq!(json["rows"][1]["whose"], "paper");
        assert_eq!(json["rows"][1]["values"]["l2"]["mean"], 0.4);
        assert_eq!(json["about"]["size"], "small");
    }
}
