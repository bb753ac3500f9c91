//! Runs checks one after the other, each with a heading and its time; a failure does not hide the next one.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::args::{Args, Usage};
use crate::workspace::Workspace;

/// How a check ended well.
pub enum Outcome {
    /// It ran and found nothing.
    Passed,
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
    Passed,
    Skipped(String),
    Failed(String),
}

/// Takes `--only` and `--skip` and leaves the steps they choose.
pub fn select(steps: &'static [Step], args: &mut Args) -> Result<Vec<&'static Step>> {
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
        .iter()
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
    for line in &lines {
        println!("{}", line.text());
    }
    let count =
        |wanted: fn(&Verdict) -> bool| lines.iter().filter(|line| wanted(&line.verdict)).count();
    let passed = count(|verdict| matches!(verdict, Verdict::Passed));
    let failed = count(|verdict| matches!(verdict, Verdict::Failed(_)));
    println!("{passed} passed, {failed} failed");
    if failed > 0 {
        bail!("{failed} of {} steps failed", lines.len());
    }
    Ok(())
}

fn run_one(workspace: &Workspace, step: &Step, before: &[Line]) -> Verdict {
    let broken = before
        .iter()
        .find(|line| step.needs.contains(&line.name) && matches!(line.verdict, Verdict::Failed(_)));
    if let Some(line) = broken {
        return Verdict::Failed(format!("not run, because {} failed", line.name));
    }
    match (step.run)(workspace) {
        Ok(Outcome::Passed) => Verdict::Passed,
        Ok(Outcome::Skipped(reason)) => Verdict::Skipped(reason),
        Err(error) => Verdict::Failed(format!("{error:#}")),
    }
}

impl Line {
    fn text(&self) -> String {
        let verdict = match &self.verdict {
            Verdict::Passed => "passed".to_owned(),
            Verdict::Skipped(reason) => format!("skipped: {reason}"),
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
        Ok(select(&STEPS, &mut args)?
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
}
