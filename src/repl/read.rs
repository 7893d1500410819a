//! From lines to entries: when a line completes an entry, when it is a command, and when an entry
//! that can never be completed is given up. Nothing is run here: the prompt asks the same questions
//! about what is still being typed.

use super::{Patience, command};
use crate::base::{Limits, SourceId};
use crate::syntax::token::lex;
use crate::syntax::{Completeness, Typed, completeness};

/// What has been read and can be obeyed.
pub(super) enum Complete<'l> {
    /// A line `:name …` or `help name`, and its number.
    Command(&'l str, usize),
    Entry(Entry),
}

/// The text of an entry.
pub(super) struct Entry {
    pub text: String,
    /// The number of its first line.
    pub first_line: usize,
    /// Two empty lines have ended it where more was to come.
    pub given_up: bool,
}

/// Reads lines, keeping those of an entry that is not complete yet.
#[derive(Default)]
pub(super) struct EntryReader {
    text: String,
    typed: Typed,
    /// The lines read so far, and how many there were before this entry.
    lines: usize,
    before: usize,
    /// It is a definition with an error, read on to its closing brace.
    skipping: bool,
    /// Whether the last line was empty.
    after_empty: bool,
    given_up: bool,
}

impl EntryReader {
    /// Whether an entry has begun and needs more lines.
    pub fn is_pending(&self) -> bool {
        !self.text.is_empty()
    }

    /// Starts counting lines anew.
    pub fn restart(&mut self) {
        *self = EntryReader::default();
    }

    /// Takes the lines of a text and hands over what they complete, for as long as that is obeyed.
    /// All but the last are read with the patience that programs need.
    pub fn read(&mut self, text: &str, patience: Patience, mut obey: impl FnMut(Complete) -> bool) {
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let patience = match lines.peek() {
                Some(_) => Patience::NextLine,
                None => patience,
            };
            if self.ends_before(line) && !self.finish(&mut obey) {
                return;
            }
            self.lines += 1;
            let goes_on = if self.begins() && line.trim().is_empty() {
                self.take();
                true
            } else if self.begins() && command::is_command(line) {
                obey(Complete::Command(line.trim(), self.lines))
            } else if self.push(line, patience) {
                self.finish(&mut obey)
            } else {
                true
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Hands over what is pending.
    pub fn finish(&mut self, obey: &mut impl FnMut(Complete) -> bool) -> bool {
        let entry = self.take();
        entry.text.trim().is_empty() || obey(Complete::Entry(entry))
    }

    fn take(&mut self) -> Entry {
        let lines = self.lines;
        let reader = std::mem::take(self);
        (self.lines, self.before) = (lines, lines);
        Entry {
            text: match reader.typed.completeness() {
                Completeness::CompleteWithSemicolon => with_semicolon(&reader.text),
                Completeness::Complete | Completeness::Incomplete | Completeness::Erroneous => {
                    reader.text
                }
            },
            first_line: reader.before + 1,
            given_up: reader.given_up,
        }
    }

    /// Whether a line begins something of its own.
    fn begins(&self) -> bool {
        !self.is_pending() || is_documentation(&self.text)
    }

    /// Whether the entry, which lacks only its `;`, ends before a line that begins something else.
    fn ends_before(&self, line: &str) -> bool {
        if self.typed.completeness() != Completeness::CompleteWithSemicolon {
            return false;
        }
        let together = format!("{}\n{line}", self.text);
        command::is_command(line)
            || line.trim().is_empty()
            || completeness(&together) == Completeness::Erroneous
    }

    /// Takes a line of the entry, and says whether it ends the entry.
    fn push(&mut self, line: &str, patience: Patience) -> bool {
        if self.is_pending() {
            self.text.push('\n');
        } else {
            self.before = self.lines - 1;
        }
        self.text.push_str(line);
        let completeness = self.typed.push(line);
        let empty = line.trim().is_empty();
        let gives_up = empty && (self.after_empty || self.skipping);
        self.after_empty = empty;
        if self.skipping {
            return gives_up || patience == Patience::None || !self.typed.in_body();
        }
        match completeness {
            // It belongs to the definition on the next line.
            Completeness::Complete => !is_documentation(&self.text),
            // A definition in a file may hold any number of empty lines.
            _ if patience == Patience::None && gives_up => {
                self.given_up = true;
                true
            }
            Completeness::CompleteWithSemicolon => patience == Patience::None,
            Completeness::Incomplete => {
                let ends = command::lone_word(&self.text).is_some() || command::counts(&self.text);
                patience == Patience::None && ends
            }
            Completeness::Erroneous => {
                // The rest of a definition from a file would otherwise be run as if it stood alone.
                self.skipping = patience == Patience::NextLine && self.typed.in_body();
                !self.skipping
            }
        }
    }
}

/// Whether a text typed at the prompt needs another line.
pub(super) fn wants_more(text: &str) -> bool {
    let mut reader = EntryReader::default();
    reader.read(text, Patience::None, |_| true);
    reader.is_pending()
}

/// The text with a `;` after its last token, before any comment that follows.
fn with_semicolon(text: &str) -> String {
    let lexed = lex(SourceId(0), text, Limits::default().open_brackets);
    let end = lexed.lexemes.last().map_or(text.len(), |last| last.end);
    format!("{};{}", &text[..end], &text[end..])
}

/// Whether there is nothing but `##` lines.
fn is_documentation(text: &str) -> bool {
    !text.is_empty() && text.lines().all(|line| line.trim_start().starts_with("##"))
}
