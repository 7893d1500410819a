//! RASP, the programming language for transformers (Weiss, Goldberg & Yahav 2021, "Thinking Like
//! Transformers"), in one pipeline:
//!
//! ```text
//! text ─ syntax ─▶ AST ─ eval ─▶ GRAPH ─ infer ─▶ FACTS
//!                                  │
//!            ┌─────────────────────┼──────────────────────┐
//!        interpret             schedule                compile ─▶ MODEL ─ execute
//! ```
//!
//! | form | made by | holds |
//! |---|---|---|
//! | [`syntax::ast::Ast`] | `syntax` | what was written, with its places |
//! | [`graph::Graph`] | `eval` | s-ops and selectors; no functions, loops or lists any more |
//! | `infer::Facts` | `infer` | the values each s-op can have, and how it is encoded |
//! | [`schedule::Schedule`] | `schedule` | the layer of each s-op, the heads of each layer |
//! | [`plan::Plan`] | `compile` | typed operations on residual variables, which `certify` bounds |
//! | [`model::Model`] | `compile` | a transformer: weights, tokenizer, readouts, labels |
//!
//! [`session::Session`] is the door to all of it:
//!
//! ```
//! use rasp::{graph::Sharing, session::Session, value::Value};
//!
//! let mut session = Session::new(Sharing::Equal);
//! session.load_text("hist.rasp", "hist = selector_width(select(tokens, tokens, ==));");
//! assert!(session.take_diagnostics().is_empty());
//! let hist = session.sop("hist")?;
//! let result = session.evaluate(hist, &Value::characters("hello"))?;
//! assert_eq!(result.to_string(), "[1, 1, 2, 2, 1] (ints)");
//! assert_eq!(session.schedule(hist).heads(), [1]);
//! # Ok::<(), Box<rasp::base::Diagnostic>>(())
//! ```

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

pub mod base;
#[cfg(feature = "cli")]
pub mod cli;
pub mod execute;
pub mod graph;
pub mod model;
pub mod plan;
#[cfg(feature = "repl")]
pub mod repl;
pub mod schedule;
pub mod session;
pub mod value;

pub use infer::facts;

mod algebra;
#[cfg(feature = "repl")]
mod explain;

// Behind the door. The project's own tests, benches and fuzzers hold these parts against each other;
// nothing is promised of them.
#[doc(hidden)]
pub mod builtin;
#[doc(hidden)]
pub mod certify;
#[doc(hidden)]
pub mod compile;
#[doc(hidden)]
pub mod diagnose;
#[doc(hidden)]
pub mod equiv;
#[doc(hidden)]
pub mod eval;
#[doc(hidden)]
pub mod format;
#[doc(hidden)]
pub mod infer;
#[doc(hidden)]
pub mod interpret;
#[doc(hidden)]
pub mod stdlib;
#[doc(hidden)]
pub mod syntax;
