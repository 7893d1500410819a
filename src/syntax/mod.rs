//! Source text to AST. Parsing never fails: it gives a tree, perhaps with error nodes, and the
//! diagnostics. Depends on `base` and `value`.

pub mod ast;
mod build;
mod command;
mod explain;
mod literal;
pub mod parse;
mod repair;
pub mod token;

pub use parse::{Completeness, Parsed, completeness, parse, parse_expression};
