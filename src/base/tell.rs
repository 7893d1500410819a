//! Messages beside the results. Where standard error is full, or whoever read it has gone, a message
//! is lost and nothing else: `eprintln!` would end the process, and take the results with it. Depends
//! on nothing else in the crate.

use std::io::Write;

/// Says something on standard error, if it can be said there.
pub fn tell(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
