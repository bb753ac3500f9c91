//! A table as Markdown: ours and the paper's line below each other, then how it was made.

use std::fmt::Write;

use crate::reproduce::about::About;
use crate::reproduce::estimate::span;
use crate::reproduce::report::{Block, Cell, Head, Line, Report, Whose};

/// The whole page of a table.
pub fn text(report: &Report) -> String {
    let about = &report.about;
    let mut out = format!("# {}\n\n", report.title);
    let _ = writeln!(out, "Size `{}`.", about.size);
    if let Some(warning) = about.warning {
        let _ = writeln!(out, "**{warning}**");
    }
    if let Some(source) = &report.source {
        let _ = writeln!(out, "The paper's numbers: {source}.");
    }
    out.push('\n');
    for block in &report.blocks {
        table(&mut out, report, block);
    }
    let better = report.blocks.iter().flat_map(|block| {
        let cells = block.lines.iter().map(move |line| (block, line));
        cells.flat_map(|(block, line)| (0..line.cells.len()).map(move |c| (block, line, c)))
    });
    if better.into_iter().any(|(b, l, c)| report.is_best(b, l, c)) {
        out.push_str("Bold: best of its column, ours among ours and the paper's among the paper's");
        if report.heads.iter().any(|head| head.key == "coverage") {
            out.push_str("; coverage is best near 0.931, what a perfect ensemble of 100 members has with this quantile rule");
        }
        out.push_str(".\n\n");
    }
    for note in &report.notes {
        let _ = writeln!(out, "- {note}");
    }
    for (label, note) in doubts(report) {
        let _ = writeln!(out, "- Paper, {label}: {note}");
    }
    if let Some(remarks) = &report.remarks {
        let _ = write!(out, "\n## What came out\n\n{}\n", remarks.trim());
    }
    if !report.gaps.is_empty() {
        out.push_str("\n## Missing\n\n");
        for gap in &report.gaps {
            let _ = writeln!(out, "- {gap}");
        }
    }
    for figure in &report.figures {
        let _ = write!(out, "\n![{0}]({1})\n\n*{0}*\n", figure.caption, figure.file);
    }
    made(&mut out, about);
    out
}

fn table(out: &mut String, report: &Report, block: &Block) {
    if !block.title.is_empty() {
        let _ = writeln!(out, "## {}\n", block.title);
    }
    let heads: Vec<&str> = report
        .heads
        .iter()
        .map(|head| head.label.as_str())
        .collect();
    let _ = writeln!(out, "| | | {} |", heads.join(" | "));
    let _ = writeln!(out, "|---|---|{}", "---|".repeat(heads.len()));
    for line in &block.lines {
        let cells = line.cells.iter().enumerate().map(|(column, cell)| {
            let words = words(&report.heads[column], cell);
            if report.is_best(block, line, column) {
                format!("**{words}**")
            } else {
                words
            }
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(
            out,
            "| {} | {} | {} |",
            line.label,
            whose(line),
            cells.join(" | ")
        );
    }
    out.push('\n');
}

fn whose(line: &Line) -> String {
    match (line.whose, line.runs) {
        (Whose::Paper, _) => "*paper*".into(),
        (Whose::Ours, None) => "ours".into(),
        (Whose::Ours, Some([found, wanted])) if found == wanted => match found {
            1 => "ours, 1 run".into(),
            n => format!("ours, {n} runs"),
        },
        (Whose::Ours, Some([found, wanted])) => format!("ours, {found} of {wanted} runs"),
    }
}

fn words(head: &Head, cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Gap => "missing".into(),
        Cell::Text(words) => words.clone(),
        Cell::Number { mean, std, .. } => match std {
            Some(std) => format!("{} ± {}", head.number(*mean), head.number(*std)),
            None => head.number(*mean),
        },
    }
}

/// The notes of lines, each with what it is about.
fn doubts(report: &Report) -> Vec<(String, &str)> {
    let mut all = vec![];
    for block in &report.blocks {
        for line in &block.lines {
            if let Some(note) = &line.note {
                let label = match block.title.as_str() {
                    "" => line.label.clone(),
                    title => format!("{title}, {}", line.label),
                };
                all.push((label, note.as_str()));
            }
        }
    }
    all
}

fn made(out: &mut String, about: &About) {
    out.push_str("\n## How it was made\n\n");
    let seeds: Vec<String> = about.seeds.iter().map(u64::to_string).collect();
    let mut fact = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "- {name}: {value}");
        }
    };
    fact("command", &format!("`{}`", about.command));
    fact(
        "machine",
        &format!("{}; networks on {}", about.machine, about.device),
    );
    fact("time of all its jobs", &span(about.seconds));
    fact("seeds", &seeds.join(", "));
    fact("members at test", &about.members.to_string());
    for data in &about.data {
        fact("data", data);
    }
    fact("program", &format!("pno {}, {}", about.version, about.date));
    if about.trainings.is_empty() {
        return;
    }
    out.push_str("\n| training | parameters | grid | modes | batch | rate | epochs at most | loss | dropout |\n|---|---|---|---|---|---|---|---|---|\n");
    for t in &about.trainings {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} / {} |",
            t.name,
            t.parameters,
            t.grid,
            t.modes,
            t.batch,
            t.learning_rate,
            t.epochs,
            t.loss,
            t.dropout[0],
            t.dropout[1]
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::report::tests::example;

    #[test]
    fn ours_and_the_papers_numbers_stand_below_each_other() {
        let page = text(&example());
        for wanted in [
            "**A reduction.**",
            "| | | L2 | COVERAGE |",
            "| PNO_D | ours, 2 runs | **0.5000 ± 0.0100** | 0.9900 ± 0.0100 |",
            "| PNO_D | *paper* | 0.4000 ± 0.0100 | **0.9000 ± 0.0100** |",
            "- Paper, 1 h, MCD: Doubtful.",
            "## What came out\n\nIt came out well.\n",
            "![Maps](figures/example-maps.svg)",
            "- time of all its jobs: 2.0 h",
            "- command: `pno reproduce example`",
        ] {
            assert!(page.contains(wanted), "{wanted} in\n{page}");
        }
    }

    #[test]
    fn a_gap_is_told_with_its_reason() {
        let mut report = example();
        report.blocks[0].lines[0].cells = vec![Cell::Gap, Cell::Empty];
        report.blocks[0].lines[0].runs = Some([0, 2]);
        report.gaps = vec!["train x: the disk is full".into()];
        let page = text(&report);
        assert!(
            page.contains("| PNO_D | ours, 0 of 2 runs | missing |  |"),
            "{page}"
        );
        assert!(
            page.contains("## Missing\n\n- train x: the disk is full"),
            "{page}"
        );
    }
}
