//! Transformers that compute, built by hand: machines as data, for the same executor as compiled
//! programs. What lives here writes weights, says what they compute, and reads residual streams. Depends
//! on `base`, `value`, `model` and `execute`; knows nothing of RASP.

pub mod dyck;
mod form;
pub mod looped;

use crate::model::Model;
use serde::Deserialize;

/// What every description of a machine has.
#[derive(Deserialize)]
struct Kind {
    kind: String,
    #[serde(default)]
    float64: bool,
}

/// Whether a machine says of itself that it is right in float64 alone.
pub fn needs_float64(model: &Model) -> bool {
    let text = model.machine.as_deref().unwrap_or_default();
    serde_json::from_str(text).is_ok_and(|kind: Kind| kind.float64)
}

/// The kind that a description says, if it is one.
fn kind(description: &str) -> Option<String> {
    let found: Result<Kind, _> = serde_json::from_str(description);
    found.ok().map(|found| found.kind)
}
