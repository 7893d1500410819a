//! Tests of the language: how it is read, written, told what is wrong with, and what it means.

#![allow(
    clippy::duplicate_mod,
    reason = "what benches and fuzz targets read, too, names its own parts"
)]

mod common;

mod comments;
mod equiv;
mod error;
mod examples;
mod fuzz;
mod interpret;
mod reference;
mod rounds;
mod scorer;
mod stdlib;
mod syntax;
