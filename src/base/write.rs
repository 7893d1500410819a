//! Writing files: whole or not at all.

use super::diagnostic::{Code, Diagnostic, Fallible};
use std::io::{self, Write};
use std::path::Path;

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing is written.
    Keep,
    /// It has the new contents.
    Replace,
}

/// Writes a file. One that is replaced is replaced in a single step and keeps its permissions.
///
/// # Errors
/// A place that cannot be written to, or one that is taken and to be kept.
pub fn write(path: &Path, bytes: &[u8], existing: Existing) -> Fallible<()> {
    store(path, bytes, existing).map_err(|error| {
        Box::new(match error.kind() {
            io::ErrorKind::AlreadyExists => unwritten(path, "it exists already")
                .help("give another name, or replace it (`--force`)"),
            _ => unwritten(path, &reason(&error)),
        })
    })
}

/// The error that a file could not be written.
pub fn unwritten(path: &Path, reason: &str) -> Diagnostic {
    let message = format!("{} could not be written: {reason}", path.display());
    Diagnostic::error(Code::FileNotWritten, message)
}

/// What the system says of an error, without the name of our temporary file.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let system = text.split_once(" at path ").map(|(system, _)| system);
    system.unwrap_or(&text).to_string()
}

fn store(path: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
    // Renaming would replace a link by a file, so the file behind it is what is renamed over.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let found = std::fs::metadata(&target).ok();
    match &found {
        // Renaming would replace a device or a pipe by a file.
        Some(metadata) if !metadata.is_file() => return Err(io::Error::other("it is not a file")),
        Some(_) if existing == Existing::Keep => return Err(io::ErrorKind::AlreadyExists.into()),
        // Renaming needs no permission on the file itself; that it may not be written still counts.
        Some(metadata) if metadata.permissions().readonly() => {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        _ => {}
    }
    let folder = target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let mut file = temporary(folder.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    if let Some(metadata) = found {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    match existing {
        Existing::Keep => file.persist_noclobber(&target)?,
        Existing::Replace => file.persist(&target)?,
    };
    Ok(())
}

/// A new file with the permissions of any other new file; temporary ones are private by default.
fn temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.prefix(".rasp-").tempfile_in(folder)
}
