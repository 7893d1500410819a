//! The mistakes of `tests/error`: each file has a topic, a line that says which, and a section for
//! every mistake. A section is a program below a line `=== name`. The codes that are reported of a line
//! stand behind it, `  # E0301`, and those that are reported of another text behind the name; they are
//! no part of the program. May depend on the codes of diagnostics only.

use rasp::base::Code;
use std::path::{Path, PathBuf};

/// A program that makes a mistake.
pub struct Mistake {
    pub name: String,
    /// The section, with the codes.
    pub section: String,
    /// The program, without them.
    pub text: String,
}

impl Mistake {
    /// A mistake of what is below the mark of a section.
    fn new(section: &str) -> Mistake {
        let mut lines = section.lines().map(without_codes);
        Mistake {
            name: lines.next().unwrap_or_default().to_string(),
            section: format!("{BEGINS}{section}\n"),
            text: lines.map(|line| format!("{line}\n")).collect(),
        }
    }

    /// The section as it should be, where the codes belong to these lines of the program, counted from
    /// 1, or to none.
    pub fn with_codes(&self, found: &[(Option<usize>, Code)]) -> String {
        let lines = format!("{BEGINS}{}\n{}", self.name, self.text);
        let with_codes = lines.lines().enumerate().map(|(at, line)| {
            let here = found.iter().filter(|(line, _)| line.unwrap_or(0) == at);
            let codes: Vec<&str> = here.map(|(_, code)| code.number()).collect();
            match codes.is_empty() {
                true => format!("{line}\n"),
                false => format!("{line}{MARK}{}\n", codes.join(" ")),
            }
        });
        with_codes.collect()
    }
}

/// What every section begins with. No program has such a line.
const BEGINS: &str = "=== ";

/// What stands between a line and its codes.
const MARK: &str = "  # ";

fn without_codes(line: &str) -> &str {
    let is_code = |word: &str| Code::ALL.iter().any(|code| code.number() == word);
    match line.rsplit_once(MARK) {
        Some((line, codes)) if codes.split(' ').all(is_code) => line,
        _ => line,
    }
}

/// The folder of the topics, below which their programs seem to lie.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/error")
}

/// The mistakes of a topic.
pub fn topic(path: &Path) -> Vec<Mistake> {
    let text = std::fs::read_to_string(path).expect("readable");
    let begins = format!("\n{BEGINS}");
    let mut sections = text.split(&begins);
    let says = sections.next().unwrap_or_default().trim();
    assert!(says.ends_with('.'), "{} says its topic", path.display());
    sections
        .map(|section| Mistake::new(section.trim_end()))
        .collect()
}

/// The files of the topics, by name.
pub fn topics() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory()).expect("readable");
    let mut topics: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "mistakes"))
        .collect();
    topics.sort();
    topics
}

/// All mistakes, in the order of the topics.
pub fn mistakes() -> Vec<Mistake> {
    topics().iter().flat_map(|path| topic(path)).collect()
}
