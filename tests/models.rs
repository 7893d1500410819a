//! Tests of models: their plans, schedules, weights and certificates, and that they compute the program.

#![allow(
    clippy::duplicate_mod,
    reason = "what benches and fuzz targets read, too, names its own parts"
)]

mod common;

mod algebra;
mod certify;
mod compile;
mod constructions;
mod counted;
mod faithful;
mod hosts;
mod infer;
mod looped;
mod model;
mod no_bos;
mod partial;
mod passes;
mod positions;
mod real;
mod schedule;
mod setting;
mod verify;
