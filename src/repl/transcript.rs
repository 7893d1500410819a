//! A session read from something that is no terminal. Entries go to `out` in the reference's
//! format, diagnostics to `err`; neither the banner nor prompts are printed. The session survives
//! every error, so the exit status tells only whether its answers could be written.

use super::{Part, Patience, Repl};
use crate::base::render::Style;
use std::io::{BufRead, ErrorKind, Write};

/// Runs a session on an input until it ends or leaves, and gives the exit status.
pub fn run_transcript(mut input: impl BufRead, out: &mut impl Write, err: &mut impl Write) -> i32 {
    let mut repl = Repl::new(Style::Plain, Patience::NextLine);
    let mut line = Vec::new();
    while !repl.is_finished() {
        line.clear();
        let parts = match input.read_until(b'\n', &mut line) {
            Ok(0) => break,
            // Bytes that are no UTF-8 become characters that the parser then points at.
            Ok(_) => {
                let line = String::from_utf8_lossy(&line);
                repl.push(line.strip_suffix('\n').unwrap_or(&line))
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return 1,
        };
        if let Err(error) = write(&parts, out, err) {
            return unwritten(&error, err);
        }
    }
    match write(&repl.end(), out, err) {
        Ok(()) => 0,
        Err(error) => unwritten(&error, err),
    }
}

/// Says why the answers could not be written, unless whoever read them has gone.
fn unwritten(error: &std::io::Error, err: &mut impl Write) -> i32 {
    if error.kind() != ErrorKind::BrokenPipe {
        // Nothing is left to say it to if that fails too.
        let _ = writeln!(err, "rasp: the answers could not be written: {error}");
    }
    1
}

fn write(parts: &[Part], out: &mut impl Write, err: &mut impl Write) -> std::io::Result<()> {
    for part in parts {
        match part {
            Part::Output(text) => {
                out.write_all(text.as_bytes())?;
                out.flush()?;
            }
            Part::Diagnostic(text) => err.write_all(text.as_bytes())?,
        }
    }
    err.flush()
}
