//! The loader that reads files: beside the loading file, then in the working directory, then in
//! the standard library. Together with the command line and the REPL the only place that touches
//! the file system.

use crate::base::Limits;
use crate::eval::{Loaded, Loader};
use crate::stdlib;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Marks the identity of a standard library module, which is no path.
const LIBRARY: &str = "stdlib:";

/// Reads `.rasp` files and the embedded library.
pub struct Files;

impl Loader for Files {
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, String> {
        let file = if path.ends_with(".rasp") {
            path.to_string()
        } else {
            format!("{path}.rasp")
        };
        let tried: Vec<PathBuf> = match from {
            // Modules load each other, whatever files of the same names there are.
            Some(from) if from.starts_with(LIBRARY) => Vec::new(),
            _ => {
                let beside = from
                    .and_then(|from| Path::new(from).parent())
                    .map(|directory| directory.join(&file));
                beside.into_iter().chain([PathBuf::from(&file)]).collect()
            }
        };
        let module = stdlib::find(path);
        // A program named like a module that loads the module does not mean itself.
        let meant = |path: &&PathBuf| {
            path.is_file() && (module.is_none() || from != Some(identity(path).as_str()))
        };
        if let Some(found) = tried.iter().find(meant) {
            return read(found);
        }
        match module {
            Some(module) => Ok(Loaded {
                identity: format!("{LIBRARY}{}", module.name),
                name: format!("stdlib/{}.rasp", module.name),
                text: module.definitions().to_string(),
            }),
            None => Err(not_found(&tried)),
        }
    }

    fn is_library(&self, identity: &str) -> bool {
        identity.starts_with(LIBRARY)
    }

    fn modules(&self) -> Vec<&str> {
        stdlib::MODULES.iter().map(|module| module.name).collect()
    }

    fn library_names(&self) -> Vec<(&str, &str)> {
        stdlib::names().collect()
    }
}

/// A file as text, named by its path.
///
/// # Errors
/// It cannot be read, is not UTF-8, or is larger than a source text may be.
pub fn read(path: &Path) -> Result<Loaded, String> {
    let shown = shown(path);
    let file = File::open(path).map_err(|error| format!("{shown}: {error}"))?;
    let text = read_text(file, &shown)?;
    Ok(Loaded {
        identity: identity(path),
        name: shown,
        text,
    })
}

/// All of a text, but no more than a source text may have: a device may have no end.
///
/// # Errors
/// As [`read`].
pub fn read_text(from: impl Read, shown: &str) -> Result<String, String> {
    let largest = Limits::default().source_bytes;
    let mut bytes = Vec::new();
    from.take(largest as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("{shown}: {error}"))?;
    if bytes.len() > largest {
        return Err(format!(
            "{shown} is too large: the limit `source_bytes` is {largest} bytes"
        ));
    }
    String::from_utf8(bytes).map_err(|_| format!("{shown} is not a UTF-8 text"))
}

/// What two spellings of one path have in common.
fn identity(path: &Path) -> String {
    path.canonicalize()
        .unwrap_or_else(|_| path.to_path_buf())
        .display()
        .to_string()
}

/// A path as people read it: from the working directory, if it lies below that.
fn shown(path: &Path) -> String {
    let below = std::env::current_dir()
        .ok()
        .and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    below.as_deref().unwrap_or(path).display().to_string()
}

fn not_found(tried: &[PathBuf]) -> String {
    let mut shown: Vec<String> = tried.iter().map(|path| self::shown(path)).collect();
    shown.dedup();
    format!(
        "looked for {} and in the standard library",
        shown.join(", ")
    )
}
