//! How much memory strings, lists and dicts take, for the limit on what lives at the same time. Depends on the
//! values of the language.

use super::meta::{Dict, List, Meta};
use crate::interpret::Application;
use crate::value::Value;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What the allocator takes for a list or dict beside its contents.
const ALLOCATED: usize = 64;

/// Bytes that a string, list or dict takes, its elements' own lists and dicts aside, which count for themselves.
/// A result that several share is shared out among them; a string counts once, however often it is in it.
pub fn bytes(meta: &Meta) -> u64 {
    let mut strings = Strings::default();
    if let Meta::List(list) = meta {
        let slots = ALLOCATED + size_of::<List>() + list.len() * size_of::<Meta>();
        let items = list.iter().map(|item| strings.inside(item));
        slots as u64 + items.sum::<u64>()
    } else if let Meta::Dict(dict) = meta {
        let slot = size_of::<(usize, u64, Value, Value, Meta)>();
        let entry = |(key, item)| strings.unseen(key) + strings.inside(item);
        let slots = ALLOCATED + size_of::<Dict>() + dict.len() * slot;
        slots as u64 + dict.iter().map(entry).sum::<u64>()
    } else {
        strings.inside(meta)
    }
}

/// The strings that have been counted, by their address.
#[derive(Default)]
struct Strings(FxHashSet<*const u8>);

impl Strings {
    /// What an element takes beside its place.
    fn inside(&mut self, item: &Meta) -> u64 {
        match item {
            Meta::Atom(value) => self.unseen(value),
            Meta::Application(result) => {
                let bytes = match &**result {
                    Application::Sequence { input, output } => {
                        (input.len() + output.values.len()) * size_of::<Value>()
                    }
                    Application::Matrix { rows, .. } => rows.len() * rows.len(),
                    Application::Scores { rows, .. } => {
                        rows.len() * rows.len() * size_of::<Value>()
                    }
                };
                (bytes / Arc::strong_count(result)) as u64
            }
            Meta::List(_)
            | Meta::Dict(_)
            | Meta::SOp(_)
            | Meta::Selector(_)
            | Meta::Scorer(_)
            | Meta::Function(_)
            | Meta::Broken => 0,
        }
    }

    /// Bytes of a string beside its place, if it has not been counted.
    fn unseen(&mut self, value: &Value) -> u64 {
        match value {
            Value::Str(text) if text.is_heap_allocated() && self.0.insert(text.as_ptr()) => {
                text.len() as u64
            }
            Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_) => 0,
        }
    }
}
