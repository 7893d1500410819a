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

pub(crate) mod algebra;
pub mod base;
pub mod builtin;
pub mod certify;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compile;
pub mod diagnose;
pub mod equiv;
pub mod eval;
pub mod execute;
pub mod explain;
pub mod format;
pub mod graph;
pub mod infer;
pub mod interpret;
pub mod model;
pub mod plan;
#[cfg(feature = "repl")]
pub mod repl;
pub mod schedule;
pub mod session;
pub mod stdlib;
pub mod syntax;
pub mod value;
