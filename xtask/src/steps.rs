//! Runs checks one after the other, each with a heading and its time; a failure does not hide the next one.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::args::{Args, Usage};
use crate::workspace::Workspace;

/// How a check ended well.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran and found nothing.
    Passed,
    /// It ran and found nothing, but these parts of it could not run here: each with the reason.
    Partly(Vec<String>),
    /// It could not run here, and why that is no failure.
    Skipped(String),
}

/// One check.
pub struct Step {
    /// Name for `--only` and `--skip`.
    pub name: &'static str,
    /// What it checks, for the heading.
    pub about: &'static str,
    /// Steps without whose success it cannot run.
    pub needs: &'static [&'static str],
    /// The check.
    pub run: fn(&Workspace) -> Result<Outcome>,
}

/// How a step ended, with its seconds.
struct Line {
    name: &'static str,
    verdict: Verdict,
    seconds: f64,
}

enum Verdict {
    Ended(Outcome),
    Failed(String),
}

/// Takes `--only` and `--skip` and leaves the steps they choose.
pub fn select(steps: Vec<&'static Step>, args: &mut Args) -> Result<Vec<&'static Step>> {
    let (only, skip) = (args.values("--only")?, args.values("--skip")?);
    let known: Vec<&str> = steps.iter().map(|step| step.name).collect();
    for name in only.iter().chain(&skip) {
        if !known.contains(&name.as_str()) {
            return Err(Usage(format!(
                "unknown step `{name}`; known: {}",
                known.join(", ")
            ))
            .into());
        }
    }
    let named = |list: &[String], step: &Step| list.iter().any(|name| name == step.name);
    Ok(steps
        .into_iter()
        .filter(|step| (only.is_empty() || named(&only, step)) && !named(&skip, step))
        .collect())
}

/// Runs the steps, prints the summary, and fails if one of them did.
pub fn run_all(workspace: &Workspace, steps: &[&Step]) -> Result<()> {
    let begin = Instant::now();
    let mut lines: Vec<Line> = Vec::new();
    for step in steps {
        println!("\n== {}: {}", step.name, step.about);
        let start = Instant::now();
        let verdict = run_one(workspace, step, &lines);
        let line = Line {
            name: step.name,
            verdict,
            seconds: start.elapsed().as_secs_f64(),
        };
        println!("-- {}", line.text());
        lines.push(line);
    }
    println!("\n== summary after {:.0} s", begin.elapsed().as_secs_f64());
    println!("{}", summary(&lines));
    let failed = lines.iter().filter(|line| line.is_failed()).count();
    if failed > 0 {
        bail!("{failed} of {} steps failed", lines.len());
    }
    Ok(())
}

/// A line for every step, then everything that was skipped with its reason, then the three counts alone on a line.
///
/// A skipped step counts once, and so does every skipped test of a step that passed.
fn summary(lines: &[Line]) -> String {
    let mut text: Vec<String> = lines.iter().map(Line::text).collect();
    let skipped: Vec<String> = lines.iter().flat_map(Line::skipped).collect();
    if !skipped.is_empty() {
        text.push("not checked here:".to_owned());
        text.extend(skipped.iter().map(|what| format!("  SKIPPED {what}")));
    }
    let failed = lines.iter().filter(|line| line.is_failed()).count();
    let passed = lines.iter().filter(|line| line.is_passed()).count();
    text.push(format!(
        "{passed} passed, {failed} failed, {} skipped",
        skipped.len()
    ));
    text.join("\n")
}

fn run_one(workspace: &Workspace, step: &Step, before: &[Line]) -> Verdict {
    let broken = before
        .iter()
        .find(|line| step.needs.contains(&line.name) && line.is_failed());
    if let Some(line) = broken {
        return Verdict::Failed(format!("not run, because {} failed", line.name));
    }
    match (step.run)(workspace) {
        Ok(outcome) => Verdict::Ended(outcome),
        Err(error) => Verdict::Failed(format!("{error:#}")),
    }
}

impl Line {
    fn is_failed(&self) -> bool {
        matches!(self.verdict, Verdict::Failed(_))
    }

    fn is_passed(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Ended(Outcome::Passed | Outcome::Partly(_))
        )
    }

    /// What of this step could not run here, each with the name of the step and the reason.
    fn skipped(&self) -> Vec<String> {
        let reasons = match &self.verdict {
            Verdict::Ended(Outcome::Skipped(reason)) => std::slice::from_ref(reason),
            Verdict::Ended(Outcome::Partly(reasons)) => reasons,
            _ => &[],
        };
        reasons
            .iter()
            .map(|reason| format!("{}: {reason}", self.name))
            .collect()
    }

    fn text(&self) -> String {
        let verdict = match &self.verdict {
            Verdict::Ended(Outcome::Passed) => "passed".to_owned(),
            Verdict::Ended(Outcome::Partly(parts)) => format!("passed, {} SKIPPED", parts.len()),
            Verdict::Ended(Outcome::Skipped(reason)) => format!("SKIPPED: {reason}"),
            Verdict::Failed(reason) => format!("FAILED: {reason}"),
        };
        format!("{:>7.1} s  {:<12}  {verdict}", self.seconds, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static STEPS: [Step; 3] = [
        Step {
            name: "good",
            about: "passes",
            needs: &[],
            run: |_| Ok(Outcome::Passed),
        },
        Step {
            name: "bad",
            about: "fails",
            needs: &["good"],
            run: |_| bail!("a reason"),
        },
        Step {
            name: "after",
            about: "needs it",
            needs: &["bad"],
            run: |_| Ok(Outcome::Passed),
        },
    ];

    fn selected(line: &str) -> Result<Vec<&'static str>> {
        let mut args = Args::from_words(line);
        Ok(select(STEPS.iter().collect(), &mut args)?
            .iter()
            .map(|step| step.name)
            .collect())
    }

    #[test]
    fn only_and_skip_choose_steps_and_unknown_names_are_told() {
        assert_eq!(selected("").expect("all"), ["good", "bad", "after"]);
        assert_eq!(
            selected("--only bad --only good").expect("two"),
            ["good", "bad"]
        );
        assert_eq!(selected("--skip bad").expect("two"), ["good", "after"]);
        let message = selected("--only best").expect_err("unknown").to_string();
        assert!(
            message.contains("`best`") && message.contains("good, bad, after"),
            "{message}"
        );
    }

    #[test]
    fn a_failed_step_fails_what_needs_it_and_the_whole() {
        let workspace = Workspace::locate().expect("found");
        let steps: Vec<&Step> = STEPS.iter().collect();
        let message = run_all(&workspace, &steps).expect_err("fails").to_string();
        assert_eq!(message, "2 of 3 steps failed");
        run_all(&workspace, &steps[..1]).expect("passes");
        run_all(&workspace, &steps[2..]).expect("what was not run does not hinder");
    }

    #[test]
    fn the_summary_tells_every_reason_and_ends_with_three_counts_alone_on_a_line() {
        let line = |name, verdict| Line {
            name,
            verdict,
            seconds: 1.0,
        };
        let reasons = ["one: no adapter", "two: no adapter"].map(String::from);
        let lines = [
            line("fmt", Verdict::Ended(Outcome::Passed)),
            line("native", Verdict::Ended(Outcome::Partly(reasons.to_vec()))),
            line(
                "advisories",
                Verdict::Ended(Outcome::Skipped("no network".into())),
            ),
            line("page", Verdict::Failed("too large".into())),
        ];
        let text = summary(&lines);
        for told in [
            "native        passed, 2 SKIPPED\n",
            "  SKIPPED native: one: no adapter\n",
            "  SKIPPED native: two: no adapter\n",
            "  SKIPPED advisories: no network\n",
            "FAILED: too large\n",
        ] {
            assert!(text.contains(told), "{told:?} is not in\n{text}");
        }
        assert_eq!(text.lines().last(), Some("2 passed, 1 failed, 3 skipped"));
        let clean = summary(&lines[..1]);
        assert!(!clean.contains("SKIPPED"), "{clean}");
        assert_eq!(clean.lines().last(), Some("1 passed, 0 failed, 0 skipped"));
    }
}
