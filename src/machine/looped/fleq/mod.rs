//! FLEQ, the computer whose instruction is a function of two matrices and a branch (Giannou et al. 2023,
//! section 6), in four layers: fetch, read, compute, write and branch. Function blocks can be added.
//! Depends on `network`, `built` and `lex`.

pub mod block;
pub mod machine;
pub mod program;
pub mod standard;
pub mod text;
