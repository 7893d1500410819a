//! Transformers that compute, built by hand: machines as data, for the same executor as compiled
//! programs. What lives here writes weights, says what they compute, and reads residual streams. Depends
//! on `base`, `value`, `model` and `execute`; knows nothing of RASP.

pub mod dyck;
mod form;
pub mod looped;

use serde::Deserialize;

/// What every description of a machine begins with.
#[derive(Deserialize)]
struct Kind {
    kind: String,
}

/// The kind that a description says, if it is one.
fn kind(description: &str) -> Option<String> {
    let found: Result<Kind, _> = serde_json::from_str(description);
    found.ok().map(|found| found.kind)
}
