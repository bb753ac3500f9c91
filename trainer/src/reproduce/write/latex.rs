//! A table as LaTeX, for `booktabs`.

use std::fmt::Write;

use crate::reproduce::report::{Cell, Head, Report, Whose};

/// The table as a float, with a comment on how it was made.
pub fn text(report: &Report) -> String {
    let about = &report.about;
    let seeds: Vec<String> = about.seeds.iter().map(u64::to_string).collect();
    let mut out = format!(
        "% {}; size {}; seeds {}; {}; pno {}\n% {}\n% needs \\usepackage{{booktabs}}\n",
        report.title,
        about.size,
        seeds.join(", "),
        about.machine,
        about.version,
        about.command
    );
    let columns = "c".repeat(report.heads.len());
    let heads: Vec<&str> = report
        .heads
        .iter()
        .map(|head| head.latex.as_str())
        .collect();
    let _ = writeln!(
        out,
        "\\begin{{table}}\n\\centering\n\\begin{{tabular}}{{ll{columns}}}\n\\toprule\n & & {} \\\\",
        heads.join(" & ")
    );
    for block in &report.blocks {
        out.push_str("\\midrule\n");
        if !block.title.is_empty() {
            let _ = writeln!(
                out,
                "\\multicolumn{{{}}}{{l}}{{\\textbf{{{}}}}} \\\\",
                report.heads.len() + 2,
                escape(&block.title)
            );
        }
        for line in &block.lines {
            let cells = line.cells.iter().enumerate();
            let cells = cells
                .map(|(at, cell)| words(&report.heads[at], cell, report.is_best(block, line, at)));
            let whose = match line.whose {
                Whose::Ours => "ours",
                Whose::Paper => "\\textit{paper}",
            };
            let cells: Vec<String> = cells.collect();
            let _ = writeln!(
                out,
                "{} & {whose} & {} \\\\",
                escape(&line.label),
                cells.join(" & ")
            );
        }
    }
    let warning = about.warning.unwrap_or_default();
    let caption = format!("{}. Size {}. {warning}", report.title, about.size);
    let _ = write!(
        out,
        "\\bottomrule\n\\end{{tabular}}\n\\caption{{{}}}\n\\label{{tab:pno-{}-{}}}\n\\end{{table}}\n",
        escape(caption.trim_end()),
        about.size,
        report.name
    );
    out
}

fn words(head: &Head, cell: &Cell, best: bool) -> String {
    let plain = match cell {
        Cell::Empty => return "--".into(),
        Cell::Gap => return "missing".into(),
        Cell::Text(words) => return escape(words),
        Cell::Number { mean, std, .. } => {
            let power = |value: f64| power(&head.number(value), value);
            (power(*mean), std.map(power))
        }
    };
    let mean = if best {
        format!("\\mathbf{{{}}}", plain.0)
    } else {
        plain.0
    };
    match plain.1 {
        Some(std) => format!("${mean} \\pm {std}$"),
        None => format!("${mean}$"),
    }
}

/// A number in mathematics.
fn power(words: &str, value: f64) -> String {
    match words.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa} \\times 10^{{{exponent}}}"),
        None if !value.is_finite() => format!("\\mathrm{{{value}}}"),
        None => words.to_owned(),
    }
}

/// Words as they may stand in LaTeX: `PNO_D` has its index.
fn escape(words: &str) -> String {
    let mut out = String::new();
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '_' if letters.peek().is_some_and(char::is_ascii_alphanumeric) => {
                let index = letters.next().unwrap_or_default();
                let _ = write!(out, "\\textsubscript{{{index}}}");
            }
            '_' | '%' | '&' | '#' | '$' | '{' | '}' => {
                out.push('\\');
                out.push(letter);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::report::tests::example;

    #[test]
    fn a_line_has_its_index_its_deviation_and_the_best_in_bold() {
        let page = text(&example());
        for wanted in [
            "PNO\\textsubscript{D} & ours & $\\mathbf{0.5000} \\pm 0.0100$ & $0.9900 \\pm 0.0100$ \\\\",
            "\\begin{tabular}{llcc}",
            "\\label{tab:pno-small-example}",
            "\\caption{An example. Size small. A reduction.}",
        ] {
            assert!(page.contains(wanted), "{wanted} in\n{page}");
        }
    }

    #[test]
    fn large_numbers_and_odd_words_are_written_as_latex_wants_them() {
        assert_eq!(power("2.3e10", 2.3e10), "2.3 \\times 10^{10}");
        assert_eq!(
            escape("8 % of a_b & c"),
            "8 \\% of a\\textsubscript{b} \\& c"
        );
    }
}
