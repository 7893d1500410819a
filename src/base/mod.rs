//! What every pass uses and what knows nothing of RASP: places in source text, diagnostics and
//! how they are shown, and the limits that keep hostile input harmless. Depends on nothing else
//! in the crate.

pub mod diagnostic;
pub mod limits;
pub mod render;
pub mod source;

pub use diagnostic::{Code, Diagnostic, Fallible, Label, Severity};
pub use limits::Limits;
pub use source::{Source, SourceId, Sources, Span};
