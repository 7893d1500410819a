//! Source text to AST. Parsing never fails: it gives a tree, perhaps with error nodes, and the
//! diagnostics. Depends on `base` and `value`.

pub mod ast;
