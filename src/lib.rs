//! RASP, the programming language for transformers (Weiss, Goldberg & Yahav 2021, "Thinking Like
//! Transformers"), in one pipeline:
//!
//! ```text
//! text ─ syntax ─▶ AST ─ eval ─▶ GRAPH ─ infer ─▶ FACTS
//!                                  │
//!            ┌─────────────────────┼──────────────────────┐
//!        interpret             schedule                compile ─▶ PLAN ─ lower ─▶ MODEL ─ execute
//! ```
//!
//! [`session::Session`] is the door to all of it. What comes out is plain data, to be read:
//!
//! | form | holds |
//! |---|---|
//! | [`graph::Graph`] | s-ops and selectors; no functions, loops or lists any more |
//! | [`facts::Facts`] | the values each s-op can have, and how it is encoded |
//! | [`schedule::Schedule`] | the layer of each s-op, the heads of each layer |
//! | [`plan::Plan`] | typed operations on the residual stream, which certificates are about |
//! | [`model::Model`] | a transformer: weights, tokenizer, readouts, labels |
//!
//! # Interpreting, compiling, executing
//!
//! ```
//! use rasp::execute::{Executor, Precision};
//! use rasp::graph::Sharing;
//! use rasp::session::{Asked, Session, VerifyOptions};
//! use rasp::value::Value;
//!
//! let mut session = Session::new(Sharing::Equal);
//! session.load_text("hist.rasp", "hist = selector_width(select(tokens, tokens, ==));");
//! assert!(session.take_diagnostics().is_empty());
//!
//! let hello = Value::characters("hello");
//! let hist = session.sop("hist")?;
//! assert_eq!(session.evaluate(hist, &hello)?.to_string(), "[1, 1, 2, 2, 1] (ints)");
//! assert_eq!(session.schedule(hist).heads(), [1]);
//!
//! let asked = Asked {
//!     vocabulary: Some(Value::characters("ehlo")),
//!     max_length: Some(5),
//!     ..Asked::default()
//! };
//! let compiled = session.compile(&["hist"], &asked)?;
//! assert!(compiled.is_certified());
//! assert_eq!(session.verify(&compiled, &VerifyOptions::default())?.wrong, 0);
//!
//! let transformer = Executor::new(&compiled.model, Precision::F32)?;
//! assert_eq!(transformer.run(&hello)?, [1, 1, 2, 2, 1].map(Value::Int));
//! # Ok::<(), Box<rasp::base::Diagnostic>>(())
//! ```
//!
//! # Reading an error
//!
//! A mistake is a [`base::Diagnostic`]: a code, a message, places, and what to type instead.
//!
//! ```
//! use rasp::base::Code;
//! use rasp::base::render::{Style, render};
//! use rasp::graph::Sharing;
//! use rasp::session::Session;
//!
//! let mut session = Session::new(Sharing::Equal);
//! session.load_text("bad.rasp", "a = tokens + 1;");
//! let [error] = &session.take_diagnostics()[..] else {
//!     unreachable!("one mistake is one error");
//! };
//! assert_eq!(error.code, Code::OperandTypes);
//! assert_eq!(error.message, "`+` does not work on an s-op of strings and an int");
//! let place = error.span().expect("it is in the program");
//! assert_eq!(session.sources().text(place), "tokens");
//! // As `rasp` shows it.
//! let shown = render(error, session.sources(), Style::Plain);
//! assert!(shown.contains("bad.rasp:1:5"));
//! ```
//!
//! # Editors and the browser
//!
//! A [`session::Loader`] says where programs load others from; [`session::Memory`] has them in memory.
//! A session can be sent to another thread, and its [`base::Control`] stops it from there. Without
//! features (`default-features = false`) the library builds for `wasm32-unknown-unknown`, and brings
//! neither the command line (`cli`), the prompt (`repl`) nor threads (`parallel`).

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

pub mod base;
#[cfg(feature = "cli")]
pub mod cli;
pub mod draw;
pub mod execute;
pub mod graph;
pub mod machine;
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
mod pages;
#[cfg(feature = "repl")]
mod puzzle;
mod repr;

// Behind the door. The project's own tests, benches and fuzzers hold these parts against each other;
// nothing is promised of them.
#[doc(hidden)]
pub mod builtin;
#[doc(hidden)]
pub mod certify;
#[doc(hidden)]
pub mod compile;
#[doc(hidden)]
pub mod decompile;
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
pub mod learn;
#[doc(hidden)]
pub mod looped;
#[doc(hidden)]
pub mod stdlib;
#[doc(hidden)]
pub mod syntax;
