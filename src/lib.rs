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

#![deny(clippy::unwrap_used)]
// A new node, primitive, operation or value is to be thought of wherever its kind is matched on.
#![deny(clippy::wildcard_enum_match_arm)]

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

#[cfg(feature = "repl")]
mod pages;
#[cfg(feature = "repl")]
mod puzzle;
mod repr;

// What `inside` shows of these needs no documentation.
#[doc(hidden)]
mod algebra;
#[doc(hidden)]
mod builtin;
#[doc(hidden)]
mod certify;
#[doc(hidden)]
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]
mod compile;
#[cfg(feature = "cli")]
#[doc(hidden)]
mod decompile;
#[doc(hidden)]
mod diagnose;
#[doc(hidden)]
mod equiv;
#[doc(hidden)]
mod eval;
#[doc(hidden)]
mod format;
#[doc(hidden)]
mod infer;
#[doc(hidden)]
mod interpret;
#[cfg(feature = "cli")]
#[doc(hidden)]
mod learn;
#[doc(hidden)]
mod looped;
#[doc(hidden)]
mod stdlib;
#[doc(hidden)]
mod syntax;

/// Behind the door: what the project's own tests, benches and fuzzers hold against each other. Nothing
/// is promised of it.
#[doc(hidden)]
pub mod inside {
    pub mod algebra {
        pub use crate::algebra::{Echelon, Rational, Reading, Sparse, factor, least_rank};
    }
    pub mod builtin {
        pub use crate::builtin::{Kind, RESERVED, RESERVED_LIBRARY, TABLE};
    }
    pub mod certify {
        pub use crate::certify::certify;
        pub use crate::certify::host::{Floats, grain};
    }
    pub mod compile {
        pub use crate::compile::feature::inverse::{interpolation, inverse};
        pub use crate::compile::feature::steps::{Staircase, Step, staircase};
        pub use crate::compile::linear::basis::Basis;
        pub use crate::compile::{certified, compile_in, lower, verify_all};
    }
    #[cfg(feature = "cli")]
    pub mod decompile {
        pub use crate::decompile::formula::{Operand, Point};
        pub use crate::decompile::rows::rows;
        pub use crate::decompile::sums::pointed;
        pub use crate::decompile::{agreement, decompile};
    }
    pub mod diagnose {
        pub use crate::diagnose::names::lint;
        pub use crate::diagnose::precedence::{parentheses, surprising};
        pub use crate::diagnose::{Read, read, read_expression};
    }
    pub mod equiv {
        pub use crate::equiv::{Method, Options, Verdict, compare};
    }
    pub mod format {
        pub use crate::format::{print, print_with_parentheses};
    }
    pub mod graph {
        use crate::base::Span;
        use crate::graph::{Graph, SOp, SOpId, Scorer, ScorerId, Selector, SelectorId};
        use crate::value::{Comparison, Op, Value};

        /// What adds nodes to a graph, which is there to be read by others.
        pub trait Build {
            fn sop(&mut self, sop: SOp, span: Span) -> SOpId;
            fn selector(&mut self, selector: Selector, span: Span) -> SelectorId;
            fn scorer(&mut self, scorer: Scorer, span: Span) -> ScorerId;

            fn constant(&mut self, value: Value, span: Span) -> SOpId;
            fn map(&mut self, op: Op, operands: Vec<SOpId>, span: Span) -> SOpId;
            fn select(
                &mut self,
                k: SOpId,
                q: SOpId,
                comparison: Comparison,
                span: Span,
            ) -> SelectorId;
        }

        impl Build for Graph {
            fn sop(&mut self, sop: SOp, span: Span) -> SOpId {
                Graph::sop(self, sop, span)
            }

            fn selector(&mut self, selector: Selector, span: Span) -> SelectorId {
                Graph::selector(self, selector, span)
            }

            fn scorer(&mut self, scorer: Scorer, span: Span) -> ScorerId {
                Graph::scorer(self, scorer, span)
            }

            fn constant(&mut self, value: Value, span: Span) -> SOpId {
                Graph::constant(self, value, span)
            }

            fn map(&mut self, op: Op, operands: Vec<SOpId>, span: Span) -> SOpId {
                Graph::map(self, op, operands, span)
            }

            fn select(
                &mut self,
                k: SOpId,
                q: SOpId,
                comparison: Comparison,
                span: Span,
            ) -> SelectorId {
                Graph::select(self, k, q, comparison, span)
            }
        }
    }
    pub mod infer {
        pub use crate::infer::cube::{Cube, Literal, Relation, and, not, or};
        pub use crate::infer::sums::{Term, counts_and_sums, scaled};
        pub use crate::infer::{Analysis, Domain, Operand, infer, inputs};
    }
    pub mod interpret {
        pub use crate::interpret::{
            Explanation, Failed, Generation, evaluate, evaluate_many, evaluate_selector, explain,
        };
    }
    #[cfg(feature = "cli")]
    pub mod learn {
        pub use crate::learn::attend::Sharpness;
        pub use crate::learn::boost::summed;
        pub use crate::learn::data::{Data, Encoded};
        pub use crate::learn::grow::grow;
        pub use crate::learn::lanes::Exact;
        pub use crate::learn::layout::{Layout, Shape};
        pub use crate::learn::network::{Network, Sample};
        pub use crate::learn::pool::Pool;
        pub use crate::learn::program;
        pub use crate::learn::program::Program;
        pub use crate::learn::repair::repaired;
        pub use crate::learn::run::Inputs;
        pub use crate::learn::task::Task;
        pub use crate::learn::train::{Progress, Recipe, Training};
        pub use crate::learn::{Sizes, trained};
    }
    pub mod plan {
        use crate::base::Control;
        use crate::plan::Plan;
        use crate::plan::pass::Pass;
        use crate::schedule::report::Searched;

        /// Runs a pass over a plan, as compiling does.
        pub fn run(pass: &Pass, plan: &mut Plan, control: &Control) -> Option<Searched> {
            pass.run(plan, control)
        }
    }
    pub mod stdlib {
        pub use crate::stdlib::{MODULES, Module, RASPLIB};
    }
    pub mod syntax {
        pub use crate::syntax::token::{KEYWORDS, Token, lex};
        pub use crate::syntax::{Completeness, Typed, ast, completeness, parse, recognize};
    }
}
