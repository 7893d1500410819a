//! The loader that reads files: beside the loading file, then in the working directory.

use super::loader::{Loader, Missing, file_name};
use crate::base::read::open;
use crate::base::{Limits, visible};
use crate::eval::Loaded;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads `.rasp` files.
pub struct Files;

impl Loader for Files {
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, Missing> {
        let file = file_name(path);
        let beside = from
            .and_then(|from| Path::new(from).parent())
            .map(|directory| directory.join(&file));
        let tried: Vec<PathBuf> = beside.into_iter().chain([PathBuf::from(&file)]).collect();
        match tried.iter().find(|path| path.is_file()) {
            Some(found) => read(found).map_err(Missing::Unreadable),
            None => {
                let mut shown: Vec<String> = tried
                    .iter()
                    .map(|path| visible::name(&self::shown(path)).into_owned())
                    .collect();
                shown.dedup();
                Err(Missing::NotFound(shown))
            }
        }
    }
}

/// A file as text, named by its path.
///
/// # Errors
/// It cannot be read, is not UTF-8, or is larger than a source text may be.
pub fn read(path: &Path) -> Result<Loaded, String> {
    let shown = shown(path);
    let file = open(path).map_err(|error| format!("{}: {error}", visible::name(&shown)))?;
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
    let shown = visible::name(shown);
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
