//! The formatter: a tree back to source text, with its comments. Depends on `base`, `value` and
//! `syntax`.

mod comments;
mod lines;
mod print;
mod spelling;

pub use print::{print, print_expression, print_with_parentheses};
