//! Any text through the parser, the formatter and the renderer of diagnostics.

#![no_main]

#[path = "../../tests/fuzz/checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::front(bytes));
