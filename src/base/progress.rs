//! What the program is busy with, for whoever waits at a terminal. It belongs to the process, as
//! interrupts do: what takes long says it, a front end shows it. Depends on nothing.

use std::sync::{Mutex, PoisonError};

static STAGE: Mutex<&'static str> = Mutex::new("");

/// Says what is done from now on, like `inferring values`.
pub fn at(stage: &'static str) {
    *STAGE.lock().unwrap_or_else(PoisonError::into_inner) = stage;
}

/// What is done now.
pub fn stage() -> &'static str {
    *STAGE.lock().unwrap_or_else(PoisonError::into_inner)
}
