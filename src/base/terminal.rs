//! How wide the terminal is. Depends on nothing else in the crate.

use std::io::IsTerminal;

/// Columns where nothing says how many there are, and where text goes to a file or another program.
pub const COLUMNS: usize = 100;

/// The columns of standard output.
pub fn columns() -> usize {
    asked().unwrap_or(COLUMNS)
}

/// The columns of the terminal that standard output is, unless `COLUMNS` says otherwise.
pub fn asked() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let said = std::env::var("COLUMNS").ok();
    let said = said.and_then(|text| text.parse().ok());
    said.or_else(size).filter(|columns| *columns > 0)
}

#[cfg(unix)]
fn size() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn size() -> Option<usize> {
    None
}
