//! What went wrong, in words for people: the parser's mistakes, the faults of evaluation, and what the
//! tree alone gives cause to warn of. Depends on what it tells of; what runs a program asks here for no
//! more than the code of a fault.

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
    told(source, text, limits, parse::parse)
}

/// Reads a text typed at the prompt, where the last `;` may be missing.
pub fn read_entry(source: SourceId, text: &str, limits: &Limits) -> Read {
    told(source, text, limits, parse::parse_entry)
}

/// Reads a text as a single expression, with or without a `;` after it.
pub fn read_expression(source: SourceId, text: &str, limits: &Limits) -> (Read, Option<ExprId>) {
    let mut root = None;
    let read = told(source, text, limits, |source, text, limits| {
        let (parsed, found) = parse::parse_expression(source, text, limits);
        // That of the text itself, which is read first.
        root.get_or_insert(found);
        parsed
    });
    (read, root.flatten())
}

/// Longer texts are not read again, to see what a suggestion makes of them.
const LONGEST_READ_AGAIN: usize = 1 << 16;

fn told(
    source: SourceId,
    text: &str,
    limits: &Limits,
    mut parse: impl for<'t> FnMut(SourceId, &'t str, &Limits) -> Parsed<'t>,
) -> Read {
    let parsed = parse(source, text, limits);
    let mut diagnostics = syntax::diagnostics(source, text, &parsed, limits);
    for diagnostic in &mut diagnostics {
        let Some(mut help) = diagnostic.help.take_if(|help| !help.edits.is_empty()) else {
            continue;
        };
        // `&&` needs no blanks around it.
        for (span, other) in &mut help.edits {
            let before = &text[..span.start as usize];
            if other.starts_with(char::is_alphabetic) && before.ends_with(char::is_alphanumeric) {
                *other = format!(" {other} ");
            }
        }
        let mended = help.applied(text);
        let is_right = text.len() <= LONGEST_READ_AGAIN
            && parse(source, &mended, limits).mistakes.len() < parsed.mistakes.len();
        diagnostic.help = Some(if is_right { help } else { help.plain() });
    }
    Read {
        diagnostics,
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
