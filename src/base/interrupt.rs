//! Whether a person wants what is running to end. The request belongs to the process, as the signal
//! behind it does: the interactive prompt and `rasp equiv` turn Ctrl-C into one, and whatever can
//! take long asks for it where it also looks at its limits. The only file that names ctrlc.

use super::diagnostic::{Code, Diagnostic, Fallible};
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C a request from now on.
///
/// # Errors
/// The reason why it will end the process instead.
pub fn on_ctrl_c() -> Result<(), String> {
    ctrlc::set_handler(request).map_err(|error| error.to_string())
}

/// Asks what is running to end.
pub fn request() {
    REQUESTED.store(true, Ordering::Relaxed);
}

/// Takes the request back, before something else is run.
pub fn clear() {
    REQUESTED.store(false, Ordering::Relaxed);
}

/// Whether what is running is to end.
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// # Errors
/// What is running is to end.
pub fn check() -> Fallible<()> {
    match is_requested() {
        true => Err(Diagnostic::error(Code::LimitReached, MESSAGE).into()),
        false => Ok(()),
    }
}

/// What is said about it.
pub const MESSAGE: &str = "interrupted";
