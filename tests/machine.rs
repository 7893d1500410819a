//! Machines: transformers that are built, held against what they are to compute.

mod bounds;
mod dyck;
mod looped;
mod programs;
