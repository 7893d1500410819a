//! `:save`: the statements of a session as a file. The file appears whole or not at all.

use super::Repl;
use super::command::{refuse, unquoted};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a new file.
pub(super) fn save(repl: &mut Repl, argument: &str) {
    write(repl, argument, Existing::Keep);
}

/// Writes a file, replacing what is there.
pub(super) fn overwrite(repl: &mut Repl, argument: &str) {
    write(repl, argument, Existing::Replace);
}

/// What becomes of a file that is there already.
#[derive(Clone, Copy)]
enum Existing {
    Keep,
    Replace,
}

fn write(repl: &mut Repl, argument: &str, existing: Existing) {
    let path = unquoted(argument);
    if path.is_empty() {
        return refuse(repl, "`:save` needs a path");
    }
    if repl.accepted.is_empty() {
        return refuse(repl, "there is nothing to save yet");
    }
    let mut path = PathBuf::from(path);
    if path.extension().is_none() {
        // `load` adds the same ending.
        path.set_extension("rasp");
    }
    let mut text = repl.accepted.join("\n");
    text.push('\n');
    match store(&path, &text, existing) {
        Ok(()) => {
            let count = repl.accepted.len();
            let noun = if count == 1 {
                "statement"
            } else {
                "statements"
            };
            repl.say(format!("{count} {noun} in {}\n", path.display()));
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let path = path.display();
            refuse(repl, &format!("{path} exists; `:save! {path}` replaces it"));
        }
        Err(error) => refuse(
            repl,
            &format!("{} could not be written: {error}", path.display()),
        ),
    }
}

fn store(path: &Path, text: &str, existing: Existing) -> std::io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        // Those of any other new file; temporary ones are private by default.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.prefix(".rasp-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    let stored = match existing {
        Existing::Keep => file.persist_noclobber(path),
        Existing::Replace => file.persist(path),
    };
    stored.map(|_| ()).map_err(|error| error.error)
}
