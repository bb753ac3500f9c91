//! The commands of a block and their words, for blocks that are read and not run.

/// Every command, as words. Enough of a shell for a page: quotes, comments, continued lines, `>` and `||`.
pub fn commands(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let commands = joined.lines().map(words);
    commands.filter(|words| !words.is_empty()).collect()
}

fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            // A comment. And where the output goes, and what follows a failure, is the shell's business.
            (None, '#' | '>' | '|') if word.is_none() => break,
            _ => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote stays open: {line}");
    words.extend(word);
    // Variables that are set for one command.
    let name = |word: &String| !word.contains(['-', '/']) && word.contains('=');
    let begin = words.iter().take_while(|word| name(word)).count();
    words.split_off(begin)
}

#[test]
fn commands_are_cut_as_a_shell_cuts_them() {
    let text = "# first\npno train ks \\\n  --set 'model.modes=[4, 6]'   # note\n\nA=1 cargo check -p x\npno a > b.md\npno b || echo c\n";
    let found = commands(text);
    let wanted: [&[&str]; 4] = [
        &["pno", "train", "ks", "--set", "model.modes=[4, 6]"],
        &["cargo", "check", "-p", "x"],
        &["pno", "a"],
        &["pno", "b"],
    ];
    assert_eq!(found, wanted);
}
