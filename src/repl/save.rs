//! `:save`: the statements of a session as a file. The file appears whole or not at all.

use super::Repl;
use super::command::{refuse, unquoted};
use crate::base::write::{self, Existing};
use crate::base::{counted, visible};
use std::path::PathBuf;

/// Writes a new file.
pub(super) fn save(repl: &mut Repl, argument: &str) {
    write(repl, argument, Existing::Keep);
}

/// Writes a file, replacing what is there.
pub(super) fn overwrite(repl: &mut Repl, argument: &str) {
    write(repl, argument, Existing::Replace);
}

fn write(repl: &mut Repl, argument: &str, existing: Existing) {
    let named = unquoted(argument);
    if named.is_empty() {
        return refuse(repl, "`:save` needs a path, like `:save session.rasp`");
    }
    if repl.accepted.is_empty() {
        return refuse(repl, "there is nothing to save yet");
    }
    let mut path = PathBuf::from(named);
    if named.ends_with('/') || path.is_dir() {
        return refuse(repl, &format!("{named} is a folder; `:save` needs a file"));
    }
    if path.extension().is_none() {
        // `load` adds the same ending.
        path.set_extension("rasp");
    }
    let shown = visible::path(&path);
    if existing == Existing::Keep && path.exists() {
        return refuse(
            repl,
            &format!("{shown} exists; `:save! {shown}` replaces it"),
        );
    }
    let mut text = repl.accepted.join("\n");
    text.push('\n');
    match write::write(&path, text.as_bytes(), existing) {
        Ok(()) => {
            let statements = counted(repl.accepted.len(), "statement");
            repl.say(format!("{statements} in {shown}\n"));
        }
        Err(error) => refuse(repl, &error.message),
    }
}
