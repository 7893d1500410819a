//! Source text to AST. Parsing never fails: it gives a tree, perhaps with error nodes, and the
//! diagnostics. Depends on `base` and `value`.

pub mod ast;
mod broken;
mod build;
mod command;
mod explain;
mod habit;
mod layout;
pub mod lint;
mod literal;
pub mod parse;
pub mod precedence;
pub mod print;
mod python;
mod remark;
mod repair;
mod slip;
pub mod token;
mod typed;

pub use command::recognize;
pub use parse::{Completeness, Parsed, completeness, parse, parse_expression};
pub use print::print;
pub use typed::Typed;

use crate::base::{Diagnostic, Severity};

/// What a text says that its writer may not have meant: precedence, then names. Of a text with
/// errors only the former: a statement that could not be read may have read any name.
pub fn warnings(parsed: &Parsed, text: &str) -> Vec<Diagnostic> {
    let mut found = precedence::surprising(&parsed.ast, text);
    let mut diagnostics = parsed.diagnostics.iter();
    if diagnostics.all(|diagnostic| diagnostic.severity != Severity::Error) {
        found.extend(lint::lint(&parsed.ast));
    }
    found
}
