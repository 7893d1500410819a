//! Places of diagnostics in the whole input. Every entry is a source of its own; in an input of many
//! entries a person looks for the line of the input.

use crate::base::{Diagnostic, SourceId, Sources, Span};
use std::collections::BTreeMap;

/// The lines of the input that stand before each entry, where there are any.
#[derive(Default)]
pub(super) struct Places {
    before: BTreeMap<SourceId, usize>,
}

impl Places {
    /// Notes that an entry begins on a line of the input.
    pub fn note(&mut self, entry: SourceId, line: usize) {
        if line > 1 {
            self.before.insert(entry, line - 1);
        }
    }

    /// The diagnostic with sources in which entries stand on the input's lines, if it shows such an
    /// entry.
    pub fn in_input(
        &self,
        diagnostic: &Diagnostic,
        sources: &Sources,
    ) -> Option<(Diagnostic, Sources)> {
        let labels = || diagnostic.labels.iter().map(|label| label.span.source);
        labels().find(|source| self.before.contains_key(source))?;
        let mut moved = Sources::new();
        // The first source has no text of its own.
        moved.add("", "");
        let mut places = BTreeMap::new();
        for id in labels() {
            places.entry(id).or_insert_with(|| {
                let source = sources.get(id);
                let before = self.before.get(&id).copied().unwrap_or(0);
                let text = format!("{}{}", "\n".repeat(before), source.text);
                (moved.add(source.name.clone(), text), before)
            });
        }
        let mut diagnostic = diagnostic.clone();
        for label in &mut diagnostic.labels {
            if let Some((source, before)) = places.get(&label.span.source) {
                let range = label.span.range();
                label.span = Span::new(*source, range.start + before, range.end + before);
            }
        }
        Some((diagnostic, moved))
    }
}
