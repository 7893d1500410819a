//! Computers as looped transformers (Giannou et al. 2023, *Looped transformers as programmable
//! computers*): the program, the memory and the counter stand in the residual stream, and the same few
//! layers run again and again. Assembler texts, ordinary interpreters of them, builders of the weights,
//! and what reads a machine's state. Depends on `base`, `model` and `execute`.

pub mod asm;
pub mod description;
pub mod disasm;
pub mod input;
pub mod run;

// Open to the project's own tests and benches.
#[doc(hidden)]
pub mod built;
#[doc(hidden)]
pub mod fleq;
#[doc(hidden)]
pub mod lex;
#[doc(hidden)]
pub mod network;
#[doc(hidden)]
pub mod state;
#[doc(hidden)]
pub mod subleq;
