//! Computers as looped transformers (Giannou et al. 2023, *Looped transformers as programmable
//! computers*): the program, the memory and the counter stand in the residual stream, and the same few
//! layers run again and again. Assembler texts, ordinary interpreters of them, builders of the weights,
//! and what reads a machine's state. Depends on `base`, `model` and `execute`.

use crate::base::{Code, Diagnostic, Fallible};
use crate::model::Model;

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

/// Whether a model takes inputs of so many tokens: a looped machine has one for each of its columns.
///
/// # Errors
/// It does not.
pub fn fits(model: &Model, tokens: usize) -> Fallible<()> {
    let is_machine = || model.machine.is_some() && description::Description::of(model).is_ok();
    if tokens == model.max_length || !is_machine() {
        return Ok(());
    }
    let columns = model.max_length;
    let message = format!("a machine of {columns} columns, and {tokens} tokens");
    let error = Diagnostic::error(Code::BadInput, message);
    let help = format!("its input is `{}` for each column", built::TOKEN);
    Err(Box::new(error.help(help)))
}
