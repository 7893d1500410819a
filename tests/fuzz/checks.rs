//! What must hold of any bytes, for the fuzzer (`fuzz/`) and for the tests that run its corpus: no
//! panic, and what is checked here. Each function is one fuzz target. May depend on the library
//! only.

#![allow(dead_code, reason = "each fuzz target uses one of them")]

#[path = "../common/shown.rs"]
mod shown;
#[path = "../syntax/sketch.rs"]
mod sketch;

use rasp::base::render::{Style, render};
use rasp::base::{Diagnostic, Limits, Severity, SourceId, Sources};
use rasp::graph::Sharing;
use rasp::inside::diagnose::{Read, lint, read, surprising};
use rasp::inside::format::print;
use rasp::inside::syntax::{Completeness, completeness, parse};
use rasp::model::{Digest, file};
use rasp::session::Session;
use shown::shown_value;
use sketch::sketch;

/// Reads a text, says what is wrong with it, and prints it: what could be read without an error is
/// the same tree when it is read again, and printing that changes nothing.
pub fn front(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Read { ast, diagnostics } = read(SourceId(0), &text, &Limits::default());
    let mut sources = Sources::new();
    sources.add("fuzzed", &*text);
    render_all(&diagnostics, &sources);
    render_all(&surprising(&ast, &text), &sources);
    render_all(&lint(&ast, &text), &sources);
    let completeness = completeness(&text);
    let printed = print(&ast, &text);
    if diagnostics.is_empty() {
        assert_eq!(completeness, Completeness::Complete);
        let again = parse(SourceId(0), &printed, &Limits::default());
        assert!(again.mistakes.is_empty(), "{printed}");
        assert_eq!(sketch(&again.ast), sketch(&ast), "{printed}");
        assert_eq!(print(&again.ast, &printed), printed);
    }
}

/// Runs a text as a program and shows the value of every expression statement.
pub fn session(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut session = Session::new(Sharing::Equal).with_limits(tight());
    let events = session.load_text("fuzzed", &text);
    let diagnostics = session.take_diagnostics();
    render_all(&diagnostics, session.sources());
    let failed = |found: &Diagnostic| found.severity == Severity::Error;
    if diagnostics.iter().any(failed) {
        return;
    }
    // The work of the interpreter is bounded by the program and the input, and both are given.
    let example: Vec<_> = session.settings.example.iter().take(32).cloned().collect();
    for event in events.iter().take(100) {
        if let Err(error) = shown_value(&session, event, &example) {
            render_all(&[*error], session.sources());
        }
    }
}

/// Reads bytes as a model file; what is a model is the same model when it was written and read
/// again, and whatever plan it has can be certified or not.
pub fn model(bytes: &[u8]) {
    // No fuzzer finds a digest.
    let Ok(model) = file::from_bytes_with(bytes, Digest::Ignored) else {
        return;
    };
    let written = file::to_bytes(&model).expect("a model that was read can be written");
    let again = file::from_bytes(&written).expect("a model that was written can be read");
    assert_eq!(file::to_bytes(&again).expect("as before"), written);
    drop(rasp::inside::compile::certified(&again));
}

fn render_all(diagnostics: &[Diagnostic], sources: &Sources) {
    for diagnostic in diagnostics {
        render(diagnostic, sources, Style::Plain);
    }
}

/// So tight that one run takes milliseconds.
fn tight() -> Limits {
    Limits {
        steps: 20_000,
        call_depth: 1_000,
        collection_length: 2_000,
        graph_nodes: 5_000,
        ..Limits::default()
    }
}
