//! What went wrong, in words for people: the parser's mistakes, the faults of evaluation, and what the
//! tree alone gives cause to warn of. Depends on what it tells of; nothing that runs a program depends
//! on what is said here.

/// A table with a row on a line or two.
macro_rules! table {
    ($($($cell:expr),+;)*) => { &[$(($($cell),+)),*] };
}

#[macro_use]
mod rules;

mod eval;
pub mod names;
mod on_input;
pub mod precedence;
mod python;
mod syntax;

pub use eval::{Words, explain};

use crate::base::{Diagnostic, Limits, Severity, SourceId};
use crate::syntax::ast::{Ast, ExprId};
use crate::syntax::parse::{self, Parsed};

/// A text that has been read: its tree, perhaps with error nodes, and what there is to say about it.
#[derive(Clone, Debug, Default)]
pub struct Read {
    pub ast: Ast,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text as a program.
pub fn read(source: SourceId, text: &str, limits: &Limits) -> Read {
    told(source, text, limits, parse::parse(source, text, limits))
}

/// Reads a text typed at the prompt, where the last `;` may be missing.
pub fn read_entry(source: SourceId, text: &str, limits: &Limits) -> Read {
    let parsed = parse::parse_entry(source, text, limits);
    told(source, text, limits, parsed)
}

/// Reads a text as a single expression, with or without a `;` after it.
pub fn read_expression(source: SourceId, text: &str, limits: &Limits) -> (Read, Option<ExprId>) {
    let (parsed, root) = parse::parse_expression(source, text, limits);
    (told(source, text, limits, parsed), root)
}

fn told(source: SourceId, text: &str, limits: &Limits, parsed: Parsed) -> Read {
    Read {
        diagnostics: syntax::diagnostics(source, text, &parsed, limits),
        ast: parsed.ast,
    }
}

/// What a text says that its writer may not have meant: precedence, then names. Of a text with
/// errors only the former: a statement that could not be read may have read any name.
pub fn warnings(read: &Read, text: &str) -> Vec<Diagnostic> {
    let mut found = precedence::surprising(&read.ast, text);
    let mut diagnostics = read.diagnostics.iter();
    if diagnostics.all(|diagnostic| diagnostic.severity != Severity::Error) {
        found.extend(names::lint(&read.ast, text));
    }
    found
}
