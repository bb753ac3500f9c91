//! The code blocks of a page, as the tests need them.
//!
//! A block of commands is opened by ```` ```sh ````. It is run, unless words after a comma say why it is not
//! (```` ```sh,needs-gpu ````); the book shows the reader the same words. A block after `<!-- file: NAME -->` is a file
//! that the reader is told to save.

use std::path::{Path, PathBuf};

/// Why a block of commands is not run, and whether it can be where something is there.
pub const REASONS: [(&str, &str); 5] = [
    ("needs-gpu", "there may be no GPU"),
    ("needs-files", "its files come from elsewhere"),
    ("needs-python", "numpy is not installed"),
    ("takes-long", "it takes a while"),
    ("builds", "it builds this repository"),
];
/// Other names of the same language, under which a block would slip through.
const ALIASES: [&str; 5] = ["bash", "shell", "console", "zsh", "shell-session"];

/// One fenced block.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The page.
    pub page: PathBuf,
    /// Line of the opening fence, counted from 1.
    pub line: usize,
    /// First word of the fence.
    pub language: String,
    /// Its other words.
    pub words: Vec<String>,
    /// Name of the file that it is.
    pub file: Option<String>,
    /// What is inside.
    pub text: String,
}

impl Block {
    /// Whether it is commands.
    pub fn is_commands(&self) -> bool {
        self.language == "sh"
    }

    /// Where it stands, for messages.
    pub fn place(&self) -> String {
        format!("{}:{}", self.page.display(), self.line)
    }

    /// Whether it says that it needs or takes this.
    pub fn says(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
    }

    /// What is wrong with its fence.
    pub fn fault(&self) -> Option<String> {
        let place = self.place();
        if ALIASES.contains(&self.language.as_str()) {
            let language = &self.language;
            return Some(format!(
                "{place}: the language is `{language}`, but must be `sh`"
            ));
        }
        let known = |word: &&String| REASONS.iter().any(|(known, _)| known == word);
        if self.is_commands()
            && let Some(word) = self.words.iter().find(|word| !known(word))
        {
            let known: Vec<&str> = REASONS.iter().map(|(known, _)| *known).collect();
            let known = known.join(", ");
            return Some(format!("{place}: `{word}` is no reason; known: {known}"));
        }
        None
    }
}

/// All blocks of a page, in order.
pub fn blocks(page: &Path, text: &str) -> Vec<Block> {
    let mut found = vec![];
    let mut open: Option<(Block, usize)> = None;
    let mut file = None;
    for (at, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        let ticks = bare.chars().take_while(|c| *c == '`').count();
        match &mut open {
            Some((_, wanted)) if ticks >= *wanted && bare[ticks..].trim().is_empty() => {
                found.extend(open.take().map(|(block, _)| block));
            }
            Some((block, _)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            None if ticks >= 3 => {
                let mut words = bare[ticks..].split(',').map(|w| w.trim().to_owned());
                let block = Block {
                    page: page.to_owned(),
                    line: at + 1,
                    language: words.next().unwrap_or_default(),
                    words: words.collect(),
                    file: file.take(),
                    text: String::new(),
                };
                open = Some((block, ticks));
            }
            None => {
                let marker = bare
                    .strip_prefix("<!-- file:")
                    .and_then(|rest| rest.strip_suffix("-->"));
                if let Some(name) = marker {
                    file = Some(name.trim().to_owned());
                } else if !bare.is_empty() {
                    file = None;
                }
            }
        }
    }
    assert!(open.is_none(), "{}: a fence stays open", page.display());
    found
}

/// README and every page of the book, generated results left out: what is there was run to make them.
pub fn pages(root: &Path) -> Vec<PathBuf> {
    let mut pages = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).expect("a folder of the book");
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() && path != root.join("docs/results") {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

#[test]
fn a_page_is_cut_into_its_blocks() {
    let page = "text\n<!-- file: a.toml -->\n\n```toml\nx = 1\n```\n\n```sh,needs-gpu\npno a\n```\n````text\n```sh\n````\n";
    let found = blocks(Path::new("p.md"), page);
    let [file, commands, quoted] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(file.file.as_deref(), Some("a.toml"));
    assert_eq!(file.text, "x = 1\n");
    assert!(commands.is_commands() && commands.says("needs-gpu") && commands.file.is_none());
    assert_eq!(commands.place(), "p.md:8");
    assert_eq!(quoted.text, "```sh\n");
    assert!(found.iter().all(|block| block.fault().is_none()));
}

#[test]
fn a_block_cannot_slip_through_under_another_name() {
    let told = |fence: &str| {
        let page = format!("```{fence}\npno\n```\n");
        blocks(Path::new("p.md"), &page)[0].fault()
    };
    assert!(told("bash").is_some_and(|t| t.contains("must be `sh`")));
    assert!(told("sh,later").is_some_and(|t| t.contains("`later` is no reason")));
    assert_eq!(told("sh,takes-long"), None);
    assert_eq!(told("text"), None);
}
