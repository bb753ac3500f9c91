//! The page of commands: a walk through what clap knows.

use std::fmt::Write;

use clap::{Arg, ArgAction, Command};

use super::written_by;

const OPENING: &str = "\
# Commands

`pno COMMAND --help` prints the same.
Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`--help` and, at the top, `--version` go everywhere and are left out below.
";

/// The whole page.
pub fn page(mut program: Command) -> String {
    program.build();
    let mut page = written_by("cli");
    page.push_str(OPENING);
    page.push_str("\n| command | does |\n|---|---|\n");
    for command in leaves(&program) {
        let name = name(command);
        let anchor = name.replace(' ', "-");
        let _ = writeln!(page, "| [`{name}`](#{anchor}) | {} |", about(command));
    }
    for command in leaves(&program) {
        section(&mut page, command);
    }
    page
}

/// Every command that does something itself and is not hidden.
fn leaves(command: &Command) -> Vec<&Command> {
    let mut found = vec![];
    for inner in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        if inner.get_name() == "help" {
            continue;
        }
        let below = leaves(inner);
        if below.is_empty() {
            found.push(inner);
        } else {
            found.extend(below);
        }
    }
    found
}

fn section(page: &mut String, command: &Command) {
    let _ = write!(page, "\n## {}\n\n{}.\n", name(command), about(command));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(page, "\n```text\n{usage}\n```\n\n");
    let wanted = |arg: &&Arg| {
        !arg.is_hide_set()
            && !matches!(
                arg.get_action(),
                ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
            )
    };
    for arg in command.get_arguments().filter(wanted) {
        let _ = writeln!(page, "- {}", line(arg));
    }
    if let Some(more) = command.get_after_help() {
        let _ = write!(page, "\n```text\n{}\n```\n", more.to_string().trim_end());
    }
}

/// One argument: its name, what it is for, and what holds without it.
fn line(arg: &Arg) -> String {
    let takes_value = arg.get_action().takes_values();
    let value = || {
        let names = arg.get_value_names().unwrap_or_default();
        if names.is_empty() {
            return format!("<{}>", arg.get_id());
        }
        names
            .iter()
            .map(|n| format!("<{n}>"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let shown = match (arg.get_long(), takes_value) {
        (Some(long), true) => format!("--{long} {}", value()),
        (Some(long), false) => format!("--{long}"),
        (None, _) => value(),
    };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut line = format!("`{shown}`: {}", plain(&help));
    let possible: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if takes_value && !possible.is_empty() && !arg.is_hide_possible_values_set() {
        let _ = write!(line, " (one of {})", possible.join(", "));
    }
    let defaults: Vec<String> = arg
        .get_default_values()
        .iter()
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    if takes_value && !defaults.is_empty() {
        let _ = write!(line, "; default {}", defaults.join(", "));
    }
    line
}

/// `pno data generate`, as it is typed.
fn name(command: &Command) -> String {
    command
        .get_bin_name()
        .unwrap_or(command.get_name())
        .to_owned()
}

fn about(command: &Command) -> String {
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    plain(about.trim_end_matches('.'))
}

/// A text of the help in Markdown: one line, and nothing of it is taken for HTML.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Command {
        let train = Command::new("train")
            .about("Train a model.")
            .after_help("Examples:\n  toy train ks")
            .arg(Arg::new("what").value_name("NAME").help("What, as <a|b>"))
            .arg(
                Arg::new("seed")
                    .long("seed")
                    .default_value("1")
                    .help("Seed"),
            )
            .arg(Arg::new("quick").long("quick").action(ArgAction::SetTrue))
            .arg(Arg::new("secret").long("secret").hide(true));
        let data = Command::new("data").subcommand(Command::new("info").about("Tell."));
        let hidden = Command::new("reference").hide(true);
        Command::new("toy")
            .subcommand(train)
            .subcommand(data)
            .subcommand(hidden)
    }

    #[test]
    fn every_command_that_is_not_hidden_has_its_section() {
        let page = page(program());
        assert!(page.contains("| [`toy train`](#toy-train) | Train a model |"));
        assert!(page.contains("\n## toy data info\n\nTell.\n"), "{page}");
        assert!(!page.contains("reference`]") && !page.contains("secret"));
        assert!(!page.contains("## toy data\n") && !page.contains("toy help"));
    }

    #[test]
    fn an_option_tells_its_value_its_default_and_no_html() {
        let page = page(program());
        assert!(page.contains("- `<NAME>`: What, as &lt;a|b>\n"), "{page}");
        assert!(
            page.contains("- `--seed <seed>`: Seed; default `1`\n"),
            "{page}"
        );
        assert!(page.contains("- `--quick`: \n"), "{page}");
        assert!(page.contains("```text\nExamples:\n  toy train ks\n```\n"));
    }
}
