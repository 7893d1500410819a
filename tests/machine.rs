//! Machines: transformers that are built, held against what they are to compute.

mod dyck;
mod looped;
mod programs;
