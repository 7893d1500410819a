//! Tests of what people use: the command line, the prompt, the library and the documentation.

#![allow(
    clippy::duplicate_mod,
    reason = "what benches and fuzz targets read, too, names its own parts"
)]

mod common;

mod cli;
mod decompile;
mod docs;
mod draw;
mod draw_heads;
mod editors;
mod firm;
mod interrupt;
mod learn;
mod library;
mod limits;
mod machine;
mod puzzle;
mod repl;
mod terminal;
mod tidy;
mod tools;
mod training;
