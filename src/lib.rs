//! RASP, the programming language for transformers (Weiss, Goldberg & Yahav 2021, "Thinking Like
//! Transformers").
pub mod base;
pub mod cli;
pub mod compile;
pub mod graph;
pub mod infer;
pub mod model;
pub mod syntax;
pub mod value;
