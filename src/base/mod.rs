//! What every pass uses and what knows nothing of RASP: places in source text, diagnostics and
//! how they are shown, nearest names, the limits that keep hostile input harmless and the memory
//! they bound, the handle that ends work, random numbers, tables of text, what may be shown on a
//! terminal, and files: how they are opened, and written whole. Depends on nothing else in the crate.

pub mod control;
pub mod diagnostic;
pub mod limits;
pub mod memory;
pub mod parallel;
pub mod random;
pub mod read;
pub mod render;
pub mod source;
pub mod suggest;
pub mod table;
pub mod tell;
pub mod terminal;
pub mod visible;
pub mod write;

pub use control::Control;
pub use diagnostic::{Code, Diagnostic, Fallible, Label, Severity, Suggestion, counted};
pub use limits::Limits;
pub use memory::{Held, Memory};
pub use random::Random;
pub use source::{Source, SourceId, Sources, Span};
pub use tell::tell;
pub use write::Existing;
