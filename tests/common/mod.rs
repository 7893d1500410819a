//! What several test binaries need: sessions that fail loudly, and what a snapshot says of an s-op.

use rasp::base::render::{Style, render};
use rasp::graph::Sharing;
use rasp::session::Session;

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

/// Everything a snapshot says of an s-op beside its values: its layers and heads. What the
/// compiler makes of it belongs here as well.
pub fn shape(session: &mut Session, expression: &str) -> String {
    let sop = session
        .sop(expression)
        .unwrap_or_else(|error| panic!("{expression}: {error}"));
    session.schedule(sop).table(session.graph())
}
