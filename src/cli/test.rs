//! `rasp test`: the assertions of programs, each reported and counted.

use super::arguments::Test;
use super::input::{programs, read};
use super::limits::session;
use super::output::{Output, Stop, diagnostic_json};
use super::progress;
use crate::base::{Diagnostic, Severity, Sources, counted};
use crate::eval::{Assertion, Event, Verdict};
use crate::graph::Sharing;
use serde_json::{Value as Json, json};
use std::path::Path;

#[derive(Default)]
struct Counts {
    passed: usize,
    failed: usize,
    /// Errors that are no assertion's.
    errors: usize,
}

pub fn test(output: &mut Output, arguments: &Test) -> Result<(), Stop> {
    let mut counts = Counts::default();
    for file in programs(output, &arguments.files)? {
        test_file(output, arguments.json, &file, &mut counts)?;
    }
    let Counts {
        passed,
        failed,
        errors,
    } = counts;
    if failed > 0 || errors > 0 {
        output.fail();
    }
    if arguments.json {
        return output.json(&json!({"passed": passed, "failed": failed, "errors": errors}));
    }
    let others = match errors {
        0 => String::new(),
        _ => format!(", {}", counted(errors, "other error")),
    };
    output.line(&format!("{passed} passed, {failed} failed{others}"))
}

fn test_file(
    output: &mut Output,
    json: bool,
    file: &Path,
    counts: &mut Counts,
) -> Result<(), Stop> {
    let mut session = session(Sharing::Equal);
    let loaded = match read(file) {
        Ok(loaded) => loaded,
        Err(diagnostic) => {
            counts.errors += 1;
            return other_error(output, json, &diagnostic, session.sources());
        }
    };
    let control = session.control().clone();
    let load = || session.load(&loaded);
    let events = progress::shown(output, &control, "running assertions", load)?;
    let assertions: Vec<&Assertion> = events
        .iter()
        .filter_map(|event| {
            let Event::Asserted(assertion) = event else {
                return None;
            };
            // Those of functions that were loaded belong to their own files.
            let source = session.sources().get(assertion.span.source);
            (source.name == loaded.name).then_some(assertion)
        })
        .collect();
    for diagnostic in session.take_diagnostics() {
        if !assertions
            .iter()
            .any(|assertion| assertion.fails_with(&diagnostic))
        {
            let own = diagnostic.severity == Severity::Error && !diagnostic.follows;
            counts.errors += usize::from(own);
            other_error(output, json, &diagnostic, session.sources())?;
        }
    }
    for assertion in assertions {
        match assertion.failure {
            None => counts.passed += 1,
            Some(_) => counts.failed += 1,
        }
        match json {
            true => output.json(&assertion_json(assertion, session.sources()))?,
            false => output.text(&assertion_text(assertion, session.sources()))?,
        }
    }
    Ok(())
}

/// A diagnostic that is no assertion's: for people beside the results, for tools among them.
fn other_error(
    output: &mut Output,
    json: bool,
    diagnostic: &Diagnostic,
    sources: &Sources,
) -> Result<(), Stop> {
    output.report(diagnostic, sources);
    match json && diagnostic.severity == Severity::Error {
        true => output.json(&json!({"error": diagnostic_json(diagnostic, sources)})),
        false => Ok(()),
    }
}

/// The text of a place on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn assertion_text(assertion: &Assertion, sources: &Sources) -> String {
    let (line, column) = sources.position(assertion.span);
    let name = &sources.get(assertion.span.source).name;
    let written = one_line(sources.text(assertion.span));
    let Some(failure) = &assertion.failure else {
        return format!("passed  {name}:{line}:{column}  {written}\n");
    };
    let mut text = format!("FAILED  {name}:{line}:{column}  {written}\n");
    let mut say = |what: &str| text.push_str(&format!("        {what}\n"));
    if assertion.verdict == Verdict::False {
        for (meta, span) in &assertion.values {
            let (written, value) = (one_line(sources.text(*span)), meta.repr());
            // A literal need not be told what it is; its quotes may be others.
            if written.replace('"', "'") != value {
                say(&format!("{written} is {value}"));
            }
        }
        failure.notes.iter().for_each(|note| say(note));
    } else {
        say(&failure.to_string());
        for label in &failure.labels {
            let (line, column) = sources.position(label.span);
            let name = &sources.get(label.span.source).name;
            say(&format!("{name}:{line}:{column}: {}", label.text));
        }
        for note in &failure.notes {
            say(&format!("Note: {note}"));
        }
    }
    if let Some(help) = &failure.help {
        say(&format!("Help: {}", help.message));
    }
    text
}

fn assertion_json(assertion: &Assertion, sources: &Sources) -> Json {
    let (line, column) = sources.position(assertion.span);
    let values: Vec<Json> = assertion
        .values
        .iter()
        .map(|(meta, span)| json!({"text": sources.text(*span), "value": meta.repr()}))
        .collect();
    let mut row = json!({
        "file": sources.get(assertion.span.source).name,
        "line": line,
        "column": column,
        "assertion": sources.text(assertion.span),
        "passed": assertion.failure.is_none(),
        "values": values,
    });
    if let Some(failure) = &assertion.failure {
        row["error"] = diagnostic_json(failure, sources);
    }
    row
}
