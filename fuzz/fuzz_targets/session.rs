//! Any text run as a program, under tight limits, with its values on the running example.

#![no_main]

#[path = "../../tests/fuzz/checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::session(bytes));
