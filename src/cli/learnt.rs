//! The directory of `rasp learn`: results, and the checkpoint that training goes on from.

use crate::base::write::write;
use crate::base::{Code, Diagnostic, Existing, Fallible, visible};
use crate::learn::train::Training;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where training stands, and what it is for.
#[derive(Serialize, Deserialize)]
pub struct Checkpoint {
    /// What training depends on, as text.
    pub settings: String,
    /// What has been noted until then, so that the log of what is gone on with is one log.
    #[serde(default)]
    pub log: String,
    pub training: Training,
}

/// Where results go.
pub struct Directory<'a>(pub &'a Path);

/// The checkpoint's name.
pub const CHECKPOINT: &str = "checkpoint.json";
/// The log's name.
pub const LOG: &str = "log.jsonl";
/// What is left of a run that has ended.
const RESULTS: [&str; 4] = ["program.rasp", "model.safetensors", "report.json", LOG];

impl Directory<'_> {
    /// Makes the directory; gives the checkpoint that is in it, if training with these settings is to go
    /// on from there.
    pub fn open(&self, resume: bool, force: bool, settings: &str) -> Fallible<Option<Checkpoint>> {
        let shown = visible::path(self.0);
        std::fs::create_dir_all(self.0).map_err(|error| {
            let message = format!("{shown} could not be made: {error}");
            Diagnostic::error(Code::FileNotWritten, message)
        })?;
        let names = RESULTS.iter().chain([&CHECKPOINT]);
        let found = names.copied().find(|name| self.0.join(name).exists());
        match (resume, found) {
            (false, Some(found)) if !force => {
                let message = format!("{shown} has a {found} already");
                let help = match self.0.join(CHECKPOINT).exists() {
                    true => "give another directory, or `--resume`, or `--force` to replace it",
                    false => "give another directory, or `--force` to replace it",
                };
                Err(Diagnostic::error(Code::FileNotWritten, message)
                    .help(help)
                    .into())
            }
            (true, _) => self.checkpoint(settings).map(Some),
            _ => Ok(None),
        }
    }

    fn checkpoint(&self, settings: &str) -> Fallible<Checkpoint> {
        let path = self.0.join(CHECKPOINT);
        let shown = visible::path(&path).to_string();
        let wrong = |reason: &str| {
            let message = format!("{shown} cannot be gone on from: {reason}");
            Diagnostic::error(Code::BadRequest, message)
        };
        let text = std::fs::read_to_string(&path).map_err(|error| {
            wrong(&error.to_string()).help("without `--resume` training begins anew")
        })?;
        let found: Checkpoint =
            serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
        if found.settings != settings {
            let error = wrong("it is of training with other settings");
            let help = format!("those are {}; these are {settings}", found.settings);
            return Err(error.help(help).into());
        }
        Ok(found)
    }

    /// Writes a file whole, or leaves what is there.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Fallible<()> {
        write(&self.0.join(name), bytes, Existing::Replace)
    }
}
