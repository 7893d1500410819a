//! SUBLEQ, the computer of one instruction, on frozen weights: its texts, an ordinary interpreter of
//! them, and five looped transformers that run them. Depends on `network` and `description`.

mod instructions;
pub mod p10;
pub mod program;
pub mod r1;
pub mod r1s;
pub mod r2;
pub mod stored;
pub mod text;
mod words;
