//! Source text to AST. Parsing never fails: it gives a tree, perhaps with error nodes, and the
//! diagnostics. Depends on `base` and `value`.

pub mod ast;
mod build;
mod command;
mod explain;
mod habit;
mod items;
mod layout;
pub mod lint;
mod literal;
pub mod parse;
pub mod precedence;
pub mod print;
mod remark;
mod repair;
pub mod token;
mod typed;

pub use parse::{Completeness, Parsed, completeness, parse, parse_expression};
pub use print::print;
pub use typed::Typed;
