//! Opening what is read: files, and standard input. Depends on nothing else in the crate.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file, a device, or a pipe that has its other end: `/dev/stdin`, and what `<(…)` of a
/// shell stands for.
///
/// # Errors
/// It cannot be opened. A pipe that lies in a folder is refused, as whoever opens one waits until
/// somebody writes to it, and nobody may.
pub fn open(path: &Path) -> io::Result<File> {
    match is_waiting(path) {
        true => Err(io::Error::other(
            "it is a named pipe, which nobody may ever write to",
        )),
        false => File::open(path),
    }
}

/// Standard input, where somebody has given one.
///
/// # Errors
/// It was closed when the process began.
pub fn standard_input() -> io::Result<io::StdinLock<'static>> {
    let input = io::stdin().lock();
    match is_closed(&input) {
        true => Err(io::Error::other("it is closed")),
        false => Ok(input),
    }
}

/// Rust puts the null device, open for writing too, where a process has no standard input.
#[cfg(unix)]
fn is_closed(input: &io::StdinLock) -> bool {
    use rustix::fs::{OFlags, fcntl_getfl};
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let found = input.as_fd().try_clone_to_owned().map(File::from);
    let found = found.and_then(|file| file.metadata());
    let (Ok(found), Ok(null)) = (found, std::fs::metadata("/dev/null")) else {
        return false;
    };
    found.rdev() == null.rdev()
        && fcntl_getfl(input).is_ok_and(|flags| flags.contains(OFlags::RDWR))
}

#[cfg(not(unix))]
fn is_closed(_: &io::StdinLock) -> bool {
    false
}

/// Whether a path is that of a pipe in a folder. Those of a process have no folder, or one of the
/// system.
#[cfg(unix)]
fn is_waiting(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let is_pipe = path
        .metadata()
        .is_ok_and(|found| found.file_type().is_fifo());
    let of_system = |path: &Path| path.starts_with("/dev") || path.starts_with("/proc");
    is_pipe && path.canonicalize().is_ok_and(|path| !of_system(&path))
}

#[cfg(not(unix))]
fn is_waiting(_: &Path) -> bool {
    false
}
