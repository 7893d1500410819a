//! Writing text files: whole or not at all.

use crate::base::{Code, Diagnostic, Fallible};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file; one that exists is replaced in a single step and keeps its permissions.
///
/// # Errors
/// A place that cannot be written to.
pub fn write(path: &Path, text: &str) -> Fallible<()> {
    replace(path, text).map_err(|error| Box::new(unwritten(path, &error.to_string())))
}

pub fn unwritten(path: &Path, reason: &str) -> Diagnostic {
    let message = format!("{} could not be written: {reason}", path.display());
    Diagnostic::error(Code::FileNotWritten, message)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // Renaming would replace a link by a file, so the file behind it is what is renamed over.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let existing = std::fs::metadata(&target).ok();
    match &existing {
        Some(metadata) if !metadata.is_file() => return Err(io::Error::other("it is not a file")),
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
    file.write_all(text.as_bytes())?;
    if let Some(metadata) = existing {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target)?;
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
    builder.tempfile_in(folder)
}
