//! Writing files: whole or not at all. Where the system has files without a name (Linux), a new file
//! has none until it is whole, so that a process that is killed leaves nothing. Elsewhere, and for
//! the instant in which one file replaces another, it has a temporary name; what a process that was
//! killed in that instant left is removed by the next that writes in the same folder.

use super::diagnostic::{Code, Diagnostic, Fallible};
use super::visible;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing is written.
    Keep,
    /// It has the new contents.
    Replace,
}

/// Held while a file is written.
static WRITING: Mutex<()> = Mutex::new(());

/// Waits until no file is being written, and keeps others from being: for whoever ends the process.
pub fn pause() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a file. One that is replaced is replaced in a single step; it keeps its owner and its
/// permissions.
///
/// # Errors
/// A place that cannot be written to, or one that is taken and to be kept; a file that has other
/// names (hard links), which would keep the old contents; one whose owner could not be kept.
#[expect(clippy::wildcard_enum_match_arm, reason = "others say it themselves")]
pub fn write(path: &Path, bytes: &[u8], existing: Existing) -> Fallible<()> {
    if path.as_os_str() == "-" {
        let error = unwritten(path, "`-` is not the name of a file here");
        return Err(error.help("for a file of that name, give `./-`").into());
    }
    store(path, bytes, existing).map_err(|error| {
        Box::new(match error.kind() {
            io::ErrorKind::AlreadyExists => unwritten(path, "it exists already")
                .help("give another name, or replace it (`--force`)"),
            io::ErrorKind::TooManyLinks => {
                let shown = visible::path(path);
                let help =
                    format!("to part them: `cp -p {shown} {shown}.new && mv {shown}.new {shown}`");
                let reason = "it has other names (hard links), which would keep the old contents";
                unwritten(path, reason).help(help)
            }
            _ => unwritten(path, &reason(&error)),
        })
    })
}

/// Extensions of programs.
const PROGRAMS: [&str; 3] = ["rasp", "subleq", "fleq"];

/// Writes what was made of a program: never in the place of one, not even where others are replaced.
///
/// # Errors
/// As [`write`]; a program in its place.
pub fn write_made(path: &Path, bytes: &[u8], existing: Existing) -> Fallible<()> {
    let target = path.canonicalize();
    let extension = target
        .iter()
        .find_map(|target| target.extension()?.to_str());
    if existing == Existing::Replace && extension.is_some_and(|it| PROGRAMS.contains(&it)) {
        let error = unwritten(path, "there is a program, which this would replace");
        return Err(error.help("give another name").into());
    }
    write(path, bytes, existing)
}

/// The error that a file could not be written.
pub fn unwritten(path: &Path, reason: &str) -> Diagnostic {
    let message = format!("{} could not be written: {reason}", visible::path(path));
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
        Some(metadata) if names(metadata) > 1 => return Err(io::ErrorKind::TooManyLinks.into()),
        _ => {}
    }
    let folder = target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let fill = |mut file: &File| {
        file.write_all(bytes)?;
        if let Some(found) = &found {
            keep_owner(file, found)?;
            file.set_permissions(found.permissions())?;
        }
        file.sync_all()
    };
    let _writing = pause();
    #[cfg(target_os = "linux")]
    if let Some(file) = unnamed::create(folder) {
        unnamed::sweep(folder);
        fill(&file)?;
        match unnamed::name(&file, folder, &target, existing) {
            // A file system that gives files without names, and no names to them.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            named => return named,
        }
    }
    let file = temporary(folder)?;
    fill(file.as_file())?;
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

/// How many names a file has.
#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

/// Gives a file the owner and the group of the one that it will replace.
#[cfg(unix)]
fn keep_owner(file: &File, found: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (found.uid(), found.gid()) {
        return Ok(());
    }
    fchown(file, Some(found.uid()), Some(found.gid()))
        .map_err(|_| io::Error::other("its owner could not be kept"))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Files that have no name until they are whole.
#[cfg(target_os = "linux")]
mod unnamed {
    use super::Existing;
    use rustix::fs::{AtFlags, CWD, OFlags, linkat};
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;

    /// How the name begins and ends that a file has for the instant before it replaces another.
    const REPLACING: (&str, &str) = (".rasp-", ".replacing");

    /// A file in a folder, where its file system has such files. It is locked while it is open.
    pub fn create(folder: &Path) -> Option<File> {
        let mut options = OpenOptions::new();
        let flags = OFlags::TMPFILE.bits() as i32;
        let options = options.write(true).mode(0o666).custom_flags(flags);
        let file = options.open(folder).ok()?;
        // Where files have no locks, `sweep` removes none.
        let _ = file.try_lock();
        Some(file)
    }

    /// Removes what processes left in a folder that were killed while they replaced a file: what has
    /// such a name, and is locked by nobody.
    pub fn sweep(folder: &Path) {
        let Ok(entries) = folder.read_dir() else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            let ours = name.starts_with(REPLACING.0.as_bytes())
                && name.ends_with(REPLACING.1.as_bytes())
                && entry.file_type().is_ok_and(|kind| kind.is_file());
            if ours && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
                // Whoever may not remove it may not have left it.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Gives it its name. No system call gives a name that is taken, so that to replace a file it has
    /// another name for an instant. Ctrl-C waits for the end of that; another signal just there leaves
    /// the new file, whole, under that name, until the next write in this folder.
    pub fn name(file: &File, folder: &Path, target: &Path, existing: Existing) -> io::Result<()> {
        let link = |path: &Path| {
            let from = format!("/proc/self/fd/{}", file.as_raw_fd());
            Ok(linkat(CWD, from, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
        };
        match existing {
            Existing::Keep => link(target),
            Existing::Replace => {
                let named = tempfile::Builder::new()
                    .prefix(REPLACING.0)
                    .suffix(REPLACING.1)
                    .make_in(folder, link)?;
                Ok(named.persist(target)?)
            }
        }
    }
}
