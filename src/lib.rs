//! RASP, the programming language for transformers (Weiss, Goldberg & Yahav 2021, "Thinking Like
//! Transformers").
pub mod base;
pub mod builtin;
pub mod cli;
pub mod eval;
pub mod execute;
pub mod graph;
pub mod interpret;
pub mod model;
pub mod repl;
pub mod schedule;
pub mod session;
pub mod stdlib;
pub mod syntax;
pub mod value;
