//! What several test binaries need: sessions that fail loudly, and what a snapshot says of an s-op.

use rasp::base::render::{Style, render};
use rasp::graph::Sharing;
use rasp::session::Session;
use rasp::value::Value;

/// A session that has run a program with neither errors nor warnings.
pub fn session(name: &str, program: &str) -> Session {
    let mut session = Session::new(Sharing::Equal);
    session.load_text(name, program);
    let diagnostics: String = session
        .take_diagnostics()
        .iter()
        .map(|diagnostic| render(diagnostic, session.sources(), Style::Plain))
        .collect();
    assert!(diagnostics.is_empty(), "{name}\n{diagnostics}");
    session
}

/// The values of an expression on an input.
pub fn values(session: &mut Session, expression: &str, input: &[Value]) -> Vec<Value> {
    let sop = session
        .sop(expression)
        .unwrap_or_else(|error| panic!("{expression}: {error}"));
    session
        .evaluate(sop, input)
        .unwrap_or_else(|error| panic!("{expression} on {input:?}: {error}"))
        .values
}

/// Everything a snapshot says of an s-op beside its values: its layers and heads. What the
/// compiler makes of it belongs here as well.
pub fn shape(session: &mut Session, expression: &str) -> String {
    let sop = session
        .sop(expression)
        .unwrap_or_else(|error| panic!("{expression}: {error}"));
    session.schedule(sop).table(session.graph())
}

/// An expression on inputs, which are expressions too, as they would be typed: `e(input) = …`.
pub fn shown(session: &mut Session, expression: &str, inputs: &[&str]) -> String {
    let mut text = String::new();
    for input in inputs {
        let tokens = session
            .expression(input)
            .ok()
            .and_then(|meta| meta.as_tokens())
            .unwrap_or_else(|| panic!("{input} is no input"));
        let sop = session
            .sop(expression)
            .unwrap_or_else(|error| panic!("{expression}: {error}"));
        let result = session
            .evaluate(sop, &tokens)
            .unwrap_or_else(|error| panic!("{expression} on {input}: {error}"));
        text.push_str(&format!("{expression}({input}) = {result}\n"));
    }
    text
}
