//! A session read from something that is no terminal. Entries go to `out` in the reference's
//! format, diagnostics to `err`; neither the banner nor prompts are printed. The session survives
//! every error; the exit status tells whether there was one, and whether its answers could be written.

use super::{Repl, Said};
use std::io::{BufRead, ErrorKind, Write};

/// Runs a session, on a program if there is one and then on an input, until it ends or leaves; the exit
/// status: 0, or 1 if something failed or the answers could not be written. A diagnostic that cannot be
/// written is lost, and nothing else.
pub fn run_transcript(
    mut repl: Repl,
    program: Option<&str>,
    mut input: impl BufRead,
    out: &mut impl Write,
    err: &mut impl Write,
) -> i32 {
    let opened = program.map(|path| repl.open(path));
    if let Err(error) = write(&opened.unwrap_or_default(), out, err) {
        return unwritten(&error, err);
    }
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
        Ok(()) => i32::from(repl.has_failed()),
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

fn write(parts: &[Said], out: &mut impl Write, err: &mut impl Write) -> std::io::Result<()> {
    for part in parts {
        match part {
            Said::Output(text) => {
                out.write_all(text.as_bytes())?;
                out.flush()?;
            }
            Said::Diagnostic(text) => {
                let _ = err.write_all(text.as_bytes());
            }
        }
    }
    let _ = err.flush();
    Ok(())
}
