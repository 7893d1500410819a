//! Source text to AST. Parsing never fails: it gives a tree, perhaps with error nodes, and the
//! mistakes, which `diagnose` puts into words. Depends on `base` and `value`.

pub mod ast;
mod build;
mod command;
mod literal;
pub mod mistake;
pub mod parse;
pub mod precedence;
mod repair;
pub mod token;
mod typed;

pub use command::recognize;
pub use parse::{Completeness, completeness, parse, parse_expression};
pub use typed::Typed;
