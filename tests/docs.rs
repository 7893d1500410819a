//! The documentation says what is true: its RASP examples give what it says, and its tables list
//! what there is.

use crate::common::shown::shown_value;
use rasp::base::{Diagnostic, Limits, Severity};
use rasp::graph::Sharing;
use rasp::inside::builtin::{RESERVED, RESERVED_LIBRARY, TABLE};
use rasp::inside::stdlib::{MODULES, RASPLIB};
use rasp::session::{Event, Session};

const LANGUAGE: &str = include_str!("../docs/LANGUAGE.md");

/// The fenced blocks of a language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let fence = format!("```{language}\n");
    text.split(fence.as_str())
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect()
}

/// The README shows what the documentation of the crate tests.
#[test]
fn the_library_is_shown_as_it_is_tested() {
    let crate_docs = include_str!("../src/lib.rs")
        .replace("//! ", "")
        .replace("//!\n", "\n");
    let shown = blocks(include_str!("../README.md"), "rust");
    assert_eq!(shown.len(), 1);
    assert!(crate_docs.contains(shown[0]), "{}", shown[0]);
}

/// What a block says of each line: values after `# =>` and on the comment lines below it,
/// `# error: …`, and `# warning: …` on the line below.
fn claims(block: &str) -> Vec<(usize, String)> {
    let mut claims: Vec<(usize, String)> = Vec::new();
    let mut statement = 0;
    let mut open = false;
    for (index, line) in block.lines().enumerate() {
        let (code, comment) = line.split_once('#').unwrap_or((line, ""));
        let whole_line = code.trim().is_empty();
        if !whole_line {
            statement = index + 1;
        }
        let comment = comment.trim();
        if let Some(value) = comment.strip_prefix("=>") {
            claims.push((statement, plain(value)));
            open = whole_line;
        } else if comment.starts_with("error: ") || comment.starts_with("warning: ") {
            claims.push((statement, comment.to_string()));
        } else if open && whole_line {
            if let Some((_, value)) = claims.last_mut() {
                value.push('\n');
                value.push_str(&plain(comment));
            }
        } else {
            open = false;
        }
    }
    claims
}

/// A value without its indentation: of a matrix each line by itself.
fn plain(value: &str) -> String {
    let lines: Vec<&str> = value.trim().lines().map(str::trim).collect();
    lines.join("\n")
}

/// What a block does, line by line.
fn outcomes(block: &str) -> Vec<(usize, String)> {
    let mut session = Session::new(Sharing::Equal);
    let events = session.load_text("block.rasp", block);
    let line = |end: u32| block[..end as usize].lines().count();
    let said = |diagnostic: &Diagnostic| {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        format!("{severity}: {}", diagnostic.message)
    };
    let mut outcomes = Vec::new();
    for diagnostic in session.take_diagnostics() {
        let label = diagnostic.labels.iter().find(|label| {
            let name = &session.sources().get(label.span.source).name;
            &**name == "block.rasp"
        });
        let label = label.unwrap_or_else(|| panic!("{diagnostic} is nowhere in\n{block}"));
        outcomes.push((line(label.span.end), said(&diagnostic)));
    }
    let example = session.settings.example.clone();
    for event in &events {
        let Event::Expression { span, .. } = event else {
            continue;
        };
        match shown_value(&session, event, &example) {
            Ok(Some(value)) => outcomes.push((line(span.end), plain(&value))),
            Ok(None) => {}
            Err(diagnostic) => outcomes.push((line(span.end), said(&diagnostic))),
        }
    }
    // Warnings come before values of the same line in the run, after them in the text.
    outcomes.sort_by_key(|(line, said)| (*line, said.starts_with("warning: ")));
    outcomes
}

#[test]
fn examples_give_what_is_said() {
    let blocks = blocks(LANGUAGE, "rasp");
    assert!(blocks.len() > 10);
    let shown = |list: &[(usize, String)]| -> String {
        list.iter()
            .map(|(line, text)| format!("{line}: {text}\n"))
            .collect()
    };
    let mut wrong = String::new();
    for block in blocks {
        let (found, claimed) = (shown(&outcomes(block)), shown(&claims(block)));
        if found != claimed {
            wrong.push_str(&format!("in\n{block}found\n{found}claimed\n{claimed}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_name_is_documented() {
    let library = MODULES
        .iter()
        .chain([&RASPLIB])
        .flat_map(|module| module.text.lines())
        .filter_map(|line| line.strip_prefix("def ")?.split('(').next())
        .filter(|name| !name.starts_with('_'));
    let names = TABLE
        .iter()
        .map(|row| row.name)
        .chain(RESERVED.iter().copied())
        .chain(RESERVED_LIBRARY.iter().copied())
        .chain(MODULES.iter().map(|module| module.name))
        .chain(library);
    for name in names {
        let forms = [format!("`{name}`"), format!("`{name}(")];
        assert!(
            forms.iter().any(|form| LANGUAGE.contains(form)),
            "LANGUAGE.md does not mention {name}"
        );
    }
}

#[test]
fn every_command_of_the_prompt_is_documented() {
    for command in rasp::repl::command::COMMANDS {
        let forms = [format!("`{}`", command.name), format!("`{} ", command.name)];
        assert!(
            forms.iter().any(|form| LANGUAGE.contains(form)),
            "LANGUAGE.md does not mention {}",
            command.name
        );
    }
}

#[test]
fn the_limits_are_those_in_force() {
    let mut rows = Vec::new();
    for line in LANGUAGE.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, value, of, _] = cells.as_slice() else {
            continue;
        };
        let Ok(number) = value.parse::<u64>() else {
            continue;
        };
        rows.push((name.trim_matches('`'), number, *of));
    }
    assert_eq!(rows, Limits::default().all());
}
